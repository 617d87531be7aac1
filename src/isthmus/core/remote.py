"""Documents in files that the workers of a cluster can open, and what is computed for each: neither comes here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from isthmus.core.cluster import answer, on_workers, send
from isthmus.core.numerics import RowsElsewhere, assembled, squared_norm, stack
from isthmus.core.parts import part_cuts, rows_of, summed_rows
from isthmus.core.problem import Problem, has_words, make_problem
from isthmus.exceptions import DataError
from isthmus.io.matrices import open_matrix
from isthmus.typing import Array, DomainName, Mask, Matrix, Positions

T = TypeVar("T")

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
"""Where in X some neighboring parts stand, and what there is of each on a worker."""


def grouped(client: Any, parts: list[Any]) -> list[list[Any]]:
    """Neighboring parts that one task is about, so that all workers are at work.

    Dask keeps some twenty kilobytes of every task that it may have to do again.
    """
    n = min(len(parts), max(LEAST_GROUPS, GROUPS_OF_A_THREAD * sum(client.nthreads().values())))
    ends = np.linspace(0, len(parts), n + 1).astype(int).tolist()
    return [parts[first:last] for first, last in pairwise(ends)]


State = tuple[Array, Any]
"""Rows of an array for a part of the documents, and what the last pass over these has found."""


class RemoteRows:
    """An array of documents x few that is on the workers: for each group of parts, a list of `State`.

    All comes from tasks that can be done again: what a worker loses that dies is taken through all passes again.
    """

    def __init__(self, client: Any, groups: list[Group], shape: tuple[int, int], dtype: Any) -> None:
        self.client, self.groups, self.shape, self.dtype = client, groups, shape, dtype

    def copy(self) -> RemoteRows:
        """Other groups may take the place of these in it."""
        return RemoteRows(self.client, self.groups, self.shape, self.dtype)

    def passed(self, step: Callable[[Matrix, Array], T], documents: list[Group]) -> Iterator[T]:
        """What a step makes of each part of the documents, and its rows of this array, which it may change."""
        sent, pairs = on_workers(self.client, step), list(zip(documents, self.groups, strict=True))
        self.groups = [
            (rows, send(self.client, _next_states, parts, states, sent)) for (rows, parts), (_, states) in pairs
        ]
        found = [send(self.client, each, itemgetter(1), states) for _, states in self.groups]
        return (part for group in found for part in answer(self.client, group))

    def arrays(self) -> Iterator[tuple[slice, Array]]:
        """All rows, part by part, here."""
        sent = [(rows, send(self.client, each, itemgetter(0), states)) for rows, states in self.groups]
        for rows, group in sent:
            yield from zip(rows, answer(self.client, group), strict=True)

    def between(self, first: int, last: int) -> Any:
        """Some rows, on a worker."""
        spans = [(rows[0].start, rows[-1].stop, states) for rows, states in self.groups]
        own = [span for span in spans if span[0] < last and span[1] > first] or spans[:1]
        cut = [slice(max(first - begin, 0), last - begin) for begin, _, _ in own]
        return send(self.client, _joined, [states for _, _, states in own], cut)


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
            (rows, send(self.client, _load, [self._places(own.start, own.stop) for own in rows]))
            for rows in grouped(self.client, self._spans())
        ]

    @cached_property
    def squared_norm(self) -> float:
        return float(sum(self._of_parts(squared_norm)))

    @cached_property
    def word_sums(self) -> Array:
        """The sum of all rows."""
        return np.asarray(sum(self._of_parts(summed_rows)))

    def by_parts(self, function: Callable[[Matrix], Array], dtype: Any = None) -> RemoteRows:
        sent = on_workers(self.client, function)
        found = [(rows, send(self.client, _applied, sent, parts, dtype)) for rows, parts in self.groups]
        width, kind = answer(self.client, send(self.client, _width_and_dtype, found[0][1]))
        return RemoteRows(self.client, found, (self.shape[0], width), kind)

    def over_parts(self, step: Callable[[Matrix, Array], T], V: RemoteRows) -> Iterator[T]:
        return V.passed(step, self.groups)

    def taken(self, rows: Positions) -> Matrix:
        own = [rows[(rows >= first) & (rows < last)] - first for first, last in pairwise(self.firsts.tolist())]
        sent = [
            send(self.client, _taken, partition.folder, some)
            for partition, some in zip(self.partitions, own, strict=True)
            if len(some)
        ]
        return stack([answer(self.client, each) for each in sent])

    def _of_parts(self, function: Callable[[Matrix], Any]) -> list[Any]:
        sent = [send(self.client, each, function, parts) for _, parts in self.groups]
        return [found for own in sent for found in answer(self.client, own)]

    def _spans(self) -> list[slice]:
        """The rows of each part: workers look where its last non-zero is."""
        cuts = part_cuts(self.nnz, self.n_words)
        begins = np.cumsum([0, *(own.non_zeros for own in self.partitions)])
        holder = np.searchsorted(begins[1:], cuts)
        asked = {number: cuts[holder == number] - begins[number] for number in np.unique(holder).tolist()}
        sent = {
            number: send(self.client, _rows_at, self.partitions[number].folder, own) for number, own in asked.items()
        }
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
    """Labeled documents that are here, and a target that is not.

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
    return checked.with_domains(domains)


def described(folder: str) -> Partition:
    """A matrix that is in a folder."""
    X = open_matrix(folder)
    return Partition(folder, int(X.shape[0]), int(has_words(X).sum()), int(X.nnz))


def rows_with_words(folder: str) -> Mask:
    """Which documents of a partition are rows of the matrix."""
    return has_words(open_matrix(folder))


def answers_of_rows(folder: str, prior: Array, found: Array) -> Array:
    """Class probabilities of a partition's documents: what was found for those that hold a word, else the prior."""
    holds_words = rows_with_words(folder)
    answers = np.tile(prior, (len(holds_words), 1))
    answers[holds_words] = found
    if not np.isfinite(answers).all():
        raise DataError("The fit found no probabilities for some documents: some weights of words are too large.")
    return answers


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


def first_state(rows: Array) -> State:
    """Before any pass."""
    return rows, None


def _next_states(parts: list[Matrix], states: list[State], step: Callable[[Matrix, Array], Any]) -> list[State]:
    def passed(part: Matrix, before: Array) -> State:
        rows = np.array(before, order="F")
        return rows, step(part, rows)

    return [passed(part, before) for part, (before, _) in zip(parts, states, strict=True)]


def _joined(groups: list[list[State]], cut: list[slice]) -> Array:
    return np.concatenate(
        [np.concatenate([array for array, _ in states])[rows] for states, rows in zip(groups, cut, strict=True)]
    )


def _applied(function: Callable[[Matrix], Array], parts: list[Matrix], dtype: Any) -> list[State]:
    return [first_state(np.asarray(function(part), dtype=dtype)) for part in parts]


def _width_and_dtype(states: list[State]) -> tuple[int, Any]:
    return states[0][0].shape[1], states[0][0].dtype
