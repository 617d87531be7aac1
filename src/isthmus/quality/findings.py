"""What is found in documents before a model is fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from isthmus.core.labels import read_column, read_texts, spelled_like

SHOWN = 5
"""Places that a sentence names; the finding holds more."""
MOST_PLACES = 1_000


@dataclass(frozen=True)
class Part:
    """The documents of one file."""

    name: str
    texts: Sequence[str]
    labels: Sequence[str | None] = ()
    """Empty if none are known."""
    places: Sequence[str] = ()
    """Where each document stands, such as "line 3"; by default they are numbered."""

    def place(self, row: int) -> str:
        return self.places[row] if self.places else f"document {row + 1}"

    def labeled(self) -> list[tuple[int, str]]:
        """Rows that have a label, with it."""
        return [(row, label) for row, label in enumerate(self.labels) if label is not None]


def read_part(part: Part) -> Part:
    """The same with lists of strings, whatever columns it was made of."""
    texts = read_texts(part.texts, f"texts of {part.name}") if len(part.texts) else []
    labels = spelled_like(read_column(part.labels, f"labels of {part.name}", "labels"), ())
    if labels and len(labels) != len(texts):
        raise ValueError(f"{part.name} has {len(texts)} texts and {len(labels)} labels: give one label for each text.")
    return replace(part, texts=texts, labels=[None if label is None else str(label) for label in labels])


@dataclass(frozen=True)
class Finding:
    """One thing that may be wrong, how often it was met, and where."""

    kind: str
    """A short name, for scripts."""
    message: str
    """A sentence, with the first places."""
    count: int
    """Documents that it is about."""
    file: str
    places: list[str] = field(default_factory=list)
    """The first ones; each may be of two documents."""

    def as_dict(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "kind": self.kind,
            "file": self.file,
            "count": self.count,
            "places": self.places,
            "message": self.message,
        }


def make_finding(
    kind: str, file: str, what: str, places: Sequence[str], count: int | None = None, ask: str | None = None
) -> Finding:
    """A finding whose sentence names the file, what it is, the first places, and a question if there is one.

    >>> make_finding("empty", "a.csv", "2 documents are empty", ["line 3", "line 9"]).message
    'a.csv: 2 documents are empty (lines 3, 9).'
    """
    where = f" ({listed_places(places)})" if places else ""
    total = len(places) if count is None else count
    end = "." if ask is None else f": {ask}"
    return Finding(kind, f"{file}: {what}{where}{end}", total, file, list(places[:MOST_PLACES]))


def listed_places(places: Sequence[str]) -> str:
    """The first ones, without saying "line" each time.

    >>> listed_places(["line 3", "line 4"]), listed_places(["line 7"]), listed_places([f"row {n}" for n in range(1, 8)])
    ('lines 3, 4', 'line 7', 'rows 1, 2, 3, 4, 5 and 2 more')
    """
    first = list(places[:SHOWN])
    kind = first[0].partition(" ")[0]
    alike = len(first) > 1 and kind in ("line", "row", "item", "document") and all(p.startswith(kind) for p in first)
    named = f"{kind}s " + ", ".join(place.removeprefix(f"{kind} ") for place in first) if alike else "; ".join(first)
    more = len(places) - len(first)
    return named + (f" and {more:,} more" if more else "")


def documents_are(n: int, one: str, many: str) -> str:
    """How many, with what is said of them.

    >>> documents_are(1, "is empty", "are empty"), documents_are(1200, "is empty", "are empty")
    ('1 document is empty', '1,200 documents are empty')
    """
    return f"1 document {one}" if n == 1 else f"{n:,} documents {many}"
