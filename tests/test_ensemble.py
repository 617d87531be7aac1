"""The ensemble by what may not change it, and what is decided, estimated and corrected by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import binom

from isthmus.auto import Diagnostics, Estimate, candidates, rules
from isthmus.auto import decide as deciding
from isthmus.auto import run as running
from isthmus.auto.averaging import centered_log_odds, combine, spread_of
from isthmus.auto.decide import FALLBACK, OTHER, TOPICS, Decision, decide
from isthmus.auto.ensemble import EnsembleSolution
from isthmus.auto.estimate import estimate_accuracy, sharpness_for, tempered, updated
from isthmus.auto.leaderboard import Leaderboard
from isthmus.auto.run import Clock, Run
from isthmus.core.problem import make_problem
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.methods import LR
from isthmus.typing import Array

EVEN = {0: 0.5, 1: 0.5}
N_DOCUMENTS = 40


def some_answers(seed: int = 0, n_members: int = 3, n_classes: int = 3) -> list[np.ndarray]:
    """Members that differ in what they say and, by far, in how sure they are."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_members, 50, n_classes)) * np.array([1, 2, 0.2])[:n_members, None, None]
    return list(softmax(scores, axis=2))


def combined(answers: Sequence[np.ndarray]) -> np.ndarray:
    return combine(answers, [spread_of(answer) for answer in answers], [1.0] * len(answers))


def test_blocks_of_documents_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    answers = [rng.dirichlet([1, 1, 1], size=50) for _ in range(3)]
    found = []
    for size in (7, 1000):
        monkeypatch.setattr("isthmus.auto.averaging.BLOCK", size)
        monkeypatch.setattr("isthmus.auto.averaging.MANY", size)
        monkeypatch.setattr("isthmus.auto.estimate.BLOCK", size)
        scores = combine(answers, [1.0, 2.0, 3.0], [1.0, 1.0, 2.0])
        found.append((scores, tempered(scores, 2.0), sharpness_for(scores, 0.8), spread_of(answers[0])))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
    assert found[0][2] == found[1][2]
    assert found[0][3] == pytest.approx(found[1][3])


def tempering(answer: np.ndarray, factor: float) -> np.ndarray:
    """As sure as if its log-odds were so many times as large."""
    return np.asarray(softmax(factor * np.log(answer), axis=1))


def test_log_odds_are_against_the_geometric_mean() -> None:
    answer = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    expected = np.log(answer / np.prod(answer, axis=1, keepdims=True) ** (1 / 3))
    assert centered_log_odds(answer) == pytest.approx(expected)
    assert spread_of(answer) == pytest.approx(np.sqrt(np.mean(expected**2)))
    assert spread_of(np.full((4, 2), 0.5)) == 1


@pytest.mark.parametrize("factor", [0.1, 2.0])
@pytest.mark.parametrize("member", [0, 1, 2])
def test_how_sure_a_member_is_does_not_matter(member: int, factor: float) -> None:
    answers = some_answers()
    changed = [tempering(answer, factor) if n == member else answer for n, answer in enumerate(answers)]
    assert combined(changed) == pytest.approx(combined(answers))
    assert np.array_equal(combined(changed).argmax(axis=1), combined(answers).argmax(axis=1))


def test_all_members_have_the_same_say() -> None:
    """Of two that disagree everywhere, neither wins, however sure one of them is."""
    answer = some_answers()[0][:, :2]
    answer /= answer.sum(axis=1, keepdims=True)
    against = tempering(answer[:, ::-1], 5.0)
    assert combined([answer, against]) == pytest.approx(np.zeros((50, 2)))


def test_order_of_members_does_not_matter() -> None:
    answers = some_answers()
    for order in permutations(answers):
        assert combined(order) == pytest.approx(combined(answers))


def test_a_member_twice_has_weight_two() -> None:
    first, second, _ = some_answers()
    parts = [centered_log_odds(answer) / spread_of(answer) for answer in (first, second)]
    assert combined([first, first, second]) == pytest.approx((2 * parts[0] + parts[1]) / 3)
    spreads = [spread_of(first), spread_of(second)]
    assert combine([first, second], spreads, [1.0, 0.5]) == pytest.approx(combined([first, first, second]))


@dataclass(frozen=True, eq=False)
class Fixed(Solution):
    """Probabilities by the first two words of a document."""

    slope: float

    def assign(self, X: Any, domain: int | None) -> Array:
        return np.asarray(softmax(self.slope * X[:, :2] + (domain or 0), axis=1))


