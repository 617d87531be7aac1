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
    n_free, n_words = free.shape
    seen = np.asarray(start.sum(axis=0)).reshape(1, -1)
    rows = sp.vstack([sp.csr_array(free), sp.csr_array(seen)])  # the starting documents as one
    # A graph of documents and words, joined where a document holds a word.
    graph = sp.block_array([[None, rows], [sp.csr_array((n_words, n_free + 1)), None]], format="csr")
    parts = sp.csgraph.connected_components(graph, directed=False)[1]
    return np.asarray(parts[:n_free] == parts[n_free])


def class_means(points: Array, classes: Positions, n_classes: int) -> Array:
    """The mean row of each class; NaN for a class without rows."""
    sums, counts = class_sums(points, classes, n_classes)
    return np.divide(sums, counts[:, None], out=np.full(sums.shape, np.nan), where=counts[:, None] > 0)
