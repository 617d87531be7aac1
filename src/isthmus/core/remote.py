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


class Partition(NamedTuple):
    """Some of the documents, whose matrix is in a folder (`isthmus.open_matrix`)."""

    folder: str
    n_rows: int
    n_full: int
    """Those that hold a word. No method sees the others."""
    non_zeros: int


class RemoteRows:
    """An array of documents x few whose parts are on the workers."""

    def __init__(self, client: Any, parts: list[tuple[slice, Any]], shape: tuple[int, int], dtype: Any) -> None:
        self.client, self.parts, self.shape, self.dtype = client, parts, shape, dtype

    def copy(self) -> RemoteRows:
        """Other parts may take the place of these in it."""
        return RemoteRows(self.client, self.parts, self.shape, self.dtype)

    def between(self, first: int, last: int) -> Any:
        """Some rows, on a worker."""
        own = [(rows, part) for rows, part in self.parts if rows.start < last and rows.stop > first] or self.parts[:1]
        cut = [slice(max(first - rows.start, 0), last - rows.start) for rows, _ in own]
        return self.client.submit(_joined, [part for _, part in own], cut, pure=False)


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
    def parts(self) -> list[tuple[slice, Any]]:
        """Where each part stands, and its matrix on a worker."""
        return [(slice(first, last), self._send(_load, self._places(first, last))) for first, last in self._spans()]

    @cached_property
    def squared_norm(self) -> float:
        return float(sum(self._of_parts(squared_norm)))

    @cached_property
    def word_sums(self) -> Array:
        """The sum of all documents."""
        return np.asarray(sum(self._of_parts(_word_sums)))

    def by_parts(self, function: Callable[[Matrix], Array], dtype: Any = None) -> RemoteRows:
        sent = on_workers(self.client, function)
        found = [(rows, self._send(_applied, sent, part, dtype)) for rows, part in self.parts]
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
        sent = [self._send(function, part) for _, part in self.parts]
        return [answer(self.client, each) for each in sent]

    def _send(self, function: Any, *operands: Any) -> Any:
        return self.client.submit(function, *operands, pure=False)

    def _spans(self) -> list[tuple[int, int]]:
        """The rows of each part: workers look where its last non-zero is."""
        cuts = part_cuts(self.nnz, self.n_words)
        begins = np.cumsum([0, *(own.non_zeros for own in self.partitions)])
        holder = np.searchsorted(begins[1:], cuts)
        asked = {number: cuts[holder == number] - begins[number] for number in np.unique(holder).tolist()}
        sent = {number: self._send(_rows_at, self.partitions[number].folder, own) for number, own in asked.items()}
        inner = [int(self.firsts[number]) + row for number, rows in sent.items() for row in answer(self.client, rows)]
        return list(pairwise(sorted({0, *inner, self.shape[0]})))

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


def _load(places: list[tuple[str, int, int]]) -> Matrix:
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


def _joined(parts: list[Array], cut: list[slice]) -> Array:
    return np.concatenate([part[rows] for part, rows in zip(parts, cut, strict=True)])


def _applied(function: Callable[[Matrix], Array], part: Matrix, dtype: Any) -> Array:
    return np.asarray(function(part), dtype=dtype)


def _width_and_dtype(rows: Array) -> tuple[int, Any]:
    return rows.shape[1], rows.dtype
