"""The top of the page: what came out, how accurate it is, and what to do next."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any

import numpy as np

from isthmus.auto import Caution, Estimate
from isthmus.core.proportions import Proportion, wilson
from isthmus.report.documents import excerpt
from isthmus.report.material import Material
from isthmus.selection.suggest import suggest_picks
from isthmus.typing import Mask, Positions

N_SUGGESTED = 5
SURE, UNSURE = 0.9, 0.6


@dataclass(frozen=True)
class ClassCount:
    """A class and how many documents got it."""

    name: str
    color: int
    n: int
    share: float
    n_source: int
    confidence: float
    """The mean probability of these labels."""


@dataclass(frozen=True)
class Assessment:
    """Measured and estimated accuracy, and confidence."""

    measured: Proportion | None
    """From true labels, of documents that are not set aside: so is what was estimated."""
    estimated: Estimate | None
    """By the method, without any: a 90% interval."""
    n_known: int
    n_set_aside: int
    n_sure: int
    n_unsure: int
    mean_confidence: float
    warnings: list[Caution]


@dataclass(frozen=True)
class Suggestion:
    """A document that is worth a look."""

    row: int
    name: str
    text: str
    likeliest: list[tuple[str, int, float]]
    """Its two likeliest classes: name, color, probability."""
    truth: tuple[str, int] | None
    """Name and color of its true class, if that is known."""
    kind: str = ""
    """Why a label is wanted: it measures, or teaches."""


@dataclass(frozen=True)
class Advice:
    """Documents that are worth a look, and why."""

    why: str
    """They are "unlabeled", and worth a label; they are wrong, and it was "sure" of them, or these
    are the "surest"; there are none, as all are "right", or were "learned" from."""
    documents: list[Suggestion]


@dataclass(frozen=True)
class Board:
    """The methods that an automatic choice compared."""

    columns: list[str]
    rows: list[list[str]]


def count_classes(material: Material) -> list[ClassCount]:
    """In the order of the classes."""
    found = []
    for number in range(material.n_classes):
        here = material.numbers == number
        n = int(here.sum())
        found.append(
            ClassCount(
                name=material.class_names[number],
                color=number,
                n=n,
                share=n / material.n_target,
                n_source=int((material.source_numbers == number).sum()),
                confidence=float(material.confidence[here].mean()) if n else 0.0,
            )
        )
    return found


def assess(material: Material) -> Assessment:
    """The evidence that there is, and no more."""
    estimator, known, measured = material.result.estimator, material.known & ~material.set_aside, None
    if known.any():
        assert material.truth is not None
        measured = wilson(int((material.truth == material.numbers)[known].sum()), int(known.sum()))
    return Assessment(
        measured=measured,
        estimated=getattr(estimator, "estimated_accuracy_", None),
        n_known=int(known.sum()),
        n_set_aside=int(material.set_aside.sum()),
        n_sure=int((material.confidence >= SURE).sum()),
        n_unsure=int((material.confidence < UNSURE).sum()),
        mean_confidence=float(material.confidence.mean()),
        warnings=list(getattr(estimator, "warnings_", ())),
    )


def advise(material: Material) -> Advice:
    """The documents to label next (`suggest_labels`), of those whose label is not yet known.

    If all are known, the surest of those that are wrong: there is something to learn from them.
    """
    open_ones = ~(material.known | material.learned)
    if open_ones.any():
        picks = suggest_picks(material.result, N_SUGGESTED, among=np.flatnonzero(open_ones))
        found = _suggestions(material, [pick.row for pick in picks])
        return Advice("unlabeled", [replace(one, kind=pick.kind) for one, pick in zip(found, picks, strict=True)])
    order = np.argsort(-material.confidence, kind="stable")
    if rows := _first(order, material.known & (material.truth != material.numbers)):
        return Advice("sure" if material.confidence[rows].min() >= SURE else "surest", _suggestions(material, rows))
    return Advice("right" if material.known.any() else "learned", [])


def _first(order: Positions, wanted: Mask) -> list[int]:
    return [int(row) for row in order if wanted[row]][:N_SUGGESTED]


def _suggestions(material: Material, rows: list[int]) -> list[Suggestion]:
    probabilities = np.asarray(material.result.probabilities)
    return [
        Suggestion(
            row=row,
            name=material.name_of(row),
            text=excerpt(material.result.target_texts[row]) or "(empty)",
            likeliest=[
                (material.class_names[k], int(k), float(probabilities[row, k]))
                for k in np.argsort(-probabilities[row], kind="stable")[:2]
            ],
            truth=(material.class_names[material.truth[row]], int(material.truth[row]))
            if material.truth is not None and material.known[row]
            else None,
        )
        for row in rows
    ]


def read_board(estimator: Any) -> Board | None:
    """The automatic choice's table, whatever its columns are."""
    rows = list(getattr(getattr(estimator, "leaderboard_", None), "rows", None) or [])
    if not rows:
        return None
    columns = list(dict.fromkeys(key for row in rows for key in row))
    columns.sort(key=lambda key: (key == "why", key != "name"))  # the name first, the reason last
    return Board(columns, [[_cell(row.get(column)) for column in columns] for row in rows])


def _cell(value: Any) -> str:
    if value is None:
        return "—"
    if isinstance(value, float | np.floating):
        return f"{value:.3g}"
    return str(value)


def settings(material: Material) -> list[tuple[str, str]]:
    """The estimator's parameters."""
    return [(name, repr(value)) for name, value in sorted(material.result.estimator.get_params(deep=False).items())]


def library_versions() -> list[tuple[str, str]]:
    """Of everything that has a say in the numbers."""
    found = [(name, metadata.version(name)) for name in ("isthmus", "numpy", "scipy", "scikit-learn")]
    return [*found, ("Python", platform.python_version()), ("system", f"{platform.system()} {platform.machine()}")]


def digest(texts: Sequence[str]) -> str:
    """The beginning of a SHA-256 of texts, to tell whether two reports are of the same documents."""
    sha = hashlib.sha256()
    for text in texts:
        sha.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return sha.hexdigest()[:16]
