"""Reading all that a fit needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from isthmus._api import SOURCE, TARGET
from isthmus.cli.console import n_documents
from isthmus.cli.stages import Stages
from isthmus.core.labels import spelled_like
from isthmus.exceptions import DataError
from isthmus.io.documents import Columns, open_documents

REPORT_EVERY = 1000


@dataclass
class Gathered:
    """The documents of one file."""

    path: str
    columns: Columns
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    truth: list[str | None] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Documents of each label, the most frequent first."""
        return dict(Counter(label for label in self.labels if label is not None).most_common())

    def describe(self) -> dict[str, Any]:
        """For scripts."""
        columns = {role: getattr(self.columns, role) for role in ("text", "label", "id")}
        return {"file": self.path, "documents": len(self.texts), "columns": columns, "guessed": self.columns.guessed}

    def __str__(self) -> str:
        return f"{self.path}: {n_documents(len(self.texts))}; {self.columns}."


def gather(path: str, stages: Stages, **options: Any) -> Gathered:
    """All documents of a file. `options` are those of `open_documents`."""
    with stages.stage(f"reading {path}") as advance, open_documents(path, **options) as file:
        found = Gathered(path, file.columns)
        for document in file:
            found.ids.append(document.id)
            found.texts.append(document.text)
            found.labels.append(document.label)
            found.truth.append(document.truth)
            if file.n_documents % REPORT_EVERY == 0:
                advance(file.position, file.size)
    return found


def domain_names(paths: Sequence[str]) -> list[str]:
    """What to call each source: its file's name without endings, where that tells them apart."""
    if len(paths) == 1:
        return [SOURCE]
    names: list[str] = []
    for path in paths:
        name = Path(path).name.split(".")[0] or path
        numbered = (f"{name} {number}" for number in count(2))
        names.append(next(free for free in chain([name], numbered) if free not in (*names, TARGET)))
    return names


def spell_alike(files: Sequence[Gathered]) -> None:
    """Spell each label as the first file does that has it."""
    known: dict[str, None] = {}
    for file in files:
        file.labels[:] = spelled_like(file.labels, known)
        known |= dict.fromkeys(file.counts)
        file.truth[:] = spelled_like(file.truth, known)


def check_truth(target: Gathered, column: str, classes: Collection[str]) -> None:
    """Where no true label is a class, everything would be wrong, and the column or the spelling is."""
    there = {label for label in target.truth if label is not None}
    if not there:
        raise DataError(f"{target.path} has no entry in column {column!r}, which --truth names.")
    if there.isdisjoint(classes):
        names = ", ".join(repr(label[:40]) for label in sorted(there)[:5])
        raise DataError(
            f"{target.path} has no label that is learned in column {column!r}, which --truth names, but {names}"
            f"{' and others' if len(there) > 5 else ''}: spell labels alike, or name another column."
        )


def check_classes(sources: Sequence[Gathered]) -> None:
    """There must be something to tell apart."""
    classes = {label for source in sources for label in source.labels}
    if len(classes) < 2:
        raise DataError(
            f"The source has one label only, {next(iter(classes))!r}: there must be two or more to tell apart."
        )
