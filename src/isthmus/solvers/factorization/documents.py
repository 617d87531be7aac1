"""A domain's documents, reached through a handful of operations.

This is the seam at which a matrix on disk, or one spread over several machines, can take the place of the one in
memory: nothing else in the engine touches X.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from isthmus.core.numerics import in_threads, squared_norm
from isthmus.core.parts import release, row_parts
from isthmus.solvers.factorization.kernel import column_order, gram, row_order
from isthmus.solvers.factorization.sweep import (
    RowStep,
    columns_times,
    compiled_sweep,
    rows_times,
    sweep_rows,
    there_and_back,
    worth_compiling,
)
from isthmus.typing import Array, Matrix


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

    def gram(self, V: Array) -> Array:
        """V^T V, as a sum over parts of the documents."""

    def holding(self, V: Array) -> AbstractContextManager[None]:
        """Within it V may lie elsewhere, and is no one's but `sweep`'s, `transposed_times`' and `gram`'s to look at."""


@dataclass(frozen=True, eq=False)
class WholeMatrix:
    """A matrix, sparse or dense, whose rows are documents."""

    matrix: Matrix

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.matrix.shape
        return int(rows), int(columns)

    @cached_property
    def squared_norm(self) -> float:
        return squared_norm(self.matrix)

    def compiled(self, narrow: Array) -> bool:
        """Whether products with this array are left to compiled loops. Parts of X do what is right for all of it."""
        return worth_compiling(self.matrix, narrow.dtype, narrow.shape[1])

    def prepared(self, step: RowStep, V: Array) -> RowStep:
        """A step as the parts of X need it."""
        return replace(step, words=row_order(step.words), compiled=step.exponent in (0.5, 1) and self.compiled(V))

    @cached_property
    def _parts(self) -> list[tuple[slice, Any]]:
        return row_parts(self.matrix)

    def gram(self, V: Array) -> Array:
        # Of few rows, BLAS has other last bits in the midst of an array than alone, as they are on a worker.
        return added_up(gram(np.asfortranarray(V[rows])) for rows, _ in self._parts)

    def holding(self, V: Array) -> AbstractContextManager[None]:
        return nullcontext()


def added_up(sums: Iterable[Array]) -> Array:
    """In their order, so that no bit depends on who was ready first; in column order.

    The last one is added on the way from row to column order, which saves a pass over both.
    """
    remaining = iter(sums)
    total, last = next(remaining), None
    for each in remaining:
        if last is not None:
            total += last
        last = each
    if last is None or total.flags.f_contiguous:
        return in_columns(total if last is None else total + last)
    return column_order(total, last)


def in_columns(tall: Array) -> Array:
    """The same array in column order, without a copy if it is."""
    return tall if tall.flags.f_contiguous else column_order(tall)


class MatrixDocuments(WholeMatrix):
    """Documents whose matrix is in memory, or mapped from files."""

    def times(self, words: Array) -> Array:
        compiled = self.compiled(words)
        words = row_order(words) if compiled else words
        if len(self._parts) == 1:
            found = rows_times(self.matrix, words, compiled)
            release(self.matrix)
            return in_columns(found)
        kind = np.result_type(self.matrix, words)
        out = np.empty((self.matrix.shape[0], words.shape[1]), dtype=kind, order="C" if compiled else "F")

        def fill(part: tuple[slice, Matrix]) -> None:
            rows, matrix = part
            out[rows] = rows_times(matrix, words, compiled)
            release(matrix)

        list(in_threads(fill, self._parts))  # until all is done
        return in_columns(out)

    def transposed_times(self, documents: Array) -> Array:
        compiled = self.compiled(documents)
        return self._over_parts(lambda rows, matrix: columns_times(matrix, documents[rows], compiled))

    def sweep(self, V: Array, step: RowStep) -> Array:
        step = self.prepared(step, V)
        if not step.compiled:
            return self._over_parts(lambda rows, matrix: sweep_rows(matrix, V[rows], step.part(rows)))
        sweep = compiled_sweep(self.matrix, V, step)
        return self._over_parts(lambda rows, _: sweep(rows))

    def there_and_back(self, words: Array) -> Array:
        """X^T X B."""
        words, compiled = row_order(words), self.compiled(words)
        return self._over_parts(lambda rows, matrix: there_and_back(matrix, words, compiled))

    def _over_parts(self, function: Callable[[slice, Matrix], Array]) -> Array:
        """The sum of what a function makes of each part."""

        def of_part(part: tuple[slice, Matrix]) -> Array:
            found = function(*part)
            release(part[1])
            return found

        return added_up(in_threads(of_part, self._parts))
