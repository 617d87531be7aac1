"""A domain's documents, reached through a handful of operations.

This is the seam at which a matrix on disk, or one spread over several machines, can take the place of the one in
memory: nothing else in the engine touches X.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from isthmus.engine.kernel import product
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
        values = self.matrix.data if sp.issparse(self.matrix) else np.ravel(self.matrix)
        return float(np.dot(values, values))

    def times(self, words: Array) -> Array:
        return _product(self.matrix, words)

    def transposed_times(self, documents: Array) -> Array:
        # The transpose of CSR is CSC of the same memory: no X^T is ever stored.
        return _product(self.matrix.T, documents)


def _product(matrix: Matrix, narrow: Array) -> Array:
    """matrix @ narrow, from column order to column order."""
    if not sp.issparse(matrix):
        return product(matrix, narrow)
    if narrow.shape[1] > 2:
        return np.asfortranarray(matrix @ np.ascontiguousarray(narrow))
    # Two products with a vector take two thirds of the time of one with a matrix of two columns.
    out = np.empty((matrix.shape[0], narrow.shape[1]), dtype=np.result_type(matrix, narrow), order="F")
    for column in range(narrow.shape[1]):
        out[:, column] = matrix @ narrow[:, column]
    return out
