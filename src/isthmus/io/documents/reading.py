"""Documents out of files, one at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from isthmus.exceptions import DataError
from isthmus.io.documents.bad_rows import BadRowError, FoundRow, refuse
from isthmus.io.documents.columns import Columns, check_late_columns, choose
from isthmus.io.documents.given import SUGGESTED
from isthmus.io.documents.lines import LONGEST
from isthmus.io.documents.placeholders import is_placeholder
from isthmus.io.documents.seen import Seen
from isthmus.io.documents.tables import DocumentTable, open_table


class Document(NamedTuple):
    """One row of a file. Labels and ids are strings, whatever the file held."""

    id: str
    text: str
    label: str | None
    truth: str | None
    kind: str = ""
    """Why `isthmus suggest` chose it, in a file of that."""


@dataclass
class DocumentFile:
    """An open file of documents. Iterate once."""

    name: str
    columns: Columns
    _table: DocumentTable
    _labeled: bool
    _on_bad_row: Callable[[BadRowError], None] = refuse
    _allow_labels: Collection[str] = ()
    _ids_differ: bool = False
    """Whether that is known."""
    n_documents: int = field(default=0, init=False)
    """How many were read so far."""
    place: str = field(default="", init=False)
    """Where the last of them stands."""
    placeholders: Counter[str] = field(default_factory=Counter, init=False)
    """Entries that were taken for no label, and how often each came."""
    _n_rows: int = field(default=0, init=False)

    @property
    def suggested(self) -> bool:
        """Whether `isthmus suggest` wrote the file, by its columns: half of it may have been chosen for being hard."""
        return SUGGESTED.issubset(self._table.columns) and "kind" not in (self.columns.label, self.columns.truth)

    @property
    def size(self) -> int | None:
        """Bytes, if known."""
        return self._table.size

    @property
    def position(self) -> int:
        """Bytes that were read so far."""
        raw = self._table.raw
        return raw.tell() if raw is not None and self.size is not None else 0

    def __iter__(self) -> Iterator[Document]:
        roles = [(role, getattr(self.columns, role)) for role in ("text", "label", "id", "truth")]
        roles = [(role, column) for role, column in roles if column is not None]
        if self.suggested:
            roles.append(("kind", "kind"))
        wanted = list(dict.fromkeys(column for _, column in roles))
        spots = {role: wanted.index(column) for role, column in roles}
        seen = None if self._ids_differ else Seen()
        for place, row in self._table.rows(wanted):
            self.place = place
            self._n_rows += 1
            try:
                if isinstance(row, BadRowError):
                    raise row
                values = [_as_text(value, place, column) for value, column in zip(row, wanted, strict=True)]
                document = self._document({role: values[spot] for role, spot in spots.items()}, seen)
            except BadRowError as bad:
                if not isinstance(row, BadRowError):
                    bad.content = row.whole if isinstance(row, FoundRow) else row
                self._on_bad_row(bad)
                continue
            self.n_documents += 1
            yield document
        if not self._n_rows:
            raise DataError(f"{self.name} has columns, but no documents.")
        check_late_columns(self._table, self.columns, self._labeled)

    def _document(self, found: dict[str, str | None], seen: Seen | None) -> Document:
        text, place = found["text"], self.place
        if text is None:
            why = f"has no text (column {self.columns.text!r}): leave the row out, or give it one."
            raise BadRowError(place, "without text", why)
        label = self._label(found.get("label"))
        same = self.columns.truth is not None and self.columns.truth == self.columns.label
        truth = label if same else self._label(found.get("truth"))  # a placeholder counts once
        if self._labeled and label is None:
            raise BadRowError(place, *self._no_label(found["label"]))
        kind = found.get("kind") or ""
        if self.columns.id is None:
            return Document(str(self._n_rows), text, label, truth, kind)
        name = found["id"]
        if not name:
            why = f"has no id (column {self.columns.id!r}): give it one, or choose another id=."
            raise BadRowError(place, "without an id", why)
        if seen is not None and not seen.add(name):
            why = f"has the id {name[:60]!r}, which an earlier document has: ids must differ."
            raise BadRowError(place, "with the id of an earlier document", why)
        return Document(name, text, label, truth, kind)

    def _label(self, given: str | None) -> str | None:
        """None for a placeholder as well, unless it was asked for."""
        label = (given or "").strip()
        if label and label not in self._allow_labels and is_placeholder(label):
            self.placeholders[label] += 1
            return None
        return label or None

    def _no_label(self, given: str | None) -> tuple[str, str]:
        if not (given or "").strip():
            return "without a label", f"has no label (column {self.columns.label!r}): label it, or leave it out."
        assert given is not None
        label = given.strip()
        return (
            f"with the label {label!r}, which stands for none",
            f"has the label {label!r}, which stands for none: label it, leave it out, "
            "or take it for a class with allow_label=.",
        )


@contextmanager
def open_documents(
    path: str,
    *,
    text: str | None = None,
    label: str | None = None,
    id: str | None = None,  # noqa: A002  # what the column is called
    truth: str | None = None,
    labeled: bool = False,
    with_ids: bool = True,
    form: str | None = None,
    encoding: str | None = None,
    max_document: int = LONGEST,
    on_bad_row: Callable[[BadRowError], None] = refuse,
    allow_labels: Collection[str] = (),
    ids_differ: bool = False,
) -> Iterator[DocumentFile]:
    """Open a file, a folder or, by the name "-", standard input.

    Parameters
    ----------
    path
        CSV, TSV, JSON, JSON lines, Parquet or .xlsx, compressed with gzip or Zstandard or not; or a folder of text
        files.
    text, label, id, truth
        Names of columns. Where they are missing, those with a usual name are taken, if there is one of each.
    labeled
        Whether every document must have a label.
    with_ids
        Whether ids are read, which then must differ. If not, documents are numbered.
    form
        "csv", "tsv", "jsonl", "parquet" or "xlsx". By default, what the name or the first bytes say.
    encoding
        By default, what a byte-order mark says, or UTF-8.
    max_document
        Characters that a document may have, with all columns of its row. A longer one is an error, so that a file
        cannot fill the memory.
    on_bad_row
        Called with each row that cannot be read, which is left out if this returns. By default the first one is the
        end.
    allow_labels
        Labels that are classes though they look like placeholders ("none", "-", "N/A" ...).
    ids_differ
        Whether ids are known to, as in a file that was read before: they are not compared, nor kept for that.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from isthmus.io.documents import open_documents
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "new.csv")
    >>> _ = path.write_text("id,body\\n7,it crashes\\n")
    >>> with open_documents(str(path)) as file:
    ...     (file.columns.text, [(document.id, document.text) for document in file])
    ('body', [('7', 'it crashes')])
    >>> folder.cleanup()
    """
    with open_table(path, form, encoding, max_document) as table:
        columns = choose(table, text=text, label=label, id=id, truth=truth, needs_label=labeled, with_ids=with_ids)
        yield DocumentFile(table.name, columns, table, labeled, on_bad_row, allow_labels, ids_differ)


def _as_text(value: Any, place: str, column: str) -> str | None:
    """Text of whatever a format holds; None for what is missing."""
    text = value if isinstance(value, str) else _spelled(value, place, column)
    if text is None:
        return None
    if "\0" in text:
        why = f"holds a NUL character in column {column!r}: the file is damaged, or not text."
        raise BadRowError(place, "with a NUL character", why)
    return without_lone_surrogates(text)


def without_lone_surrogates(text: str) -> str:
    """Halves of surrogate pairs, which JSON can hold and nobody can write, become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _spelled(value: Any, place: str, column: str) -> str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # whole numbers with gaps among them become fractions in some programs
    if isinstance(value, list | dict | bytes):
        why = f"holds {str(value)[:40]} in column {column!r}: text, numbers or dates can be read."
        raise BadRowError(place, "with a value that is no text", why)
    return str(value)
