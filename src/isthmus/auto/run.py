"""Running candidates on one problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import softmax

from isthmus.auto import candidates
from isthmus.auto.averaging import combine, spread_of
from isthmus.auto.candidates import APART, FEW, MANY, NEAR, OF_SEVERAL, PORTFOLIO, Candidate
from isthmus.auto.distillation import can_distill, distill
from isthmus.auto.label_shift import (
    HANDFUL,
    Evidence,
    LookedAt,
    domain_auc,
    evidence_for,
    looked_at,
    prior_of_target,
    reverse_auc,
    validated_in_source,
    weights_of,
)
from isthmus.core.numerics import in_threads
from isthmus.core.parts import by_parts
from isthmus.core.priors import offsets_at, read_prior
from isthmus.core.problem import Problem
from isthmus.core.progress import announce
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.methods.self_labeling.naive_bayes_em import expectation_maximization
from isthmus.typing import Array, Matrix, Positions

TO_BE_FOUND = ("auto", "unknown")
"""What may be said of a prior that is nobody's hypothesis yet."""
NO_TIME = "no time left"
"""Why a candidate did not run."""
LEAST_WEIGHT = 0.05
"""A hypothesis that would count for less is no member of an ensemble."""
SURE = 2.0
"""Chosen in trials: how sharp the hypotheses' consensus is where a mixture starts from it."""
SAME, ALIKE = 0.6, 0.85
"""Chosen in trials: AUC of a domain classifier below which two domains are one, and below which they may be, if the
source's classifier says so as well."""
ROUNDS_OF_SEVERAL = 3
"""Chosen in trials: how often a mixture of more than two classes goes on from what all members say. Of two, all is said
after the first time."""


class Clock:
    """How much time is left, for all runs of a fit together."""

    def __init__(self, max_time: float | None) -> None:
        self._end = math.inf if max_time is None else perf_counter() + max_time

    def has(self, seconds: float) -> bool:
        return perf_counter() + seconds <= self._end


