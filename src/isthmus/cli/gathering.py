"""Reading all that a fit needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from pathlib import Path
from sys import intern
from typing import Any, Self, cast

from isthmus._api import SOURCE
from isthmus._partitions import TARGET
from isthmus.cli.bad_rows import BadRows
from isthmus.cli.console import n_documents
from isthmus.cli.options import LONGEST
from isthmus.cli.stages import Stages
from isthmus.core.labels import spelled_like
from isthmus.exceptions import DataError
from isthmus.io.documents import Columns, FileColumn, open_documents
from isthmus.quality import Finding, Part, find_unknown, look_at, nearest_label

REPORT_EVERY = 1000
LOOKED_AT = 10_000
"""Documents of a file in blocks that are looked at for what may be wrong with them."""


@dataclass(frozen=True)
class Reading:
    """Which columns hold what, and how the files are to be read."""

    text: str | None = None
    label: str | None = None
    id: str | None = None
    truth: str | None = None
    form: str | None = None
    encoding: str | None = None
    max_document: int = LONGEST
    target_text: str | None = None
    target_label: str | None = None
    """If the target's columns have other names."""
    target_encoding: str | None = None
    """If the target's file has another encoding."""
    labels_encoding: str | None = None
    """That of files of labels."""
    allow_labels: Sequence[str] = ()
    """Labels that look like placeholders, or like others that are misspelt, and are neither."""

    @property
    def common(self) -> dict[str, Any]:
        return {
            "form": self.form,
            "encoding": self.encoding,
            "max_document": self.max_document,
            "allow_labels": self.allow_labels,
        }


@dataclass
class Gathered:
    """The documents of one file."""

    path: str
    columns: Columns
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    truth: list[str | None] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    """Why each was suggested, in a file that `isthmus suggest` wrote; else empty."""
    places: list[str] = field(default_factory=list)
    """Where each document stands in the file."""
    placeholders: dict[str, int] = field(default_factory=dict)
    """Entries that were taken for no label."""

    @property
    def in_blocks(self) -> bool:
        """Whether texts are read again when they are asked for, and are not in memory."""
        return not isinstance(self.texts, list)

    @property
    def counts(self) -> dict[str, int]:
        """Documents of each label, the most frequent first."""
        return dict(Counter(label for label in self.labels if label is not None).most_common())

    @property
    def n_known(self) -> int | None:
        """Documents that have a label; None if nobody has counted them."""
        return sum(self.counts.values())

    def describe(self) -> dict[str, Any]:
        """For scripts."""
        columns = {role: getattr(self.columns, role) for role in ("text", "label", "id")}
        return {"file": self.path, "documents": len(self.texts), "columns": columns, "guessed": self.columns.guessed}

    def part(self, labels: Sequence[str | None]) -> Part:
        """As the checks of data quality see it: of a file in blocks, its first documents."""
        if not self.in_blocks:
            return Part(self.path, self.texts, labels, self.places)
        return Part(self.path, list(islice(self.texts, LOOKED_AT)), labels[:LOOKED_AT])

    def only(self, rows: Sequence[int]) -> Self:
        """Some of its documents."""
        own = {name: getattr(self, name) for name in ("ids", "texts", "labels", "truth", "kinds", "places")}
        kept: dict[str, Any] = {name: [column[row] for row in rows] for name, column in own.items() if column}
        return replace(self, **kept)

    def __str__(self) -> str:
        return f"{self.path}: {n_documents(len(self.texts))}; {self.columns}."


@dataclass(frozen=True)
class Files:
    """Everything that was read for a fit."""

    sources: list[Gathered]
    target: Gathered

    @property
    def classes(self) -> list[str]:
        """The labels of all sources."""
        return list(dict.fromkeys(label for source in self.sources for label in source.counts))

    def findings(self, use_target_labels: bool = False) -> list[Finding]:
        """What may be wrong with the documents."""
        return [
            *_placeholders(self.target),
            *self._unknown(use_target_labels),
            *look_at([source.part(source.labels) for source in self.sources], self.target.part(())),
        ]

    def _unknown(self, use_target_labels: bool) -> Iterable[Finding]:
        if (column := self.target.columns.truth) is not None:
            yield from find_unknown(self.target.part(self.target.truth), self.classes, column)
        if use_target_labels and (column := self.target.columns.label) is not None:
            yield from find_unknown(self.target.part(self.target.labels), self.classes, column)


def gather(path: str, stages: Stages, bad: BadRows, most: int | None = None, **options: Any) -> Gathered:
    """All documents of a file that can be read, or the first; `bad` takes the others.

    `options` are those of `open_documents`.
    """
    with stages.stage(f"reading {path}") as advance, open_documents(path, on_bad_row=bad.of(path), **options) as file:
        found = Gathered(path, file.columns)
        for document in islice(file, most):
            found.ids.append(document.id)
            found.texts.append(document.text)
            found.labels.append(document.label)
            found.truth.append(document.truth)
            if file.suggested:
                found.kinds.append(document.kind)
            found.places.append(file.place.removeprefix(f"{file.name}, "))
            if file.n_documents % REPORT_EVERY == 0:
                advance(file.position, file.size)
        found.placeholders = dict(file.placeholders)
    return found


