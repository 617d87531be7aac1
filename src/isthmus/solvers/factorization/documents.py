"""A domain's documents, reached through a handful of operations.

This is the seam at which a matrix on disk, or one spread over several machines, can take the place of the one in
memory: nothing else in the engine touches X.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import matmul
from typing import Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from isthmus.core.numerics import in_two_threads, squared_norm
from isthmus.solvers.factorization.kernel import column_order, product
from isthmus.typing import Array, Matrix

T = TypeVar("T")


class Documents(Protocol):
    """Documents x words, as something that multiplies."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def squared_norm(self) -> float:
        """||X||^2."""

    def times(self, words: Array) -> Array:
        """X B, for B of words x few. Both in column order."""

    def transposed_times(self, documents: Array) -> Array:
        """X^T V, for V of documents x few. Both in column order."""


@dataclass(frozen=True, eq=False)
class MatrixDocuments:
    """Documents whose matrix, sparse or dense, is in memory."""

    matrix: Matrix

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.matrix.shape
        return int(rows), int(columns)

    @cached_property
    def squared_norm(self) -> float:
        return squared_norm(self.matrix)

    @cached_property
    def _halves(self) -> list[Matrix]:
        """The documents in two parts of about as many non-zeros."""
        matrix, n_rows = self.matrix, self.matrix.shape[0]
        middle = int(np.searchsorted(matrix.indptr, matrix.nnz // 2))
        return [_rows(matrix, first, last) for first, last in ((0, middle), (middle, n_rows))]

    def _is_large(self, columns: int) -> bool:
        return sp.issparse(self.matrix) and self.matrix.nnz * columns >= WORTH_TWO_THREADS

    def times(self, words: Array) -> Array:
        if not self._is_large(words.shape[1]):
            return _product(self.matrix, words)
        out = np.empty((self.matrix.shape[0], words.shape[1]), dtype=np.result_type(self.matrix, words), order="F")
        rows = np.ascontiguousarray(words)
        first, second = self._halves
        parts = np.split(out, [first.shape[0]])

        def fill(half: Matrix, part: Array) -> None:
            part[...] = half @ rows

        in_two_threads(fill, [first, second], parts)
        return out

    def transposed_times(self, documents: Array) -> Array:
        # The transpose of CSR is CSC of the same memory: no X^T is ever stored.
        if not self._is_large(documents.shape[1]):
            return _product(self.matrix.T, documents)
        first, second = self._halves
        parts = np.split(np.ascontiguousarray(documents), [first.shape[0]])
        upper, lower = in_two_threads(matmul, [first.T, second.T], parts)
        upper += lower
        return column_order(upper)


WORTH_TWO_THREADS = 1 << 22
"""Multiplications from which on a second thread saves more time than it takes to wake. How the work is divided
depends on the matrix alone, so that the result does not depend on the number of cores."""


def _rows(matrix: Matrix, first: int, last: int) -> Matrix:
    """Some rows, in order. Unlike an index, a slice of the arrays need not copy them."""
    start, end = matrix.indptr[[first, last]]
    parts = (matrix.data[start:end], matrix.indices[start:end], matrix.indptr[first : last + 1] - start)
    return type(matrix)(parts, shape=(last - first, matrix.shape[1]), copy=False)


def _product(matrix: Matrix, narrow: Array) -> Array:
    """matrix @ narrow, from column order to column order."""
    if not sp.issparse(matrix):
        return product(matrix, narrow)
    if narrow.shape[1] > 2:
        return column_order(matrix @ np.ascontiguousarray(narrow))
    # Two products with a vector take two thirds of the time of one with a matrix of two columns.
    out = np.empty((matrix.shape[0], narrow.shape[1]), dtype=np.result_type(matrix, narrow), order="F")
    for column in range(narrow.shape[1]):
        out[:, column] = matrix @ narrow[:, column]
    return out
