"""Running candidates on one problem."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import Context, copy_context
from time import perf_counter
from typing import Any

import numpy as np

from isthmus.auto import candidates as names
from isthmus.auto.candidates import AT_OTHER_PRIOR, AT_SOURCE_PRIOR, NEAR, PORTFOLIO, Candidate
from isthmus.auto.label_shift import Evidence, evidence_for, prior_of_target, weight_of_found
from isthmus.core.numerics import in_threads
from isthmus.core.parts import row_parts
from isthmus.core.priors import pseudo_labels, read_prior
from isthmus.core.problem import Problem
from isthmus.core.progress import announce
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.typing import Array

TO_BE_FOUND = ("auto", "unknown")
"""What may be said of a prior that is nobody's hypothesis yet."""


class Clock:
    """How much time is left, for all runs of a fit together."""

    def __init__(self, max_time: float | None) -> None:
        self._end = math.inf if max_time is None else perf_counter() + max_time

    def has(self, seconds: float) -> bool:
        return perf_counter() + seconds <= self._end


class Run:
    """Candidates, cheap ones first, in a workspace that they share: maps and first classifiers are made once."""

    def __init__(
        self,
        problem: Problem,
        workspace: Workspace,
        target_prior: Any,
        clock: Clock,
        random_state: Any,
        n_embedding_features: int = 0,
    ) -> None:
        self._whole, self.workspace = problem, workspace
        self.problem = problem.first_columns(problem.n_words - n_embedding_features)
        """Words alone: what diagnostics and priors go by."""
        self.n_unlabeled = int(problem.unlabeled.shape[0])
        self.asked_for, self.clock, self.random_state = target_prior, clock, random_state
        self.source_prior = self._read("source")
        self._go_by("source" if target_prior in TO_BE_FOUND else target_prior)  # fails at once where it is wrong
        self.found_shares = self.source_prior
        """Of the classes in the target, as balanced self-training finds them,"""
        self.prior_was_found = False
        self.found_weight = 0.0
        """and how far the target prior goes from the source's to them."""
        self.evidence: dict[str, Evidence] = {}
        """For each prior that was tried, "source" and "found", what its pseudo-labels are worth."""
        self.candidates = {own.name: own for own in PORTFOLIO if n_embedding_features or not own.sees_embeddings}
        self._wanted: tuple[str, ...] = ()
        self._begun: list[str] = []
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
        self._wanted = only or tuple(name for name, own in self.candidates.items() if not own.on_demand)
        if only:
            self._side_by_side(self._solve, [self.candidates[name] for name in only])
            return
        self._attempt(self.candidates[names.SOURCE_ONLY])
        self._find_prior()
        if names.SHORT not in self.answers:  # another starts from it
            self._attempt(self.candidates[names.SHORT])
        begun = {*self.answers, *self.skipped}
        waiting = [own for own in self.candidates.values() if own.name not in begun and not own.on_demand]
        self._side_by_side(self._attempt, waiting)

    def complete(self, members: tuple[str, ...]) -> None:
        """Let those answer that run on demand, if there is the time."""
        for name in members:
            if name in self.candidates and self.candidates[name].on_demand and name not in self.answers:
                self._attempt(self.candidates[name])

    def answers_to(self, problem: Problem, name: str) -> Array:
        """What a candidate that has run says of the unlabelled documents of another problem, as if these came later."""
        solution, width = self.solutions[name], self.width_of(name)
        mixed = [number for number, domain in enumerate(problem.domains) if not domain.fully_labeled]
        parts = [(number, part) for number in mixed for _, part in row_parts(problem.domains[number].unlabeled)]
        return np.concatenate([solution.assign(part[:, :width], number) for number, part in parts])

    def expected_seconds(self, some: tuple[str, ...]) -> float:
        """What these candidates and those that they start from will take, unless they have run."""
        return self.unit * sum(self.candidates[name].cost for name in self._with_starts(some) - set(self.answers))

    def seconds_of(self, some: tuple[str, ...]) -> float:
        """What these candidates and those that they start from have taken."""
        return sum(self.seconds.get(name, 0.0) for name in self._with_starts(some))

    def width_of(self, name: str) -> int:
        """How many features a candidate reads, from the left."""
        return (self._whole if self.candidates[name].sees_embeddings else self.problem).n_words

    def prior_by_class(self) -> dict[Any, float]:
        """The prior that candidates went by."""
        return dict(zip(self.problem.classes.tolist(), self.prior.tolist(), strict=True))

    def differs_from(self, target_prior: Any) -> bool:
        """Whether candidates would answer otherwise by this prior: not, where it is near."""
        return bool(np.abs(self._read(target_prior) - self.prior).max() >= NEAR)

    def _find_prior(self) -> None:
        """Go from the source's prior as far to the one that balanced self-training finds as there is evidence for it.

        Where the prior is said to be unknown, the source's is no hypothesis.
        """
        if self.asked_for not in TO_BE_FOUND:
            return
        seconds = self.expected_seconds((names.BALANCED, names.SHORT)) + self.unit * names.EVIDENCE_COST
        if not self.n_unlabeled or not self.clock.has(seconds):
            return
        both = self.asked_for == "auto"
        asked = (names.BALANCED, names.SHORT) if both else (names.BALANCED,)
        self._side_by_side(self._attempt, [self.candidates[name] for name in asked])
        labels = self.answers[names.BALANCED].argmax(axis=1)
        self.found_shares = np.bincount(labels, minlength=self.problem.n_classes) / len(labels)
        self.found_weight = 1.0
        if both:
            at_source = pseudo_labels(np.log(np.maximum(self.answers[names.SHORT], 1e-12)), self.source_prior)
            source, found = in_threads(evidence_for, [self.problem] * 2, [at_source, labels])
            self.evidence = {"source": source, "found": found}
            n = min(len(labels), len(self.problem.labeled[1]))
            self.found_weight = weight_of_found(self.evidence["found"], self.evidence["source"], n)
        if self.found_weight:
            mixed = self.found_weight * self.found_shares + (1 - self.found_weight) * self.source_prior
            self._go_by(prior_of_target(self.problem, mixed * len(labels)))
            self.prior_was_found = True
            self.answers.pop(names.SHORT, None)  # at another prior, again

    def _side_by_side(self, solve: Callable[[Candidate], None], some: list[Candidate]) -> None:
        """None of them needs another. Whoever listens to progress is told from their threads as well."""
        list(in_threads(Context.run, [copy_context() for _ in some], [solve] * len(some), some))

    def _go_by(self, target_prior: Any) -> None:
        """Candidates will go by this prior."""
        self.target_prior = target_prior
        self.prior = self._read(target_prior)
        """Of the unlabelled documents."""
        self.prior_shift = float(np.abs(self.prior - self.source_prior).sum() / 2)
        """How much of the target would have to change its class for the source's prior: total variation."""
        self.ensembles = AT_SOURCE_PRIOR if np.abs(self.prior - self.source_prior).max() < NEAR else AT_OTHER_PRIOR

    def _read(self, target_prior: Any) -> Array:
        found = read_prior(target_prior, self.problem)
        assert found is not None
        return found

    def _attempt(self, candidate: Candidate) -> None:
        reason = self._obstacle(candidate)
        if reason:
            self.skipped[candidate.name] = reason
        else:
            self._solve(candidate)

    def _solve(self, candidate: Candidate) -> None:
        began = perf_counter()
        self._begun.append(candidate.name)
        done = {*self._begun, *self.skipped}
        announce(candidate.name, [name for name in self._wanted if name not in done])
        given = {"target_prior": self.target_prior} if candidate.at_prior else {}
        if candidate.name == names.TOPICS:
            given["random_state"] = self.random_state
        problem = self._whole if candidate.sees_embeddings else self.problem
        solution = candidate.method(**candidate.settings, **given).solve(problem, self.workspace)
        self.solutions[candidate.name] = solution
        self.answers[candidate.name] = solution.transduce(problem)
        self.seconds[candidate.name] = self.seconds.get(candidate.name, 0.0) + perf_counter() - began
        self.unit = self.unit or self.seconds[candidate.name]

    def _with_starts(self, some: tuple[str, ...]) -> set[str]:
        return {name for own in some for name in (own, self.candidates[own].starts_from) if name}

    def _obstacle(self, candidate: Candidate) -> str:
        if not self.n_unlabeled and candidate.name != names.SOURCE_ONLY:
            return "nothing to label"
        if candidate.needs_counts and self.problem.is_signed:
            return "takes no negative features: see SignSplit"
        needed = self.expected_seconds((candidate.name,)) + self.unit * names.DIAGNOSTICS_COST
        return "no time left" if self.unit and not self.clock.has(needed) else ""
