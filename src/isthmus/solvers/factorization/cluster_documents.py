"""Documents on the workers of a Dask cluster.

Partial sums of words x classes travel; documents do once, or never, if they lie in files that workers can open, and
rows of V lie with them, where nothing but the fit depends on them. All that a worker holds comes from tasks that can be
done again: one that dies loses its own work, and nothing else. Parts and the order of sums are those of
`MatrixDocuments`, and so is every bit of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from isthmus.core.cluster import active_client, answer, on_workers, send
from isthmus.core.parts import row_parts
from isthmus.core.remote import Group, RemoteMatrix, RemoteRows, each, first_state, grouped
from isthmus.solvers.factorization.documents import MatrixDocuments, SweptDocuments, WholeMatrix, added_up
from isthmus.solvers.factorization.kernel import Pair, gram, row_order
from isthmus.solvers.factorization.sweep import RowStep, columns_times, rows_times, sweep_rows
from isthmus.typing import Array, Matrix


def documents_of(matrix: Matrix) -> SweptDocuments:
    """The documents of a matrix, here or on the cluster that is in use."""
    if isinstance(matrix, RemoteMatrix):
        return ClusterDocuments(matrix, matrix.client)
    client = active_client()
    return MatrixDocuments(matrix) if client is None or not sp.issparse(matrix) else ClusterDocuments(matrix, client)


@dataclass(frozen=True, eq=False)
class ClusterDocuments(WholeMatrix):
    """Documents whose rows are on the workers of a cluster.

    `matrix` may be one that `isthmus.open_matrix` opened, or a `RemoteMatrix`.
    """

    client: Any
    _held: _Held = field(default_factory=lambda: _Held(), init=False)

    @cached_property
    def _groups(self) -> list[Group]:
        if isinstance(self.matrix, RemoteMatrix):
            return self.matrix.groups
        return [
            ([rows for rows, _ in parts], send(self.client, _load, [(located(part), part.shape) for _, part in parts]))
            for parts in grouped(self.client, row_parts(self.matrix))
        ]

    def times(self, words: Array) -> Array:
        out = np.empty((self.matrix.shape[0], words.shape[1]), dtype=np.result_type(self.matrix, words), order="F")
        compiled = self.compiled(words)
        sent = on_workers(self.client, row_order(words) if compiled else words)
        found = [(rows, send(self.client, each, rows_times, parts, sent, compiled)) for rows, parts in self._groups]
        for rows, products in found:
            for own, part in zip(rows, answer(self.client, products), strict=True):
                out[own] = part
        return out

    def transposed_times(self, documents: Array) -> Array:
        compiled = self.compiled(documents)
        if self._holds(documents):
            return added_up(self._passed(partial(_observed, compiled=compiled)))
        found = [
            send(self.client, _products, parts, [documents[own] for own in rows], compiled)
            for rows, parts in self._groups
        ]
        return added_up(part for group in found for part in answer(self.client, group))

    def sweep(self, V: Array, step: RowStep) -> Array:
        step = self.prepared(step, V)
        alone = replace(step, above=(), below=())
        if self._holds(V):
            return self._sweep_held(alone)
        sent = on_workers(self.client, alone)
        found = [
            (rows, send(self.client, _sweeps, parts, [(V[own], *_others(step, own)) for own in rows], sent))
            for rows, parts in self._groups
        ]

        def updated() -> Iterator[Array]:
            for rows, group in found:
                for own, (part, sums) in zip(rows, answer(self.client, group), strict=True):
                    V[own] = part
                    yield sums

        return added_up(updated())

    def gram(self, V: Array) -> Array:
        if not self._holds(V):
            return super().gram(V)
        if self._held.gram is None:
            self._held.gram = added_up(self._passed(_square))
        return self._held.gram

    @contextmanager
    def holding(self, V: Array) -> Iterator[None]:
        """The rows of V lie with their documents."""
        rows = V if isinstance(V, RemoteRows) else self._sent(V)
        self._held.V, self._held.rows = V, rows
        try:
            yield
            if not isinstance(V, RemoteRows):
                for own, part in rows.arrays():
                    V[own] = part
        finally:
            self._held.V, self._held.rows, self._held.gram = None, None, None

    def _sent(self, V: Array) -> RemoteRows:
        groups = [(rows, send(self.client, each, first_state, [V[own] for own in rows])) for rows, _ in self._groups]
        return RemoteRows(self.client, groups, V.shape, V.dtype)

    def _holds(self, V: Array) -> bool:
        return self._held.V is V

    def _passed(self, step: Callable[[Matrix, Array], Any]) -> Iterator[Any]:
        assert self._held.rows is not None
        return self._held.rows.passed(step, self._groups)

    def _sweep_held(self, step: RowStep) -> Array:
        grams = list[Array]()

        def sums() -> Iterator[Array]:
            for observed, square in self._passed(partial(_swept, step=step)):
                grams.append(square)
                yield observed

        total = added_up(sums())
        self._held.gram = added_up(grams)
        return total


@dataclass
class _Held:
    """An array whose rows lie on the workers, those rows, and V^T V."""

    V: Array | None = None
    rows: RemoteRows | None = None
    gram: Array | None = None


def _observed(part: Matrix, V: Array, compiled: bool) -> Array:
    return columns_times(part, V, compiled)


def _square(part: Matrix, V: Array) -> Array:
    return gram(V)


def _swept(part: Matrix, V: Array, step: RowStep) -> tuple[Array, Array]:
    """X^T V and V^T V, after a step."""
    return sweep_rows(part, V, step), gram(V)


def _products(parts: list[Matrix], documents: list[Array], compiled: bool) -> list[Array]:
    return [columns_times(part, own, compiled) for part, own in zip(parts, documents, strict=True)]


class _InFile(NamedTuple):
    """Some numbers of a file that is mapped into memory."""

    path: str
    offset: int
    dtype: Any
    length: int

    def read(self) -> Array:
        return np.fromfile(self.path, dtype=self.dtype, count=self.length, offset=self.offset)


def located(part: Matrix) -> tuple[Any, Any, Any]:
    """The arrays of a part, or where in a file they are."""
    return _place_of(part.data), _place_of(part.indices), np.array(part.indptr)


def _place_of(values: Array) -> Any:
    owner: Any = values
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap) and owner.filename is not None and not isinstance(owner.base, np.ndarray):
            begin = owner.ctypes.data
            return _InFile(str(owner.filename), owner.offset + values.ctypes.data - begin, values.dtype, len(values))
        owner = owner.base
    return np.array(values)  # its own memory: not all that it is a part of


def _load(parts: list[tuple[tuple[Any, Any, Any], tuple[int, int]]]) -> list[Matrix]:
    def loaded(located: tuple[Any, Any, Any], shape: tuple[int, int]) -> Matrix:
        data, indices, indptr = (array.read() if isinstance(array, _InFile) else array for array in located)
        return sp.csr_array((data, indices, indptr), shape=shape, copy=False)

    return [loaded(*part) for part in parts]


def _others(step: RowStep, rows: slice) -> tuple[Sequence[Pair], Sequence[Pair]]:
    """What other terms add to a part."""
    own = step.part(rows)
    return own.above, own.below


def _sweeps(
    parts: list[Matrix], own: list[tuple[Array, Sequence[Pair], Sequence[Pair]]], step: RowStep
) -> list[tuple[Array, Array]]:
    def swept(part: Matrix, V: Array, above: Sequence[Pair], below: Sequence[Pair]) -> tuple[Array, Array]:
        rows = np.array(V, order="F")
        return rows, sweep_rows(part, rows, replace(step, above=above, below=below))

    return [swept(part, *given) for part, given in zip(parts, own, strict=True)]
