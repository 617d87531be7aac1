"""Near-duplicates among documents that are known by their words alone: evidence counts each of them once.

Reply chains, templates and cut-outs of one text repeat each other: whatever is said of one is said of all, so that many
documents agree where one has been read. They are found by locality-sensitive hashing: weighted min-hashing draws a word
from each document, the same from equal ones and with a high chance the same from similar ones (Manasse, McSherry and
Talwar, "Consistent weighted sampling", 2010). Documents are put into the order of two such words, and each is compared
with the next: one pass over the matrix for each of a few draws, however many copies there are.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.preprocessing import normalize

from isthmus.typing import Array, Mask, Matrix, Positions

ALIKE = 0.6
"""Cosine from which on documents with `WORDS_IN_COMMON` are near-duplicates."""
WORDS_IN_COMMON = 10
"""Short texts are alike without being copies."""
SAME = 1 - 1e-6
"""Cosine of copies, however short."""
DRAWS = 16
LEAST_RATE = np.finfo(np.float64).tiny
"""Squares of the smallest numbers are zero."""


def distinct_documents(X: Matrix) -> Mask:
    """The first document of each group of near-duplicates.

    >>> import scipy.sparse as sp
    >>> distinct_documents(sp.csr_array([[1, 2, 0], [0, 1, 1], [1, 2, 0]])).tolist()
    [True, True, False]
    """
    first = np.zeros(X.shape[0], dtype=bool)
    first[np.unique(duplicate_groups(X), return_index=True)[1]] = True
    return first


def duplicate_groups(X: Matrix) -> Positions:
    """A number for each row, the same for near-duplicates. Rows of a dense or signed X, and empty ones, stay alone."""
    n = X.shape[0]
    if not sp.issparse(X) or not X.nnz or X.data.min() < 0:
        return np.arange(n)
    full = np.flatnonzero(np.diff(X.indptr))
    rows = normalize((X if len(full) == n else X[full]).astype(np.float64))
    rng = np.random.default_rng(0)
    words = [_drawn_words(rows, rng.exponential(size=rows.shape[1])) for _ in range(DRAWS)]
    mixed = rows @ rng.random(rows.shape[1])  # the same for copies, which so stand together
    orders = [np.lexsort((mixed, words[draw - 1], words[draw])) for draw in range(DRAWS)]
    pairs = full[np.concatenate([_alike(rows, order) for order in orders], axis=1)]
    graph = sp.coo_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1])


def _alike(rows: Matrix, order: Positions) -> Positions:
    """Pairs of near-duplicates among documents that stand side by side in this order."""
    ordered = rows[order]
    products = ordered[1:].multiply(ordered[:-1]).tocsr()
    cosines, in_common = np.asarray(products.sum(axis=1)).ravel(), np.diff(products.indptr)
    alike = (cosines >= SAME) | ((cosines >= ALIKE) & (in_common >= WORDS_IN_COMMON))
    return np.stack([order[1:][alike], order[:-1][alike]])


def _drawn_words(rows: Matrix, clocks: Array) -> Positions:
    """The word of each row that comes first if all run at rates of their squared weights: by its share of the row."""
    times = clocks[rows.indices] / np.maximum(np.square(rows.data), LEAST_RATE)
    soonest = np.repeat(np.minimum.reduceat(times, rows.indptr[:-1]), np.diff(rows.indptr))
    winners = np.flatnonzero(times == soonest)
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[winners]
    return np.asarray(rows.indices[winners[np.unique(row_of, return_index=True)[1]]])
