"""Documents of one class as one node, and which documents can be reached from there."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from isthmus.typing import Array, Mask, Matrix, Positions


def class_sums(rows: Matrix, classes: Positions, n_classes: int) -> tuple[Matrix, Array]:
    """One row for each class, the sum of its documents', and how many they are.

    With P the matrix that gives every document the value of its class's node, P^T W P is what `CosineAffinity` makes
    of these rows.
    """
    n = len(classes)
    members = sp.csr_array((np.ones(n), (classes, np.arange(n))), shape=(n_classes, n))
    return members @ rows, np.bincount(classes, minlength=n_classes).astype(np.float64)


def linked_rows(free: Matrix, start: Matrix) -> Mask:
    """Which free documents share a word with the starting ones, or with a document that does, and so on."""
    seen = np.asarray(start.sum(axis=0)).ravel() > 0
    while True:
        linked = np.asarray(free @ seen.astype(np.float64) > 0)
        wider = seen | np.asarray(free.T @ linked.astype(np.float64) > 0)
        if np.array_equal(wider, seen):
            return linked
        seen = wider


def class_means(points: Array, classes: Positions, n_classes: int) -> Array:
    """The mean row of each class; NaN for a class without rows."""
    sums, counts = class_sums(points, classes, n_classes)
    return np.divide(sums, counts[:, None], out=np.full(sums.shape, np.nan), where=counts[:, None] > 0)
