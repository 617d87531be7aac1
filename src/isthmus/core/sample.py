"""Some of a problem's documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from isthmus.core.numerics import RowsElsewhere, stack
from isthmus.core.parts import drawn_rows, rows_of, taken_rows
from isthmus.core.problem import Domain, Problem
from isthmus.typing import Positions

AT_MOST = 20_000
"""Documents of the sources, and of the targets, that decisions are made on, or that a start learns from."""


def sample_for_start(problem: Problem) -> Problem:
    """All labeled documents and a sample of each domain's others, in memory.

    Returns the problem itself if that is everything, and in memory already. For what a method starts from, before it
    goes on to all documents, which may lie elsewhere.
    """
    kept = [_kept(domain) for domain in problem.domains]
    whole = all(
        len(own) == len(domain.rows) and not isinstance(domain.matrix, RowsElsewhere)
        for own, domain in zip(kept, problem.domains, strict=True)
    )
    return problem if whole else part_of(problem, kept)


def _kept(domain: Domain) -> Positions:
    n = len(domain.rows)
    if n <= AT_MOST or domain.fully_labeled:
        return np.arange(n)
    if not domain.labeled.any():  # what is drawn is all that is held, however many there are
        return drawn_rows(n, AT_MOST)
    others = np.flatnonzero(~domain.labeled)
    return np.sort(np.concatenate([np.flatnonzero(domain.labeled), others[drawn_rows(len(others), AT_MOST)]]))


def part_of(problem: Problem, kept: Sequence[Positions]) -> Problem:
    """Some documents of each domain, and the share of each class among those whose label may be read."""
    pairs = list(zip(problem.domains, kept, strict=True))
    together = stack([taken_rows(domain.matrix, own) for domain, own in pairs])
    ends = np.cumsum([0, *map(len, kept)]).tolist()
    domains = tuple(  # each with its rows of one matrix: that of all domains takes no memory of its own
        replace(
            domain,
            matrix=rows_of(together, *span),
            rows=own + domain.rows.start if isinstance(domain.rows, range) else domain.rows[own],
            labels=domain.labels[own],
            labeled=domain.labeled[own],
        )
        for (domain, own), span in zip(pairs, pairwise(ends), strict=True)
    )
    counts = np.sum([domain.labels.sum(axis=0) for domain in domains], axis=0)
    return problem.with_domains(domains, class_prior=counts / counts.sum())
