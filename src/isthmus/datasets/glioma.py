"""Glioma gene expression of two laboratories: grade III against grade IV."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.datasets.archives import reading
from isthmus.datasets.locate import find
from isthmus.exceptions import DataError
from isthmus.typing import Array

_LEADING_COLUMNS = ["sample", "grade", "histology"]


@dataclass(frozen=True, eq=False)
class Expression:
    """Tumours x genes (log2), with the grade of each tumour."""

    X: Array
    grades: np.ndarray[Any, Any]
    samples: list[str]
    genes: list[str]


def load_glioma(name: str, data: Path | None = None) -> Expression:
    """One of the two sets, GSE4271 or GSE4412."""
    path = find(f"glioma/{name}.csv.gz", data)
    with reading(path), gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    if header[:3] != _LEADING_COLUMNS:
        raise DataError(
            f"{path} starts with the columns {header[:3]}, not {_LEADING_COLUMNS}: it is not the published file."
        )
    if any(len(row) != len(header) for row in rows):
        raise DataError(f"{path} has a row that is longer or shorter than its header: fetch it again.")
    return Expression(
        X=np.array([row[3:] for row in rows], dtype=np.float64),
        grades=np.array([row[1] for row in rows]),
        samples=[row[0] for row in rows],
        genes=header[3:],
    )
