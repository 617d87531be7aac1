"""Sentences that warn when transfer should not be trusted."""

from __future__ import annotations

from dataclasses import dataclass

from isthmus.exceptions import TransferAlarm, warn

UNRELATED = "unrelated"
MISSING = "missing class"
SHARES = "class shares"
HARM = "harm"


@dataclass(frozen=True)
class Alarm:
    """Something that a person should know before using the labels."""

    kind: str
    sentence: str


def ring(alarms: list[Alarm]) -> None:
    """Each as a warning of its own."""
    for alarm in alarms:
        warn(alarm.sentence, TransferAlarm)


def unrelated(certain: bool, n_known: int = 0) -> Alarm:
    """The domains have too little in common, and what labels are known in the target do not show otherwise."""
    labels = "are those of a classifier trained on the source alone and may be" if certain else "may be"
    known = f"the {n_known} that are known are" if n_known > 1 else "the one that is known is"
    remedy = f"{known} not enough to tell, so label more" if n_known else "label some"
    return Alarm(
        UNRELATED,
        "The source and the target look unrelated: what tells the source's classes apart says little about the target. "
        f"The labels {labels} worthless; {remedy} target documents to find out.",
    )


def missing(names: list[object]) -> Alarm:
    """Classes that the target does not seem to have."""
    shown = ", ".join(map(repr, names))
    these, them = ("this class", "it") if len(names) == 1 else ("these classes", "them")
    return Alarm(
        MISSING,
        f"Hardly any target document looks like {shown}: if the target does not have {these}, "
        f"leave the source's documents of {them} out.",
    )


def shares() -> Alarm:
    """The target's class shares seem to be others than the source's."""
    return Alarm(
        SHARES,
        "The classes may have other shares in the target than in the source, and the labels depend on it: say "
        'target_shares="unknown" or give the shares, or label some target documents.',
    )


def harm() -> Alarm:
    """Transfer does worse than none."""
    return Alarm(
        HARM,
        "On the target documents whose labels are known, transfer does worse than a classifier trained on the source "
        "alone: the labels are that classifier's.",
    )
