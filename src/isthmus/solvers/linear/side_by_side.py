"""Documents as linear classifiers read them: sparse words in two layouts, and dense features beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.solvers.factorization.sweep import columns_times, rows_times, worth_compiling
from isthmus.typing import Array, Matrix


@dataclass(frozen=True, eq=False)
class SideBySide:
    """[X, H], of which X stays sparse and H dense: products take half the time that they take with H made sparse."""

    words: Matrix
    hidden: Array

    @property
    def shape(self) -> tuple[int, int]:
        return self.words.shape[0], self.words.shape[1] + self.hidden.shape[1]

    @property
    def dtype(self) -> Any:
        return self.words.dtype

    def __getitem__(self, rows: Any) -> SideBySide:
        return SideBySide(self.words[rows], self.hidden[rows])

    def __matmul__(self, other: Array) -> Array:
        width = self.words.shape[1]
        return np.asarray(self.words @ other[:width] + self.hidden @ other[width:])

    @property
    def T(self) -> _Transposed:
        return _Transposed(self.words.T, self.hidden.T)


@dataclass(frozen=True, eq=False)
class _Transposed:
    words: Matrix
    hidden: Array

    def __matmul__(self, other: Array) -> Array:
        return np.concatenate([self.words @ other, self.hidden @ other])


@dataclass(frozen=True, eq=False)
class TwoLayouts:
    """A sparse matrix that multiplies several columns from either side in the way that suits.

    Row by row, scipy's X B adds each document's words up into the same few numbers, and every addition waits for the
    one before. Word by word it adds to another document each time, in half the time. X^T R goes row by row for the same
    reason. Compiled loops hold those numbers in registers, and take half of that time, both of them row by row.
    """

    by_document: Matrix

    @cached_property
    def _by_word(self) -> Matrix:
        return self.by_document.tocsc()

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.by_document.shape
        return int(rows), int(columns)

    @property
    def dtype(self) -> Any:
        return self.by_document.dtype

    @property
    def T(self) -> _RowsBack:
        return _RowsBack(self.by_document)

    def __matmul__(self, other: Array) -> Any:
        if _one_column(other):
            return self.by_document @ other
        compiled = worth_compiling(self.by_document, other.dtype, other.shape[1])
        return rows_times(self.by_document, other, compiled) if compiled else self._by_word @ other


@dataclass(frozen=True, eq=False)
class _RowsBack:
    """X^T of such a matrix."""

    by_document: Matrix

    def __matmul__(self, other: Array) -> Any:
        if not _one_column(other) and worth_compiling(self.by_document, other.dtype, other.shape[1]):
            return columns_times(self.by_document, other, compiled=True)
        return self.by_document.T @ other


def _one_column(other: Array) -> bool:
    return other.ndim == 1 or other.shape[1] == 1


Documents = Matrix | SideBySide | TwoLayouts


def in_two_layouts(X: Matrix | SideBySide) -> Documents:
    """The same documents; their words in both layouts where they are sparse."""
    if isinstance(X, SideBySide):
        return replace(X, words=in_two_layouts(X.words))
    return TwoLayouts(X) if sp.issparse(X) and X.format == "csr" else X
