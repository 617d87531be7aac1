"""The papers' tables, reproduced: published figures beside measured ones."""

from isthmus.bench.published import load_published
from isthmus.bench.render import as_table
from isthmus.bench.runner import Bench, Missing, Row
from isthmus.bench.store import Store, fingerprint

__all__ = ["Bench", "Missing", "Row", "Store", "as_table", "fingerprint", "load_published"]