def test_new_documents_get_the_mean_of_members() -> None:
    members = [Fixed(1.0), Fixed(-0.3), Fixed(7.0)]
    spreads, sharpness, scale = [0.5, 2.0, 4.0], 1.7, 0.25
    ensemble = EnsembleSolution(
        ("a", "b", "c"), Estimate(0.8, 0.7, 0.9), [], Diagnostics(), None, Leaderboard([]),
        _members=list(members), _spreads=spreads, _sharpness=sharpness, _scale=scale,
    )  # fmt: skip
    X = np.random.default_rng(0).uniform(size=(6, 4))
    scores = np.zeros((6, 2))
    for member, spread in zip(members, spreads, strict=True):
        half = member.slope * scale * (X[:, 0] - X[:, 1]) / 2  # log-odds of two classes
        scores += np.column_stack([half, -half]) / spread / 3
    assert ensemble.assign(X, None) == pytest.approx(softmax(sharpness * scores, axis=1))
    alone = replace(ensemble, _weights=[0.0, 2.0, 0.0])  # the second, whose log-odds are divided by two
    half = -0.3 * scale * (X[:, 0] - X[:, 1]) / 4
    assert alone.assign(X, None) == pytest.approx(softmax(sharpness * np.column_stack([half, -half]), axis=1))
    assert ensemble.member("b") is members[1]


def a_run(prior: Any = None) -> Run:
    """Of two classes, with as many unlabeled documents as the answers below; nobody has answered yet."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(10 + N_DOCUMENTS, 3)), np.arange(10 + N_DOCUMENTS) % 2
    problem = make_problem(LR(), X, y, np.repeat([1, -1], [10, N_DOCUMENTS]))
    return Run(problem, Workspace(), EVEN if prior is None else prior, Clock(None), 0)


def answer_of(labels: np.ndarray) -> np.ndarray:
    """The same confidence in every label."""
    return np.where(np.eye(2)[labels] == 1, 0.9, 0.1)


def checked_labels(n_known: int) -> np.ndarray:
    """Of the first documents, alternately of both classes."""
    checked = np.zeros((N_DOCUMENTS, 2))
    checked[np.arange(n_known), np.arange(n_known) % 2] = 1
    return checked


SPEAKERS = {TOPICS: candidates.TOPICS, OTHER: candidates.TRANSDUCTIVE_DCI, FALLBACK: candidates.SOURCE_ONLY}
"""The member that only one ensemble has."""


def decision_by(
    monkeypatch: pytest.MonkeyPatch, wrong: dict[str, int], n_known: int, *, topics: bool, value: float
) -> Decision:
    """With ensembles that are wrong on so many of the known labels, where the estimate is `value`.

    All scores being equally large, a label has the probability `value` if it is right, or else what is left of one.
    """
    run, truth = a_run(), np.arange(N_DOCUMENTS) % 2
    for kind, name in SPEAKERS.items():
        run.answers[name] = answer_of(np.where(np.arange(N_DOCUMENTS) < wrong[kind], 1 - truth, truth))
    run.at_first = dict(run.answers)
    score = 1.0 if topics else -1.0
    monkeypatch.setattr(Diagnostics, "topic_score", property(lambda self: score))
    monkeypatch.setattr(deciding, "diagnose", lambda run: Diagnostics())
    monkeypatch.setattr(running, "can_distill", lambda *_: False)  # it would say what others do
    monkeypatch.setattr(deciding, "estimate_accuracy", lambda *_: Estimate(value, value - 0.1, value + 0.1))
    return decide(run, checked_labels(n_known))


@pytest.mark.parametrize(("n_wrong", "falls_back"), [(0, False), (1, False), (2, False), (3, True), (4, True)])
def test_known_labels_must_speak_clearly_for_the_fallback(
    n_wrong: int, falls_back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each wrong label has a third of the probability that it has by the fallback; e^3 is between 3^2 and 3^3."""
    wrong = {TOPICS: n_wrong, OTHER: n_wrong, FALLBACK: 0}
    found = decision_by(monkeypatch, wrong, 10, topics=True, value=0.75)
    assert found.members == ((candidates.SOURCE_ONLY,) if falls_back else (SPEAKERS[TOPICS],))
    assert [caution.kind for caution in found.warnings] == (["harm"] if falls_back else [])


