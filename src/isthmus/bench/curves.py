"""ROC and precision-recall curves of several folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_curve

from isthmus.bench.protocols import Fold
from isthmus.typing import Array

GRID = np.linspace(0, 1, 101)
"""Where curves are read off: false positive rates, or recalls."""


def mean_roc(folds: Sequence[Fold]) -> Array:
    """True positive rate at each false positive rate of `GRID`, averaged over folds.

    Averaged, not pooled: the probabilities of two fits are not on one scale.
    """
    rates = []
    for fold in folds:
        false, true, _ = roc_curve(fold.positive, fold.scores, drop_intermediate=False)
        rates.append(np.interp(GRID, false, true))
    mean = np.mean(rates, axis=0)
    mean[0] = 0
    return np.asarray(mean)


def mean_precision(folds: Sequence[Fold]) -> Array:
    """Precision at each recall of `GRID`, averaged over folds: the best that reaches at least this recall."""
    levels = []
    for fold in folds:
        precision, recall, _ = precision_recall_curve(fold.positive, fold.scores)
        best = np.maximum.accumulate(precision)  # recall falls along the curve
        reached = np.searchsorted(-recall, -GRID, side="right") - 1
        levels.append(best[reached])
    return np.asarray(np.mean(levels, axis=0))
