"""Passes over the rows of a sparse matrix, compiled: X M, the update of V, X^T V, or some of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

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
from isthmus.typing import Array, Matrix

COMPILING = Lock()
"""Threads that need the same loop at once would each compile it."""


@dataclass(frozen=True)
class Pass:
    """What is done with each row x of X; v is that row of V."""

    numbers: str
    indices: str
    indptr: str
    width: int
    """Columns of M and V."""
    gather: bool = False
    """x M is computed. Without an update, it becomes v; without sums either, it is kept in their place."""
    update: bool = False
    """v is multiplied with (x M + above) / (v gram + below)."""
    scatter: bool = False
    """x^T v is added to the sums."""
    root: bool = False
    """Whether v is multiplied with the ratio's square root instead."""
    even: bool = False
    """Whether v is made to sum to one."""
    above: bool = False
    below: bool = False

    @property
    def least(self) -> float:
        return float(np.finfo(self.numbers).tiny)


def pass_over(
    X: Matrix, words: Array, V: Array, gram: Array, root: bool, even: bool, above: Array | None, below: Array | None
) -> Array:
    """Update V in place, return X^T V. M is in row order, and so is what is returned; V is in column order."""
    rows, above, below = (None if own is None else upright(own, X.dtype) for own in (V, above, below))
    kind = Pass(*kinds_of(X), V.shape[1], True, True, True, root, even, above is not None, below is not None)
    out = np.zeros((X.shape[1], V.shape[1]), dtype=X.dtype)
    _run(kind, X, words, gram, out, rows, above, below)
    if rows is not V:
        V[...] = rows
    return out


def pass_back(X: Matrix, words: Array) -> Array:
    """X^T X M. Both in row order."""
    out = np.zeros((X.shape[1], words.shape[1]), dtype=words.dtype)
    _run(Pass(*kinds_of(X), words.shape[1], gather=True, scatter=True), X, words, None, out)
    return out


def gather_rows(X: Matrix, words: Array) -> Array:
    """X M. Both in row order."""
    out = np.empty((X.shape[0], words.shape[1]), dtype=words.dtype)
    _run(Pass(*kinds_of(X), words.shape[1], gather=True), X, words, None, out)
    return out


def scatter_rows(X: Matrix, V: Array) -> Array:
    """X^T V, in row order."""
    V = upright(V, X.dtype)
    out = np.zeros((X.shape[1], V.shape[1]), dtype=V.dtype)
    _run(Pass(*kinds_of(X), V.shape[1], scatter=True), X, None, None, out, V)
    return out


def kinds_of(X: Matrix) -> tuple[str, str, str]:
    """Of the numbers of its three arrays."""
    return X.data.dtype.str, X.indices.dtype.str, X.indptr.dtype.str


def _run(
    kind: Pass,
    X: Matrix,
    words: Array | None,
    gram: Array | None,
    out: Array | None,
    V: Array | None = None,
    above: Array | None = None,
    below: Array | None = None,
) -> None:
    words, gram = (None if own is None else np.ascontiguousarray(own, dtype=X.dtype) for own in (words, gram))
    places = (address(array) for array in (X.data, X.indices, X.indptr, words, gram, out))
    tall = (each for own in (V, above, below) for each in (address(own), stride(own)))
    with COMPILING:
        loop = _compiled(kind)
    loop(X.shape[0], *places, *tall)


class _Rows(NamedTuple):
    """An operand in column order."""

    array: Any
    stride: Any

    def place(self, write: Writer, row: Any, column: int) -> Any:
        return write.build.add(row, write.build.mul(self.stride, count(column)))

    def taken(self, write: Writer, row: Any, width: int) -> list[Any]:
        return [write.number(self.array, self.place(write, row, column)) for column in range(width)]


class NonZeros(NamedTuple):
    """Those of one row."""

    data: Any
    indices: Any
    begin: Any
    end: Any

    def taken(self, write: Writer, at: Any, width: int) -> tuple[Any, Any]:
        """A number, in every column, and the position of its word."""
        return write.spread(write.number(self.data, at), width), write.position(self.indices, at)


