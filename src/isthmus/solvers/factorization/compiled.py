"""Passes over the rows of a sparse matrix, compiled: X M, the update of V, X^T V, or some of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from isthmus.solvers.factorization.kernel import WIDEST, Pair, lined_up, product
from isthmus.solvers.factorization.machine_code import (
    COUNT,
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
from isthmus.typing import Array, Matrix

Widths = tuple[int | None, ...]
"""Of a sum of products: the columns of each left side, None for an array that is multiplied with nothing."""


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
    """v is multiplied with (x M + above) / (v gram + below), where both are sums of products, row by row."""
    scatter: bool = False
    """x^T v is added to the sums, which are zero at first. The loop zeroes them: Python's lock is for one thread."""
    root: bool = False
    """Whether v is multiplied with the ratio's square root instead."""
    even: bool = False
    """Whether v is made to sum to one."""
    above: Widths = ()
    below: Widths = ()

    @property
    def least(self) -> float:
        return float(np.finfo(self.numbers).tiny)


def pass_over(
    X: Matrix,
    words: Array,
    V: Array,
    gram: Array,
    root: bool,
    even: bool,
    above: Sequence[Pair],
    below: Sequence[Pair],
) -> Callable[[slice], Array]:
    """A function that updates some rows of V in place, and returns what they add to X^T V.

    M is in row order, and so is what is returned; V is in column order.
    """
    own = upright(V, X.dtype)
    sides = [[_factors(each, X.dtype) for each in side] for side in (above, below)]
    widths = (tuple(None if right is None else len(right) for _, right in side) for side in sides)
    kind = Pass(*kinds_of(X), V.shape[1], True, True, True, root, even, *widths)
    prepared = _prepared(kind, X, words, gram, own, [each for side in sides for each in side])

    def update(rows: slice) -> Array:
        out = lined_up((X.shape[1], V.shape[1]), X.dtype)
        prepared.run(rows, out)
        if own is not V:
            V[rows] = own[rows]
        return out

    return update


def _factors(pair: Pair, dtype: Any) -> Pair:
    """Those of left @ right.T: `left` in column order, and the transpose of `right` in row order."""
    left, right = pair
    if right is not None and right.shape[1] > WIDEST:
        left, right = product(left, right.T), None
    return upright(left, dtype), None if right is None else np.ascontiguousarray(right.T, dtype=dtype)


def pass_back(X: Matrix, words: Array) -> Array:
    """X^T X M. Both in row order."""
    out = lined_up((X.shape[1], words.shape[1]), words.dtype)
    _prepared(Pass(*kinds_of(X), words.shape[1], gather=True, scatter=True), X, words).run(slice(0, X.shape[0]), out)
    return out


def gather_rows(X: Matrix, words: Array) -> Array:
    """X M. Both in row order."""
    out = np.empty((X.shape[0], words.shape[1]), dtype=words.dtype)
    _prepared(Pass(*kinds_of(X), words.shape[1], gather=True), X, words).run(slice(0, X.shape[0]), out)
    return out


def scatter_rows(X: Matrix, V: Array) -> Array:
    """X^T V, in row order."""
    V = upright(V, X.dtype)
    out = lined_up((X.shape[1], V.shape[1]), V.dtype)
    _prepared(Pass(*kinds_of(X), V.shape[1], scatter=True), X, V=V).run(slice(0, X.shape[0]), out)
    return out


def kinds_of(X: Matrix) -> tuple[str, str, str]:
    """Of the numbers of its three arrays."""
    return X.data.dtype.str, X.indices.dtype.str, X.indptr.dtype.str


class _Prepared(NamedTuple):
    """A loop, to be run for some rows. What they share is looked up once, and not by every thread in its turn."""

    loop: Loop
    operands: list[int]
    arrays: Any
    """Those whose addresses are among the operands."""

    def run(self, rows: slice, out: Array) -> None:
        self.loop(rows.start, rows.stop, address(out), *self.operands)