def gather_readable(path: str, stages: Stages, **options: Any) -> Gathered:
    """As `gather`, for commands that leave bad rows out: they are told, and a file of nothing else is refused."""
    with BadRows() as bad:
        found = gather(path, stages, bad, **options)
        if not found.texts:  # which is all that there is to say
            bad.refuse(may_skip=False)
        bad.finish(None)
    return found


def gather_in_blocks(path: str, stages: Stages, bad: BadRows, **options: Any) -> Gathered:
    """The same of a file that need not fit into memory: its ids and texts are read again when they are asked for."""
    with stages.stage(f"reading {path}") as advance, open_documents(path, on_bad_row=bad.of(path), **options) as file:
        found = Gathered(path, file.columns)
        for document in file:
            found.labels.append(document.label and intern(document.label))
            if file.columns.truth is not None:  # else empty: so many entries take room
                found.truth.append(document.truth and intern(document.truth))
            if file.n_documents % REPORT_EVERY == 0:
                advance(file.position, file.size)
        found.placeholders = dict(file.placeholders)
    again = {**options, "length": len(found.labels), "ids_differ": not bad.n}
    again["on_bad_row"] = lambda row: None  # which are told of by now
    found.ids, found.texts = (cast(Any, FileColumn(path, role, **again)) for role in ("id", "text"))
    return found


def gather_files(
    sources: Sequence[str],
    target: str,
    reading: Reading,
    stages: Stages,
    bad: BadRows,
    gather_target: Callable[..., Gathered] = gather,
) -> Files:
    """All documents of a fit, with labels that are spelled alike across the files."""
    # Ids tell which label is whose, and the source's documents get none: theirs may be missing or alike.
    options = {**reading.common, "text": reading.text, "label": reading.label, "labeled": True, "with_ids": False}
    gathered = [gather(path, stages, bad, **options) for path in sources]
    there = gather_target(target, stages, bad, **target_options(reading, gathered))
    spell_alike([*gathered, there])
    return Files(gathered, there)


def target_options(reading: Reading, sources: Sequence[Gathered]) -> dict[str, Any]:
    """How the target is read, of `open_documents`."""
    return {
        "text": reading.target_text or reading.text,
        "label": reading.target_label or reading.label or sources[0].columns.label,
        "id": reading.id,
        "truth": reading.truth,
        **reading.common,
        "encoding": reading.target_encoding or reading.encoding,
    }


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


def check_files(files: Files, reading: Reading, use_target_labels: bool) -> None:
    """There must be something to tell apart, and labels that are learned from or scored by must be those of a class."""
    for file in (*files.sources, files.target):
        if not file.texts:
            raise DataError(f"{file.path} has no row that can be read.")
    if len(files.classes) < 2:
        raise DataError(
            f"The source has one label only, {files.classes[0]!r}: there must be two or more to tell apart."
        )
    target = files.target
    if reading.truth is not None:
        _check_truth(target, reading.truth, {*files.classes, *(target.counts if use_target_labels else ())})
    if use_target_labels and not any(target.labels):
        column = reading.target_label or reading.label or files.sources[0].columns.label
        raise DataError(f"{target.path} has no entry in column {column!r}: leave --use-target-labels out, or add some.")
    if use_target_labels:
        check_spelling(target.path, target.counts, files.classes, reading.allow_labels)


def check_spelling(path: str, labels: Iterable[str], known: Sequence[str], allowed: Collection[str] | None) -> None:
    """A label that is learned from must not be a misspelt one of another class: it would be a class of its own.

    `allowed` is None where the known ones are a model's, which gets no other class.
    """
    good = {*known, *(allowed or ())}
    slips = {label: nearest_label(label, known) for label in labels if label not in good}
    named = [f"{label!r} (did you mean {meant!r}?)" for label, meant in slips.items() if meant is not None]
    if named:
        if allowed is None:
            who, remedy = "model", "fit a model that has them as classes"
        else:
            who, remedy = "source", "take them for classes of their own with allow_label="
        raise DataError(
            f"{path} has labels that the {who} spells otherwise: {', '.join(named)}. Correct them, or {remedy}."
        )


def _check_truth(target: Gathered, column: str, classes: Collection[str]) -> None:
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


def _placeholders(file: Gathered) -> Iterable[Finding]:
    for label, n in file.placeholders.items():
        has = "1 document has" if n == 1 else f"{n:,} documents have"
        message = f"{file.path}: {has} the label {label!r}, which is taken for none; --allow-label makes it a class."
        yield Finding("placeholder", message, n, file.path)
