"""The figures that the papers printed."""

from __future__ import annotations

import csv
from importlib import resources


def load_published(table: str) -> dict[tuple[str, str], float]:
    """A paper's figures by task and method.

    >>> from isthmus.bench import load_published
    >>> load_published("tcl")["comp vs sci", "TCL"]
    97.34
    """
    file = resources.files("isthmus.bench") / "published.csv"
    with file.open(encoding="utf-8") as lines:
        return {
            (row["task"], row["method"]): float(row["value"]) for row in csv.DictReader(lines) if row["paper"] == table
        }
