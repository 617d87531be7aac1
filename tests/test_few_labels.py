"""A few target labels: how far they move the prior, and what is learned from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, check_grad
from scipy.special import expit, log_softmax, logit, softmax

from conftest import make_toy, quiet
from isthmus.auto import Auto, Diagnostics, candidates, rules
from isthmus.auto.decide import Decision
from isthmus.auto.estimate import Estimate, updated
from isthmus.auto.few_labels import MOST, USUAL_SHIFT, corrected, shift_by_labels
from isthmus.methods import SelfTraining
from test_ensemble import EVEN, a_decision, a_run
from test_label_shift import thinned


def test_two_classes_by_hand() -> None:
    """The gradient of the one number that there is: half the shift of the log-odds, up and down."""
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.2, 0.95, 12)
    expected, labels = np.column_stack([sure, 1 - sure]), np.eye(2)[rng.integers(2, size=12)]
    weights = rng.uniform(0.5, 2, 12)

    def gradient(half: float) -> float:
        return float(np.sum(weights * (expit(logit(sure) + 2 * half) - labels[:, 0])) + half / USUAL_SHIFT**2)

    half = brentq(gradient, -5, 5)
    assert shift_by_labels(expected, labels, weights) == pytest.approx([half, -half], abs=1e-4)


def test_several_classes_against_a_search_without_a_gradient() -> None:
    rng = np.random.default_rng(1)
    expected, labels, weights = rng.dirichlet(np.ones(3), 15), np.eye(3)[rng.integers(3, size=15)], rng.uniform(size=15)

    def loss(shift: Any) -> float:
        own = log_softmax(np.log(np.maximum(expected, 1e-4)) + shift, axis=1)
        return float(shift @ shift / (2 * USUAL_SHIFT**2) - np.sum(weights[:, None] * labels * own))

    found = shift_by_labels(expected, labels, weights)
    assert check_grad(loss, lambda shift: np.zeros(3), found) < 1e-3  # a gradient of zero
    assert all(loss(found) <= loss(found + step) for step in rng.normal(scale=0.05, size=(200, 3)))
    turned = shift_by_labels(expected[:, ::-1], labels[:, ::-1], weights)
    assert turned == pytest.approx(found[::-1], abs=1e-4)


def test_what_was_expected_moves_nothing_and_classes_without_a_label_hardly() -> None:
    even = np.full((4, 2), 0.5)
    assert shift_by_labels(even, np.eye(2)[[0, 1, 0, 1]], np.ones(4)) == pytest.approx([0, 0], abs=1e-6)
    rare = np.tile([0.5, 0.48, 0.02], (6, 1))
    found = shift_by_labels(rare, np.eye(3)[[0, 1, 0, 1, 0, 1]], np.ones(6))
    assert np.abs(found).max() < 0.05
    sure = np.tile([0.999, 0.001], (5, 1))
    assert shift_by_labels(sure, np.eye(2)[[1] * 5], np.ones(5))[1] > 0.5  # surprise upon surprise


@pytest.mark.parametrize("target_prior", ["auto", "source", "unknown"])
def test_the_corrected_prior_by_hand(target_prior: str) -> None:
    """Thirty documents are said to be of class 0, ten of class 1, each with a probability of 0.8. Of five known ones
    that are said to be of class 0, one is."""
    labels = np.repeat([0, 1], [30, 10])
    decision = a_decision(np.where(np.eye(2)[labels] == 1, 1.0, -1.0), 0.8)
    checked = np.zeros((40, 2))
    checked[:5, 1], checked[0] = 1, [1, 0]
    run = a_run(target_prior)
    prior, moved = corrected(run, decision, checked)
    half = brentq(lambda half: 5 * expit(logit(0.8) + 2 * half) - 1 + half / USUAL_SHIFT**2, -5, 5)
    share = (30 * expit(logit(0.8) + 2 * half) + 10 * expit(logit(0.2) + 2 * half)) / 40
    assert prior == pytest.approx({0: share, 1: 1 - share}, abs=1e-3)
    assert softmax(decision.sharpness * moved.scores, axis=1).mean(axis=0) == pytest.approx(
        [share, 1 - share], abs=1e-3
    )
    assert np.array(moved.scores) - decision.scores == pytest.approx(np.tile(moved.offsets, (40, 1)))
    run._go_by({0: 0.1, 1: 0.9})  # as if it had been found in the target, which binds nobody
    assert corrected(run, decision, checked)[0] == prior
    given, same = corrected(a_run(EVEN), decision, checked)
    assert (given, same) == (EVEN, decision)  # who gives a prior means it


def test_documents_count_as_much_as_there_are_others_like_them() -> None:
    """Labels of the most doubtful quarter stand for that quarter: two in eight of a sample, however many there are."""
    decision: Decision = a_decision(np.column_stack([np.linspace(0.1, 3, 40), np.zeros(40)]), 0.8)
    checked, expected = np.zeros((40, 2)), decision.probabilities
    rows = [0, 2, 4, 6, 8, 15, 25, 35]  # five of them are among the ten most doubtful ones
    checked[rows, 1] = 1
    weights = np.array([0.4] * 5 + [2] * 3)
    shift = shift_by_labels(expected[rows], checked[rows], weights)
    moved = corrected(a_run("auto"), decision, checked)[1]
    assert decision.sharpness * np.array(moved.offsets) == pytest.approx(shift, abs=1e-3)
    assert MOST == 2


def test_one_self_training_learns_at_the_corrected_prior() -> None:
    """And the mixture, which starts from it; beside what was said before the labels."""
    toy, prior = thinned(make_toy(seed=2), 0.1), {"class 0": 0.2, "class 1": 0.8}
    labeled = ~toy.in_target
    labeled[np.random.default_rng(0).permutation(np.flatnonzero(toy.in_target))[:20]] = True
    before = quiet(toy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isthmus.auto.auto.corrected", lambda run, decision, checked: (prior, decision))
        after = quiet(toy, sample_labeled=labeled)
    assert candidates.BALANCED not in [row["name"] for row in before.leaderboard_.rows]
    assert candidates.BEFORE_LABELS not in [row["name"] for row in before.leaderboard_.rows]
    assert after.chosen_ == (candidates.BALANCED, candidates.MIXTURE, candidates.BEFORE_LABELS)
    alone: Any = toy.fit(SelfTraining(balanced=True, C=10.0, target_prior=prior), sample_labeled=labeled)
    member = after.solution_.member(candidates.BALANCED)
    scale = np.linalg.norm(toy.X.toarray(), axis=1).mean()  # the automatic choice knows documents at unit length
    assert member.classifier.coef_ / scale == pytest.approx(alone.classifier_.coef_, rel=0.05, abs=0.02)
    reasons = {row["name"]: row["why"] for row in after.leaderboard_.rows}
    assert reasons[candidates.BALANCED].startswith("member")
    assert reasons[candidates.BEFORE_LABELS].startswith("member")
    assert after.solution_._weights == pytest.approx([1, 1, 2 * after.estimated_accuracy_.value - 1])  # by its skill
    earlier = after.solution_.member(candidates.BEFORE_LABELS)
    assert earlier.assign(toy.X * (1 / scale), None) == pytest.approx(before.predict_proba(toy.X), abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_labels_of_an_easy_target_do_no_harm(seed: int) -> None:
    """Twenty labels, half of them doubtful ones that happen to be of one class."""
    toy = make_toy(seed=seed, n_documents=240)
    before = quiet(toy)
    target = np.flatnonzero(toy.in_target)
    doubtful = target[np.argsort(before.label_distributions_[target].max(axis=1))]
    labeled = ~toy.in_target
    labeled[doubtful[toy.y[doubtful] == "class 1"][:10]] = True
    labeled[np.random.default_rng(seed).permutation(target)[:10]] = True
    after = quiet(toy, Auto(random_state=0), sample_labeled=labeled)
    left = toy.in_target & ~labeled
    right = [np.mean(model.transduction_[left] == toy.y[left]) for model in (before, after)]
    assert right[1] >= right[0] - 0.01


def test_the_estimate_is_that_of_the_documents_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are surer than all, where the doubtful ones were asked about."""
    toy = make_toy(seed=4, n_documents=240)
    before = quiet(toy)
    target = np.flatnonzero(toy.in_target)
    sure = before.label_distributions_[target].max(axis=1)
    asked = np.argsort(sure)[:40]
    labeled = ~toy.in_target
    labeled[target[asked]] = True
    seen = list[Any]()

    def noted(estimate: Any, claims: Any, right: Any, n_classes: int, n_left: int, population: Any) -> Any:
        seen.append((estimate, n_left, population))
        return updated(estimate, claims, right, n_classes, n_left, population)

    monkeypatch.setattr("isthmus.auto.auto.updated", noted)
    quiet(toy, sample_labeled=labeled)
    [(estimate, n_left, population)] = seen
    left = np.delete(sure, asked)
    assert estimate.value - before.estimated_accuracy_.value == pytest.approx(left.mean() - sure.mean(), abs=1e-3)
    assert n_left == len(population) == len(left)
    assert np.sort(population) == pytest.approx(np.sort(left), abs=1e-3)


