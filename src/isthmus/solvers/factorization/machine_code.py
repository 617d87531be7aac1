"""Functions that LLVM compiles while the program runs (llvmlite, `isthmus[fast]`).

They are written for the kinds of numbers and the number of columns that they are called with, so that a row of all
columns is one value, which stays in registers. llvmlite takes a tenth of a second to load, a function some hundredths
to compile; nothing is kept on disk.

No function here starts a thread: the caller divides rows into parts that depend on the matrix alone, and Python's lock
is free while one runs. So the result does not depend on the number of cores.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from isthmus.typing import Array

COUNT = ir.IntType(64)
KINDS = {
    np.dtype(kind).str: own
    for kind, own in (("f4", ir.FloatType()), ("f8", ir.DoubleType()), ("i4", ir.IntType(32)), ("i8", COUNT))
}
"""LLVM's types by numpy's short names."""
Loop = Callable[..., None]

SQUARE = 8
"""Rows and columns that are turned in registers."""
ROUNDED_ONCE = ("contract", "nsz")
"""a + b c may be rounded once. Sums keep their order."""


class Writer:
    """Writes a function down, in the order in which things happen. Operands are whole numbers and pointers."""

    def __init__(self, operands: Sequence[Any]) -> None:
        self._module = ir.Module()
        self.function = ir.Function(self._module, ir.FunctionType(ir.VoidType(), operands), "loop")
        self.build = ir.IRBuilder(self.function.append_basic_block())

    @contextmanager
    def each(self, begin: Any, end: Any, step: Any = None) -> Iterator[Any]:
        """What is written inside happens for begin, begin + step (or + 1) and so on, below end."""
        build, before = self.build, self.build.block
        head, body, after = (self.function.append_basic_block() for _ in range(3))
        build.branch(head)
        build.position_at_end(head)
        at = build.phi(COUNT)
        at.add_incoming(begin, before)
        build.cbranch(build.icmp_signed("<", at, end), body, after)
        build.position_at_end(body)
        yield at
        at.add_incoming(build.add(at, count(1) if step is None else step), build.block)
        build.branch(head)
        build.position_at_end(after)

    def number(self, array: Any, at: Any) -> Any:
        """One of an array's."""
        return self.build.load(self.build.gep(array, [at]))

    def position(self, array: Any, at: Any) -> Any:
        """One of an array of positions, which are not negative."""
        found = self.number(array, at)
        return found if found.type == COUNT else self.build.zext(found, COUNT)

    def put(self, value: Any, array: Any, at: Any) -> None:
        self.build.store(value, self.build.gep(array, [at]))

    def row(self, array: Any, at: Any, width: int) -> Any:
        """Where a row of an array in row order is, as one value of `width` numbers."""
        return self.together(array, self.build.mul(at, count(width)), width)

    def together(self, array: Any, at: Any, width: int) -> Any:
        """Where numbers of an array are that are taken as one value."""
        kind = ir.VectorType(array.type.pointee, width)
        return self.build.bitcast(self.build.gep(array, [at]), kind.as_pointer())

    def taken(self, row: Any) -> Any:
        return self.build.load(row, align=_bytes(row.type.pointee.element))

    def keep(self, value: Any, row: Any) -> None:
        self.build.store(value, row, align=_bytes(value.type.element))

    def plus(self, value: Any, left: Any, right: Any) -> Any:
        """value + left * right."""
        return self.build.fadd(value, self.build.fmul(left, right, flags=ROUNDED_ONCE), flags=ROUNDED_ONCE)

    def plus_row_times(self, value: Any, row: Sequence[Any], matrix: Any) -> Any:
        """value + the product of a row of numbers with a matrix in row order, as wide as the value."""
        width = value.type.count
        for at, number in enumerate(row):
            value = self.plus(value, self.spread(number, width), self.taken(self.row(matrix, count(at), width)))
        return value

    def spread(self, value: Any, width: int) -> Any:
        """The same number in every column."""
        nothing = ir.Constant(ir.VectorType(value.type, width), ir.Undefined)
        first = self.build.insert_element(nothing, value, _column(0))
        return self.build.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), width), None))

    def side_by_side(self, values: Sequence[Any]) -> Any:
        """One value of several columns."""
        found = ir.Constant(ir.VectorType(values[0].type, len(values)), ir.Undefined)
        for column, value in enumerate(values):
            found = self.build.insert_element(found, value, _column(column))
        return found

    def columns(self, value: Any) -> list[Any]:
        return [self.build.extract_element(value, _column(column)) for column in range(value.type.count)]

    def pieces(self, value: Any) -> list[tuple[int, Any]]:
        """A value as several, each of a power of two of columns, as registers are; and the column each begins with."""
        width, begin, found = value.type.count, 0, []
        while begin < width:
            size = 1 << (width - begin).bit_length() - 1
            chosen = ir.Constant(ir.VectorType(ir.IntType(32), size), list(range(begin, begin + size)))
            found.append((begin, self.build.shuffle_vector(value, value, chosen)))
            begin += size
        return found

    def turn(
        self, rows: Any, top: Any, columns: Any, step: Any, at: Any, width: int, to_rows: bool = False, plus: Any = None
    ) -> None:
        """Copy SQUARE rows, from `top` on, of an array in row order to rows `at` of one in column order, or back.

        In squares; the last one begins earlier, and copies some columns twice. `plus`: another array in row order that
        is added on the way to columns.
        """
        build = self.build
        for left in (*range(0, width - SQUARE, SQUARE), width - SQUARE):
            places = [build.mul(build.add(top, count(row)), count(width)) for row in range(SQUARE)]
            places = [build.add(place, count(left)) for place in places]
            across = [self.together(rows, place, SQUARE) for place in places]
            down = [build.add(at, build.mul(step, count(left + column))) for column in range(SQUARE)]
            down = [self.together(columns, place, SQUARE) for place in down]
            taken, put = (down, across) if to_rows else (across, down)
            values = [self.taken(each) for each in taken]
            if plus is not None:
                others = [self.taken(self.together(plus, place, SQUARE)) for place in places]
                values = [build.fadd(value, other) for value, other in zip(values, others, strict=True)]
            for value, place in zip(self.turned(values), put, strict=True):
                self.keep(value, place)

    def turned(self, square: list[Any]) -> list[Any]:
        """Rows for columns: halves change places across the diagonal, then halves of these."""
        step = len(square) // 2
        while step:
            for low in (at for at in range(len(square)) if not at & step):
                pair = square[low], square[low + step]
                square[low], square[low + step] = (self._mixed(*pair, step, shift) for shift in (0, step))
            step //= 2
        return square

    def _mixed(self, first: Any, second: Any, step: int, shift: int) -> Any:
        """`step` columns of the first and `step` of the second, in turns."""
        n = first.type.count
        chosen = [n + lane - step + shift if lane & step else lane + shift for lane in range(n)]
        return self.build.shuffle_vector(first, second, ir.Constant(ir.VectorType(ir.IntType(32), n), chosen))

    def root(self, value: Any) -> Any:
        kind, columns = value.type, ""
        if isinstance(kind, ir.VectorType):
            kind, columns = kind.element, f"v{kind.count}"
        name = f"llvm.sqrt.{columns}f{8 * _bytes(kind)}"
        known = self._module.globals.get(name)
        taken = known or ir.Function(self._module, ir.FunctionType(value.type, [value.type]), name)
        return self.build.call(taken, [value])

    def compiled(self) -> Loop:
        """What was written, to be called with whole numbers, and with addresses of arrays."""
        self.build.ret_void()
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        triple = llvm.get_default_triple() + ("-elf" if sys.platform == "win32" else "")  # of what it can load there
        machine = llvm.Target.from_triple(triple).create_target_machine(
            llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), opt=3, jit=True
        )
        self._module.triple, self._module.data_layout = triple, str(machine.target_data)
        module = llvm.parse_assembly(str(self._module))
        passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
        passes.getModulePassManager().run(module, passes)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        operands = [ctypes.c_int64 if each.type == COUNT else ctypes.c_void_p for each in self.function.args]
        function: Any = ctypes.CFUNCTYPE(None, *operands)(engine.get_function_address("loop"))
        function.engine = engine  # which owns the code
        return function


