"""A domain's documents, reached through a handful of operations.

This is the seam at which a matrix on disk, or one spread over several machines, can take the place of the one in
memory: nothing else in the engine touches X.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
import scipy.sparse as sp

from isthmus.core.numerics import in_threads, squared_norm
from isthmus.solvers.factorization.kernel import column_order
from isthmus.solvers.factorization.sweep import RowStep, sweep_rows, there_and_back, times, worth_compiling
from isthmus.typing import Array, Matrix, Positions

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


@runtime_checkable
class SweptDocuments(Documents, Protocol):
    """Documents that can be passed over row by row."""

    def sweep(self, V: Array, step: RowStep) -> Array:
        """Update V in place; return X^T V, in column order."""


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
    def _parts(self) -> list[tuple[slice, Matrix]]:
        """Some documents each, of about as many non-zeros, and where in X they stand."""
        if not sp.issparse(self.matrix):
            return [(slice(0, self.matrix.shape[0]), self.matrix)]
        ends = part_ends(self.matrix.indptr, self.matrix.shape[1])
        return [(slice(first, last), rows_of(self.matrix, first, last)) for first, last in pairwise(ends)]

    def times(self, words: Array) -> Array:
        out = np.empty((self.matrix.shape[0], words.shape[1]), dtype=np.result_type(self.matrix, words), order="F")

        def fill(part: tuple[slice, Matrix]) -> None:
            rows, matrix = part
            out[rows] = times(matrix, words)

        list(in_threads(fill, self._parts))  # until all is done
        return out

    def transposed_times(self, documents: Array) -> Array:
        return added_up(lambda part: times(part[1].T, documents[part[0]]), self._parts)

    def sweep(self, V: Array, step: RowStep) -> Array:
        words = np.ascontiguousarray(step.words)
        step = replace(step, words=words, compiled=worth_compiling(self.matrix, V.dtype))
        return added_up(lambda part: sweep_rows(part[1], V[part[0]], step.part(part[0])), self._parts)

    def there_and_back(self, words: Array) -> Array:
        """X^T X B."""
        words = np.ascontiguousarray(words)
        compiled = worth_compiling(self.matrix, words.dtype)
        return added_up(lambda part: there_and_back(part[1], words, compiled), self._parts)


MOST_PARTS = 64
NON_ZEROS_OF_A_PART = 1 << 17
"""At least. Sums over a part are as large as the vocabulary, which a part should be several times of as well."""


def part_ends(indptr: Positions, n_words: int) -> list[int]:
    """Where parts of a matrix end, the first of which begins at 0. It depends on the matrix alone, so that the result
    does not depend on the number of cores."""
    n_parts = int(np.clip(indptr[-1] // max(NON_ZEROS_OF_A_PART, 8 * n_words), 1, MOST_PARTS))
    inner = np.searchsorted(indptr, np.arange(1, n_parts) * (int(indptr[-1]) // n_parts))
    return [0, *inner.tolist(), len(indptr) - 1]


def added_up(function: Callable[[T], Array], parts: Sequence[T]) -> Array:
    """The sum of what a function makes of each part, in the order of the parts, in column order."""
    found = in_threads(function, parts)
    total = next(found)
    for each in found:
        total += each
    return total if total.flags.f_contiguous else column_order(total)


def rows_of(matrix: Matrix, first: int, last: int) -> Matrix:
    """Some rows, in order. Unlike an index, a slice of the arrays need not copy them."""
    start, end = matrix.indptr[[first, last]]
    parts = (matrix.data[start:end], matrix.indices[start:end], matrix.indptr[first : last + 1] - start)
    return type(matrix)(parts, shape=(last - first, matrix.shape[1]), copy=False)
