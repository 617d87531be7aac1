"""One pass over documents: X M, the update of V, X^T V.

A row of V needs nothing of other documents, so that a part of the documents can be taken through all three before the
next is touched: X is read once, and the parts may be anywhere. `sweep_rows` is what happens to one part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np
import scipy.sparse as sp

from isthmus.solvers.factorization.kernel import BLOCK_ROWS, WIDEST, Pair, can_compile, column_order, multiply, product
from isthmus.typing import Array, Matrix

WORTH_COMPILED = 1 << 18
"""Products of a non-zero with a number from which on compiled loops save about as much, over a hundred iterations, as
it takes to load them, which is a tenth of a second. By the matrix alone, so that results do not depend on what ran
before."""


@dataclass(frozen=True, eq=False)
class RowStep:
    """V *= ((X M + above) / (V gram + below)) ** exponent; then each row is made to sum to one, if `even`."""

    words: Array
    """M: words x classes, in row order."""
    gram: Array
    """Classes x classes."""
    exponent: float
    even: bool
    above: Sequence[Pair] = ()
    """What other terms add, for all rows of V: a sum of products."""
    below: Sequence[Pair] = ()
    compiled: bool = False
    """Whether the loops of `isthmus.solvers.factorization.compiled` do it."""

    def part(self, rows: slice) -> RowStep:
        """The same for some rows of V."""
        above, below = ([(left[rows], right) for left, right in side] for side in (self.above, self.below))
        return replace(self, above=above, below=below)


def sweep_rows(X: Matrix, V: Array, step: RowStep) -> Array:
    """Update V, the rows of the documents X, in place; return X^T V."""
    return compiled_sweep(X, V, step)(slice(0, len(V))) if step.compiled else _sweep_plainly(X, V, step)


def compiled_sweep(X: Matrix, V: Array, step: RowStep) -> Callable[[slice], Array]:
    """A function that does this for some rows of X and V."""
    return _loops().pass_over(X, step.words, V, step.gram, step.exponent == 0.5, step.even, step.above, step.below)


def there_and_back(X: Matrix, words: Array, compiled: bool) -> Array:
    """X^T X M, for M in row order."""
    return _loops().pass_back(X, words) if compiled else np.asarray(X.T @ (X @ words))


def rows_times(X: Matrix, words: Array, compiled: bool) -> Array:
    """X M. For M in row order, if compiled, and then in row order."""
    return _loops().gather_rows(X, words) if compiled else times(X, words)


def columns_times(X: Matrix, V: Array, compiled: bool) -> Array:
    """X^T V."""
    return _loops().scatter_rows(X, V) if compiled else times(X.T, V)


def worth_compiling(X: Matrix, dtype: np.dtype[np.floating], width: int) -> bool:
    """Whether compiled loops are there, for numbers of this kind, and X is large enough to gain from them."""
    if not (getattr(X, "format", "") == "csr" and X.nnz * width >= WORTH_COMPILED and X.dtype == dtype):
        return False
    return width <= WIDEST and can_compile()


def _loops() -> ModuleType:
    """Imported when they are first needed."""
    from isthmus.solvers.factorization import compiled

    return compiled


def _sweep_plainly(X: Matrix, V: Array, step: RowStep) -> Array:
    above: list[Pair] = [(times(X, step.words), None), *step.above]
    below: list[Pair] = [(V, step.gram.T), *step.below]
    scratch = np.empty((2, V.shape[1], max(min(len(V), BLOCK_ROWS), 1)), dtype=V.dtype)
    multiply(V, above, below, step.exponent, scratch, step.even)
    return times(X.T, V)  # the transpose of CSR is CSC of the same memory: no X^T is ever stored


def times(matrix: Matrix, narrow: Array) -> Array:
    """matrix @ narrow, to column order."""
    if not sp.issparse(matrix):
        return product(matrix, narrow)
    if narrow.shape[1] > 2:
        return column_order(matrix @ np.ascontiguousarray(narrow))
    # Two products with a vector take two thirds of the time of one with a matrix of two columns.
    out = np.empty((matrix.shape[0], narrow.shape[1]), dtype=np.result_type(matrix, narrow), order="F")
    for column in range(narrow.shape[1]):
        out[:, column] = matrix @ narrow[:, column]
    return out