def test_labels_that_do_not_prove_the_answer_leave_the_floor_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Diagnostics, "unrelated_score", property(lambda self: rules.CERTAIN / 2))
    toy = make_toy(seed=1)
    labeled = ~toy.in_target
    labeled[np.flatnonzero(toy.in_target)[:3]] = True
    after = quiet(toy, sample_labeled=labeled)
    assert "unrelated" in [caution.kind for caution in after.warnings_]
    assert after.estimated_accuracy_.low == 0


def test_labels_that_change_are_right_oftener_than_before() -> None:
    found = Estimate(0.6, 0.4, 0.8).after_change(0.2)
    assert (found.value, found.low, found.high) == pytest.approx((0.65, 0.45, 0.95))
    assert Estimate(0.98, 0.95, 0.99).after_change(0.4) == Estimate(0.99, 0.99, 1.0)
    assert Estimate(0.6, 0.4, 0.8).after_change(0.0) == Estimate(0.6, 0.4, 0.8)
    toy, seen = thinned(make_toy(seed=2), 0.1), list[float]()
    labeled = ~toy.in_target
    labeled[np.random.default_rng(0).permutation(np.flatnonzero(toy.in_target))[:20]] = True
    before = quiet(toy)

    def noted(self: Estimate, share: float) -> Estimate:
        seen.append(share)
        return self

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Estimate, "after_change", noted)
        after = quiet(toy, sample_labeled=labeled)
    left = toy.in_target & ~labeled
    assert seen == [pytest.approx(np.mean(before.transduction_[left] != after.transduction_[left]))]
