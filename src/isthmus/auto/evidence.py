"""The evidence that the rules of the automatic choice were fitted to: a row for each development task and draw."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, fields
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from isthmus.io.atomic import Staging

EVIDENCE = resources.files("isthmus.auto") / "evidence.csv"
DIGITS = 6
"""Significant digits that are kept."""


@dataclass(frozen=True)
class EvidenceRow:
    """What was seen on one draw of one task, and what each answer would have reached there."""

    task: str
    family: str
    draw: str
    """Documents drawn from source and target, as in "300+2000"; or "all"."""
    target_prior: str
    """What the automatic choice was told: "auto" or "source"."""

    n_classes: int
    n_documents: int
    n_unlabeled: int

    normalized_cut: float | None
    neighbor_skill: float | None
    agreement: float | None
    reverse_auc: float | None
    class_mean_cosine: float | None
    confidence: float | None
    domain_auc: float | None
    source_accuracy: float | None
    chance: float
    prior_shift: float

    true_shift: float
    """Total variation between the source's prior and the target's true one."""
    largest_share: float
    """Of the largest class, in the target prior that was found,"""
    true_largest_share: float
    """and in the true one: what one label for all would reach."""
    topics_accuracy: float
    """Of the ensemble for topics; the others likewise. Whichever is chosen: the choice depends on the rules."""
    other_accuracy: float
    source_only_accuracy: float

    @property
    def kind(self) -> str:
        """Of domains. What is fitted is judged on kinds left out, so tasks of one kind stay together."""
        match self.family:
            case "topics" | "splits" | "four classes":
                return "newsgroups"
            case "label shift":
                return "reviews" if " to " in self.task else "newsgroups"
            case "missing class" | "new class":
                return "intents" if "intents" in self.task else "news"
        return self.family

    @property
    def key(self) -> tuple[str, ...]:
        """No two rows have the same."""
        return self.target_prior, self.family, self.task, self.draw


def read_evidence(file: Traversable = EVIDENCE) -> list[EvidenceRow]:
    """All rows."""
    return [_row(line) for line in csv.DictReader(file.read_text(encoding="utf-8").splitlines())]


def write_evidence(rows: Iterable[EvidenceRow], file: Path) -> None:
    """Sorted, so that the same rows give the same file."""
    names = [field.name for field in fields(EvidenceRow)]
    with Staging() as staging:
        with staging.place(file).open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(names)
            for row in sorted(rows, key=lambda row: row.key):
                writer.writerow([_text(getattr(row, name)) for name in names])
        staging.commit()


def evidence_digest(file: Traversable = EVIDENCE) -> str:
    """SHA-256 of a file."""
    return sha256(file.read_bytes()).hexdigest()


def _row(line: dict[str, str]) -> EvidenceRow:
    return EvidenceRow(**{field.name: _value(line[field.name], str(field.type)) for field in fields(EvidenceRow)})


def _value(text: str, kind: str) -> Any:
    if kind == "float | None" and not text:
        return None
    return text if kind == "str" else int(text) if kind == "int" else float(text)


def _text(value: str | float | None) -> str:
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else "" if value is None else str(value)
