"""Many documents: a sample of them decides, and teaches; all are labeled."""

from __future__ import annotations

import numpy as np

from isthmus.core.parts import drawn_rows, taken_rows
from isthmus.core.problem import Domain, Problem
from isthmus.core.sample import AT_MOST as AT_MOST
from isthmus.core.sample import part_of
from isthmus.typing import Array, Mask, Matrix

OF_A_CLASS = 10
"""Labeled documents that a sample keeps at least, where there are so many."""


def sample_for_decisions(problem: Problem, checked: Array | None) -> tuple[Problem, Mask]:
    """A part of the problem's documents, drawn at random, and which of its unlabeled ones are in it.

    Documents that are `checked` stay, and so does every class.
    """
    drawn = _drawn(problem, AT_MOST)
    if checked is not None:
        known = np.split(checked.any(axis=1), problem.ends_of_unlabeled)
        for kept, domain, stays in zip(drawn, problem.domains, known, strict=True):
            kept[np.flatnonzero(~domain.labeled)[stays]] = True
    unlabeled = [kept[~domain.labeled] for kept, domain in zip(drawn, problem.domains, strict=True)]
    return _kept_of(problem, drawn), np.concatenate(unlabeled)


def sample_for_all(problem: Problem) -> Problem:
    """All that is labeled and, of other documents, twice as many as are looked at: half of them may be learned from,
    and the other half tell what is said of those that are not. The problem itself, if that is all of it."""
    drawn = [kept | domain.labeled for kept, domain in zip(_drawn(problem, 2 * AT_MOST), problem.domains, strict=True)]
    return problem if all(map(np.all, drawn)) else _kept_of(problem, drawn)


def sample_for_learning(problem: Problem, seen: Problem) -> Problem:
    """All that is labeled and, of other documents, those of the sample.

    The problem itself, if that is all of it; what was `seen` before, if it has the same documents and labels.
    """
    drawn = [kept | domain.labeled for kept, domain in zip(_drawn(problem, AT_MOST), problem.domains, strict=True)]
    if all(
        np.array_equal(domain.rows[kept], own.rows) and np.array_equal(domain.labeled[kept], own.labeled)
        for domain, kept, own in zip(problem.domains, drawn, seen.domains, strict=True)
    ):
        return seen
    return problem if all(map(np.all, drawn)) else _kept_of(problem, drawn)


def sample_for_spreads(problem: Problem, part: Problem) -> list[tuple[int, Matrix]]:
    """Documents whose answers stand for all, by the number of their domain, where a part was learned from.

    Those that were not learned from, which one is less sure of, as most are not; all of them, if those are few.
    """
    pairs = list(zip(problem.domains, part.domains, strict=True))
    asked = [~np.isin(own.rows, its.rows) for own, its in pairs]
    if sum(map(np.sum, asked)) < AT_MOST:
        asked = [~own.labeled for own, _ in pairs]
    return [
        (number, taken_rows(own.matrix, np.flatnonzero(rows)))
        for number, ((own, _), rows) in enumerate(zip(pairs, asked, strict=True))
        if rows.any()
    ]


def _kept_of(problem: Problem, kept: list[Mask]) -> Problem:
    return part_of(problem, [np.flatnonzero(own) for own in kept])


def _drawn(problem: Problem, most: int) -> list[Mask]:
    """Of each domain, which documents are looked at."""
    drawn = [np.ones(len(domain.rows), dtype=bool) for domain in problem.domains]
    for is_target in (False, True):
        own = [number for number, domain in enumerate(problem.domains) if domain.is_target == is_target]
        if sum(len(drawn[number]) for number in own) > most:
            for number, kept in zip(own, _drawn_from([problem.domains[number] for number in own], most), strict=True):
                drawn[number] = kept
    return drawn


def _drawn_from(domains: list[Domain], most: int) -> list[Mask]:
    """Of all documents of these domains, so many as are looked at; and some of each class."""
    labels = np.concatenate([domain.labels for domain in domains])
    kept, rng = np.zeros(len(labels), dtype=bool), np.random.default_rng(0)
    kept[drawn_rows(len(labels), most)] = True
    for number in range(labels.shape[1]):
        kept[rng.permutation(np.flatnonzero(labels[:, number]))[:OF_A_CLASS]] = True
    return np.split(kept, np.cumsum([len(domain.rows) for domain in domains])[:-1])
