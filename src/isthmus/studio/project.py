"""A project: documents, every answer in the order it was given, and the last fit, in one SQLite file.

What was answered is on disk before it is confirmed (write-ahead log, synchronous=FULL): closing the tab, kill -9 and a
full disk lose nothing that was confirmed.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isthmus.evaluation import SampleScore
from isthmus.exceptions import DataError
from isthmus.selection import RANDOM, Pick
from isthmus.typing import Array

APPLICATION, VERSION = 0x15740005, 1
"""What SQLite keeps in the header of a project, to tell it from other files."""
PATIENCE = 1.0
"""Seconds until a project that another process has open is given up."""
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE source (row INTEGER PRIMARY KEY, text TEXT NOT NULL, label TEXT NOT NULL, domain TEXT NOT NULL);
CREATE TABLE target (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE answer (
  number INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL, action TEXT NOT NULL, label TEXT,
  kind TEXT NOT NULL, guess TEXT, undone INTEGER NOT NULL DEFAULT 0, at REAL NOT NULL
);
CREATE TABLE fit (
  number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, last_answer INTEGER NOT NULL, summary TEXT NOT NULL,
  probabilities BLOB NOT NULL, model BLOB
);
CREATE TABLE batch (place INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, kind TEXT NOT NULL);
"""
LABEL, SKIP, NONE = "label", "skip", "none"
"""What can be done with a document: give it a class, leave it for later, or say that it is of no class."""


class Answer(NamedTuple):
    """What was said of a target document."""

    row: int
    action: str
    label: str | None
    kind: str
    """Why the document was shown."""
    guess: str | None
    """What the model took it for when it was shown."""
    number: int


@dataclass(frozen=True)
class ProjectDocuments:
    """Everything that a project is about."""

    source_texts: list[str]
    source_labels: list[str]
    source_domains: list[str]
    ids: list[str]
    target_texts: list[str]


