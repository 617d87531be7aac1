"""Dense arithmetic on tall, narrow arrays, kept in column order.

With a topic's (or a class's) words side by side in memory, products and elementwise passes over words x topics take
about half the time that they take in row order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from isthmus.solvers.factorization.constraints import RowsSumToOne
from isthmus.typing import Array

Pair = tuple[Array, Array | None]
"""Stands for left @ right.T, unmultiplied; without `right`, for `left` itself. A term's `Product` is one."""

BLOCK_ROWS = 8192
"""Rows are updated in blocks, so that numerator and denominator stay in the processor's cache."""


WIDEST = 64
"""Columns that compiled loops take as one value."""
WORTH_COMPILED = 1 << 16
"""Entries of a factor from which on compiled loops update it. By its size alone, so that results do not depend on what
ran before."""

NARROW = 12
"""Products of numbers that a compiled loop adds up for an entry; BLAS is faster at more."""

WORTH_ADDING_UP = 1 << 17
"""Compiled loops compute an inner product of so many multiplications and more."""
MOST_PAIRS = 256
"""With more pairs of columns than these, BLAS computes an inner product, however large."""

SMALL_PRODUCT = 1_000_000
"""Multiplications up to which BLAS does not rearrange the operands of a product: several of these take a half or a
quarter of the time of a large one."""
FEWEST_ROWS = 2048
"""Rows of such a product, which is not worth it for fewer."""

CACHE_LINE = 64
"""Bytes."""

COPIED_ROWS = 512
"""Rows that are brought into column order at a time."""


@cache
def can_compile() -> bool:
    """Whether there is what compiles loops (`isthmus[fast]`)."""
    return find_spec("llvmlite") is not None


def product(tall: Array, small: Array) -> Array:
    """tall @ small, in column order."""
    if len(small) == 1:
        return (small.T * tall.T).T
    return (small.T @ tall.T).T


def inner(left: Array, right: Array) -> Array:
    """left.T @ right, of tall arrays."""
    if _adds_up(left, right):
        from isthmus.solvers.factorization.compiled_dense import inner_compiled

        return inner_compiled(left, right)
    rows = SMALL_PRODUCT // max(left.shape[1] * right.shape[1], 1)
    if rows < FEWEST_ROWS:
        return left.T @ right
    total = left[:rows].T @ right[:rows]
    for first in range(rows, len(left), rows):
        total += left[first : first + rows].T @ right[first : first + rows]
    return total


def _adds_up(left: Array, right: Array) -> bool:
    """Whether compiled loops are faster than BLAS, which rearranges both."""
    pairs = left.shape[1] * right.shape[1]
    few = pairs <= MOST_PAIRS and len(left) * pairs >= WORTH_ADDING_UP
    return few and left.dtype == right.dtype and left.dtype in (np.float32, np.float64) and can_compile()


def gram(tall: Array) -> Array:
    """tall.T @ tall."""
    if _adds_up(tall, tall):
        return inner(tall, tall)
    middle = tall.shape[1] // 2
    if not middle or FEWEST_ROWS * tall.shape[1] ** 2 > SMALL_PRODUCT:
        return tall.T @ tall
    # In two: BLAS would see that both are one, and compute half of it in twice the time.
    return np.concatenate([inner(tall[:, :middle], tall), inner(tall[:, middle:], tall)])


def column_order(tall: Array, plus: Array | None = None) -> Array:
    """The same array, or its sum with another one of its order, in column order."""
    return _reordered(tall, np.empty(tall.shape, dtype=tall.dtype, order="F"), plus)


def row_order(tall: Array) -> Array:
    """The same array in row order."""
    return tall if tall.flags.c_contiguous else _reordered(tall, lined_up(tall.shape, tall.dtype))


def lined_up(shape: tuple[int, int], dtype: Any) -> Array:
    """Room for an array in row order that begins with a line of the processor's cache.

    Rows of 8 or 16 numbers then lie in one line, not in two: products with sparse matrices save up to a quarter.
    """
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    room = np.empty(size + CACHE_LINE, dtype=np.uint8)
    first = -room.__array_interface__["data"][0] % CACHE_LINE
    return room[first : first + size].view(dtype).reshape(shape)