def compiled_once(write: Callable[..., Loop]) -> Callable[..., Loop]:
    """`cache`, where threads that need the same loop at once wait for the one that has it compiled."""
    known, compiling = cache(write), Lock()

    def found(*kind: Any) -> Loop:
        with compiling:
            return known(*kind)

    return found


def count(number: int) -> Any:
    """A whole number, as one that is written down."""
    return ir.Constant(COUNT, number)


def constant(kind: Any, value: float) -> Any:
    """A number, the same in every column."""
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


def pointer(kind: str) -> Any:
    """The type of the address of an array whose numbers are of this kind."""
    return KINDS[kind].as_pointer()


def address(array: Array | None) -> int:
    """Where an array begins; who calls a function with it keeps the array."""
    return 0 if array is None else int(array.__array_interface__["data"][0])


def upright(tall: Array, dtype: Any) -> Array:
    """The same array with each column's numbers side by side."""
    steady = tall.dtype == dtype and (len(tall) < 2 or tall.strides[0] == tall.itemsize)
    return tall if steady else np.asfortranarray(tall, dtype=dtype)


def stride(tall: Array | None) -> int:
    """Numbers from one column to the next."""
    return 0 if tall is None else tall.strides[1] // tall.itemsize


def _column(number: int) -> Any:
    return ir.Constant(ir.IntType(32), number)


def _bytes(kind: Any) -> int:
    return 4 if isinstance(kind, ir.FloatType) else 8
