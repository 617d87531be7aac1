"""SRAA: UseNet articles on simulated and real autos and aviation."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from isthmus.datasets.archives import read_tar
from isthmus.datasets.corpus import Corpus
from isthmus.datasets.locate import DATASETS, find
from isthmus.exceptions import DataError

GROUPS = ("realauto", "realaviation", "simauto", "simaviation")


def load_sraa(data: Path | None = None) -> Corpus:
    """All articles of the four folders, wherever in the archive these are."""
    path = find(DATASETS["sraa"].file, data)
    texts, groups = [], []
    for name, content in read_tar(path):
        group = next((part for part in name.parts[:-1] if part in GROUPS), None)
        if group is not None:
            texts.append(content.decode("latin-1"))
            groups.append(group)
    missing = [group for group in GROUPS if group not in groups]
    if missing:
        raise DataError(f"{path} has no articles in {', '.join(missing)}: it is not the SRAA archive.")
    return Corpus(texts, np.array(groups))
