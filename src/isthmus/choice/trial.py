"""All candidates on one problem, and the choice among them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import binom

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
from isthmus.methods.shares import SHARES_WORTH, read_shares
from isthmus.problem import Problem
from isthmus.typing import Array, Mask

SOURCE = "source"
"""Among the kinds of teams: the source's classifier alone."""


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


class Trial:
    """Runs candidates, cheap ones first, on a problem that they share: maps and first classifiers are made once."""

    def __init__(self, problem: Problem, shares: Any, clock: Clock, random_state: Any) -> None:
        self.problem, self.shares, self.clock = problem, shares, clock
        read_shares(shares, problem)  # fails at once where it is wrong
        self.random_state = random_state
        self.teams = names.AT_UNKNOWN_SHARES if shares == "unknown" else names.AT_GIVEN_SHARES
        self.candidates = {candidate.name: candidate for candidate in portfolio(shares, random_state)}
        self.answers: dict[str, Array] = {}
        """Class distributions of the unlabelled documents."""
        self.seconds: dict[str, float] = {}
        self.fell_out: dict[str, str] = {}
        self.unit = 0.0
        """Seconds that the first logistic regression took."""

    def run(self, only: tuple[str, ...] = ()) -> None:
        """Let the candidates answer: all that there is time for, or the named ones."""
        for candidate in self.candidates.values():
            if only and candidate.name not in only:
                continue
            reason = self._obstacle(candidate, bool(only))
            if reason:
                self.fell_out[candidate.name] = reason
                continue
            began = perf_counter()
            self._answer(candidate)
            self.seconds[candidate.name] = perf_counter() - began
            self.unit = self.unit or self.seconds[candidate.name]

    def expected_seconds(self, some: tuple[str, ...]) -> float:
        """What these candidates and those that they start from will take, unless they have run."""
        return self.unit * sum(self.candidates[name].cost for name in self._with_starts(some) - set(self.answers))

    def seconds_of(self, some: tuple[str, ...]) -> float:
        """What these candidates and those that they start from have taken."""
        return sum(self.seconds.get(name, 0.0) for name in self._with_starts(some))

    def _with_starts(self, some: tuple[str, ...]) -> set[str]:
        return {name for own in some for name in (own, self.candidates[own].starts_from) if name}

    def _obstacle(self, candidate: Candidate, asked_for: bool) -> str:
        if not self.problem.unlabeled_documents().shape[0] and candidate.name != names.SOURCE_ONLY:
            return "nothing to label"
        if not asked_for and candidate.name not in self._with_starts(self.teams.needed):
            return "needs class shares"
        if candidate.needs_counts and any(_negative(domain.matrix) for domain in self.problem.domains):
            return "takes no negative features: see SignSplit"
        needed = self.expected_seconds((candidate.name,)) + self.unit * names.EVIDENCE
        return "no time left" if self.unit and not self.clock.has(needed) else ""

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
        kind, reason = self._kind(evidence, checked, estimate)
        team = self._teams()[kind]
        rung: list[Alarm] = []
        if evidence.strangeness > 0 and (checked is None or not self._is_worth_something(team, checked)):
            certain = evidence.strangeness > rules.CERTAIN
            rung.append(alarms.unrelated(certain, 0 if checked is None else int(checked.sum())))
            team, reason = ((names.SOURCE_ONLY,), "the domains look unrelated") if certain else (team, reason)
            estimate = _doubted(estimate, certain, self.problem.n_classes)
        elif kind == SOURCE and len(set(self._teams().values())) > 1:  # which known labels alone can bring about
            rung.append(alarms.harm())
        if not rung:  # a worse message says it all
            rung += self._alarms_about_classes(team, evidence)
        return self._choice(team, evidence, estimate, rung, reason)

    def settled(self, choice: Choice, before: Trial, checked: Array) -> Choice:
        """The same choice with the answers of this trial, to which the labels in `checked` were known."""
        still_free = ~checked.any(axis=1)
        earlier = {name: answer[still_free] for name, answer in before.answers.items()}
        again = self._choice(choice.names, choice.evidence, choice.estimate, choice.alarms)
        rows = [
            {**row, "agreement": _agreement({**earlier, **self.answers}.get(row["name"]), again.values)}
            for row in choice.rows
        ]
        return replace(again, rows=rows)

    def _choice(
        self, team: tuple[str, ...], evidence: Evidence, estimate: Estimate, rung: list[Alarm], reason: str = ""
    ) -> Choice:
        values, spreads = self._combined(team)
        return Choice(team, values, spreads, evidence, estimate, rung, self._rows(team, values, reason))

    def _combined(self, team: tuple[str, ...]) -> tuple[Array, list[float]]:
        """What a team says together, and the spreads of its members."""
        answers = [self.answers[name] for name in team]
        spreads = [spread_of(answer) if len(answer) else 1.0 for answer in answers]
        return combined(answers, spreads), spreads

    def _is_worth_something(self, team: tuple[str, ...], checked: Array) -> bool:
        """Whether a team is right too often about the labels that are known to be guessing.

        Guessing at the team's own shares would be right as often once in twenty times.
        """
        known, given = checked.any(axis=1), np.eye(checked.shape[1])[self._combined(team)[0].argmax(axis=1)]
        by_chance = given.mean(axis=0) @ checked[known].mean(axis=0)
        return bool(binom.sf((given * checked).sum() - 1, known.sum(), by_chance) < rules.ONE_IN_TWENTY)

    def _evidence(self) -> Evidence:
        problem, n_classes = self.problem, self.problem.n_classes
        X, known = problem.labeled_documents()
        free, answers = problem.unlabeled_documents(), self.answers
        voices = [answers[name] for name in self.teams.voices if name in answers]
        first = answers[names.SOURCE_ONLY]
        labels = answers.get(self.teams.leader, first).argmax(axis=1)
        # Naive Bayes takes no negative features; what it would follow, self-training follows more closely.
        follower = next((answers[name] for name in (self.teams.follower, names.SHORT) if name in answers), None)
        steady = names.SHORT in answers and names.LONG in answers
        cuts = sp.issparse(free) and not _negative(free)  # cosines of other features are not for cutting
        held = self.shares != "unknown"  # where nothing holds its shares, self-training cuts off what it likes
        across = any(d.is_target for d in problem.domains) and any(not d.is_target for d in problem.domains)
        led = self.teams.leader in answers
        return Evidence(
            cut=normalised_cut(free, labels, n_classes) if cuts and held else None,
            neighbours=neighbours_skill(X, known, n_classes),
            steadiness=agreement(answers[names.LONG], answers[names.SHORT]) if steady else None,
            following=agreement(follower, first) if led and follower is not None and across else None,
            confidence=float(np.mean([claimed_skill(voice) for voice in voices or [first]])),
            likeness=likeness(problem, labels),
            modesty=modesty(X, known, n_classes),
            n_documents=X.shape[0] + free.shape[0],
            n_free=free.shape[0],
            held=held,
        )

    def _estimate(self, evidence: Evidence) -> Estimate:
        rule = rules.ESTIMATE if evidence.held else rules.ESTIMATE_AT_UNKNOWN_SHARES
        if not any(name in self.answers for name in self.teams.voices):
            rule = rules.ESTIMATE_OF_SOURCE_ONLY
        return estimate_accuracy(evidence, self.problem.n_classes, rule)

    def _teams(self) -> dict[str, tuple[str, ...]]:
        wanted = {"topics": self.teams.for_topics, "rest": self.teams.for_the_rest, SOURCE: (names.SOURCE_ONLY,)}
        present = {team: tuple(n for n in members if n in self.answers) for team, members in wanted.items()}
        short = tuple(n for n in (names.SHORT,) if n in self.answers)
        return {team: members or short or (names.SOURCE_ONLY,) for team, members in present.items()}

    def _kind(self, evidence: Evidence, checked: Array | None, estimate: Estimate) -> tuple[str, str]:
        """Whom to ask, and why: by the indicators; with known labels, also by how probable each team finds them.

        Labels of some classes only would speak for whoever overrates these.
        """
        teams = self._teams()
        looks = "like topics" if evidence.topicality > 0 else "unlike topics"
        reason = f"classes look {looks} ({evidence.topicality:+.1f})"
        chances = {
            "topics": rules.PRIOR_FOR_THE_EVIDENCE * (evidence.topicality > 0),
            "rest": rules.PRIOR_FOR_THE_EVIDENCE * (evidence.topicality <= 0),
            SOURCE: rules.PRIOR_FOR_THE_EVIDENCE - rules.PRIOR_AGAINST_SOURCE_ONLY,
        }
        if checked is not None and checked.any(axis=0).all():
            indicated, known = max(chances, key=chances.__getitem__), checked.any(axis=1)
            for team, members in teams.items():
                values, _ = self._combined(members)
                probabilities = tempered(values, sharpness_for(values, estimate.value))[known]
                chances[team] += float(np.log(np.maximum((probabilities * checked[known]).sum(axis=1), 1e-3)).sum())
            if max(chances, key=chances.__getitem__) != indicated:
                reason += ", but the known labels overrule it"
        return max(chances, key=chances.__getitem__), reason

    def _alarms_about_classes(self, team: tuple[str, ...], evidence: Evidence) -> list[Alarm]:
        """Where classes are topics, candidates that need no shares are a check on those that do."""
        if isinstance(self.shares, dict) or team != self.teams.for_topics:
            return []
        free = self
        if self.shares == "source":
            free = Trial(self.problem, "unknown", Clock(None), self.random_state)
            free.unit = self.unit
            if not self.clock.has(free.expected_seconds((names.LONG, names.MIXTURE))):
                return []
            free.run(only=(names.SHORT,))
        gone = self._missing_classes(free.answers[names.SHORT]) if evidence.smallness < rules.MISSING_SMALLNESS else []
        if gone:
            return [alarms.missing(gone)]
        return [alarms.shares()] if free is not self and self._depends_on_shares(free, team) else []

    def _depends_on_shares(self, free: Trial, team: tuple[str, ...]) -> bool:
        found = np.bincount(free.answers[names.SHORT].argmax(axis=1), minlength=self.problem.n_classes)
        if np.abs(found / found.sum() - self.problem.class_prior).max() < rules.SHARES_SHIFT:
            return False
        free.run(only=(names.LONG, names.MIXTURE))
        free.answers[names.TOPICS] = self.answers[names.TOPICS]
        with_shares, without = (trial._combined(team)[0] for trial in (self, free))
        return float(np.mean(with_shares.argmax(axis=1) == without.argmax(axis=1))) < rules.SHARES_AGREEMENT

    def _missing_classes(self, answer: Array) -> list[object]:
        """Classes that get few documents where nothing holds up their shares, and these without conviction."""
        labels, prior = answer.argmax(axis=1), self.problem.class_prior
        own = [answer[labels == number, number] for number in range(self.problem.n_classes)]
        return [
            name
            for name, sure, share in zip(self.problem.classes.tolist(), own, prior, strict=True)
            if len(sure) < rules.MISSING_SHARE * share * len(labels)
            and sure.sum() < rules.MISSING_CONFIDENCE * max(len(sure), 1)
        ]

    def corrected_shares(self, choice: Choice, checked: Array) -> Any:
        """The class shares after a look at labels that are known.

        As with the estimated accuracy, what counts is how the known labels differ from what was expected of these very
        documents, which need not be a random draw.
        """
        if isinstance(self.shares, dict):
            return self.shares
        known, expected = checked.any(axis=1), choice.probabilities
        surprise = (checked[known] - expected[known]).sum(axis=0) / (known.sum() + SHARES_WORTH)
        shares = np.maximum(expected.mean(axis=0) + surprise, 1 / len(expected)) * len(expected)
        shares += np.sum([domain.labels.sum(axis=0) for domain in self.problem.targets], axis=0)  # of the whole target
        return dict(zip(self.problem.classes.tolist(), (shares / shares.sum()).tolist(), strict=True))

    def shares_by_class(self) -> dict[Any, float] | None:
        """The shares that candidates went by, None if they were not known."""
        shares = read_shares(self.shares, self.problem)
        return None if shares is None else dict(zip(self.problem.classes.tolist(), shares.tolist(), strict=True))

    def _rows(self, team: tuple[str, ...], values: Array, reason: str) -> list[dict[str, Any]]:
        rows = []
        for name in self.candidates:
            answer = self.answers.get(name)
            rows.append(
                {
                    "name": name,
                    "seconds": self.seconds.get(name),
                    "confidence": None if answer is None or not len(answer) else float(answer.max(axis=1).mean()),
                    "agreement": _agreement(answer, values),
                    "why": self.fell_out.get(name) or self._why(name, team, reason),
                }
            )
        return rows

    def _why(self, name: str, team: tuple[str, ...], reason: str) -> str:
        if name in team:
            return f"asked: {reason or 'nothing else to ask'}"
        if name in self.teams.for_topics or name in self.teams.for_the_rest:
            return f"not asked: {reason}" if reason else "not asked"
        return {names.SOURCE_ONLY: "for comparison", names.SHORT: "for evidence"}.get(name, "for its map")


def _agreement(answer: Array | None, values: Array) -> float | None:
    """How often a candidate says what is said in the end."""
    if answer is None or not len(answer):
        return None
    return float(np.mean(answer.argmax(axis=1) == values.argmax(axis=1)))


def _doubted(estimate: Estimate, certain: bool, n_classes: int) -> Estimate:
    """Where the domains look unrelated: what it looks like, or half way to guessing, or anything less."""
    value = (estimate.value + 1 / n_classes) / 2 if certain else estimate.value
    return Estimate(value, 0.0, estimate.high)


def _negative(matrix: Any) -> bool:
    values = matrix.data if hasattr(matrix, "data") and hasattr(matrix, "nnz") else matrix
    return bool(np.size(values) and np.min(values) < 0)
