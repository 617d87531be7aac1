"""The papers' tables, reproduced: published figures beside measured ones."""

from isthmus.bench.figures import require_matplotlib, write_figures
from isthmus.bench.folds import Fold, crossvalidate
from isthmus.bench.published import load_published
from isthmus.bench.render import as_table
from isthmus.bench.runner import Bench, Missing, Row
from isthmus.bench.store import Store, fingerprint

__all__ = [
    "Bench",
    "Fold",
    "Missing",
    "Row",
    "Store",
    "as_table",
    "crossvalidate",
    "fingerprint",
    "load_published",
    "require_matplotlib",
    "write_figures",
]