def _reordered(tall: Array, out: Array, plus: Array | None = None) -> Array:
    """`tall` in the memory of `out`. Piece by piece, as all of a long row's columns at once do not fit the cache."""
    if _compiled(tall) and tall.shape[1] <= WIDEST and (tall.flags.c_contiguous or tall.flags.f_contiguous):
        from isthmus.solvers.factorization.compiled_dense import reorder

        reorder(tall, out, plus)
        return out
    for first in range(0, len(tall), COPIED_ROWS):
        part = slice(first, first + COPIED_ROWS)
        out[part] = tall[part] if plus is None else tall[part] + plus[part]
    return out


def _compiled(factor: Array) -> bool:
    """Whether this is left to compiled loops."""
    return factor.size >= WORTH_COMPILED and factor.dtype in (np.float32, np.float64) and can_compile()


def multiply(
    factor: Array,
    negative: Sequence[Pair],
    positive: Sequence[Pair],
    exponent: float,
    scratch: Array,
    even: bool = False,
) -> None:
    """factor *= (sum of negative / sum of positive) ** exponent, in place; if `even`, rows are made to sum to one.

    `scratch` is room for two blocks: 2 x columns x at least one row.
    """
    negative, positive = _merged(negative), _merged(positive)
    if exponent in (0.5, 1) and _compiled(factor) and all(_narrow(factor, side) for side in (negative, positive)):
        from isthmus.solvers.factorization.compiled_dense import multiply_compiled

        multiply_compiled(factor, negative, positive, exponent == 0.5, even, scratch)
        return
    rows, block = len(factor), scratch.shape[2]
    # 0/0 arises where a word does not occur: that entry is zero, or goes to zero.
    least = np.finfo(factor.dtype).tiny
    above, below = _side_by_side(negative), _side_by_side(positive)
    for first in range(0, rows, block):
        part = slice(first, min(first + block, rows))
        ratio, under = scratch[:, :, : part.stop - first]
        _add_up(above, part, ratio)
        _add_up(below, part, under)
        under += least
        ratio /= under
        if exponent == 0.5:
            np.sqrt(ratio, out=ratio)  # half the time of the exponent
        elif exponent != 1.0:
            np.power(ratio, exponent, out=ratio)
        across = factor.T[:, part]
        across *= ratio
        if factor.dtype == np.float32:
            # Entries that die out soon become subnormal in single precision, and slow every product down.
            across *= across >= least
    if even:
        RowsSumToOne().restore(factor)


def _narrow(factor: Array, products: Sequence[Pair]) -> bool:
    """Whether a compiled loop can add these up, and is faster than BLAS."""
    widths = [left.shape[1] for left, right in products if right is not None]
    plain = [left.shape == factor.shape for left, right in products if right is None]
    upright = factor.strides[0] == factor.itemsize
    return upright and len(products) > 0 and sum(widths) <= NARROW and all(plain)


def _merged(products: Sequence[Pair]) -> list[Pair]:
    """The same sum, proper products first; A B^T + A C^T is A (B + C)^T, and no wider than either."""
    lefts = {id(left): left for left, right in products if right is not None}
    rights: dict[int, Array] = {}
    for left, right in products:
        if right is not None:
            rights[id(left)] = rights[id(left)] + right if id(left) in rights else right
    return [*((left, rights[key]) for key, left in lefts.items()), *(pair for pair in products if pair[1] is None)]


def _side_by_side(products: Sequence[Pair]) -> Sequence[Pair]:
    """The same sum with all its proper products as one."""
    proper = [(left, right) for left, right in products if right is not None]
    if len(proper) < 2:
        return products
    return [
        (np.hstack([left for left, _ in proper]), np.hstack([right for _, right in proper])),
        *products[len(proper) :],
    ]


def _add_up(products: Sequence[Pair], part: slice, out: Array) -> None:
    """Sum of left @ right.T over some rows, transposed."""
    if not products:
        out[...] = 0
    for number, (left, right) in enumerate(products):
        across = left[part].T
        if number:
            out += across if right is None else right @ across
        elif right is None:
            out[...] = across
        else:
            np.matmul(right, across, out=out)
