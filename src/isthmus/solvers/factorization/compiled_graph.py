"""What a graph needs of a factor, compiled: A F, D F and how far they are apart, in one pass over F."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from isthmus.solvers.factorization.compiled import NonZeros, Pass, gathered, kinds_of, rooms
from isthmus.solvers.factorization.kernel import row_order
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
)
from isthmus.typing import Array, Matrix

DOUBLE = "<f8"


def suits(factor: Array) -> bool:
    """Whether it has a square of rows and columns to turn."""
    return min(factor.shape) >= SQUARE


def pull_and_push(A: Matrix, degrees: Array, factor: Array) -> tuple[Array, Array, float]:
    """A F and D F, in column order, and <F, D F - A F>."""
    rows, degrees = row_order(factor), np.ascontiguousarray(degrees, dtype=factor.dtype)
    pulled, pushed = (np.empty(factor.shape, dtype=factor.dtype, order="F") for _ in range(2))
    gap = np.zeros(factor.shape[1])
    places = map(address, (A.data, A.indices, A.indptr, rows, degrees, pulled, pushed))
    _compiled(Pass(*kinds_of(A), factor.shape[1], gather=True))(len(factor), *places, stride(pulled), address(gap))
    return pulled, pushed, float(gap.sum())


@compiled_once
def _compiled(kind: Pass) -> Loop:
    """Rows are computed in squares, which are then turned. The last square begins earlier."""
    array, width = pointer(kind.numbers), kind.width
    write = Writer([COUNT, array, *map(pointer, (kind.indices, kind.indptr)), *[array] * 4, COUNT, pointer(DOUBLE)])
    n_rows, data, indices, indptr, factor, degrees, pulled, pushed, step, gap = write.function.args
    for operand in (pulled, pushed, gap):
        operand.add_attribute("noalias")
    build, sums = write.build, rooms(write, kind)
    squares = [build.alloca(array.pointee, size=SQUARE * width) for _ in range(2)]
    apart = build.alloca(ir.VectorType(array.pointee, width))
    total, last = write.together(gap, count(0), width), build.sub(n_rows, count(SQUARE))
    with write.each(count(0), n_rows, count(SQUARE)) as at:
        top = build.select(build.icmp_signed("<", at, last), at, last)
        build.store(constant(apart.type.pointee, 0), apart)
        with write.each(count(0), count(SQUARE)) as number:
            row = build.add(top, number)
            begin, end = write.position(indptr, row), write.position(indptr, build.add(row, count(1)))
            pull = gathered(write, kind, NonZeros(data, indices, begin, end), factor, sums)
            own = write.taken(write.row(factor, row, width))
            push = build.fmul(own, write.spread(write.number(degrees, row), width))
            for value, square in zip((pull, push), squares, strict=True):
                write.keep(value, write.row(square, number, width))
            more = build.fmul(own, build.fsub(push, pull))
            more = build.select(build.icmp_signed("<", row, at), constant(more.type, 0), more)  # counted before
            build.store(build.fadd(build.load(apart), more), apart)
        more = build.load(apart)
        more = more if kind.numbers == DOUBLE else build.fpext(more, total.type.pointee)
        write.keep(build.fadd(write.taken(total), more), total)
        for square, out in zip(squares, (pulled, pushed), strict=True):
            write.turn(square, count(0), out, step, top, width)
    return write.compiled()
