"""Running candidates on one problem."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

from isthmus.auto import candidates as names
from isthmus.auto.candidates import PORTFOLIO, Candidate
from isthmus.core.priors import read_prior
from isthmus.core.problem import Problem
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.typing import Array


class Clock:
    """How much time is left, for all runs of a fit together."""

    def __init__(self, max_time: float | None) -> None:
        self._end = math.inf if max_time is None else perf_counter() + max_time

    def has(self, seconds: float) -> bool:
        return perf_counter() + seconds <= self._end


class Run:
    """Candidates, cheap ones first, in a workspace that they share: maps and first classifiers are made once."""

    def __init__(
        self, problem: Problem, workspace: Workspace, target_prior: Any, clock: Clock, random_state: Any
    ) -> None:
        self.problem, self.workspace = problem, workspace
        self.n_unlabeled = int(problem.unlabeled.shape[0])
        self.target_prior, self.clock, self.random_state = target_prior, clock, random_state
        self.prior = read_prior(target_prior, self.problem)  # fails at once where it is wrong
        self.ensembles = names.AT_UNKNOWN_PRIOR if target_prior == "unknown" else names.AT_KNOWN_PRIOR
        self.candidates = {candidate.name: candidate for candidate in PORTFOLIO}
        self.solutions: dict[str, Solution] = {}
        self.answers: dict[str, Array] = {}
        """Class probabilities of the unlabelled documents."""
        self.seconds: dict[str, float] = {}
        self.skipped: dict[str, str] = {}
        """Why a candidate did not run."""
        self.unit = 0.0
        """Seconds that the first logistic regression took."""

    def start(self, only: tuple[str, ...] = ()) -> None:
        """Let the candidates answer: all that there is time for, or the named ones."""
        for candidate in self.candidates.values():
            if only and candidate.name not in only:
                continue
            reason = self._obstacle(candidate, bool(only))
            if reason:
                self.skipped[candidate.name] = reason
                continue
            began = perf_counter()
            given = {"target_prior": self.target_prior} if candidate.at_prior else {}
            if candidate.name == names.TOPICS:
                given["random_state"] = self.random_state
            solution = candidate.method(**candidate.settings, **given).solve(self.problem, self.workspace)
            self.solutions[candidate.name] = solution
            self.answers[candidate.name] = solution.transduce(self.problem)
            self.seconds[candidate.name] = perf_counter() - began
            self.unit = self.unit or self.seconds[candidate.name]

    def expected_seconds(self, some: tuple[str, ...]) -> float:
        """What these candidates and those that they start from will take, unless they have run."""
        return self.unit * sum(self.candidates[name].cost for name in self._with_starts(some) - set(self.answers))

    def seconds_of(self, some: tuple[str, ...]) -> float:
        """What these candidates and those that they start from have taken."""
        return sum(self.seconds.get(name, 0.0) for name in self._with_starts(some))

    def prior_by_class(self) -> dict[Any, float] | None:
        """The prior that candidates went by, None if it was not known."""
        if self.prior is None:
            return None
        return dict(zip(self.problem.classes.tolist(), self.prior.tolist(), strict=True))

    def _with_starts(self, some: tuple[str, ...]) -> set[str]:
        return {name for own in some for name in (own, self.candidates[own].starts_from) if name}

    def _obstacle(self, candidate: Candidate, asked_for: bool) -> str:
        if not self.n_unlabeled and candidate.name != names.SOURCE_ONLY:
            return "nothing to label"
        if not asked_for and candidate.name not in self._with_starts(self.ensembles.needed):
            return "needs a class prior"
        if candidate.needs_counts and self.problem.is_signed:
            return "takes no negative features: see SignSplit"
        needed = self.expected_seconds((candidate.name,)) + self.unit * names.DIAGNOSTICS_COST
        return "no time left" if self.unit and not self.clock.has(needed) else ""
