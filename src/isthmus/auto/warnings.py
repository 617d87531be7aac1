"""Warnings of negative transfer: what a person should know before using the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isthmus.exceptions import TransferWarning, warn

UNRELATED = "unrelated"
MISSING = "missing class"
NEW = "new class"
PRIOR = "prior"
HARM = "harm"
MAJORITY = "majority"
TIME = "time"
ONE_CLASS = "labels of one class"

MOST_NAMED = 10
"""Classes in one sentence."""
MOST_SHIFTED = 4
"""Classes whose shares are given."""
ENOUGH = 20
"""Labels that settle a prior."""


@dataclass(frozen=True)
class Caution:
    """A warning about the labels: its kind, and a sentence that says what to do."""

    kind: str
    message: str


def emit(cautions: list[Caution]) -> None:
    """Each as a Python warning of its own."""
    for caution in cautions:
        warn(caution.message, TransferWarning)


def unrelated(certain: bool, n_known: int = 0) -> Caution:
    """Negative transfer is likely: the domains look unrelated, and known target labels do not show otherwise."""
    labels = "are those of a classifier trained on the source alone and may be" if certain else "may be"
    known = f"the {n_known} that are known are" if n_known > 1 else "the one that is known is"
    remedy = f"{known} not enough to tell, so label more" if n_known else "label some"
    return Caution(
        UNRELATED,
        "The source and the target look unrelated: what tells the source's classes apart says little about the target. "
        f"The labels {labels} worthless; {remedy} target documents to find out.",
    )


def missing(names: list[object]) -> Caution:
    """Classes that the target does not seem to have."""
    shown = ", ".join(map(repr, names[:MOST_NAMED]))
    shown += f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    these, them = ("this class", "it") if len(names) == 1 else ("these classes", "them")
    return Caution(
        MISSING,
        f"Hardly any target document looks like {shown}: if the target does not have {these}, "
        f"leave the source's documents of {them} out.",
    )


def new_class(n: int, share: float, set_aside: bool) -> Caution:
    """Open set: documents of a class that the source does not have."""
    remedy = (
        "They are set aside (novel_), and the estimated accuracy is that of the others: label some of them to teach it."
        if set_aside
        else "If so, no label is right there: the estimated accuracy is lower by half as much, and its interval "
        "reaches down by all of it. Set them aside with novelty=True, or label some of them to teach it."
    )
    return Caution(
        NEW,
        f"About {n:,} target documents ({share:.0%}) look like a class that the source does not have: no class of the "
        f"source is as dense around them as the target is. {remedy}",
    )


def label_shift(
    prior: Mapping[Any, float], source_prior: Mapping[Any, float], n_unlabeled: int, n_known: int
) -> Caution:
    """Label shift: the target prior seems to be another than the source's. Those classes are named that differ most."""
    some = "more" if n_known else "twenty" if n_unlabeled > ENOUGH else "some"
    names = sorted(prior, key=lambda name: -abs(prior[name] - source_prior[name]))[:MOST_SHIFTED]
    shares = ", ".join(f"{prior[name]:.0%} {name!r} (source {source_prior[name]:.0%})" for name in names)
    return Caution(
        PRIOR,
        f"The target seems to have another class prior than the source (label shift), about {shares}, at which "
        f"the labels were found: label {some} target documents to be sure, or say it with target_prior=.",
    )


def majority(name: object, share: float) -> Caution:
    """The labels are hardly better than one label for all."""
    return Caution(
        MAJORITY,
        f"The labels may say little more than that most documents are {name!r}: what candidates agree on is not above "
        f"the share of that class, about {share:.0%}. Label some target documents to find out.",
    )


def harm() -> Caution:
    """Negative transfer: on known target labels, the ensemble does worse than the source-only classifier."""
    return Caution(
        HARM,
        "On the target documents whose labels are known, transfer does worse than a classifier trained on the source "
        "alone. That classifier, which has learned these labels as well, gives the others.",
    )


def out_of_time(dropped: list[str]) -> Caution:
    """Candidates that `max_time` has kept from running."""
    return Caution(
        TIME,
        f"There was no time for {', '.join(dropped)}: the labels are those of the others. Allow for more with "
        "max_time=.",
    )


def labels_of_one_class(name: object, n: int) -> Caution:
    """Known target labels that are no draw, not even of doubtful documents."""
    return Caution(
        ONE_CLASS,
        f"All {n:,} known target labels are {name!r}, which would hardly happen if documents were labeled as they "
        "come. What was chosen by its class says nothing about the others, so that it was not learned from: label "
        "documents of other classes as well.",
    )
