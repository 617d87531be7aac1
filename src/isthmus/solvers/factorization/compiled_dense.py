"""Passes over tall, narrow arrays, compiled: the update of a factor, and from one order to the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from isthmus.solvers.factorization.machine_code import (
    COUNT,
    Writer,
    address,
    constant,
    count,
    pointer,
    stride,
    upright,
)
from isthmus.typing import Array

TOGETHER = 512
"""Rows at a time: what belongs to them stays in the processor's first cache."""

SQUARE = 8
"""Rows and columns that are turned in registers."""

Shape = tuple[int | None, ...]
"""Of a sum: the columns of each left side, None for an array that is multiplied with nothing."""


def multiply_compiled(
    factor: Array, negative: Sequence[Any], positive: Sequence[Any], root: bool, scratch: Array
) -> None:
    """factor *= sum of negative / sum of positive, or its square root, in place.

    `scratch` is room for one number for each column and some rows, in row order.
    """
    operands: list[Any] = [address(scratch), stride(scratch.T), min(TOGETHER, scratch.shape[1])]
    kept = []  # while their addresses are in use
    for left, right in (*negative, *positive):
        left = upright(left, factor.dtype)
        right = None if right is None else np.ascontiguousarray(right, dtype=factor.dtype)
        kept += [left, right]
        operands += [address(left), stride(left), address(right)]
    shapes = (tuple(None if right is None else right.shape[1] for _, right in side) for side in (negative, positive))
    _compiled(factor.dtype.str, *shapes, root)(*factor.shape, address(factor), stride(factor), *operands)


def reorder(tall: Array, out: Array) -> None:
    """Copy an array in row order to one in column order, or the other way."""
    to_rows = out.flags.c_contiguous
    rows, columns = (out, tall) if to_rows else (tall, out)
    loop = _turning if min(tall.shape) >= SQUARE else _reordering
    loop(tall.dtype.str, tall.shape[1], to_rows)(len(tall), address(rows), address(columns), stride(columns))


@cache
def _reordering(numbers: str, width: int, to_rows: bool) -> Callable[..., None]:
    array = pointer(numbers)
    write = Writer([COUNT, array, array, COUNT])
    n_rows, rows, columns, step = write.function.args
    rows.add_attribute("noalias")
    with write.each(count(0), n_rows) as at:
        places = [write.build.add(at, write.build.mul(step, count(column))) for column in range(width)]
        row = write.row(rows, at, width)
        if to_rows:
            write.keep(write.side_by_side([write.number(columns, place) for place in places]), row)
        else:
            for value, place in zip(write.columns(write.taken(row)), places, strict=True):
                write.put(value, columns, place)
    return write.compiled()


@cache
def _turning(numbers: str, width: int, to_rows: bool) -> Callable[..., None]:
    """The same in squares. The last ones begin earlier, and copy some numbers twice."""
    array = pointer(numbers)
    write = Writer([COUNT, array, array, COUNT])
    n_rows, rows, columns, step = write.function.args
    rows.add_attribute("noalias")
    build, last = write.build, write.build.sub(n_rows, count(SQUARE))
    with write.each(count(0), n_rows, count(SQUARE)) as at:
        top = build.select(build.icmp_signed("<", at, last), at, last)
        for left in (*range(0, width - SQUARE, SQUARE), width - SQUARE):
            across = [build.mul(build.add(top, count(row)), count(width)) for row in range(SQUARE)]
            across = [write.together(rows, build.add(place, count(left)), SQUARE) for place in across]
            down = [build.add(top, build.mul(step, count(left + column))) for column in range(SQUARE)]
            down = [write.together(columns, place, SQUARE) for place in down]
            taken, put = (down, across) if to_rows else (across, down)
            for value, place in zip(write.turned([write.taken(each) for each in taken]), put, strict=True):
                write.keep(value, place)
    return write.compiled()


@cache
def _compiled(numbers: str, above: Shape, below: Shape, root: bool) -> Callable[..., None]:
    array = pointer(numbers)
    write = Writer([COUNT, COUNT, array, COUNT, array, COUNT, COUNT, *[array, COUNT, array] * len(above + below)])
    n_rows, n_columns, factor, step, scratch, scratch_step, together, *others = write.function.args
    scratch.add_attribute("noalias")  # a left side may be the factor itself: nothing is written there until all is read
    build = write.build
    products = [others[first : first + 3] for first in range(0, len(others), 3)]
    least = constant(array.pointee, float(np.finfo(numbers).tiny))
    with write.each(count(0), n_rows, together) as first:
        full = build.add(first, together)
        last = build.select(build.icmp_signed("<", full, n_rows), full, n_rows)
        with write.each(count(0), n_columns) as column:
            sides = [
                _prepared(write, shape, own, column)
                for shape, own in ((above, products[: len(above)]), (below, products[len(above) :]))
            ]
            place = build.gep(scratch, [build.sub(build.mul(column, scratch_step), first)])
            with write.each(first, last) as row:
                over, under = (_sum(write, side, row) for side in sides)
                ratio = build.fdiv(over, build.fadd(under, least))
                write.put(write.root(ratio) if root else ratio, place, row)
        with write.each(count(0), n_columns) as column:
            place = build.gep(scratch, [build.sub(build.mul(column, scratch_step), first)])
            own = build.gep(factor, [build.mul(column, step)])
            with write.each(first, last) as row:
                value = build.fmul(write.number(own, row), write.number(place, row))
                small = build.fcmp_ordered("<", value, least)  # subnormal numbers slow products down
                write.put(build.select(small, constant(array.pointee, 0), value), own, row)
    return write.compiled()


def _prepared(write: Writer, shape: Shape, products: Sequence[Any], column: Any) -> list[tuple[Any, Any]]:
    """What is to be added up for one column: arrays, and what each is multiplied with."""
    build, found = write.build, []
    for width, (left, step, right) in zip(shape, products, strict=True):
        if width is None:
            found.append((build.gep(left, [build.mul(column, step)]), None))
            continue
        for inner in range(width):
            weight = write.number(right, build.add(build.mul(column, count(width)), count(inner)))
            found.append((build.gep(left, [build.mul(count(inner), step)]), weight))
    return found


def _sum(write: Writer, side: list[tuple[Any, Any]], row: Any) -> Any:
    total = None
    for array, weight in side:
        value = write.number(array, row)
        if total is None:
            total = value if weight is None else write.build.fmul(value, weight)
        else:
            total = write.build.fadd(total, value) if weight is None else write.plus(total, value, weight)
    return total