class Run:
    """Candidates, cheap ones first, in a workspace that they share: maps and first classifiers are made once.

    First come the hypotheses, and more cautious ones where these do not agree on the prior. What they say together,
    each by its weight, is the consensus, and the mean of their priors is the one that other candidates go by.
    """

    def __init__(
        self,
        problem: Problem,
        workspace: Workspace,
        target_prior: Any,
        clock: Clock,
        random_state: Any,
    ) -> None:
        self._whole, self.workspace = problem, workspace
        self.problem = problem.words_alone
        """What diagnostics go by."""
        self.n_unlabeled = int(problem.unlabeled.shape[0])
        self.asked_for, self.clock, self.random_state = target_prior, clock, random_state
        self.source_prior = self._read("source")
        self._go_by("source" if target_prior in TO_BE_FOUND else target_prior)  # fails at once where it is wrong
        self.prior_was_found = False
        self.evidence: dict[str, Evidence] = {}
        """For each hypothesis that was tried, what its pseudo-labels are worth."""
        self.weights: dict[str, float] = {}
        """How much each hypothesis counts. All other candidates count for one."""
        self.looked_at = LookedAt(np.arange(0), np.arange(0))
        """The documents that evidence counts."""
        self.consensus: Array = np.zeros((0, problem.n_classes))
        """What the hypotheses say together, as scores; the first classifier's answer where there are none."""
        self.labels_at_first: Positions = np.arange(0)
        """Pseudo-labels by the first hypotheses, which may let go of the source: what diagnostics go by."""
        self.reverse_auc: float | None = None
        """AUC, in the source, of a classifier of the target with these labels."""
        self.domain_auc: float | None = None
        """Of a domain classifier; None where no hypothesis was tried, or there is hardly a document."""
        self.source_accuracy: float | None = None
        """Cross-validated, where it holds for the target; None where something has shifted."""
        self.candidates = {own.name: own for own in PORTFOLIO}
        left_out = () if self.problem.is_signed else (candidates.BALANCED,)
        self.hypotheses = tuple(name for name in candidates.HYPOTHESES if name not in left_out)
        self._wanted: tuple[str, ...] = ()
        self._begun: list[str] = []
        self.solutions: dict[str, Solution] = {}
        self.answers: dict[str, Array] = {}
        """Class probabilities of the unlabeled documents."""
        self.at_first: dict[str, Array] = {}
        """The same, before an ensemble was chosen and completed: what diagnostics go by."""
        self.adopted: dict[str, float] = {}
        """How much answers count that were found elsewhere."""
        self.seconds: dict[str, float] = {}
        self.skipped: dict[str, str] = {}
        """Why a candidate did not run."""
        self.unit = 0.0
        """Seconds that the first logistic regression took."""

    def start(self) -> None:
        """Let the candidates answer, all that there is time for but those on demand."""
        self._wanted = tuple(name for name, own in self.candidates.items() if not own.on_demand)
        self.looked_at = looked_at(self.problem, self.problem.of_target)
        self._attempt(self.candidates[candidates.SOURCE_ONLY])
        self._consider(self.hypotheses)
        self.labels_at_first = self._agreed().argmax(axis=1)
        if self.weights:
            self.reverse_auc = reverse_auc(self.problem, self.labels_at_first, self.looked_at)
        if self._priors_are_apart():
            self.hypotheses += candidates.CAUTIOUS
            self._consider(candidates.CAUTIOUS)
        self.consensus = self._agreed()
        self._compare_domains()
        self._attempt(self.candidates[candidates.MIXTURE])
        self.at_first = dict(self.answers)

    def repeat(self, members: tuple[str, ...], weights: Mapping[str, float], target_prior: Any) -> None:
        """Let the named ones answer, by weights and at a prior that another run has found."""
        self.hypotheses += candidates.CAUTIOUS  # which may be members
        weighed = (*self.hypotheses, candidates.LEARNER)
        self._wanted, self.weights = members, {name: weights[name] for name in members if name in weighed}
        first = [name for name in members if name in self.weights]
        if not first:  # there was no time for any: then others began with the source's classifier
            self._solve(self.candidates[candidates.SOURCE_ONLY])
        for turn in (first, [name for name in members if name not in (*first, candidates.DISTILLED)]):
            self._side_by_side(self._solve, [self.candidates[name] for name in turn])
            self._go_by(target_prior)
            self.consensus = self._agreed()
        self._go_on(members)

    def complete(self, members: tuple[str, ...]) -> None:
        """Let those answer that run on demand, if there is the time; then those that learn from what all say."""
        wanted = [name for name in members if name not in (*self.answers, candidates.DISTILLED)]
        self._side_by_side(self._attempt, [self.candidates[name] for name in wanted if self.candidates[name].on_demand])
        self._go_on(members)

    def members(self, topics: bool) -> tuple[str, ...]:
        """Of the ensemble for classes that are what documents are about, or for others, such as opinions.

        A mixture of the target finds what its documents are about. TCL makes classes like the source's, so that it is
        left out where the target prior is another. What they all say is distilled. What is not said in single words is
        looked for in the company that they keep, at the source's prior where the one that was found, of two classes, is
        about the same: of classes that lie close together, no share is found to a few percent. Where the prior had to
        be found, a classifier of the source joins them, which shares no mistake that is learned from the target.
        Hypotheses belong to both, if the evidence lets them count. Where nothing has shifted, there is nothing to be
        found in the target that the source does not tell: its classifier is the other member.
        """
        others: tuple[str, ...]
        if self.is_same_domain:
            others = (candidates.SAME_DOMAIN,)
        elif topics:
            is_near = np.abs(self.prior - self.source_prior).max() < NEAR
            others = (candidates.MIXTURE, *((candidates.TOPICS,) if is_near else ()), candidates.DISTILLED)
        else:
            is_near = self.prior_shift <= APART and not isinstance(self.asked_for, dict)
            others = candidates.UNSHIFTED if is_near and self.problem.n_classes == 2 else (candidates.TRANSDUCTIVE_DCI,)
            others += (candidates.SOURCE_LSA,) if self.asked_for in TO_BE_FOUND else ()
        count = tuple(name for name in self.hypotheses if self.weights.get(name, 1.0) >= LEAST_WEIGHT)
        return count + others

    def member_weights(self, members: tuple[str, ...]) -> list[float]:
        """Hypotheses count for one together, and so does each other member.

        Those that go by the source's prior count for one together; the source's classifier for less beside many
        documents; and a mixture of several classes for more if each has many.
        """
        total = sum(self.weights.get(name, 0.0) for name in members) or 1.0
        others = dict.fromkeys(candidates.UNSHIFTED, 1 / len(candidates.UNSHIFTED))
        if self.problem.n_classes > 2:
            others[candidates.MIXTURE] = OF_SEVERAL * min(1.0, self.n_unlabeled / (MANY * self.problem.n_classes))
        others |= self.adopted
        others[candidates.SOURCE_LSA] = min(1.0, FEW / max(self.n_unlabeled, 1)) ** 0.5
        return [self.weights[name] / total if name in self.weights else others.get(name, 1.0) for name in members]

    def average(
        self, members: tuple[str, ...], answers: Mapping[str, Array] | None = None
    ) -> tuple[Array, list[float]]:
        """What an ensemble says, as scores, and the spreads of its members; other answers than these may be theirs."""
        own = [(answers or self.answers)[name] for name in members]
        spreads = [spread_of(answer) for answer in own]
        return combine(own, spreads, self.member_weights(members)), spreads

    def offsets(self, scores: Array) -> list[float]:
        """What brings an ensemble's labels of two classes to a prior that was given; nothing, if none was.

        Members learn at it, and may find another one all the same, as a mixture does. Of more classes, it is better to
        leave it to them.
        """
        if not isinstance(self.asked_for, dict) or self.problem.n_classes > 2:
            return [0.0] * self.problem.n_classes
        return offsets_at(scores, self.prior).tolist()

    def answers_to(self, documents: Sequence[tuple[int, Matrix]], name: str) -> Array:
        """What a candidate that has run says of other documents, by the number of their domain: as of later ones."""
        found = [by_parts(partial(self._assigned, name, number), matrix) for number, matrix in documents]
        return found[0] if len(found) == 1 else np.concatenate([np.zeros((0, self.problem.n_classes)), *found])

    def expected_seconds(self, name: str) -> float:
        """What a candidate and the evidence for it will take."""
        cost = self.candidates[name].cost + candidates.EVIDENCE_COST * (name in self.hypotheses)
        return self.unit * cost

    def width_of(self, name: str) -> int:
        """How many features a candidate reads, from the left."""
        return (self._whole if self.candidates[name].pseudo_labels else self.problem).n_words

    @property
    def is_same_domain(self) -> bool:
        """Whether nothing has shifted that the source's classifier would notice."""
        return self.source_accuracy is not None

    def prior_by_class(self) -> dict[Any, float]:
        """The prior that candidates went by."""
        return dict(zip(self.problem.classes.tolist(), self.prior.tolist(), strict=True))

    def _compare_domains(self) -> None:
        """Find out whether anything has shifted, if there was time for more than the source's classifier.

        Who gives a prior says that it has.
        """
        if not self.weights or min(map(len, self.looked_at)) < HANDFUL:
            return
        self.domain_auc = domain_auc(self.problem, self.looked_at)
        if self.domain_auc < ALIKE and not isinstance(self.asked_for, dict):
            found = validated_in_source(self.problem, self.looked_at)
            if found is not None and (found.is_as_sure or self.domain_auc < SAME):
                self.source_accuracy = found.accuracy

    def _consider(self, hypotheses: tuple[str, ...]) -> None:
        """Let hypotheses answer, weigh all so far by the evidence for them, and go by the mean of their priors.

        At a prior that is given, and where a handful of documents shows nothing, all of them count alike.
        """
        self._side_by_side(self._attempt, [self.candidates[name] for name in hypotheses])
        tried = [name for name in self.hypotheses if name in self.answers]
        self.weights = {name: 1 / len(tried) for name in tried}
        if self.asked_for not in TO_BE_FOUND or self.n_unlabeled < HANDFUL or not tried:
            return
        if len(tried) > 1:
            views = [self.problem] if self._whole is self.problem else [self.problem, self._whole]
            new = [name for name in tried if name not in self.evidence]
            each = [views] * len(new), [self._labels(name) for name in new], [self.looked_at] * len(new)
            self.evidence |= dict(zip(new, in_threads(evidence_for, *each), strict=True))
            n = min(self.n_unlabeled, len(self.problem.labeled[1]))
            found = weights_of([self.evidence[name] for name in tried], n)
            self.weights = dict(zip(tried, found.tolist(), strict=True))
        self.prior_was_found = True
        counts = np.average([self._counts(name) for name in tried], axis=0, weights=list(self.weights.values()))
        self._go_by(prior_of_target(self.problem, counts))

    def _priors_are_apart(self) -> bool:
        """Whether any two hypotheses find unlike priors of two classes. Of more, no caution helped in trials."""
        if self.problem.n_classes > 2:
            return False
        shares = [self._counts(name) / max(self.problem.of_target.sum(), 1) for name in self.evidence]
        return any(np.abs(one - other).sum() / 2 > APART for one, other in combinations(shares, 2))

    def _labels(self, name: str) -> Positions:
        return self.answers[name].argmax(axis=1)

    def _counts(self, name: str) -> Positions:
        """How many documents of the target have each label."""
        return np.bincount(self._labels(name)[self.problem.of_target], minlength=self.problem.n_classes)

    def _agreed(self) -> Array:
        """What the hypotheses say together."""
        own = tuple(name for name in self.weights if name in self.answers) or (candidates.SOURCE_ONLY,)
        return self.average(own)[0] if own[0] in self.answers else self.consensus

    def _side_by_side(self, solve: Callable[[Candidate], None], some: list[Candidate]) -> None:
        """Those that read the same features in turn, as these are made once; whoever listens is told from all threads.

        None of them needs another's answer.
        """
        groups: dict[Any, list[Candidate]] = {}
        for own in some:
            groups.setdefault(own.settings.get("features"), []).append(own)

        def in_turn(group: list[Candidate]) -> None:
            for own in group:
                solve(own)

        list(in_threads(in_turn, list(groups.values())))

    def _assigned(self, name: str, number: int, X: Matrix) -> Array:
        width = self.width_of(name)
        return self.solutions[name].assign(X if width == X.shape[1] else X[:, :width], number)

    def _go_by(self, target_prior: Any) -> None:
        """Candidates will go by this prior."""
        self.target_prior = target_prior
        self.prior = self._read(target_prior)
        """Of the unlabeled documents."""
        self.prior_shift = float(np.abs(self.prior - self.source_prior).sum() / 2)
        """How much of the target would have to change its class for the source's prior: total variation."""

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
        problem = self._whole if candidate.pseudo_labels else self.problem
        with self._timed(candidate.name):
            if candidate.method is None:
                self._mix(self.consensus)
                return
            method = candidate.method(**candidate.settings, **self._told(candidate))
            solution = self.solutions[candidate.name] = method.solve(problem, self.workspace)
            self.answers[candidate.name] = solution.transduce(problem)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        """Whoever listens is told that a candidate begins, and the leaderboard how long it took."""
        began = perf_counter()
        self._begun.append(name)
        done = {*self._begun, *self.skipped}
        announce(name, [other for other in self._wanted if other not in done])
        yield
        self.seconds[name] = perf_counter() - began
        self.unit = self.unit or self.seconds[name]

    def _mix(self, scores: Array) -> None:
        """Let the mixture answer, started from these scores."""
        solution = expectation_maximization(self.problem, softmax(SURE * scores, axis=1))
        self.solutions[candidates.MIXTURE] = solution
        self.answers[candidates.MIXTURE] = solution.transduce(self.problem)

    def _go_on(self, members: tuple[str, ...]) -> None:
        """Start the mixture, if it is a member, again from what all members say: together they know more.

        Then distil that, if this is a member.
        """
        present = tuple(name for name in members if name in self.answers and name != candidates.DISTILLED)
        if candidates.MIXTURE in present:
            for _ in range(ROUNDS_OF_SEVERAL if self.problem.n_classes > 2 else 1):
                self._mix(self.average(present)[0])
        if candidates.DISTILLED in members and present:
            self._distill(self.average(present)[0].argmax(axis=1))

    def _distill(self, labels: Positions) -> None:
        """Let a classifier learn these labels, if there is the time and each class has some."""
        name = candidates.DISTILLED
        reason = self._obstacle(self.candidates[name])
        if reason or not can_distill(labels, self.problem.n_classes):
            self.skipped[name] = reason or "a class has too few documents"
            return
        with self._timed(name):
            found = distill(self._whole.unlabeled, labels, self.problem.n_classes)
            self.solutions[name], self.answers[name] = found

    def _told(self, candidate: Candidate) -> dict[str, Any]:
        """What a candidate is told of this run."""
        if candidate.name == candidates.TOPICS:
            return {"random_state": self.random_state}
        if not candidate.pseudo_labels or "target_prior" in candidate.settings:
            return {}
        free = self.asked_for in TO_BE_FOUND and candidate.name in (*self.hypotheses, candidates.SAME_DOMAIN)
        return {"target_prior": "unknown" if free else self.target_prior}

    def _obstacle(self, candidate: Candidate) -> str:
        if not self.n_unlabeled and candidate.name != candidates.SOURCE_ONLY:
            return "nothing to label"
        if candidate.needs_counts and self.problem.is_signed:
            return "takes no negative features: see SignSplit"
        needed = self.expected_seconds(candidate.name) + self.unit * candidates.DIAGNOSTICS_COST
        return NO_TIME if self.unit and not self.clock.has(needed) else ""
