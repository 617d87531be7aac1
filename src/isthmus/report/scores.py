"""How right the labels are, where true ones were given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix, roc_auc_score, roc_curve

from isthmus.core.proportions import Interval, wilson
from isthmus.evaluation import ClassScore, evaluate_labels
from isthmus.report.material import Material

MOST_CURVES = 10
MOST_CLASSES = 20
"""A confusion matrix of more classes is left out: nobody can read it."""


@dataclass(frozen=True)
class Curve:
    """A ROC curve: one class against all others."""

    name: str
    color: int
    area: float
    points: list[tuple[float, float]]
    """False positives, true positives."""


@dataclass(frozen=True)
class ConfusionRow:
    """How the documents of one true class were labelled."""

    name: str
    number: int
    counts: list[int]
    """One for each class that the method knows."""
    tenths: list[int]
    """The same as shares of the row, in tenths."""


@dataclass(frozen=True)
class Scores:
    """Everything that true labels tell."""

    n_known: int
    n_right: int
    accuracy: Interval
    classes: list[ClassScore]
    """Precision and recall of each class."""
    confusion: list[ConfusionRow]
    """Empty if there are too many classes."""
    curves: list[Curve]


def score(material: Material) -> Scores | None:
    """Compare the labels with the true ones; None without any."""
    known = material.known
    if not known.any():
        return None
    assert material.truth is not None
    truth, found = material.truth[known], material.numbers[known]
    right = int((truth == found).sum())
    return Scores(
        n_known=len(truth),
        n_right=right,
        accuracy=wilson(right, len(truth)),
        classes=evaluate_labels(
            [material.class_names[number] for number in truth],
            np.asarray(material.result.probabilities)[known],
            material.class_names[: material.n_classes],
        ).classes,
        confusion=_confusion(material, truth, found),
        curves=_curves(material, truth, np.asarray(material.result.probabilities)[known]),
    )


def _confusion(material: Material, truth: Any, found: Any) -> list[ConfusionRow]:
    names = material.class_names
    if len(names) > MOST_CLASSES:
        return []
    counts = confusion_matrix(truth, found, labels=range(len(names)))[:, : material.n_classes]
    return [
        ConfusionRow(names[number], number, row.tolist(), np.rint(10 * row / row.sum()).astype(int).tolist())
        for number, row in enumerate(counts)
        if row.sum()
    ]


def _curves(material: Material, truth: Any, probabilities: Any) -> list[Curve]:
    # With two classes, the second curve is the first one turned round.
    numbers = [1] if material.n_classes == 2 else range(material.n_classes)
    curves = []
    for number in numbers:
        positive = truth == number
        if positive.all() or not positive.any():
            continue
        false, true, _ = roc_curve(positive, probabilities[:, number])
        kept = np.unique(np.linspace(0, len(false) - 1, 200).astype(int))
        curves.append(
            Curve(
                name=material.class_names[number],
                color=number,
                area=float(roc_auc_score(positive, probabilities[:, number])),
                points=list(zip(false[kept].tolist(), true[kept].tolist(), strict=True)),
            )
        )
    return curves[:MOST_CURVES]
