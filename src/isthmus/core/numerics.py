"""Arithmetic that several folders need: stacking, lengths of rows, and threads."""

from __future__ import annotations

import mmap
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from itertools import starmap
from threading import current_thread
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from joblib import cpu_count
from sklearn.preprocessing import normalize

from isthmus.typing import Array, Matrix, Positions

T = TypeVar("T")

CHUNK = 1 << 22
"""Numbers that are looked at together."""

NEIGHBORS = 1 << 21
"""Bytes of a file around a page that the system may bring into memory with it."""

OWN_THREADS = "isthmus"
"""What the names of our threads begin with."""


class RowsElsewhere(ABC):
    """A matrix whose rows lie elsewhere. What is to be done with them is sent there."""

    @property
    @abstractmethod
    def squared_norm(self) -> float:
        """||X||^2."""

    @abstractmethod
    def by_parts(self, function: Callable[[Matrix], Array], dtype: Any = None) -> Any:
        """What a function of rows makes of all rows, which stays there."""

    @abstractmethod
    def over_parts(self, step: Callable[[Matrix, Array], T], V: Any) -> Iterator[T]:
        """One pass over all rows, and those of V, which lie there as well."""

    @abstractmethod
    def taken(self, rows: Positions) -> Matrix:
        """A few rows, in order, here."""


def stack(matrices: list[Matrix]) -> Matrix:
    """Stack matrices. No copy is made of one alone, or of slices that lie next to each other in one sparse matrix."""
    if len(matrices) == 1:
        return matrices[0]
    if not sp.issparse(matrices[0]):
        return np.vstack(matrices)
    if all(matrix.format == "csr" for matrix in matrices):
        data, indices = (_joined([getattr(matrix, name) for matrix in matrices]) for name in ("data", "indices"))
        if data is not None and indices is not None:
            lengths = np.concatenate([[0], *(np.diff(matrix.indptr) for matrix in matrices)])
            return assembled(matrices[0], data, indices, np.cumsum(lengths, dtype=indices.dtype))
    return sp.vstack(matrices, format="csr")


def _joined(parts: list[Array]) -> Array | None:
    """What arrays of one dimension are parts of, if each begins in memory where the one before ends; None if not."""
    owner, begins = parts[0].base, [part.ctypes.data for part in parts]
    if not isinstance(owner, np.ndarray) or owner.ndim != 1 or owner.strides != parts[0].strides:
        return None
    ends = [begin + part.nbytes for begin, part in zip(begins, parts, strict=True)]
    if any(part.base is not owner or part.dtype != owner.dtype for part in parts) or begins[1:] != ends[:-1]:
        return None
    first = (begins[0] - owner.ctypes.data) // owner.itemsize
    found = owner[first : first + sum(map(len, parts))]
    found.flags.writeable = all(part.flags.writeable for part in parts)
    return found


def assembled(like: Matrix, data: Array, indices: Any, indptr: Any) -> Matrix:
    """A sparse matrix of these arrays, of the same kind, format and width as another.

    Without a copy, unlike the constructor, which copies arrays that are small parts of larger ones.
    """
    shape = (len(indptr) - 1, like.shape[1]) if like.format == "csr" else like.shape
    made = type(like)(shape, dtype=data.dtype)
    made.data, made.indices, made.indptr = data, indices, indptr
    return made


def take_rows(X: Matrix, rows: Positions) -> Matrix:
    """Some rows of X, in order. Without a copy where all that is between the first and the last of them is empty."""
    if not (sp.issparse(X) and X.format == "csr" and len(rows)):
        return X[rows]
    start, end, inner = X.indptr[rows[0]], X.indptr[rows[-1] + 1], X.indptr[rows]
    if end - start != np.sum(X.indptr[rows + 1] - inner, dtype=np.int64) or (np.diff(rows) < 1).any():
        return X[rows]
    indptr = np.append(inner, end) - start
    return assembled(X, X.data[start:end], X.indices[start:end], indptr)


def span_of(rows: Positions) -> Any:
    """Positions in order, as a slice if none is left out between them: what it takes of an array is no copy."""
    whole = len(rows) and rows[-1] - rows[0] == len(rows) - 1
    return slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows


def chunks(values: Array) -> Iterator[Array]:
    """The numbers of an array of one dimension, some at a time."""
    for first in range(0, len(values), CHUNK):
        part = values[first : first + CHUNK]
        yield part
        let_go(part)


