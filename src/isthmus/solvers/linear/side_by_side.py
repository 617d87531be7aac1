"""Sparse words beside dense features, as one matrix that linear classifiers read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

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
