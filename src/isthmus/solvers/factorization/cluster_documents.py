"""Documents on the workers of a Dask cluster.

Partial sums of words x classes travel; documents do once, or never, if they lie in files that workers can open, and
rows of V lie with them, where nothing but the fit depends on them. All that a worker holds comes from tasks that can be
done again: one that dies loses its own work, and nothing else. Parts and the order of sums are those of
`MatrixDocuments`, and so is every bit of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from isthmus.core.cluster import active_client, answer, on_workers
from isthmus.core.parts import row_parts
from isthmus.core.remote import RemoteMatrix, RemoteRows
from isthmus.solvers.factorization.documents import MatrixDocuments, SweptDocuments, WholeMatrix, added_up
from isthmus.solvers.factorization.kernel import gram, row_order
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
    def _parts(self) -> list[tuple[slice, Any]]:
        """Where in X each part stands, and its matrix on a worker."""
        if isinstance(self.matrix, RemoteMatrix):
            return self.matrix.parts
        return [(rows, self._send(_load, located(part), part.shape)) for rows, part in row_parts(self.matrix)]

    def _send(self, function: Any, *operands: Any) -> Any:
        return self.client.submit(function, *operands, pure=False)

    def times(self, words: Array) -> Array:
        out = np.empty((self.matrix.shape[0], words.shape[1]), dtype=np.result_type(self.matrix, words), order="F")
        compiled = self.compiled(words)
        sent = on_workers(self.client, row_order(words) if compiled else words)
        found = [(rows, self._send(rows_times, part, sent, compiled)) for rows, part in self._parts]
        for rows, product in found:
            out[rows] = answer(self.client, product)
        return out

    def transposed_times(self, documents: Array) -> Array:
        compiled = self.compiled(documents)
        if self._holds(documents):
            found = [self._send(_transposed_state, part, own, compiled) for part, own in self._with_states()]
        else:
            found = [self._send(columns_times, part, documents[rows], compiled) for rows, part in self._parts]
        return added_up(answer(self.client, each) for each in found)

    def sweep(self, V: Array, step: RowStep) -> Array:
        step = self.prepared(step, V)
        sent = on_workers(self.client, replace(step, above=None, below=None))
        if self._holds(V):
            return self._sweep_held(sent)
        found = [
            (rows, self._send(_sweep, part, V[rows], sent, *(_some(own, rows) for own in (step.above, step.below))))
            for rows, part in self._parts
        ]

        def updated(rows: slice, sent: Any) -> Array:
            V[rows], sums = answer(self.client, sent)
            return np.asarray(sums)

        return added_up(updated(rows, sent) for rows, sent in found)

    def gram(self, V: Array) -> Array:
        if not self._holds(V):
            return super().gram(V)
        if self._held.gram is None:
            self._held.gram = added_up(answer(self.client, self._send(_gram_of, own)) for own in self._held.states)
        return self._held.gram

    @contextmanager
    def holding(self, V: Array) -> Iterator[None]:
        """The rows of V lie with their documents. Those of a worker that dies are taken through all sweeps again."""
        starts = V.parts if isinstance(V, RemoteRows) else [(rows, V[rows]) for rows, _ in self._parts]
        self._held.V, self._held.states = V, [self._send(_first_state, own) for _, own in starts]
        try:
            yield
            states = zip(starts, self._held.states, strict=True)
            found = [(rows, self._send(itemgetter(0), own)) for (rows, _), own in states]
            if isinstance(V, RemoteRows):
                V.parts = found
                return
            for rows, own in found:
                V[rows] = answer(self.client, own)
        finally:
            self._held.V, self._held.states, self._held.gram = None, [], None

    def _holds(self, V: Array) -> bool:
        return self._held.V is V

    def _with_states(self) -> list[tuple[Any, Any]]:
        return [(part, own) for (_, part), own in zip(self._parts, self._held.states, strict=True)]

    def _sweep_held(self, step: Any) -> Array:
        self._held.states = [self._send(_next_state, part, own, step) for part, own in self._with_states()]
        found, grams = [self._send(itemgetter(1, 2), own) for own in self._held.states], list[Array]()

        def sums(sent: Any) -> Array:
            observed, gram = answer(self.client, sent)
            grams.append(gram)
            return np.asarray(observed)

        total = added_up(map(sums, found))
        self._held.gram = added_up(grams)
        return total


@dataclass
class _Held:
    """What lies on the workers: for each part, the rows of V, X^T V and V^T V."""

    V: Array | None = None
    states: list[Any] = field(default_factory=list)
    gram: Array | None = None


State = tuple[Array, Array | None, Array]


def _first_state(V: Array) -> State:
    V = np.array(V, order="F")
    return V, None, gram(V)


def _next_state(part: Matrix, state: State, step: RowStep) -> State:
    V, sums = _sweep(part, state[0], step)
    return V, sums, gram(V)


def _gram_of(state: State) -> Array:
    return state[2]


def _transposed_state(part: Matrix, state: State, compiled: bool) -> Array:
    return columns_times(part, state[0], compiled)


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


def _load(located: tuple[Any, Any, Any], shape: tuple[int, int]) -> Matrix:
    data, indices, indptr = (array.read() if isinstance(array, _InFile) else array for array in located)
    return sp.csr_array((data, indices, indptr), shape=shape, copy=False)


def _some(own: Array | None, rows: slice) -> Array | None:
    return None if own is None else own[rows]


def _sweep(
    part: Matrix, V: Array, step: RowStep, above: Array | None = None, below: Array | None = None
) -> tuple[Array, Array]:
    rows = np.array(V, order="F")
    sums = sweep_rows(part, rows, replace(step, above=above, below=below))
    return rows, sums
