"""Class distributions from any scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import softmax

from isthmus.problem import Problem
from isthmus.typing import Array, Matrix


def known_or(assign: Callable[[Matrix, int], Array], problem: Problem) -> list[Array]:
    """For each domain, documents x classes: known labels, and what `assign(matrix, number)` says of the others."""
    parts: list[Array] = []
    for number, domain in enumerate(problem.domains):
        part = np.array(domain.labels, dtype=np.float64)
        if not domain.fully_labeled:
            part[~domain.labeled] = assign(domain.matrix[~domain.labeled], number)
        parts.append(part)
    return parts


def class_shares(classifier: Any, rows: Matrix, n_classes: int) -> Array:
    """Probabilities over all classes: the classifier's own, or the softmax of its margins, or its labels alone.

    The classifier knows classes by number, and perhaps not all of them.
    """
    known = classifier.classes_
    shares = np.zeros((rows.shape[0], n_classes))
    if hasattr(classifier, "predict_proba"):
        shares[:, known] = classifier.predict_proba(rows)
        return shares
    margins = classifier.decision_function(rows) if hasattr(classifier, "decision_function") else None
    if margins is not None and (margins.ndim == 1 or margins.shape[1] == len(known)):  # not one for every pair
        shares[:, known] = margin_shares(margins)
    else:
        shares[np.arange(rows.shape[0]), classifier.predict(rows)] = 1
    return shares


def margin_shares(margins: Array) -> Array:
    """The softmax of margins, of which there may be one alone, for the second of two classes."""
    if margins.ndim == 1 or margins.shape[1] == 1:
        second = margins.ravel() / 2
        margins = np.column_stack([-second, second])
    return np.asarray(softmax(margins, axis=1))


def sharpness(own: Array) -> float:
    """What to multiply scores with before a softmax, so that a class's own place gets it odds of about 50 to 1.

    `own` holds the scores of all classes (columns) in the places of all classes (rows).
    """
    n = len(own)
    gap = (np.trace(own) * n - own.sum()) / max(n * (n - 1), 1)  # how much higher the own class scores, on average
    return float(4 / max(gap, 1e-12 * np.abs(own).max(initial=1e-30)))
