"""Self-distillation: a classifier of the target learns what an ensemble says of it.

Of one half of the documents it learns, and of the other half it tells: mistakes that have nothing to do with a
document's words cannot be repeated.
"""

from __future__ import annotations

from copy import copy

import numpy as np
from scipy.special import softmax
from sklearn.model_selection import StratifiedKFold

from isthmus.core.solution import LinearSolution
from isthmus.solvers.linear import fit_logistic, log_odds
from isthmus.typing import Array, Matrix, Positions

N_FOLDS = 2
C = 10.0
"""Chosen in trials, like the folds: ten times as much, or four folds, are as good and take longer."""


def can_distill(labels: Positions, n_classes: int) -> bool:
    """Whether every half can have documents of every class."""
    return bool(np.bincount(labels, minlength=n_classes).min() >= N_FOLDS)


def distill(X: Matrix, labels: Positions, n_classes: int) -> tuple[LinearSolution, Array]:
    """A classifier for later documents, and class probabilities of these (cross-fitting).

    The former is the mean of both halves' classifiers.
    """
    answers, found = np.empty((len(labels), n_classes)), []
    for learned, asked in StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(labels, labels):
        found.append(fit_logistic(X[learned], labels[learned], C))
        answers[asked] = softmax(log_odds(found[-1], X[asked]), axis=1)
    mean = copy(found[0])
    mean.coef_, mean.intercept_ = (
        np.mean([getattr(own, name) for own in found], axis=0) for name in ("coef_", "intercept_")
    )
    return LinearSolution(mean), answers
