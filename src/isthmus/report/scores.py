"""How right the labels are, where true ones were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

from isthmus.core.proportions import Proportion
from isthmus.evaluation import ClassScore, Evaluation
from isthmus.evaluation.measures import counted
from isthmus.report.material import Material

MOST_CURVES = 10
MOST_CLASSES = 20
"""A confusion matrix of more classes is left out, of every page: nobody can read it."""


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
    """How the documents of one true class were labeled."""

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
    accuracy: Proportion
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
    truth, probabilities = material.truth[known], np.asarray(material.result.probabilities)[known]
    names = [material.class_names[number] for number in truth]
    evaluation = counted(names, probabilities, material.class_names[: material.n_classes])
    return Scores(
        n_known=evaluation.n,
        n_right=evaluation.n_right,
        accuracy=evaluation.accuracy,
        classes=evaluation.classes,
        confusion=_confusion(material, evaluation),
        curves=_curves(material, truth, probabilities),
    )


def _confusion(material: Material, evaluation: Evaluation) -> list[ConfusionRow]:
    if len(material.class_names) > MOST_CLASSES:
        return []
    found = {one.name: row for one, row in zip(evaluation.classes, evaluation.confusion, strict=True) if one.n_true}
    return [
        ConfusionRow(name, number, row, tenths_of(row))
        for number, name in enumerate(material.class_names)
        if (row := found.get(name, [])[: material.n_classes])
    ]


def tenths_of(counts: Sequence[int]) -> list[int]:
    """Counts as shares of their sum, in tenths: how dark the cells of a row are.

    >>> tenths_of([3, 1]), tenths_of([0, 0])
    ([8, 2], [0, 0])
    """
    return np.rint(10 * np.array(counts) / max(sum(counts), 1)).astype(int).tolist()


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
