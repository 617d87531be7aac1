"""Class probabilities from scores: margins, classifiers of scikit-learn, temperatures."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax

from isthmus.typing import Array, Matrix


def classifier_probabilities(classifier: Any, rows: Matrix, n_classes: int) -> Array:
    """Probabilities over all classes: the classifier's own, or the softmax of its margins, or its labels alone.

    The classifier knows classes by number, and perhaps not all of them.
    """
    known = classifier.classes_
    probabilities = np.zeros((rows.shape[0], n_classes))
    if hasattr(classifier, "predict_proba"):
        probabilities[:, known] = classifier.predict_proba(rows)
        return probabilities
    margins = classifier.decision_function(rows) if hasattr(classifier, "decision_function") else None
    if margins is not None and (margins.ndim == 1 or margins.shape[1] == len(known)):  # not one for every pair
        probabilities[:, known] = margin_probabilities(margins)
    else:
        probabilities[np.arange(rows.shape[0]), classifier.predict(rows)] = 1
    return probabilities


def margin_probabilities(margins: Array) -> Array:
    """The softmax of margins, of which there may be one alone, for the second of two classes."""
    if margins.ndim == 1 or margins.shape[1] == 1:
        second = margins.ravel() / 2
        margins = np.column_stack([-second, second])
    return np.asarray(softmax(margins, axis=1))


def separation_sharpness(own: Array) -> float:
    """What to multiply scores with before a softmax, so that a class's own place gets it odds of about 50 to 1.

    `own` holds the scores of all classes (columns) in the places of all classes (rows).
    """
    n = len(own)
    gap = (np.trace(own) * n - own.sum()) / max(n * (n - 1), 1)  # how much higher the own class scores, on average
    return float(4 / max(gap, 1e-12 * np.abs(own).max(initial=1e-30)))
