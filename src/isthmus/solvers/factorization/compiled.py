"""The inner loops, compiled by numba (`isthmus[fast]`), which keeps them on disk for the next process.

No loop here starts a thread: the caller divides rows into parts that depend on the matrix alone, and the loops let
other threads run. So the result does not depend on the number of cores.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import njit

from isthmus.typing import Array

UNROLLED = 8
"""Columns up to which a loop is compiled for just so many, which halves its time."""

_compile = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


@cache
def sweep_of(width: int) -> Any:
    """One pass over some rows: X M, the update of V, X^T V. `width` is the columns of V, or 0 for any."""

    @_compile
    def sweep(
        data: Array,
        indices: Array,
        indptr: Array,
        words: Array,
        rows: Array,
        gram: Array,
        above: Array,
        below: Array,
        exponent: float,
        least: float,
        even: bool,
        out: Array,
    ) -> None:
        columns = width if width else gram.shape[0]
        found, moved = np.empty(columns, data.dtype), np.empty(columns, data.dtype)
        for row in range(rows.shape[0]):
            begin, end = indptr[row], indptr[row + 1]
            for k in range(columns):
                found[k] = 0
            for p in range(begin, end):
                value, at = data[p], np.uint64(indices[p]) * np.uint64(columns)  # of signed ones, the sign is looked at
                for k in range(columns):
                    found[k] += value * words[at + np.uint64(k)]
            total = data.dtype.type(0)
            for k in range(columns):
                under = least
                for j in range(columns):
                    under += rows[row, j] * gram[j, k]
                over = found[k]
                if above.shape[0]:
                    over += above[row, k]
                if below.shape[0]:
                    under += below[row, k]
                ratio = over / under
                if exponent == 0.5:
                    ratio = np.sqrt(ratio)
                elif exponent != 1:
                    ratio = ratio**exponent
                value = rows[row, k] * ratio
                if value < least:  # subnormal numbers slow every product down
                    value = data.dtype.type(0)
                moved[k] = value
                total += value
            for k in range(columns):
                if even:
                    moved[k] = moved[k] / total if total > 0 else data.dtype.type(1) / columns
                rows[row, k] = moved[k]
            for p in range(begin, end):
                value, at = data[p], np.uint64(indices[p]) * np.uint64(columns)
                for k in range(columns):
                    out[at + np.uint64(k)] += value * moved[k]

    return sweep


@cache
def there_and_back_of(width: int) -> Any:
    """One pass over some rows: X^T X M. `width` is the columns of M, or 0 for any."""

    @_compile
    def there_and_back(data: Array, indices: Array, indptr: Array, words: Array, n_columns: int, out: Array) -> None:
        columns = width if width else n_columns
        found = np.empty(columns, data.dtype)
        for row in range(indptr.shape[0] - 1):
            begin, end = indptr[row], indptr[row + 1]
            for k in range(columns):
                found[k] = 0
            for p in range(begin, end):
                value, at = data[p], np.uint64(indices[p]) * np.uint64(columns)
                for k in range(columns):
                    found[k] += value * words[at + np.uint64(k)]
            for p in range(begin, end):
                value, at = data[p], np.uint64(indices[p]) * np.uint64(columns)
                for k in range(columns):
                    out[at + np.uint64(k)] += value * found[k]

    return there_and_back
