"""Labels that people gave, joined with the documents of a fit by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isthmus.cli.console import complain
from isthmus.cli.gathering import Files, Gathered, Reading, check_spelling
from isthmus.core.labels import spelled_like
from isthmus.evaluation import SampleScore
from isthmus.exceptions import DataError
from isthmus.io.documents import NO_CLASS, GivenLabel, read_given
from isthmus.quality import listed_places
from isthmus.selection import RANDOM

SHOWN = 200
"""Characters of a text that are compared: of very many documents, a report shows no more."""


def measure(given: Sequence[GivenLabel], labels: dict[str, Any], file: str | None = None) -> SampleScore | None:
    """From those that were drawn at random, with what the model had said of them; `labels` has those of a class."""
    drawn = [one for one in given if one.kind == RANDOM and one.guess]
    right = sum(one.guess == str(labels.get(one.id)) for one in drawn)
    return SampleScore(right, len(drawn), file) if drawn else None


def labels_by_id(
    path: str,
    documents: Gathered,
    classes: Sequence[Any],
    label: str | None = None,
    allowed: Sequence[str] | None = (),
    encoding: str | None = None,
) -> tuple[list[GivenLabel], dict[str, Any]]:
    """The answers of a file, and the label of each id, spelled as the class is; documents must have some of the ids.

    What somebody said no class fits has no label.
    """
    known = [*map(str, classes), *(allowed or ())]
    given = read_given(path, documents.columns.id, label, known, encoding)
    labeled = [one for one in given if one.label != NO_CLASS or not one.kind or NO_CLASS in known]
    if not labeled:
        raise DataError(f"{path} has no label of a class, but {NO_CLASS!r} alone: label more documents.")
    spelled = spelled_like([one.label for one in labeled], classes)
    check_spelling(path, dict.fromkeys(map(str, spelled)), [str(known) for known in classes], allowed)
    by_name = {name.strip(): name for name in documents.ids}  # spaces around ids may be lost on the way
    given = [GivenLabel(by_name.get(one.id, one.id), *one[1:]) for one in given]
    own = {one.id for one in given}
    there = {name for name in documents.ids if name in own}
    strange = [one for one in given if one.id not in there]
    if len(strange) == len(given):
        first = next(iter(documents.ids))
        raise DataError(
            f"{path} has no id that {documents.path} has: its first is {given[0].id!r}, and there {first!r}."
            " Name the column of ids with id=."
        )
    if n := len(strange):
        what = "1 label is of a document" if n == 1 else f"{n:,} labels are of documents"
        listed = listed_places([repr(one.id) for one in strange])
        complain(f"{path}: {what} that {documents.path} has not ({listed}).", "yellow")
    _check_texts(path, documents, given)
    return given, {by_name.get(one.id, one.id): label for one, label in zip(labeled, spelled, strict=True)}


def _check_texts(path: str, documents: Gathered, given: Sequence[GivenLabel]) -> None:
    """Rows that moved, or another file, would give each label to a document that nobody looked at."""
    shown = {one.id: one.text for one in given if one.text}
    if not shown:
        return
    pairs = ((name, _plain(text)) for name, text in zip(documents.ids, documents.texts, strict=True) if name in shown)
    others = [name for name, text in pairs if not text.startswith(_plain(shown[name])[:SHOWN])]
    if others:
        n = "1 label" if len(others) == 1 else f"{len(others):,} labels"
        said = f"{path}: {n} of {len(shown):,} would go to another text than is written there"
        listed = listed_places([repr(name) for name in others])
        sentence = (
            f"{said} (ids {listed}): was it made from another file than {documents.path}, or have its rows moved?"
        )
        if 2 * len(others) > len(shown):
            raise DataError(sentence)
        complain(sentence, "yellow")


def _plain(text: str) -> str:
    """Programs for tables change spaces and ends of lines, and cut long cells off."""
    return " ".join(text.split())


def labels_of_files(
    paths: Sequence[str],
    documents: Gathered,
    classes: Sequence[Any],
    label: str | None = None,
    allowed: Sequence[str] | None = (),
    encoding: str | None = None,
) -> tuple[dict[str, Any], SampleScore | None]:
    """The labels of files, of which later ones win, by id; and what the last random sample among them measures.

    Guesses of two models make no one accuracy. Nor does a document count that an earlier file labels: the model that
    guessed may have learned from it.
    """
    by_id: dict[str, Any] = {}
    measured = None
    for path in paths:
        given, own = labels_by_id(path, documents, classes, label, allowed, encoding)
        new = [one for one in given if one.id not in by_id]
        measured = measure(new, own, path if len(paths) > 1 else None) or measured
        by_id |= own
    return by_id, measured


def join_labels(files: Files, paths: Sequence[str], reading: Reading) -> SampleScore | None:
    """Put the labels of files in the place of the target's, by id; what they measure, if they can."""
    target, column = files.target, reading.target_label or reading.label
    by_id, measured = labels_of_files(
        paths, target, files.classes, column, reading.allow_labels, reading.labels_encoding
    )
    target.labels[:] = [by_id.get(name, label) for name, label in zip(target.ids, target.labels, strict=True)]
    return measured
