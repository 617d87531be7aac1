"""The inner loops, compiled by numba (`isthmus[fast]`), which keeps them on disk for the next process.

No loop here starts a thread: the caller divides rows into parts that depend on the matrix alone, and the loops let
other threads run. So the result does not depend on the number of cores.

Columns are taken eight, four and two at a time, each in a variable of its own: these stay in registers, and become one
instruction for all of them. One loop so serves any number of columns, if that is even. Numbers are counted without a
sign, which would be looked at for each of them. Sums keep their order: asked to change it, LLVM would go through
several non-zeros at a time, whose words lie apart, in twice the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np
from numba import core, njit, typeof, uint64

from isthmus.typing import Array

_compile = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "nsz"})
_compiling = Lock()


def run(loop: Any, *operands: Any) -> None:
    """Call `pass_over` or `pass_back`, compiled for operands of these kinds."""
    kinds = tuple(map(typeof, operands))
    if kinds not in loop.overloads:
        with _compiling, _variables_side_by_side():
            loop.compile(kinds)
    loop(*operands)


@contextmanager
def _variables_side_by_side() -> Iterator[None]:
    """Have LLVM make one instruction of the same to several variables, which numba leaves out otherwise."""
    settings: Any = core.config
    before, settings.SLP_VECTORIZE = settings.SLP_VECTORIZE, 1
    try:
        yield
    finally:
        settings.SLP_VECTORIZE = before


@_compile
def _gather(data: Array, indices: Array, begin: Any, end: Any, words: Array, width: Any, found: Array) -> None:
    """One row of X M."""
    at = uint64(0)
    while at + uint64(8) <= width:
        a = b = c = d = e = f = g = h = data.dtype.type(0)
        for p in range(begin, end):
            value, q = data[p], uint64(indices[p]) * width + at
            a, b = a + value * words[q], b + value * words[q + uint64(1)]
            c, d = c + value * words[q + uint64(2)], d + value * words[q + uint64(3)]
            e, f = e + value * words[q + uint64(4)], f + value * words[q + uint64(5)]
            g, h = g + value * words[q + uint64(6)], h + value * words[q + uint64(7)]
        found[at], found[at + uint64(1)], found[at + uint64(2)], found[at + uint64(3)] = a, b, c, d
        found[at + uint64(4)], found[at + uint64(5)], found[at + uint64(6)], found[at + uint64(7)] = e, f, g, h
        at += uint64(8)
    if at + uint64(4) <= width:
        a = b = c = d = data.dtype.type(0)
        for p in range(begin, end):
            value, q = data[p], uint64(indices[p]) * width + at
            a, b = a + value * words[q], b + value * words[q + uint64(1)]
            c, d = c + value * words[q + uint64(2)], d + value * words[q + uint64(3)]
        found[at], found[at + uint64(1)], found[at + uint64(2)], found[at + uint64(3)] = a, b, c, d
        at += uint64(4)
    if at < width:
        a = b = c = d = data.dtype.type(0)
        pairs = begin + (end - begin) // uint64(2) * uint64(2)
        for p in range(begin, pairs, uint64(2)):  # two sums of each, as an addition takes longer than it is to the next
            value, q = data[p], uint64(indices[p]) * width + at
            a, b = a + value * words[q], b + value * words[q + uint64(1)]
            value, q = data[p + uint64(1)], uint64(indices[p + uint64(1)]) * width + at
            c, d = c + value * words[q], d + value * words[q + uint64(1)]
        for p in range(pairs, end):
            value, q = data[p], uint64(indices[p]) * width + at
            a, b = a + value * words[q], b + value * words[q + uint64(1)]
        found[at], found[at + uint64(1)] = a + c, b + d


@_compile
def _scatter(data: Array, indices: Array, begin: Any, end: Any, row: Array, width: Any, out: Array) -> None:
    """Add what one row of X and of V gives to X^T V."""
    at = uint64(0)
    while at + uint64(8) <= width:
        a, b, c, d = row[at], row[at + uint64(1)], row[at + uint64(2)], row[at + uint64(3)]
        e, f, g, h = row[at + uint64(4)], row[at + uint64(5)], row[at + uint64(6)], row[at + uint64(7)]
        for p in range(begin, end):
            value, q = data[p], uint64(indices[p]) * width + at
            out[q] += value * a
            out[q + uint64(1)] += value * b
            out[q + uint64(2)] += value * c
            out[q + uint64(3)] += value * d
            out[q + uint64(4)] += value * e
            out[q + uint64(5)] += value * f
            out[q + uint64(6)] += value * g
            out[q + uint64(7)] += value * h
        at += uint64(8)
    if at + uint64(4) <= width:
        a, b, c, d = row[at], row[at + uint64(1)], row[at + uint64(2)], row[at + uint64(3)]
        for p in range(begin, end):
            value, q = data[p], uint64(indices[p]) * width + at
            out[q] += value * a
            out[q + uint64(1)] += value * b
            out[q + uint64(2)] += value * c
            out[q + uint64(3)] += value * d
        at += uint64(4)
    if at < width:
        a, b = row[at], row[at + uint64(1)]
        for p in range(begin, end):
            value, q = data[p], uint64(indices[p]) * width + at
            out[q] += value * a
            out[q + uint64(1)] += value * b


@_compile
def pass_over(
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
    """One pass over some rows: X M, the update of V, X^T V. `words` and `out` have a column more, if V's are odd."""
    columns = gram.shape[0]
    width = uint64(columns + columns % 2)
    found, moved = np.zeros(width, data.dtype), np.zeros(width, data.dtype)
    for row in range(rows.shape[0]):
        begin, end = uint64(indptr[row]), uint64(indptr[row + 1])
        _gather(data, indices, begin, end, words, width, found)
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
        _scatter(data, indices, begin, end, moved, width, out)


@_compile
def pass_back(data: Array, indices: Array, indptr: Array, words: Array, n_columns: int, out: Array) -> None:
    """One pass over some rows: X^T X M, for M with an even number of columns."""
    width = uint64(n_columns)
    found = np.zeros(width, data.dtype)
    for row in range(indptr.shape[0] - 1):
        begin, end = uint64(indptr[row]), uint64(indptr[row + 1])
        _gather(data, indices, begin, end, words, width, found)
        _scatter(data, indices, begin, end, found, width, out)
