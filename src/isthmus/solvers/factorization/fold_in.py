"""Labels for documents that come after the fit."""

from __future__ import annotations

import numpy as np

from isthmus.solvers.factorization.constraints import Constraint, RowsSumToOne
from isthmus.solvers.factorization.documents import MatrixDocuments
from isthmus.solvers.factorization.solver import Factorization, update
from isthmus.solvers.factorization.terms import Component, Reconstruction
from isthmus.typing import Array, Matrix

FOLD_IN_STEPS = 100
"""A fixed number, so that a document's label does not depend on which others came with it."""


def fold_in(X: Matrix, profile: Array, constraint: Constraint | None = None) -> Array:
    """V of the documents X, given M (words x classes, or words x topics): class distributions, if rows sum to one.

    The same update as in the fit, with the words held fixed: a convex problem for each document by itself, so that an
    even start is as good as any. `constraint` is that of V; by default its rows sum to one.
    """
    n_classes = profile.shape[1]
    start = np.full((X.shape[0], n_classes), 1 / n_classes, dtype=profile.dtype)
    fit = Reconstruction(MatrixDocuments(X), "documents", (Component("words"),))
    model = Factorization(
        {"documents": start, "words": profile}, [fit], {"documents": constraint or RowsSumToOne()}, ["documents"]
    )
    for _ in range(FOLD_IN_STEPS):
        update(model, "documents")
    return model.factors["documents"]
