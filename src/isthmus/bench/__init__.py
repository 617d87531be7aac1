"""The papers' tables, reproduced: published figures beside measured ones."""

from isthmus.bench.changes import with_settings
from isthmus.bench.drawing import require_matplotlib, write_picture
from isthmus.bench.family_summary import as_summary
from isthmus.bench.figures import n_steps, pictures
from isthmus.bench.metrics import METRICS
from isthmus.bench.protocols import PROTOCOLS, Fold
from isthmus.bench.published import load_published
from isthmus.bench.render import as_grids
from isthmus.bench.runner import Bench, Missing, Row
from isthmus.bench.splits import development_splits, divided_categories
from isthmus.bench.store import Store, fingerprint
from isthmus.bench.summary import best, mean_gap, means, share_recovered, with_gaps
from isthmus.bench.task import Task
from isthmus.bench.tasks import TABLES, Figure, Library, Table, TaskData, load_table

__all__ = [
    "METRICS",
    "PROTOCOLS",
    "TABLES",
    "Bench",
    "Figure",
    "Fold",
    "Library",
    "Missing",
    "Row",
    "Store",
    "Table",
    "Task",
    "TaskData",
    "as_grids",
    "as_summary",
    "best",
    "development_splits",
    "divided_categories",
    "fingerprint",
    "load_published",
    "load_table",
    "mean_gap",
    "means",
    "n_steps",
    "pictures",
    "require_matplotlib",
    "share_recovered",
    "with_gaps",
    "with_settings",
    "write_picture",
]
