"""Documents in files that the workers of a cluster can open, and what is computed for each: neither comes here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from isthmus.core.cluster import answer, on_workers
from isthmus.core.numerics import RowsElsewhere, assembled, squared_norm, stack
from isthmus.core.parts import part_cuts, rows_of
from isthmus.core.problem import DocumentStack, Problem, has_words, make_problem
from isthmus.io.matrices import open_matrix
from isthmus.typing import Array, DomainName, Mask, Matrix, Positions

LEAST_GROUPS, GROUPS_OF_A_THREAD = 16, 4
"""Tasks of a pass over the documents, where there are so many parts."""


class Partition(NamedTuple):
    """Some of the documents, whose matrix is in a folder (`isthmus.open_matrix`)."""

    folder: str
    n_rows: int
    n_full: int
    """Those that hold a word. No method sees the others."""
    non_zeros: int


Group = tuple[list[slice], Any]
"""Where in X some neighbouring parts stand, and what there is of each on a worker."""


def grouped(client: Any, parts: list[Any]) -> list[list[Any]]:
    """Neighbouring parts that one task is about, so that all workers are at work.

    Dask keeps some twenty kilobytes of every task that it may have to do again.
    """
    n = min(len(parts), max(LEAST_GROUPS, GROUPS_OF_A_THREAD * sum(client.nthreads().values())))
    ends = np.linspace(0, len(parts), n + 1).astype(int).tolist()
    return [parts[first:last] for first, last in pairwise(ends)]


class RemoteRows:
    """An array of documents x few that is on the workers, a list of arrays for each group of parts."""

    def __init__(self, client: Any, groups: list[Group], shape: tuple[int, int], dtype: Any) -> None:
        self.client, self.groups, self.shape, self.dtype = client, groups, shape, dtype

    def copy(self) -> RemoteRows:
        """Other groups may take the place of these in it."""
        return RemoteRows(self.client, self.groups, self.shape, self.dtype)

    def between(self, first: int, last: int) -> Any:
        """Some rows, on a worker."""
        spans = [(rows[0].start, rows[-1].stop, arrays) for rows, arrays in self.groups]
        own = [span for span in spans if span[0] < last and span[1] > first] or spans[:1]
        cut = [slice(max(first - begin, 0), last - begin) for begin, _, _ in own]
        return self.client.submit(_joined, [arrays for _, _, arrays in own], cut, pure=False)


@dataclass(frozen=True, eq=False)
class RemoteMatrix(RowsElsewhere):
    """Documents x words, without those that hold no word; parts are those of the same matrix in memory (`row_parts`).

    What is known of it here does not grow with the documents.
    """

    client: Any
    partitions: Sequence[Partition]
    n_words: int
    dtype: np.dtype[Any]
    format = "csr"

    @cached_property
    def firsts(self) -> Positions:
        """The first row of each partition, and where the last ends."""
        return np.cumsum([0, *(own.n_full for own in self.partitions)])

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.firsts[-1]), self.n_words

    @cached_property
    def nnz(self) -> int:
        return sum(own.non_zeros for own in self.partitions)

    @cached_property
    def groups(self) -> list[Group]:
        """Its parts."""
        return [
            (rows, self._send(_load, [self._places(own.start, own.stop) for own in rows]))
            for rows in grouped(self.client, self._spans())
        ]

    @cached_property
    def squared_norm(self) -> float:
        return float(sum(self._of_parts(squared_norm)))

    @cached_property
    def word_sums(self) -> Array:
        """The sum of all documents."""
        return np.asarray(sum(self._of_parts(_word_sums)))

    def by_parts(self, function: Callable[[Matrix], Array], dtype: Any = None) -> RemoteRows:
        sent = on_workers(self.client, function)
        found = [(rows, self._send(_applied, sent, parts, dtype)) for rows, parts in self.groups]
        width, kind = answer(self.client, self._send(_width_and_dtype, found[0][1]))
        return RemoteRows(self.client, found, (self.shape[0], width), kind)

    def taken(self, rows: Positions) -> Matrix:
        """A few rows, in order, here."""
        own = [rows[(rows >= first) & (rows < last)] - first for first, last in pairwise(self.firsts.tolist())]
        sent = [
            self._send(_taken, partition.folder, some)
            for partition, some in zip(self.partitions, own, strict=True)
            if len(some)
        ]
        return stack([answer(self.client, each) for each in sent])

    def _of_parts(self, function: Callable[[Matrix], Any]) -> list[Any]:
        sent = [self._send(each, function, parts) for _, parts in self.groups]
        return [found for own in sent for found in answer(self.client, own)]

    def _send(self, function: Any, *operands: Any) -> Any:
        return self.client.submit(function, *operands, pure=False)

    def _spans(self) -> list[slice]:
        """The rows of each part: workers look where its last non-zero is."""
        cuts = part_cuts(self.nnz, self.n_words)
        begins = np.cumsum([0, *(own.non_zeros for own in self.partitions)])
        holder = np.searchsorted(begins[1:], cuts)
        asked = {number: cuts[holder == number] - begins[number] for number in np.unique(holder).tolist()}
        sent = {number: self._send(_rows_at, self.partitions[number].folder, own) for number, own in asked.items()}
        inner = [int(self.firsts[number]) + row for number, rows in sent.items() for row in answer(self.client, rows)]
        return [slice(first, last) for first, last in pairwise(sorted({0, *inner, self.shape[0]}))]

    def _places(self, first: int, last: int) -> list[tuple[str, int, int]]:
        """In which folders some rows are, and where there."""
        return [
            (own.folder, max(first - begin, 0), min(last, end) - begin)
            for own, (begin, end) in zip(self.partitions, pairwise(self.firsts.tolist()), strict=True)
            if begin < last and end > first
        ]


def remote_problem(
    estimator: Any, X: Matrix, y: Sequence[Any], sample_domain: Sequence[DomainName], target: RemoteMatrix, name: str
) -> Problem:
    """Labelled documents that are here, and a target that is not.

    Its documents are checked as one, the sum of all.
    """
    everything = sp.csr_array(target.word_sums[None, :].astype(X.dtype))
    checked = make_problem(estimator, stack([X, everything]), [*y, None], [*sample_domain, name], target_domain=name)
    there, n = checked.domains[-1], target.shape[0]
    rows: Any = range(X.shape[0], X.shape[0] + n)
    elsewhere = replace(
        there,
        matrix=target,
        rows=rows,
        labels=np.broadcast_to(there.labels, (n, checked.n_classes)),
        labeled=np.broadcast_to(there.labeled, (n,)),
    )
    domains = (*checked.domains[:-1], elsewhere)
    return replace(checked, domains=domains, documents=DocumentStack(tuple(domain.matrix for domain in domains)))


def described(folder: str) -> Partition:
    """A matrix that is in a folder."""
    X = open_matrix(folder)
    return Partition(folder, int(X.shape[0]), int(has_words(X).sum()), int(X.nnz))


def rows_with_words(folder: str) -> Mask:
    """Which documents of a partition are rows of the matrix."""
    return has_words(open_matrix(folder))


def _full(folder: str) -> Matrix:
    X = open_matrix(folder)
    return assembled(X, X.data, X.indices, X.indptr[np.append(True, has_words(X))])


def each(function: Callable[..., Any], parts: list[Any], *others: Any) -> list[Any]:
    """On a worker: what a function makes of each part, with others that are the same for all."""
    return [function(part, *others) for part in parts]


def _load(parts: list[list[tuple[str, int, int]]]) -> list[Matrix]:
    return each(_load_part, parts)


def _load_part(places: list[tuple[str, int, int]]) -> Matrix:
    found = [rows_of(_full(folder), first, last) for folder, first, last in places]
    if len(found) > 1:
        return stack(found)
    return assembled(found[0], *(np.array(own) for own in (found[0].data, found[0].indices, found[0].indptr)))


def _rows_at(folder: str, cuts: Positions) -> list[int]:
    found: list[int] = np.searchsorted(_full(folder).indptr, cuts).tolist()
    return found


def _taken(folder: str, rows: Positions) -> Matrix:
    return _full(folder)[rows]


def _word_sums(part: Matrix) -> Array:
    return np.asarray(np.bincount(part.indices, weights=part.data, minlength=part.shape[1]), dtype=np.float64)


def _joined(groups: list[list[Array]], cut: list[slice]) -> Array:
    return np.concatenate([np.concatenate(arrays)[rows] for arrays, rows in zip(groups, cut, strict=True)])


def _applied(function: Callable[[Matrix], Array], parts: list[Matrix], dtype: Any) -> list[Array]:
    return [np.asarray(function(part), dtype=dtype) for part in parts]


def _width_and_dtype(arrays: list[Array]) -> tuple[int, Any]:
    return arrays[0].shape[1], arrays[0].dtype
