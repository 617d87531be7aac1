"""Nearest neighbours by cosine."""

from __future__ import annotations

import scipy.sparse as sp
from joblib import cpu_count
from sklearn.preprocessing import normalize
from sparse_dot_topn import sp_matmul_topn

from isthmus.typing import Matrix


def neighbour_graph(X: Matrix, n_neighbours: int) -> Matrix:
    """The cosine of each row with its nearest rows, zero elsewhere: a symmetric sparse graph without loops.

    Two rows are joined if either is among the other's `n_neighbours` nearest.
    """
    unit = normalize(sp.csr_matrix(X))
    nearest = sp_matmul_topn(
        unit, unit.T.tocsr(), top_n=n_neighbours + 1, n_threads=cpu_count()
    )  # each row meets itself
    nearest.setdiag(0)
    nearest.eliminate_zeros()
    return sp.csr_array(nearest.maximum(nearest.T))
