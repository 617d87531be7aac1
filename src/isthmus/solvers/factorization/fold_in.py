"""Labels for documents that come after the fit."""

from __future__ import annotations

import numpy as np

from isthmus.solvers.factorization.constraints import Constraint, RowsSumToOne
from isthmus.typing import Array, Matrix

FOLD_IN_STEPS = 100
"""A fixed number, so that a document's label does not depend on which others came with it."""


def fold_in(X: Matrix, profile: Array, constraint: Constraint | None = None) -> Array:
    """V of the documents X, given M (words x classes, or words x topics): class distributions, if rows sum to one.

    The update of the fit, V * (X M) / (V M^T M), with the words held fixed: a convex problem for each document by
    itself, so that an even start is as good as any. `constraint` is that of V; by default its rows sum to one. Nothing
    else of a fit is needed here, and for a document that comes alone the rest would take most of the time.
    """
    restore = (constraint or RowsSumToOne()).restore
    matched, gram = (X @ profile).T, profile.T @ profile
    least = np.finfo(profile.dtype).tiny  # 0/0 arises where a class has no word of a document
    across = np.full(matched.shape, 1 / profile.shape[1], dtype=profile.dtype)
    V = across.T  # in column order, as in the fit
    ratio = np.empty_like(across)
    for _ in range(FOLD_IN_STEPS):
        np.matmul(gram, across, out=ratio)
        ratio += least
        np.divide(matched, ratio, out=ratio)
        across *= ratio
        if profile.dtype == np.float32:
            across[across < least] = 0  # subnormal numbers slow every product down
        restore(V)
    return V
