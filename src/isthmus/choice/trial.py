"""All candidates on one problem, and the choice among them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.choice import alarm as alarms
from isthmus.choice import candidates as names
from isthmus.choice import rules
from isthmus.choice.alarm import Alarm
from isthmus.choice.candidates import Candidate, combined, portfolio, spread_of
from isthmus.choice.evidence import (
    Evidence,
    agreement,
    claimed_skill,
    likeness,
    modesty,
    neighbours_skill,
    normalised_cut,
    tempered,
)
from isthmus.choice.trust import Estimate, estimate_accuracy, sharpness_for
from isthmus.methods.shares import read_shares
from isthmus.problem import Problem
from isthmus.typing import Array, Mask


@dataclass(frozen=True, eq=False)
class Choice:
    """Who answers, and what is known about the answer."""

    names: tuple[str, ...]
    values: Array
    """Combined log-odds of the unlabelled documents."""
    spreads: list[float]
    evidence: Evidence
    estimate: Estimate
    alarms: list[Alarm]
    rows: list[dict[str, Any]]

    @property
    def probabilities(self) -> Array:
        return tempered(self.values, sharpness_for(self.values, self.estimate.value))

    def check(self, labels: Array) -> tuple[Mask, Array]:
        """Of the documents whose label is known after all: which are right, and the probabilities they were given."""
        known = labels.any(axis=1)
        given = self.probabilities[known]
        return given.argmax(axis=1) == labels[known].argmax(axis=1), given.max(axis=1)


class Clock:
    """How much time is left, for all trials of a fit together."""

    def __init__(self, max_time: float | None) -> None:
        self._end = math.inf if max_time is None else perf_counter() + max_time

    def has(self, seconds: float) -> bool:
        return perf_counter() + seconds <= self._end

    @property
    def is_over(self) -> bool:
        return not self.has(0)


class Trial:
    """Runs candidates, cheap ones first, on a problem that they share: maps and first classifiers are made once."""

    def __init__(self, problem: Problem, shares: Any, clock: Clock, random_state: Any) -> None:
        self.problem, self.shares, self.clock = problem, shares, clock
        read_shares(shares, problem)  # fails at once where it is wrong
        self.random_state = random_state
        self.candidates = {candidate.name: candidate for candidate in portfolio(shares, random_state)}
        self.answers: dict[str, Array] = {}
        """Class distributions of the unlabelled documents."""
        self.seconds: dict[str, float] = {}
        self.fell_out: dict[str, str] = {}

    def run(self, only: tuple[str, ...] = ()) -> None:
        """Let the candidates answer: all that there is time for, or the named ones."""
        nothing_to_do = not self.problem.unlabeled_documents().shape[0]
        unit = 0.0
        for candidate in self.candidates.values():
            if only and candidate.name not in only:
                continue
            reason = "nothing to label" if nothing_to_do and candidate.name != names.SOURCE_ONLY else ""
            reason = reason or self._obstacle(candidate, unit)
            if reason:
                self.fell_out[candidate.name] = reason
                continue
            began = perf_counter()
            self._answer(candidate)
            self.seconds[candidate.name] = perf_counter() - began
            unit = unit or self.seconds[candidate.name]

    def _obstacle(self, candidate: Candidate, unit: float) -> str:
        if candidate.needs_counts and any(_negative(domain.matrix) for domain in self.problem.domains):
            return "takes no negative features: see SignSplit"
        return "no time left" if unit and not self.clock.has(candidate.cost * unit) else ""

    def _answer(self, candidate: Candidate) -> None:
        parts = candidate.estimator._learn(self.problem)
        domains = self.problem.domains
        free = [part[~domain.labeled] for domain, part in zip(domains, parts, strict=True)]
        self.answers[candidate.name] = np.concatenate(free)

    def choose(self, checked: Array | None) -> Choice:
        """The team for topics or the other, or the source's own classifier. `checked` are labels that are known."""
        if not self.problem.unlabeled_documents().shape[0]:
            return self._choice((names.SOURCE_ONLY,), Evidence(), Estimate(1.0, 1.0, 1.0), [])
        evidence = self._evidence()
        estimate = self._estimate(evidence)
        team = self._team(evidence, checked, estimate)
        rung: list[Alarm] = []
        if evidence.strangeness > 0 and checked is None:
            certain = evidence.strangeness > rules.CERTAIN
            rung.append(alarms.unrelated(certain))
            team = (names.SOURCE_ONLY,) if certain else team
            estimate = _doubted(estimate, certain, self.problem.n_classes)
        if team == (names.SOURCE_ONLY,) and checked is not None and len(set(self._teams().values())) > 1:
            rung.append(alarms.harm())
        if not rung:  # a worse message says it all
            gone = self._missing_classes()
            rung += [alarms.missing(gone)] if gone else self._shares_alarm(evidence, team)
        return self._choice(team, evidence, estimate, rung)

    def settled(self, choice: Choice) -> Choice:
        """The same choice with the answers of this trial."""
        again = self._choice(choice.names, choice.evidence, choice.estimate, choice.alarms)
        return replace(again, rows=choice.rows)

    def _choice(self, team: tuple[str, ...], evidence: Evidence, estimate: Estimate, rung: list[Alarm]) -> Choice:
        answers = [self.answers[name] for name in team]
        spreads = [spread_of(answer) if len(answer) else 1.0 for answer in answers]
        values = combined(answers, spreads)
        return Choice(team, values, spreads, evidence, estimate, rung, self._rows(team, values, evidence))

    def _evidence(self) -> Evidence:
        problem, n_classes = self.problem, self.problem.n_classes
        X, known = problem.labeled_documents()
        free, answers = problem.unlabeled_documents(), self.answers
        voices = [answers[n] for n in (names.SHORT, names.WITH_MSDA, names.WITH_LSA) if n in answers]
        voices = voices or [answers[names.SOURCE_ONLY]]
        leader = answers.get(names.SHORT, answers[names.SOURCE_ONLY])
        led, steady = names.SHORT in answers, names.SHORT in answers and names.LONG in answers
        first = answers[names.SOURCE_ONLY]
        across = any(d.is_target for d in problem.domains) and any(not d.is_target for d in problem.domains)
        return Evidence(
            cut=normalised_cut(free, leader.argmax(axis=1), n_classes) if sp.issparse(free) else None,
            neighbours=neighbours_skill(X, known, n_classes),
            steadiness=agreement(answers[names.LONG], answers[names.SHORT]) if steady else None,
            following=agreement(leader, first) if led and across else None,
            first_cut=normalised_cut(free, first.argmax(axis=1), n_classes) if led and across else None,
            confidence=float(np.mean([claimed_skill(voice) for voice in voices])),
            likeness=likeness(problem, leader.argmax(axis=1)),
            modesty=modesty(X, known, n_classes),
            smallness=1 / (1 + ((X.shape[0] + free.shape[0]) / rules.FEW_DOCUMENTS) ** 2),
        )

    def _estimate(self, evidence: Evidence) -> Estimate:
        rule = rules.ESTIMATE_AT_UNKNOWN_SHARES if self.shares == "unknown" else rules.ESTIMATE
        return estimate_accuracy(evidence, self.problem.n_classes, rule)

    def _teams(self) -> dict[str, tuple[str, ...]]:
        rest = names.FOR_THE_REST_AT_UNKNOWN_SHARES if self.shares == "unknown" else names.FOR_THE_REST
        wanted = {"topics": names.FOR_TOPICS, "rest": rest, "source": (names.SOURCE_ONLY,)}
        present = {team: tuple(n for n in members if n in self.answers) for team, members in wanted.items()}
        short = tuple(n for n in (names.SHORT,) if n in self.answers)
        return {team: members or short or (names.SOURCE_ONLY,) for team, members in present.items()}

    def _team(self, evidence: Evidence, checked: Array | None, estimate: Estimate) -> tuple[str, ...]:
        """By the indicators; with labels that are known, also by how probable each team finds them.

        Labels of some classes only would speak for whoever overrates these.
        """
        teams = self._teams()
        chances = {
            "topics": rules.PRIOR_FOR_THE_EVIDENCE * (evidence.topicality > 0),
            "rest": rules.PRIOR_FOR_THE_EVIDENCE * (evidence.topicality <= 0),
            "source": rules.PRIOR_FOR_THE_EVIDENCE - rules.PRIOR_AGAINST_SOURCE_ONLY,
        }
        if checked is not None and checked.any(axis=0).all():
            known = checked.any(axis=1)
            for team, members in teams.items():
                answers = [self.answers[name] for name in members]
                values = combined(answers, [spread_of(answer) for answer in answers])
                probabilities = tempered(values, sharpness_for(values, estimate.value))[known]
                chances[team] += float(np.log(np.maximum((probabilities * checked[known]).sum(axis=1), 1e-3)).sum())
        return teams[max(chances, key=lambda team: chances[team])]

    def _shares_alarm(self, evidence: Evidence, team: tuple[str, ...]) -> list[Alarm]:
        """Where classes are topics, candidates that need no shares are a check on those that do."""
        if self.shares != "source" or team != names.FOR_TOPICS or self.clock.is_over:
            return []
        free = Trial(self.problem, "unknown", Clock(None), self.random_state)
        free.run(only=(names.SHORT,))
        shares = free.answers[names.SHORT].argmax(axis=1)
        found = np.bincount(shares, minlength=self.problem.n_classes) / len(shares)
        if np.abs(found - self.problem.class_prior).max() < rules.SHARES_SHIFT:
            return []
        free.run(only=(names.LONG, names.MIXTURE))
        free.answers[names.TOPICS] = self.answers[names.TOPICS]
        with_shares, without = (trial._choice(team, evidence, Estimate(1, 1, 1), []).values for trial in (self, free))
        same = float(np.mean(with_shares.argmax(axis=1) == without.argmax(axis=1)))
        return [alarms.shares()] if same < rules.SHARES_AGREEMENT else []

    def _missing_classes(self) -> list[object]:
        labels = self.answers[names.SOURCE_ONLY].argmax(axis=1)
        found = np.bincount(labels, minlength=self.problem.n_classes) / len(labels)
        few = found < rules.MISSING_CLASS * self.problem.class_prior
        return list(self.problem.classes[few].tolist()) if len(labels) >= 1 / rules.MISSING_CLASS else []

    def corrected_shares(self, choice: Choice, checked: Array) -> Any:
        """The class shares after a look at labels that are known.

        As with the estimated accuracy, what counts is how the known labels differ from what was expected of these very
        documents, which need not be a random draw.
        """
        if isinstance(self.shares, dict):
            return self.shares
        known, expected = checked.any(axis=1), choice.probabilities
        surprise = (checked[known] - expected[known]).sum(axis=0) / (known.sum() + rules.SHARES_WORTH)
        shares = np.maximum(expected.mean(axis=0) + surprise, 1 / len(expected))
        return dict(zip(self.problem.classes.tolist(), (shares / shares.sum()).tolist(), strict=True))

    def shares_by_class(self) -> dict[Any, float] | None:
        """The shares that candidates went by, None if they were not known."""
        shares = read_shares(self.shares, self.problem)
        return None if shares is None else dict(zip(self.problem.classes.tolist(), shares.tolist(), strict=True))

    def _rows(self, team: tuple[str, ...], values: Array, evidence: Evidence) -> list[dict[str, Any]]:
        rows = []
        for name in self.candidates:
            answer = self.answers.get(name)
            rows.append(
                {
                    "name": name,
                    "seconds": self.seconds.get(name),
                    "confidence": None if answer is None or not len(answer) else float(answer.max(axis=1).mean()),
                    "agreement": None
                    if answer is None or not len(answer)
                    else float(np.mean(answer.argmax(axis=1) == values.argmax(axis=1))),
                    "why": self.fell_out.get(name) or _why(name, team, evidence),
                }
            )
        return rows


def _why(name: str, team: tuple[str, ...], evidence: Evidence) -> str:
    kind = "like topics" if evidence.topicality > 0 else "unlike topics"
    said = f"classes look {kind} ({evidence.topicality:+.1f})"
    if name in team:
        if team == (names.SOURCE_ONLY,):
            return "asked: " + ("the domains look unrelated" if evidence.strangeness > 0 else "nothing better")
        return f"asked: {said}"
    if name in names.FOR_TOPICS or name in names.FOR_THE_REST:
        return f"not asked: {said}"
    return "for comparison" if name == names.SOURCE_ONLY else "for evidence"


def _doubted(estimate: Estimate, certain: bool, n_classes: int) -> Estimate:
    """Where the domains look unrelated: what it looks like, or half way to guessing, or anything less."""
    value = (estimate.value + 1 / n_classes) / 2 if certain else estimate.value
    return Estimate(value, 0.0, estimate.high)


def _negative(matrix: Any) -> bool:
    values = matrix.data if hasattr(matrix, "data") and hasattr(matrix, "nnz") else matrix
    return bool(np.size(values) and np.min(values) < 0)
