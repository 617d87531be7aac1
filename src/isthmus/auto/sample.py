"""Many documents: a sample of them decides, and teaches; all are labelled."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from isthmus.core.numerics import stack
from isthmus.core.parts import rows_of, taken_rows
from isthmus.core.problem import DocumentStack, Domain, Problem
from isthmus.typing import Array, Mask

AT_MOST = 20_000
"""Documents of the sources, and of the targets, that decisions are made on."""
OF_A_CLASS = 10
"""Labelled documents that a sample keeps at least, where there are so many."""


def sample_for_decisions(problem: Problem, checked: Array | None) -> tuple[Problem, Mask]:
    """A part of the problem's documents, drawn at random, and which of its unlabelled ones are in it.

    Documents that are `checked` stay, and so does every class.
    """
    drawn = _drawn(problem)
    if checked is not None:
        known = np.split(checked.any(axis=1), problem.ends_of_unlabeled)
        for kept, domain, stays in zip(drawn, problem.domains, known, strict=True):
            kept[np.flatnonzero(~domain.labeled)[stays]] = True
    unlabeled = [kept[~domain.labeled] for kept, domain in zip(drawn, problem.domains, strict=True)]
    return part_of(problem, drawn), np.concatenate(unlabeled)


def sample_for_learning(problem: Problem, seen: Problem) -> Problem:
    """All that is labelled and, of other documents, those of the sample.

    The problem itself, if that is all of it; what was `seen` before, if it has the same documents and labels.
    """
    drawn = [kept | domain.labeled for kept, domain in zip(_drawn(problem), problem.domains, strict=True)]
    if all(
        np.array_equal(domain.rows[kept], own.rows) and np.array_equal(domain.labeled[kept], own.labeled)
        for domain, kept, own in zip(problem.domains, drawn, seen.domains, strict=True)
    ):
        return seen
    return problem if all(map(np.all, drawn)) else part_of(problem, drawn)


def part_of(problem: Problem, kept: list[Mask]) -> Problem:
    """Some documents of each domain, and the share of each class among those whose label may be read."""
    pairs = list(zip(problem.domains, kept, strict=True))
    together = stack([taken_rows(domain.matrix, np.flatnonzero(own)) for domain, own in pairs])
    ends = np.cumsum([0, *(int(own.sum()) for own in kept)]).tolist()
    domains = tuple(  # each with its rows of one matrix: that of all domains takes no memory of its own
        replace(
            domain,
            matrix=rows_of(together, *span),
            **{name: getattr(domain, name)[own] for name in ("rows", "labels", "labeled")},
        )
        for (domain, own), span in zip(pairs, pairwise(ends), strict=True)
    )
    counts = np.sum([domain.labels.sum(axis=0) for domain in domains], axis=0)
    documents = DocumentStack(tuple(domain.matrix for domain in domains))
    return replace(problem, domains=domains, documents=documents, class_prior=counts / counts.sum())


def _drawn(problem: Problem) -> list[Mask]:
    """Of each domain, which documents are looked at."""
    drawn = [np.ones(len(domain.rows), dtype=bool) for domain in problem.domains]
    for is_target in (False, True):
        own = [number for number, domain in enumerate(problem.domains) if domain.is_target == is_target]
        if sum(len(drawn[number]) for number in own) > AT_MOST:
            for number, kept in zip(own, _drawn_from([problem.domains[number] for number in own]), strict=True):
                drawn[number] = kept
    return drawn


def _drawn_from(domains: list[Domain]) -> list[Mask]:
    """Of all documents of these domains, so many as are looked at; and some of each class."""
    labels = np.concatenate([domain.labels for domain in domains])
    order = np.random.default_rng(0).permutation(len(labels))
    kept = np.zeros(len(labels), dtype=bool)
    kept[order[:AT_MOST]] = True
    for number in range(labels.shape[1]):
        kept[order[labels[order, number] > 0][:OF_A_CLASS]] = True
    return np.split(kept, np.cumsum([len(domain.rows) for domain in domains])[:-1])
