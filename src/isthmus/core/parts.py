"""A matrix part by part: some rows at a time.

A matrix may lie in a file (`isthmus.open_matrix`). What has been read of it is let go of, part by part, so that no more
than a few parts are in memory, whatever its size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from isthmus.core.numerics import RowsElsewhere, assembled, in_threads, let_go, stack
from isthmus.typing import Array, Matrix, Positions

T = TypeVar("T")

NON_ZEROS_OF_A_PART = 1 << 17
"""At least."""
NON_ZEROS_OF_A_WORD = 8
"""Non-zeros per word of the vocabulary, at least: the sums of a part are as long as the vocabulary, so a part should be
several times larger."""
MOST_PARTS = 64
LARGEST_PART = 1 << 23
"""Non-zeros of a part of a matrix that is too large for so few: 64 MB in single precision."""


def row_parts(X: Matrix) -> list[tuple[slice, Matrix]]:
    """Some rows each, of about as many non-zeros, and where in X they stand.

    It depends on the matrix alone, so that results do not depend on the number of cores.
    """
    if not (sp.issparse(X) and X.format == "csr"):
        return [(slice(0, X.shape[0]), X)]
    return [(slice(first, last), rows_of(X, first, last)) for first, last in pairwise(part_ends(X.indptr, X.shape[1]))]


def part_ends(indptr: Positions, n_words: int) -> list[int]:
    """Where parts of a matrix end, the first of which begins at 0."""
    inner = np.searchsorted(indptr, part_cuts(int(indptr[-1]), n_words))
    ends = sorted({0, *inner.tolist(), len(indptr) - 1})  # a very long row may be a part, and leaves none empty
    return ends if len(ends) > 1 else [0, 0]


def part_cuts(non_zeros: int, n_words: int) -> Positions:
    """The non-zeros, by their position, with whose rows parts end, but for the last part."""
    most = max(MOST_PARTS, non_zeros // LARGEST_PART)
    n_parts = int(np.clip(non_zeros // max(NON_ZEROS_OF_A_PART, NON_ZEROS_OF_A_WORD * n_words), 1, most))
    return np.arange(1, n_parts) * (non_zeros // n_parts)


def rows_of(X: Matrix, first: int, last: int) -> Matrix:
    """Some rows, in order. Unlike an index, a slice of the arrays need not copy them."""
    if not (sp.issparse(X) and X.format == "csr"):
        return X[first:last]
    start, end = X.indptr[[first, last]]
    return assembled(X, X.data[start:end], X.indices[start:end], X.indptr[first : last + 1] - start)


def by_parts(function: Callable[[Matrix], Array], X: Matrix, dtype: Any = None) -> Array:
    """What a function of rows makes of all rows of X, as numbers of this type, if it is given."""
    if isinstance(X, RowsElsewhere):
        return X.by_parts(function, dtype)
    (_, first), *others = parts = row_parts(X)
    found = np.asarray(function(first), dtype=dtype)
    release(first)
    if not others:
        return found
    out = np.empty((X.shape[0], *found.shape[1:]), dtype=found.dtype)
    out[parts[0][0]] = found
    for rows, part in others:
        out[rows] = function(part)
        release(part)
    return out


def over_parts(step: Callable[[Matrix, Array], T], X: Matrix, V: Any) -> Iterator[T]:
    """One pass: what a step makes of each part of X and its rows of V, which it may change; in order.

    It lets go of its part at the end (`release`).
    """
    if isinstance(X, RowsElsewhere):
        return X.over_parts(step, V)
    parts = row_parts(X)
    return in_threads(step, [part for _, part in parts], [V[rows] for rows, _ in parts])


def word_sums(X: Matrix) -> Array:
    """The sum of all rows."""
    return np.asarray(sum(summed_rows(part) for _, part in row_parts(X)))


def summed_rows(part: Matrix) -> Array:
    """The sum of the rows of a part, which it lets go of."""
    if not (sp.issparse(part) and part.format == "csr"):
        return np.asarray(part.sum(axis=0), dtype=np.float64).ravel()
    # What `sum` does, without its copy of a small part of a larger matrix.
    transposed = assembled(sp.csc_array(part.shape[::-1]), part.data, part.indices, part.indptr)
    total = np.asarray(transposed @ np.ones(part.shape[0], dtype=part.dtype), dtype=np.float64)
    release(part)
    return total


def drawn_rows(n: int, most: int) -> Positions:
    """Of n documents at most so many, in order. What that takes does not grow with n."""
    return np.sort(np.random.default_rng(0).choice(n, min(n, most), replace=False, shuffle=False))


def taken_rows(X: Matrix, rows: Positions) -> Matrix:
    """Some rows, in order, with no more than a part of the matrix in memory beside them."""
    if isinstance(X, RowsElsewhere):
        return X.taken(rows)
    found = []
    for span, part in row_parts(X):
        found.append(part[rows[(rows >= span.start) & (rows < span.stop)] - span.start])
        release(part)
    return stack(found)


def release(X: Matrix) -> None:
    """Let go of the memory that a part of a file takes; it is read again when it is next asked for."""
    if sp.issparse(X):
        let_go(X.data)
        let_go(X.indices)