class Project:
    """An open project file, which no other process can open meanwhile. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=PATIENCE)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise DataError(f"{path} is open in another studio: end that one, or name another project.") from None
            raise DataError(f"{path} cannot be opened as a project: {error}.") from None

    def _prepare(self) -> None:
        self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
        (application,), (version,) = (
            self._db.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        is_new = not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not is_new and (application, version) != (APPLICATION, VERSION):
            raise DataError(f"{self.path} is no project of isthmus studio, or one of another version.")
        self._db.execute("PRAGMA journal_mode=DELETE")  # all of a project is in its file, which people copy
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("BEGIN EXCLUSIVE")  # held until the project is closed
        self._db.execute("COMMIT")
        if is_new:
            with self._transaction():
                for statement in SCHEMA.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id={APPLICATION}")
                self._db.execute(f"PRAGMA user_version={VERSION}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it is on disk at the end, or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Merge the log into the file."""
        with self._lock:
            self._db.close()

    # ---- documents

    def set_documents(self, documents: ProjectDocuments, meta: dict[str, Any]) -> None:
        """Begin: what was there of other documents, answers and fits, is gone. An id tells these from others."""
        meta = {**meta, "id": secrets.token_hex(8)}
        with self._transaction():
            for table in ("source", "target", "answer", "fit", "batch", "meta"):
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608  # our own names
            rows = zip(documents.source_texts, documents.source_labels, documents.source_domains, strict=True)
            self._db.executemany("INSERT INTO source (text, label, domain) VALUES (?, ?, ?)", rows)
            self._db.executemany(
                "INSERT INTO target (row, id, text) VALUES (?, ?, ?)",
                zip(range(len(documents.ids)), documents.ids, documents.target_texts, strict=True),
            )
            self._db.executemany(
                "INSERT INTO meta VALUES (?, ?)", [(key, json.dumps(value)) for key, value in meta.items()]
            )

    def documents(self) -> ProjectDocuments | None:
        with self._lock:
            source = self._db.execute("SELECT text, label, domain FROM source ORDER BY row").fetchall()
            target = self._db.execute("SELECT id, text FROM target ORDER BY row").fetchall()
        if not source or not target:
            return None
        texts, labels, domains = map(list, zip(*source, strict=True))
        ids, target_texts = map(list, zip(*target, strict=True))
        return ProjectDocuments(texts, labels, domains, ids, target_texts)

    def meta(self) -> dict[str, Any]:
        with self._lock:
            return {key: json.loads(value) for key, value in self._db.execute("SELECT key, value FROM meta")}

    # ---- answers

    def add_answer(self, row: int, action: str, label: str | None, kind: str, guess: str | None) -> None:
        """On disk when this returns."""
        with self._transaction():
            self._db.execute(
                "INSERT INTO answer (row, action, label, kind, guess, at) VALUES (?, ?, ?, ?, ?, ?)",
                (row, action, label, kind, guess, time.time()),
            )

    def first_guess(self, row: int) -> str | None:
        """What was said of a document before it had a label, undone ones included: a model may have learned from it."""
        with self._lock:
            found = self._db.execute(
                "SELECT guess FROM answer WHERE row = ? AND action != ? ORDER BY number LIMIT 1", (row, SKIP)
            ).fetchone()
        return None if found is None else found[0]

    def undo(self) -> int | None:
        """Take the last answer back: the document that it was about, which is the next to be shown."""
        with self._transaction():
            last = self._db.execute(
                "SELECT number, row, kind FROM answer WHERE undone = 0 ORDER BY number DESC LIMIT 1"
            ).fetchone()
            if last is None:
                return None
            number, row, kind = last
            self._db.execute("UPDATE answer SET undone = 1 WHERE number = ?", (number,))
            self._replace_batch([Pick(row, kind), *(pick for pick in self.batch() if pick.row != row)])
        return int(row)

    def answers(self) -> dict[int, Answer]:
        """The last one about each document."""
        with self._lock:
            rows = self._db.execute(
                "SELECT row, action, label, kind, guess, number FROM answer WHERE undone = 0 ORDER BY number"
            ).fetchall()
        return {row[0]: Answer(*row) for row in rows}

    def measured(self) -> SampleScore | None:
        """How many guesses were right of the random sample, as far as it has answers."""
        drawn = [one for one in self.answers().values() if one.kind == RANDOM and one.action != SKIP and one.guess]
        return SampleScore(sum(one.guess == one.label for one in drawn), len(drawn)) if drawn else None

    # ---- fits

    def store_fit(
        self, summary: dict[str, Any], probabilities: Array, model: bytes, batch: Sequence[Pick], last: int
    ) -> None:
        """The fit and the documents to show next, at once; the models of earlier fits are let go."""
        stored = np.asarray(probabilities, dtype=np.float32).tobytes()
        with self._transaction():
            self._db.execute("UPDATE fit SET model = NULL")
            self._db.execute(
                "INSERT INTO fit (at, last_answer, summary, probabilities, model) VALUES (?, ?, ?, ?, ?)",
                (time.time(), last, json.dumps(summary), stored, model),
            )
            self._replace_batch(batch)

    def set_batch(self, batch: Sequence[Pick]) -> None:
        """Other documents to show next."""
        with self._transaction():
            self._replace_batch(batch)

    def _replace_batch(self, batch: Sequence[Pick]) -> None:
        self._db.execute("DELETE FROM batch")
        self._db.executemany("INSERT INTO batch (row, kind) VALUES (?, ?)", batch)

    def batch(self) -> list[Pick]:
        with self._lock:
            return [Pick(*row) for row in self._db.execute("SELECT row, kind FROM batch ORDER BY place")]

    def summaries(self) -> list[dict[str, Any]]:
        """Of all fits, the first one first."""
        with self._lock:
            rows = self._db.execute("SELECT number, last_answer, summary FROM fit ORDER BY number").fetchall()
        return [{"number": number, "last_answer": last, **json.loads(summary)} for number, last, summary in rows]

    def last_probabilities(self, n_classes: int) -> Array | None:
        """One row for each target document."""
        with self._lock:
            row = self._db.execute("SELECT probabilities FROM fit ORDER BY number DESC LIMIT 1").fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32).reshape(-1, n_classes)

    def last_model(self) -> bytes | None:
        """The model file of the last fit."""
        with self._lock:
            row = self._db.execute("SELECT model FROM fit ORDER BY number DESC LIMIT 1").fetchone()
        return None if row is None else bytes(row[0])