def let_go(values: Array) -> None:
    """Give back the memory that a part of a file takes (`isthmus.open_matrix`). Asked for again, it is read again.

    What was mapped for copies to be written to (`mmap_mode="c"`) stays: the file has not what was written.
    """
    owner: Any = values
    is_in_file = False
    while isinstance(owner, np.ndarray | memoryview):
        is_in_file |= isinstance(owner, np.memmap) and owner.mode != "c"
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    if not (is_in_file and isinstance(owner, mmap.mmap) and hasattr(owner, "madvise") and values.size):
        return
    begin = np.frombuffer(owner, dtype=np.uint8).ctypes.data
    # What was let go of before comes back as a neighbor of what is read after it.
    start = max(values.ctypes.data - begin - NEIGHBORS, 0) // mmap.PAGESIZE * mmap.PAGESIZE
    owner.madvise(mmap.MADV_DONTNEED, start, values.ctypes.data + values.nbytes - begin - start)


def squared_norm(X: Matrix) -> float:
    """||X||^2, in double precision: in single precision, small squares would be zero."""
    if isinstance(X, RowsElsewhere):
        return X.squared_norm
    values = X.data if sp.issparse(X) else np.ravel(X)
    return float(sum(np.einsum("i,i->", part, part, dtype=np.float64) for part in chunks(values)))


def mean_square(X: Matrix) -> float:
    """The mean squared length of a row. One, where rows have unit length."""
    return squared_norm(X) / max(X.shape[0], 1)


def unit_rows(X: Matrix) -> Matrix:
    """Rows of length one, in double precision; the documents stay as they are."""
    X = X.astype(np.float64, copy=False)
    if not X.shape[0]:
        return X
    if not sp.issparse(X):  # normalize takes a dense row that is very short for an empty one
        peaks = np.abs(X).max(axis=1, initial=0, keepdims=True)
        X = X / np.where(peaks, peaks, 1)
    return normalize(X, copy=True)


def order_of_rows(X: Matrix) -> Positions:
    """Positions that put the rows into an order of their own, whatever order they come in.

    Along two directions that are drawn once and for all; rows that are alike in these are alike. For starts that draw
    rows, or numbers for them: the order of the documents means nothing.
    """
    directions = np.random.RandomState(0).normal(size=(X.shape[1], 2))
    return np.lexsort(np.asarray(X.astype(np.float64) @ directions).T)


@cache
def all_threads() -> ThreadPoolExecutor:
    """One for each core but that of the thread that waits for them, which works as well."""
    return ThreadPoolExecutor(max_workers=max(n_cores() - 1, 1), thread_name_prefix=OWN_THREADS)


def n_cores() -> int:
    """Those that this process may use: a container may allow it fewer than there are."""
    return int(cpu_count())


def in_threads(function: Callable[..., T], *operands: Sequence[Any]) -> Iterator[T]:
    """`map` on all cores, in order, each call in a copy of this context: scipy's products let other threads run.

    What a thread of ours asks for in turn, it does itself: it would wait for itself otherwise.
    """
    calls = list(zip(*operands, strict=True))
    if len(calls) < 2 or current_thread().name.startswith(OWN_THREADS):
        return starmap(function, calls)
    others = [all_threads().submit(copy_context().run, function, *each) for each in calls[1:]]
    return _shared(function, calls, others)


def _shared(function: Callable[..., T], calls: list[Any], others: list[Future[T]]) -> Iterator[T]:
    """What the calls return, all but the first of which wait for a thread. This one takes what none has begun."""
    own: dict[int, T] = {}
    waiting = iter(range(1, len(calls)))
    try:
        yield function(*calls[0])
        for number, other in enumerate(others, 1):
            while number not in own and not other.done() and (further := next(waiting, None)) is not None:
                if others[further - 1].cancel():
                    own[further] = function(*calls[further])
            yield own.pop(number) if number in own else other.result()
    finally:
        for other in others:
            other.cancel()


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=all_threads.cache_clear)


def frozen(values: Any) -> Any:
    """A read-only view of the same memory; the user's own arrays stay writable."""
    if sp.issparse(values):
        return assembled(values, frozen(values.data), frozen(values.indices), frozen(values.indptr))
    view = values.view()
    view.flags.writeable = False
    return view
