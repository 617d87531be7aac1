"""Nearest neighbors by cosine."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from joblib import cpu_count
from sklearn.preprocessing import normalize
from sparse_dot_topn import sp_matmul_topn

from isthmus.typing import Matrix


def nearest(X: Matrix, among: Matrix, n_neighbors: int) -> Matrix:
    """The cosine of each row of X with the nearest rows of `among`; zero elsewhere, and where it would be negative."""
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors is {n_neighbors}: there must be one at least.")
    if X.shape[1] != among.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns, and the rows to find neighbors among have {among.shape[1]}.")
    if not X.shape[0] or not among.shape[0]:
        return sp.csr_matrix((X.shape[0], among.shape[0]))
    others = normalize(sp.csr_matrix(among))
    rows = normalize(sp.csr_matrix(X, dtype=others.dtype))
    # Without a threshold, as many neighbors as rows and a product of zero, it returns memory that nobody wrote to.
    least = float(np.finfo(others.dtype).tiny)
    # Compiled, and does not look at what it is given: for no neighbors, it writes where it may not.
    n_neighbors = min(n_neighbors, others.shape[0])
    return sp_matmul_topn(rows, others.T.tocsr(), top_n=n_neighbors, threshold=least, n_threads=cpu_count())


def nearest_others(X: Matrix, n_neighbors: int) -> Matrix:
    """The same among the rows of X themselves, each but itself."""
    found = nearest(X, X, n_neighbors + 1)  # each row meets itself
    # Where it does not, as in a row without entries, `setdiag` would add a zero, and some versions of scipy warn of it.
    found.data[found.indices == np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))] = 0
    found.eliminate_zeros()
    return found


def neighbor_graph(X: Matrix, n_neighbors: int) -> Matrix:
    """The cosine of each row with its nearest rows, zero elsewhere: a symmetric sparse graph without loops.

    Two rows are joined if either is among the other's `n_neighbors` nearest.
    """
    found = nearest_others(X, n_neighbors)
    return sp.csr_array(found.maximum(found.T))