@pytest.mark.parametrize("topics", [True, False])
@pytest.mark.parametrize(("n_wrong", "overruled"), [(0, False), (1, False), (2, True), (3, True)])
def test_known_labels_can_overrule_the_indicators(
    n_wrong: int, overruled: bool, topics: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The indicators are worth e^2, between 3 and 3^2."""
    indicated, other = (TOPICS, OTHER) if topics else (OTHER, TOPICS)
    found = decision_by(monkeypatch, {indicated: n_wrong, other: 0, FALLBACK: n_wrong}, 10, topics=topics, value=0.75)
    assert found.members == (SPEAKERS[other if overruled else indicated],)
    assert any("overrule" in row["why"] for row in found.rows) == overruled


@pytest.mark.parametrize("sure", [0.5, 0.7, 0.95])
def test_on_average_a_label_says_nothing_if_probabilities_are_right(sure: float) -> None:
    """However doubtful its document is."""
    given = np.array([[sure, 1 - sure]])
    mean = sum(given[0, number] * deciding._surprise(given, np.eye(2)[[number]]) for number in range(2))
    assert mean == pytest.approx(0)


def test_labels_of_one_class_alone_decide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {TOPICS: 1, OTHER: 1, FALLBACK: 0}
    found = decision_by(monkeypatch, wrong, 1, topics=True, value=0.99)
    assert found.members == (SPEAKERS[TOPICS],)


@pytest.mark.parametrize("n_right", [4, 5, 6, 7, 8])
def test_unrelated_domains_are_doubted_unless_labels_prove_the_answer(
    n_right: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Diagnostics, "unrelated_score", property(lambda self: rules.CERTAIN / 2))
    found = decision_by(monkeypatch, dict.fromkeys((TOPICS, OTHER, FALLBACK), 8 - n_right), 8, topics=True, value=0.8)
    by_chance = binom.sf(n_right - 1, 8, 0.5)  # as many or more, by tossing coins
    assert [caution.kind for caution in found.warnings] == ([] if by_chance < 0.05 else ["unrelated"])
    assert found.estimate.low == pytest.approx(0.7 if by_chance < 0.05 else 0.0)
    assert found.estimate.value == 0.8


def test_where_unrelatedness_is_certain_the_fallback_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Diagnostics, "unrelated_score", property(lambda self: rules.CERTAIN + 0.01))
    wrong = {TOPICS: 4, OTHER: 4, FALLBACK: 4}
    found = decision_by(monkeypatch, wrong, 8, topics=True, value=0.8)
    assert found.members == (candidates.SOURCE_ONLY,)
    assert found.estimate.value == pytest.approx(0.65)  # half way to one half


def test_members_of_an_ensemble_that_did_not_answer_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "complete", lambda self, members: None)  # there was no time
    run = a_run()
    for name in (candidates.SOURCE_ONLY, candidates.MIXTURE):
        run.answers[name] = answer_of(np.arange(N_DOCUMENTS) % 2)
    monkeypatch.setattr(deciding, "diagnose", lambda run: Diagnostics(neighbor_skill=1.0, confidence=0.5))
    assert decide(run, None).members == (candidates.MIXTURE,)
    del run.answers[candidates.MIXTURE]
    assert decide(run, None).members == (candidates.SOURCE_ONLY,)


def test_hypotheses_count_for_one_together_and_not_at_all_below_a_twentieth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "diagnose", lambda run: Diagnostics(0.5, 1.0, 0.9, 0.9))
    run = a_run()
    run.weights = {candidates.WITH_LSA: 0.6, candidates.WITH_DCI: 0.36, candidates.BALANCED_DCI: 0.04}
    run.answers = {name: answer_of(np.arange(N_DOCUMENTS) % 2) for name in (*run.weights, candidates.MIXTURE)}
    monkeypatch.setattr(Run, "complete", lambda self, members: None)
    run.answers[candidates.SOURCE_ONLY] = run.answers[candidates.WITH_LSA]
    found = decide(run, None)
    assert found.members == (candidates.WITH_LSA, candidates.WITH_DCI, candidates.MIXTURE)
    assert found.weights == pytest.approx([0.625, 0.375, 1.0])


def a_decision(scores: np.ndarray, value: float) -> Decision:
    return Decision(
        ("a",), scores, [1.0], [1.0], [0.0, 0.0], Diagnostics(), Estimate(value, value - 0.1, value + 0.1), [], []
    )


def test_checked_documents_are_those_with_a_label() -> None:
    decision = a_decision(np.array([[1.0, -1.0], [-1, 1], [1, -1], [1, -1]]), 0.7)
    right, claimed = decision.check(np.array([[1.0, 0], [1, 0], [0, 0], [1, 0]]))
    assert right.tolist() == [True, False, True]
    assert claimed == pytest.approx(np.full(3, 0.7), abs=1e-4)


def test_estimate_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates agree in .8 of what chance leaves; the way back has the skill 2 * .85 - 1 = .7, and neighbors .6."""
    monkeypatch.setattr(rules, "INTERVAL", rules.Reach(below=0.2, above=0.1))
    known = Diagnostics(agreement=0.8, reverse_auc=0.85, neighbor_skill=0.6, n_documents=5000, n_unlabeled=500)
    found = estimate_accuracy(known, 4)
    value = 0.25 + 0.75 * 0.8 * 0.7**0.4 * 0.6**0.3
    assert found.value == pytest.approx(value)
    uneven = estimate_accuracy(replace(known, chance=0.6), 4)
    assert uneven.value == pytest.approx(0.6 + 0.4 * (value - 0.25) / 0.75)  # guesses are right as often already
    room, draw = 2 * np.sqrt(value * (1 - value)), 1.6448536 / np.sqrt(2000)
    reaches = [room * np.hypot(reach, draw) for reach in (0.2, 0.1)]
    assert (found.low, found.high) == pytest.approx((value - reaches[0], value + reaches[1]))
    few = estimate_accuracy(replace(known, n_documents=150), 4)
    assert few.low == pytest.approx(value - room * np.hypot(0.4, draw))  # a quarter of the fewest: twice as wide


def test_the_decision_holds_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    for known in (Diagnostics(agreement=0.9, reverse_auc=0.9), Diagnostics(confidence=0.4)):
        monkeypatch.setattr(deciding, "diagnose", lambda run, known=known: known)
        run = a_run()
        run.answers = {name: answer_of(np.arange(N_DOCUMENTS) % 2) for name in run.candidates}
        assert decide(run, None).estimate == estimate_accuracy(known, 2)


def test_updated_estimate_by_hand() -> None:
    """The interval is as wide as the accuracy of so many documents leaves it: these are its worth."""
    before = Estimate(0.8, 0.7, 0.9)
    right, claimed = np.array([True] * 6 + [False] * 4), np.full(10, 0.8)
    n_left = 90
    of_all = 1 / (4 * 100)
    variance = (0.1 / 1.6448536 / (2 * np.sqrt(0.8 * 0.2))) ** 2 - of_all
    worth = 1 / (4 * variance)
    value = 0.8 + (6 - 8) / (10 + worth)
    after = updated(before, claimed, right, 2, n_left)
    assert after.value == pytest.approx(value)
    error = np.sqrt(1 / (4 * (10 + worth)) + 1 / (4 * n_left))
    reach = 1.6448536 * error * 2 * np.sqrt(value * (1 - value))
    assert (after.low, after.high) == pytest.approx((value - reach, value + reach))


def test_doubtful_documents_stand_for_doubtful_ones_alone() -> None:
    """Nine in ten are wrong among the most doubtful quarter, and all is as it should be among the others."""
    before, population = Estimate(0.8, 0.6, 0.95), np.repeat([0.5, 0.9], [250, 750])
    claimed, right = np.repeat([0.5, 0.9], [40, 20]), np.repeat([False, True], [36, 24])
    right[-2:] = False  # of twenty sure ones, eighteen are right
    together = updated(before, claimed, right, 2, 1000)
    apart = updated(before, claimed, right, 2, 1000, population)
    truth = 0.25 * 0.1 + 0.75 * 0.9
    assert abs(apart.value - truth) < 0.05 < abs(together.value - truth)
    assert apart.low <= truth <= apart.high
    # A random draw has as many of each stratum as there are: nothing changes.
    claimed, right = np.repeat([0.5, 0.9], [10, 30]), np.arange(40) % 4 > 0
    drawn = updated(before, claimed, right, 2, 1000, np.tile(claimed, 9))
    assert drawn.value == pytest.approx(updated(before, claimed, right, 2, 1000).value)
    alone = updated(before, claimed, right, 2, 1000, claimed[:1])  # one stratum
    assert (drawn.value, drawn.low) == pytest.approx((alone.value, alone.low))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_sharpness_is_found_between_its_limits(n_classes: int) -> None:
    values = np.random.default_rng(0).normal(size=(300, n_classes))

    def mean(sharpness: float) -> float:
        return float(softmax(sharpness * values, axis=1).max(axis=1).mean())

    for wanted in (0.6, 0.9):
        assert mean(sharpness_for(values, wanted)) == pytest.approx(wanted, abs=1e-5)
    assert sharpness_for(values, 0.0) == pytest.approx(np.exp(-6))
    assert sharpness_for(values, 1.0) == pytest.approx(np.exp(6))
    assert sharpness_for(values[:0], 0.8) == 1
    assert sharpness_for(5 * values, 0.8) == pytest.approx(sharpness_for(values, 0.8) / 5, rel=1e-4)
