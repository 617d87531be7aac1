"""Passes over tall, narrow arrays, compiled: the update of a factor, and from one order to the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isthmus.solvers.factorization.machine_code import (
    COUNT,
    SQUARE,
    Loop,
    Writer,
    address,
    compiled_once,
    constant,
    count,
    pointer,
    stride,
    upright,
)
from isthmus.typing import Array

TOGETHER = 512
"""Rows at a time: what belongs to them stays in the processor's first cache."""

Shape = tuple[int | None, ...]
"""Of a sum: the columns of each left side, None for an array that is multiplied with nothing."""


def multiply_compiled(
    factor: Array, negative: Sequence[Any], positive: Sequence[Any], root: bool, even: bool, scratch: Array
) -> None:
    """factor *= sum of negative / sum of positive, or its square root, in place. If `even`, rows then sum to one.

    `scratch` is room for two numbers for each column and some rows.
    """
    room, sums = scratch
    operands: list[Any] = [address(room), stride(room.T), min(TOGETHER, room.shape[1]), address(sums)]
    kept = []  # while their addresses are in use
    for left, right in (*negative, *positive):
        left = upright(left, factor.dtype)
        right = None if right is None else np.ascontiguousarray(right, dtype=factor.dtype)
        kept += [left, right]
        operands += [address(left), stride(left), address(right)]
    shapes = (tuple(None if right is None else right.shape[1] for _, right in side) for side in (negative, positive))
    _compiled(factor.dtype.str, *shapes, root, even)(*factor.shape, address(factor), stride(factor), *operands)


def reorder(tall: Array, out: Array, plus: Array | None = None) -> None:
    """Copy an array in row order to one in column order, or the other way.

    `plus`: another array in row order, which is added on the way to column order.
    """
    to_rows = out.flags.c_contiguous
    rows, columns = (out, tall) if to_rows else (tall, out)
    loop = _turning if min(tall.shape) >= SQUARE else _reordering
    operands = len(tall), address(rows), address(columns), stride(columns), address(plus)
    loop(tall.dtype.str, tall.shape[1], to_rows, plus is not None)(*operands)


@compiled_once
def _reordering(numbers: str, width: int, to_rows: bool, adds: bool) -> Loop:
    array = pointer(numbers)
    write = Writer([COUNT, array, array, COUNT, array])
    n_rows, rows, columns, step, plus = write.function.args
    rows.add_attribute("noalias")
    with write.each(count(0), n_rows) as at:
        places = [write.build.add(at, write.build.mul(step, count(column))) for column in range(width)]
        row = write.row(rows, at, width)
        if to_rows:
            write.keep(write.side_by_side([write.number(columns, place) for place in places]), row)
        else:
            value = write.taken(row)
            if adds:
                value = write.build.fadd(value, write.taken(write.row(plus, at, width)))
            for own, place in zip(write.columns(value), places, strict=True):
                write.put(own, columns, place)
    return write.compiled()


@compiled_once
def _turning(numbers: str, width: int, to_rows: bool, adds: bool) -> Loop:
    """The same in squares. The last ones begin earlier, and copy some rows twice."""
    array = pointer(numbers)
    write = Writer([COUNT, array, array, COUNT, array])
    n_rows, rows, columns, step, plus = write.function.args
    rows.add_attribute("noalias")
    build, last = write.build, write.build.sub(n_rows, count(SQUARE))
    with write.each(count(0), n_rows, count(SQUARE)) as at:
        top = build.select(build.icmp_signed("<", at, last), at, last)
        write.turn(rows, top, columns, step, top, width, to_rows, plus if adds else None)
    return write.compiled()


@compiled_once
def _compiled(numbers: str, above: Shape, below: Shape, root: bool, even: bool) -> Loop:
    array = pointer(numbers)
    write = Writer(
        [COUNT, COUNT, array, COUNT, array, COUNT, COUNT, array, *[array, COUNT, array] * len(above + below)]
    )
    n_rows, n_columns, factor, step, scratch, scratch_step, together, sums, *others = write.function.args
    sums.add_attribute("noalias")
    scratch.add_attribute("noalias")  # a left side may be the factor itself: nothing is written there until all is read
    build = write.build
    products = [others[first : first + 3] for first in range(0, len(others), 3)]
    least, nothing = (constant(array.pointee, value) for value in (float(np.finfo(numbers).tiny), 0.0))
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
        total = build.gep(sums, [build.sub(count(0), first)])
        if even:
            with write.each(first, last) as row:
                write.put(nothing, total, row)
        with write.each(count(0), n_columns) as column:
            place = build.gep(scratch, [build.sub(build.mul(column, scratch_step), first)])
            own = build.gep(factor, [build.mul(column, step)])
            with write.each(first, last) as row:
                value = build.fmul(write.number(own, row), write.number(place, row))
                small = build.fcmp_ordered("<", value, least)  # subnormal numbers slow products down
                value = build.select(small, nothing, value)
                write.put(value, own, row)
                if even:
                    write.put(build.fadd(write.number(total, row), value), total, row)
        if even:
            _divide(write, (factor, step, n_columns), total, first, last)
    return write.compiled()


def _divide(write: Writer, tall: tuple[Any, Any, Any], totals: Any, first: Any, last: Any) -> None:
    """Some rows of an array by their sums; one that lost everything becomes even."""
    build, (array, step, n_columns) = write.build, tall
    kind = array.type.pointee
    even = build.fdiv(constant(kind, 1), build.sitofp(n_columns, kind))
    with write.each(count(0), n_columns) as column:
        own = build.gep(array, [build.mul(column, step)])
        with write.each(first, last) as row:
            total = write.number(totals, row)
            share = build.fdiv(write.number(own, row), total)
            write.put(build.select(build.fcmp_ordered(">", total, constant(kind, 0)), share, even), own, row)


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