def _prepared(
    kind: Pass,
    X: Matrix,
    words: Array | None = None,
    gram: Array | None = None,
    V: Array | None = None,
    others: Sequence[Pair] = (),
) -> _Prepared:
    words, gram = (None if own is None else np.ascontiguousarray(own, dtype=X.dtype) for own in (words, gram))
    operands = [X.shape[1], *map(address, (X.data, X.indices, X.indptr, words, gram, V)), stride(V)]
    for left, right in others:
        operands += [address(left), stride(left), address(right)]
    return _Prepared(_compiled(kind), operands, (X, words, gram, V, others))


class _Rows(NamedTuple):
    """An operand in column order."""

    array: Any
    stride: Any

    def place(self, write: Writer, row: Any, column: int) -> Any:
        return write.build.add(row, write.build.mul(self.stride, count(column)))

    def taken(self, write: Writer, row: Any, width: int) -> list[Any]:
        return [write.number(self.array, self.place(write, row, column)) for column in range(width)]


class _Sum(NamedTuple):
    """One row of a sum of products."""

    widths: Widths
    products: list[tuple[_Rows, Any]]
    row: Any

    def added(self, write: Writer, value: Any) -> Any:
        """It and a value of all columns."""
        for width, (left, right) in zip(self.widths, self.products, strict=True):
            if width is None:
                own = write.side_by_side(left.taken(write, self.row, value.type.count))
                value = write.build.fadd(value, own)
            else:
                value = write.plus_row_times(value, left.taken(write, self.row, width), right)
        return value


class NonZeros(NamedTuple):
    """Those of one row."""

    data: Any
    indices: Any
    begin: Any
    end: Any

    def taken(self, write: Writer, at: Any, width: int) -> tuple[Any, Any]:
        """A number, in every column, and the position of its word."""
        return write.spread(write.number(self.data, at), width), write.position(self.indices, at)


@compiled_once
def _compiled(kind: Pass) -> Loop:
    numbers, shapes = pointer(kind.numbers), kind.above + kind.below
    positions = map(pointer, (kind.indices, kind.indptr))
    shared = [COUNT, numbers, *positions, *[numbers] * 3, COUNT, *[numbers, COUNT, numbers] * len(shapes)]
    write = Writer([COUNT, COUNT, numbers, *shared])
    first, last, out, n_words, data, indices, indptr, words, gram, *own = write.function.args
    for operand in (words, gram, out):
        operand.add_attribute("noalias")
    V, others = _Rows(*own[:2]), [(_Rows(*own[at : at + 2]), own[at + 2]) for at in range(2, len(own), 3)]
    sides = [(kind.above, others[: len(kind.above)]), (kind.below, others[len(kind.above) :])]
    sums = rooms(write, kind)
    if kind.scatter:
        with write.each(count(0), n_words) as word:
            place = write.row(out, word, kind.width)
            write.keep(constant(place.type.pointee, 0), place)
    with write.each(first, last) as row:
        begin, end = write.position(indptr, row), write.position(indptr, write.build.add(row, count(1)))
        non_zeros = NonZeros(data, indices, begin, end)
        if kind.gather:
            v = gathered(write, kind, non_zeros, words, sums)
            if kind.update:
                above, below = (_Sum(widths, products, row) for widths, products in sides)
                v = _updated(write, kind, V.taken(write, row, kind.width), v, gram, above, below)
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


def _updated(write: Writer, kind: Pass, old: list[Any], over: Any, gram: Any, above: _Sum, below: _Sum) -> Any:
    """v * (x M + above) / (v gram + below)."""
    build, number = write.build, old[0].type
    least = write.spread(constant(number, kind.least), kind.width)
    over = above.added(write, over)
    under = below.added(write, write.plus_row_times(least, old, gram))
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
    """Add x^T v. In pieces, since a row of another width would be put together and taken apart again at every word."""
    pieces = write.pieces(v)
    with write.each(row.begin, row.end) as at:
        number, first = write.number(row.data, at), write.build.mul(write.position(row.indices, at), count(kind.width))
        for begin, piece in pieces:
            place = write.together(out, write.build.add(first, count(begin)), piece.type.count)
            write.keep(write.plus(write.taken(place), write.spread(number, piece.type.count), piece), place)
