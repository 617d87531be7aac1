"""Passes over tall, narrow arrays, compiled: the update of a factor, inner products, from one order to the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from llvmlite import ir

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

LANES = 8
"""Rows that are added up side by side: as one value in an inner product."""
TILE = 4
"""Columns of either side whose products are added up together: so often is a number used that was read."""

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


def inner_compiled(left: Array, right: Array) -> Array:
    """left.T @ right. Every sum has an order of its own, wherever the rows lie."""
    left, right = upright(left, left.dtype), upright(right, left.dtype)
    sums = np.zeros((left.shape[1], right.shape[1], LANES), dtype=left.dtype)
    operands = address(left), stride(left), address(right), stride(right), address(sums)
    _adding_up(left.dtype.str, left.shape[1], right.shape[1])(len(left), *operands)
    return np.asarray(sums.sum(axis=2))


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
def _adding_up(numbers: str, n_left: int, n_right: int) -> Loop:
    """Products of all pairs of columns; of the rows that are left over, each is added to a lane."""
    array = pointer(numbers)
    write = Writer([COUNT, array, COUNT, array, COUNT, array])
    n_rows, left, left_step, right, right_step, sums = write.function.args
    sums.add_attribute("noalias")
    build = write.build
    rooms = [build.alloca(ir.VectorType(array.pointee, LANES)) for _ in range(TILE * TILE)]
    whole = build.and_(n_rows, count(-LANES))

    def columns(side: Any, step: Any, first: int, n: int) -> list[Any]:
        return [build.gep(side, [build.mul(step, count(own))]) for own in range(first, min(first + TILE, n))]

    tiles = [(one, other) for one in range(0, n_left, TILE) for other in range(0, n_right, TILE)]
    with write.each(count(0), whole, count(TOGETHER)) as begin:
        full = build.add(begin, count(TOGETHER))
        end = build.select(build.icmp_signed("<", full, whole), full, whole)
        for one, other in tiles:
            lefts, rights = columns(left, left_step, one, n_left), columns(right, right_step, other, n_right)
            places = [
                write.row(sums, count((one + i) * n_right + other + j), LANES)
                for i in range(len(lefts))
                for j in range(len(rights))
            ]
            pairs = list(zip(places, rooms, strict=False))
            for place, room in pairs:
                build.store(write.taken(place), room)
            with write.each(begin, end, count(LANES)) as row:
                taken = [[write.taken(write.together(own, row, LANES)) for own in side] for side in (lefts, rights)]
                for (_, room), (first, second) in zip(pairs, product(*taken), strict=True):
                    build.store(write.plus(build.load(room), first, second), room)
            for place, room in pairs:
                write.keep(build.load(room), place)
    with write.each(whole, n_rows) as row:
        lane = build.sub(row, whole)
        for one, other in product(range(n_left), range(n_right)):
            place = build.add(count((one * n_right + other) * LANES), lane)
            first, second = (
                write.number(side, build.add(row, build.mul(step, count(own))))
                for side, step, own in ((left, left_step, one), (right, right_step, other))
            )
            write.put(write.plus(write.number(sums, place), first, second), sums, place)
    return write.compiled()


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
