"""Nearest neighbors by cosine: exact while that is affordable, approximate beyond.

A product of all rows with all rows takes most of its time for a few words that nearly every row has, and that hardly
tell rows apart. Beyond what is affordable, candidates are those whose products in the other words are largest; among
them, the nearest are chosen by their whole products. How many of the nearest are found is measured on some rows.
"""

from __future__ import annotations

import os
from threading import Event

import numpy as np
import scipy.sparse as sp
from joblib import cpu_count
from sklearn.preprocessing import normalize
from sklearn.utils import gen_batches
from sparse_dot_topn import sp_matmul_topn

from isthmus.exceptions import ApproximateNeighborsWarning, warn
from isthmus.typing import Mask, Matrix

AFFORDABLE = 1e10
"""Products of two numbers up to which neighbors are exact: about ten seconds on two cores."""
PER_ROW = 1e5
"""Products for each row, where there are too many rows for all: time grows with them, and not with their square."""
CANDIDATES = 6
"""For each neighbor that is asked for."""
BLOCK = 2048
"""Rows whose candidates are looked at together."""
CHECKED = 200
"""Rows whose neighbors are found exactly as well, for the recall."""
_FORKED = Event()
if hasattr(os, "register_at_fork"):  # OpenMP's threads do not survive a fork, and it would wait for them for ever
    os.register_at_fork(after_in_child=_FORKED.set)


def nearest(X: Matrix, among: Matrix, n_neighbors: int) -> Matrix:
    """The cosine of each row of X with the nearest rows of `among`; zero elsewhere, and where it would be negative.

    Of very many rows not all of the nearest are found: then a warning says how many are.
    """
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors is {n_neighbors}: there must be one at least.")
    if X.shape[1] != among.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns, and the rows to find neighbors among have {among.shape[1]}.")
    if not X.shape[0] or not among.shape[0]:
        return sp.csr_matrix((X.shape[0], among.shape[0]))
    others = normalize(sp.csr_matrix(among))
    rows = normalize(sp.csr_matrix(X, dtype=others.dtype))
    affordable = affordable_words(rows, others)
    if affordable.all():
        return _largest_products(rows, others.T.tocsr(), n_neighbors)
    found = approximate(rows, others, n_neighbors, affordable)
    share = recall(found, rows, others, n_neighbors)
    sentence = f"The nearest of {others.shape[0]:,} rows were looked for by their rarer words: {share:.0%} were found."
    warn(sentence, ApproximateNeighborsWarning)
    return found


def affordable_words(rows: Matrix, others: Matrix) -> Mask:
    """Those by which candidates are found: all, or those that tell most of a row for the products that they take."""
    in_rows, in_others = (np.bincount(each.indices, minlength=each.shape[1]).astype(float) for each in (rows, others))
    costs, told = in_rows * in_others, np.asarray(others.power(2).sum(axis=0)).ravel()
    found = np.ones(len(costs), dtype=bool)
    budget = max(AFFORDABLE, PER_ROW * rows.shape[0])
    if costs.sum() > budget:
        order = np.argsort(costs / np.maximum(told, np.finfo(told.dtype).tiny), kind="stable")
        found[order] = np.cumsum(costs[order]) <= budget
    return found


def approximate(rows: Matrix, others: Matrix, n_neighbors: int, affordable: Mask) -> Matrix:
    """The nearest among candidates by some words. Rows have unit length."""
    by_words = others[:, affordable].T.tocsr()
    first, rest, other_rest = rows[:, affordable], rows[:, ~affordable], others[:, ~affordable]
    return sp.vstack(
        [
            _nearest_candidates(
                _largest_products(first[part], by_words, CANDIDATES * n_neighbors), rest[part], other_rest, n_neighbors
            )
            for part in gen_batches(rows.shape[0], BLOCK)
        ],
        format="csr",
    )


def recall(found: Matrix, rows: Matrix, others: Matrix, n_neighbors: int) -> float:
    """Which part of the nearest neighbors of some rows was found."""
    some = np.unique(np.linspace(0, rows.shape[0] - 1, CHECKED).astype(int))
    exact = _largest_products(rows[some], others.T.tocsr(), n_neighbors)
    return float((found[some] > 0).multiply(exact > 0).sum() / max(exact.nnz, 1))


def _nearest_candidates(candidates: Matrix, rest: Matrix, other_rest: Matrix, n_neighbors: int) -> Matrix:
    """The largest of each row, after the products in the rest of the words are added."""
    row = np.repeat(np.arange(candidates.shape[0]), np.diff(candidates.indptr))
    more = rest[row].multiply(other_rest[candidates.indices]).sum(axis=1)
    values = candidates.data + np.asarray(more, dtype=candidates.dtype).ravel()
    order = np.lexsort((-values, row))
    order = order[(np.arange(len(row)) - candidates.indptr[row] < n_neighbors) & (values[order] > 0)]
    return sp.csr_matrix((values[order], (row[order], candidates.indices[order])), shape=candidates.shape)


def _largest_products(rows: Matrix, others: Matrix, n: int) -> Matrix:
    """Of each row with the columns of `others`."""
    # Without a threshold, as many neighbors as rows and a product of zero, it returns memory that nobody wrote to.
    least = float(np.finfo(others.dtype).tiny)
    n_threads = 1 if _FORKED.is_set() else cpu_count()
    # Compiled, and does not look at what it is given: for no neighbors, it writes where it may not.
    return sp_matmul_topn(rows, others, top_n=min(n, others.shape[1]), threshold=least, n_threads=n_threads)


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
