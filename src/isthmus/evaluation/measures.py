"""Accuracy, precision and recall of each class, confusion and reliability, with intervals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix

from isthmus.core.labels import plain, spelled_like
from isthmus.core.proportions import Proportion, wilson
from isthmus.quality.labels import check_truth
from isthmus.typing import Array, Mask

N_BINS = 10
"""Of the reliability curve."""
ROUNDING = 1e-6
"""By which a probability may exceed one."""


@dataclass(frozen=True)
class ClassScore:
    """One class: how many of its documents were found, and how many that were found are of it."""

    name: str
    n_true: int
    n_found: int
    n_right: int

    @property
    def precision(self) -> Proportion | None:
        """None where nothing was found."""
        return wilson(self.n_right, self.n_found) if self.n_found else None

    @property
    def recall(self) -> Proportion | None:
        """None where there is no document of the class."""
        return wilson(self.n_right, self.n_true) if self.n_true else None

    @property
    def f1(self) -> float:
        return 2 * self.n_right / max(self.n_true + self.n_found, 1)


@dataclass(frozen=True)
class ReliabilityBin:
    """Documents whose labels have about the same probability, and how many of these labels are right."""

    low: float
    high: float
    n: int
    confidence: float
    """The mean probability of the labels."""
    accuracy: Proportion


@dataclass(frozen=True)
class Evaluation:
    """Everything that true labels tell about the labels of a model."""

    n: int
    n_right: int
    classes: list[ClassScore]
    """Those of the model, and after them those that only the true labels name."""
    confusion: list[list[int]]
    """True classes in rows, found ones in columns."""
    reliability: list[ReliabilityBin]
    mean_confidence: float

    @property
    def accuracy(self) -> Proportion:
        return wilson(self.n_right, self.n)

    @property
    def macro_f1(self) -> float:
        """The mean over classes that have documents: each class counts alike, however large it is."""
        return float(np.mean([one.f1 for one in self.classes if one.n_true or one.n_found]))

    @property
    def calibration_error(self) -> float:
        """How far probabilities are from shares of right labels: see the function of this name."""
        return calibration_error(self.reliability)

    def as_dict(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "documents": self.n,
            "right": self.n_right,
            "accuracy": asdict(self.accuracy),
            "macro_f1": self.macro_f1,
            "classes": [
                {
                    "label": one.name,
                    "documents": one.n_true,
                    "found": one.n_found,
                    "precision": one.precision and asdict(one.precision),
                    "recall": one.recall and asdict(one.recall),
                    "f1": one.f1,
                }
                for one in self.classes
            ],
            "confusion": {"labels": [one.name for one in self.classes], "counts": self.confusion},
            "reliability": [asdict(one) for one in self.reliability],
            "mean_confidence": self.mean_confidence,
            "calibration_error": self.calibration_error,
        }


def evaluate_labels(truth: Collection[Any], probabilities: Array, classes: Collection[Any]) -> Evaluation:
    """Compare the likeliest class of each document with the true one.

    Parameters
    ----------
    truth
        A true label for each document, as `classes` spells it. One that is no class counts as wrong.
    probabilities : ndarray of documents x classes
    classes
        The names of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> found = evaluate_labels(["a", "b", "b"], np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), ["a", "b"])
    >>> found.n_right, found.confusion, found.classes[1].recall.value
    (2, [[1, 0], [1, 1]], 0.5)
    """
    if not len(truth):
        raise ValueError("truth is empty: give a true label for each document.")
    wanted, shape = (len(truth), len(classes)), np.shape(probabilities)
    if shape != wanted:
        raise ValueError(
            f"probabilities have the shape {shape}, and there are {wanted[0]} true labels and {wanted[1]} classes: "
            "give a row for each label, and a column for each class."
        )
    if len(set(classes)) < len(classes):
        raise ValueError(f"classes names one twice: {', '.join(map(repr, classes))}.")
    found = np.asarray(probabilities, dtype=np.float64)
    if not ((found >= 0) & (found <= 1 + ROUNDING)).all():
        raise ValueError(
            "probabilities holds NaN, or numbers that are not between 0 and 1: give those of predict_proba."
        )
    truth = spelled_like(truth, classes, "truth")
    if None in truth:
        raise ValueError(f"truth[{truth.index(None)}] is missing: leave out documents whose label nobody knows.")
    check_truth(truth, classes)
    return counted(truth, probabilities, classes)


def counted(truth: Collection[Any], probabilities: Array, classes: Collection[Any]) -> Evaluation:
    """`evaluate_labels` without its checks, of true labels that are spelled like the classes."""
    names = list(dict.fromkeys(map(plain, (*classes, *truth))))
    numbers = {name: number for number, name in enumerate(names)}
    true = np.array([numbers[plain(label)] for label in truth], dtype=np.intp)
    found = np.asarray(probabilities).argmax(axis=1)
    confusion = confusion_matrix(true, found, labels=range(len(names)))
    confidence = np.asarray(probabilities)[np.arange(len(found)), found]
    return Evaluation(
        n=len(true),
        n_right=int((true == found).sum()),
        classes=[
            ClassScore(name, int(confusion[k].sum()), int(confusion[:, k].sum()), int(confusion[k, k]))
            for k, name in enumerate(names)
        ],
        confusion=confusion.tolist(),
        reliability=reliability_bins(true == found, confidence),
        mean_confidence=float(confidence.mean()),
    )


def reliability_bins(right: Mask, confidence: Array) -> list[ReliabilityBin]:
    """Those of ten bins of equal width that hold a document."""
    numbers = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    return [
        ReliabilityBin(
            low=number / N_BINS,
            high=(number + 1) / N_BINS,
            n=int(here.sum()),
            confidence=float(confidence[here].mean()),
            accuracy=wilson(int(right[here].sum()), int(here.sum())),
        )
        for number in range(N_BINS)
        if (here := numbers == number).any()
    ]


def calibration_error(bins: Sequence[ReliabilityBin]) -> float:
    """The expected calibration error: |mean probability - share right| in each bin, weighted by its size.

    >>> calibration_error(reliability_bins(np.array([True, True, True, False]), np.array([0.75] * 4)))
    0.0
    """
    return float(sum(one.n * abs(one.confidence - one.accuracy.value) for one in bins) / sum(one.n for one in bins))