@cache
def _compiled(kind: Pass) -> Callable[..., None]:
    numbers = pointer(kind.numbers)
    write = Writer([COUNT, numbers, *map(pointer, (kind.indices, kind.indptr)), *[numbers] * 3, *[numbers, COUNT] * 3])
    n_rows, data, indices, indptr, words, gram, out, *tall = write.function.args
    for operand in (words, gram, out):
        operand.add_attribute("noalias")
    V, above, below = (_Rows(*tall[first : first + 2]) for first in (0, 2, 4))
    sums = rooms(write, kind)
    with write.each(count(0), n_rows) as row:
        begin, end = write.position(indptr, row), write.position(indptr, write.build.add(row, count(1)))
        non_zeros = NonZeros(data, indices, begin, end)
        if kind.gather:
            v = gathered(write, kind, non_zeros, words, sums)
            if kind.update:
                others = [
                    write.side_by_side(own.taken(write, row, kind.width)) if there else None
                    for own, there in ((above, kind.above), (below, kind.below))
                ]
                v = _updated(write, kind, V.taken(write, row, kind.width), v, gram, others)
        else:
            v = write.side_by_side(V.taken(write, row, kind.width))
        if kind.update:
            for column, value in enumerate(write.columns(v)):
                write.put(value, V.array, V.place(write, row, column))
        if kind.scatter:
            _scatter(write, kind, non_zeros, v, out)
        elif not kind.update:
            write.keep(v, write.row(out, row, kind.width))
    return write.compiled()


def rooms(write: Writer, kind: Pass) -> list[Any]:
    """Room for several sums of each column, if registers allow: an addition takes longer than it is to the next."""
    several = 4 if kind.width <= 4 else 2 if kind.width <= 16 else 1
    return [write.build.alloca(ir.VectorType(pointer(kind.numbers).pointee, kind.width)) for _ in range(several)]


def gathered(write: Writer, kind: Pass, row: NonZeros, words: Any, sums: list[Any]) -> Any:
    """x M."""
    build, several = write.build, count(len(sums))
    for room in sums:
        build.store(ir.Constant(room.type.pointee, None), room)
    whole = build.add(row.begin, build.mul(build.sdiv(build.sub(row.end, row.begin), several), several))

    def add(at: Any, room: Any) -> None:
        value, word = row.taken(write, at, kind.width)
        build.store(write.plus(build.load(room), value, write.taken(write.row(words, word, kind.width))), room)

    with write.each(row.begin, whole, several) as at:
        for number, room in enumerate(sums):
            add(build.add(at, count(number)), room)
    with write.each(whole, row.end) as at:
        add(at, sums[0])
    found = build.load(sums[0])
    for room in sums[1:]:
        found = build.fadd(found, build.load(room))
    return found


def _updated(write: Writer, kind: Pass, old: list[Any], over: Any, gram: Any, others: list[Any]) -> Any:
    """v * (x M + above) / (v gram + below)."""
    build, (above, below) = write.build, others
    number = old[0].type
    least = write.spread(constant(number, kind.least), kind.width)
    under = least
    for column, value in enumerate(old):
        row = write.taken(write.row(gram, count(column), kind.width))
        under = write.plus(under, write.spread(value, kind.width), row)
    over = over if above is None else build.fadd(over, above)
    under = under if below is None else build.fadd(under, below)
    ratio = build.fdiv(over, under)
    v = build.fmul(write.side_by_side(old), write.root(ratio) if kind.root else ratio)
    v = build.select(build.fcmp_ordered("<", v, least), constant(v.type, 0), v)  # subnormal numbers slow products down
    if not kind.even:
        return v
    first, *rest = write.columns(v)
    for value in rest:
        first = build.fadd(first, value)
    shares = build.fdiv(v, write.spread(first, kind.width))
    return build.select(build.fcmp_ordered(">", first, constant(number, 0)), shares, constant(v.type, 1 / kind.width))


def _scatter(write: Writer, kind: Pass, row: NonZeros, v: Any, out: Any) -> None:
    """Add x^T v."""
    with write.each(row.begin, row.end) as at:
        value, word = row.taken(write, at, kind.width)
        place = write.row(out, word, kind.width)
        write.keep(write.plus(write.taken(place), value, v), place)
