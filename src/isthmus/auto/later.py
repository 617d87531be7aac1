"""How sure an ensemble is of documents that come later, beside those that it has learned from."""

from __future__ import annotations

import numpy as np

from isthmus.auto import candidates as names
from isthmus.auto.averaging import spread_of
from isthmus.auto.run import Run
from isthmus.auto.sample import part_of
from isthmus.core.problem import Problem
from isthmus.core.workspace import Workspace
from isthmus.typing import Matrix

PROBES = (names.SHORT, names.MIXTURE)
"""Cheap candidates that learn from pseudo-labels as the members do."""
FEWEST = 50
"""Documents in a half of the target."""
MOST = 3.0


def surplus_of_seen(run: Run) -> float:
    """How much wider log-odds of documents are that an ensemble has learned from than those of others: cross-fitting.

    Pseudo-labels confirm themselves, so that members are surer of the documents that had one, and no more often right.
    The sharpness that was found for those would leave later documents too unsure. Cheap candidates that learn in the
    same way are let see half of the target, and asked about the other half.
    """
    if any(name in run.skipped for name in PROBES):
        return 1.0
    half, unseen = _halves(run.problem)
    seen = half.unlabeled
    if min(seen.shape[0], unseen.shape[0]) < FEWEST:
        return 1.0
    workspace, ratios = Workspace(), []
    for name in PROBES:
        candidate = run.candidates[name]
        method = candidate.method(**candidate.settings, target_prior=run.target_prior)
        solution = method.solve(half, workspace)
        ratios.append(spread_of(solution.assign(seen, None)) / spread_of(solution.assign(unseen, None)))
    return float(np.clip(np.mean(ratios), 1, MOST))


def _halves(problem: Problem) -> tuple[Problem, Matrix]:
    """The problem with about half of the documents that have no label, and the other half."""
    rng = np.random.default_rng(0)
    kept = [domain.labeled | (rng.random(len(domain.labeled)) < 0.5) for domain in problem.domains]
    unseen = np.concatenate([~own[~domain.labeled] for own, domain in zip(kept, problem.domains, strict=True)])
    return part_of(problem, kept), problem.unlabeled[unseen]
