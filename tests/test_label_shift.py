"""Hypotheses of the target prior, and the evidence that decides between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from conftest import Toy, make_toy, quiet
from isthmus import Auto
from isthmus.auto import Diagnostics, candidates, label_shift
from isthmus.auto import run as running
from isthmus.auto.estimate import estimate_accuracy
from isthmus.auto.label_shift import (
    Evidence,
    InSource,
    consistency,
    domain_auc,
    evidence_for,
    looked_at,
    mean_auc,
    prior_of_target,
    validated_in_source,
    weights_of,
)
from isthmus.core.problem import make_problem
from isthmus.methods import LR


def thinned(toy: Toy, share: float) -> Toy:
    """Its target with this share of class 1, without some documents of either class."""
    kept = ~toy.in_target
    sizes = {"class 0": round(60 * (1 - share)), "class 1": round(60 * share)}
    for name, size in sizes.items():
        kept[np.flatnonzero(toy.in_target & (toy.y == name))[:size]] = True
    return Toy(toy.X[kept], toy.y[kept], toy.domain[kept])


def test_reverse_validation_is_the_auc_of_a_classifier_of_the_target(toy_of_three: Toy) -> None:
    toy = toy_of_three
    numbers = np.unique(toy.y, return_inverse=True)[1]
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(toy.in_target.sum()) < 0.3, rng.integers(3, size=toy.in_target.sum()), 2)
    labels[:40] = numbers[toy.in_target][:40]
    target, source, known = toy.X[toy.in_target], toy.X[~toy.in_target], numbers[~toy.in_target]
    model = LogisticRegression(C=1.0, tol=1e-8, max_iter=5000).fit(target, labels)
    values = model.decision_function(source)
    areas = [
        roc_auc_score(known == own, values[:, own] - values[:, [k for k in range(3) if k != own]].max(axis=1))
        for own in range(3)
    ]
    assert mean_auc(target, labels, source, known, 1.0) == pytest.approx(np.mean(areas), abs=0.01)
    assert mean_auc(target, np.zeros(len(labels), dtype=int), source, known, 1.0) == 0.5


def test_reverse_validation_does_not_depend_on_the_prior(toy: Toy) -> None:
    """It ranks: of a source whose classes are thinned out, the rest is ranked alike."""
    numbers = (toy.y == "class 1").astype(int)
    target, labels = toy.X[toy.in_target], numbers[toy.in_target]
    found = []
    for share in (0.5, 0.1):
        kept = np.flatnonzero(~toy.in_target & ((numbers == 0) | (np.arange(len(numbers)) % 10 < 10 * share)))
        found.append(mean_auc(target, labels, toy.X[kept], numbers[kept], 1.0))
    assert found[0] == pytest.approx(found[1], abs=0.01)


def test_consistency_is_how_well_one_half_ranks_the_other(toy: Toy) -> None:
    rng = np.random.default_rng(1)
    X, labels = toy.X[toy.in_target], (toy.y[toy.in_target] == "class 1").astype(int)
    labels = np.where(rng.random(len(labels)) < 0.2, 1 - labels, labels)
    areas = []
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, labels):
        model = LogisticRegression(C=10.0, tol=1e-8, max_iter=5000).fit(X[train], labels[train])
        areas.append(roc_auc_score(labels[test], model.decision_function(X[test])))
    assert consistency(X, labels) == pytest.approx(np.mean(areas), abs=0.02)
    assert 0.6 < consistency(X, labels) < 0.95
    assert consistency(X, np.zeros(len(labels), dtype=int)) == 0.5
    assert consistency(X, np.where(np.arange(len(labels)) == 3, 2, labels)) > 0.5  # a class of one is left out


def test_true_labels_have_more_for_them_than_labels_forced_on_documents_in_excess() -> None:
    toy = thinned(make_toy(seed=2), 0.2)
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, "target")
    truth = (toy.y[toy.in_target] == "class 1").astype(int)
    forced = truth.copy()
    forced[np.flatnonzero(truth == 0)[:18]] = 1  # as many of each class as the source has
    assert (
        evidence_for([problem], truth, looked_at(problem)).total
        > evidence_for([problem], forced, looked_at(problem)).total
    )


def test_of_a_few_pseudo_labels_among_many_there_is_no_evidence(
    toy_of_three: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are left out, and if a single class is left, nothing speaks for the hypothesis."""
    toy = toy_of_three
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, "target")
    all_seen = looked_at(problem)._replace(target=np.arange(problem.unlabeled.shape[0]))
    truth = np.searchsorted(problem.classes, toy.y[toy.in_target])
    few = np.flatnonzero(truth == 2)[:3]
    monkeypatch.setattr(label_shift, "FEWEST", 4 / len(truth))
    two, one = np.where(truth == 2, 0, truth), np.zeros_like(truth)
    without = evidence_for([problem], two, all_seen._replace(target=np.setdiff1d(all_seen.target, few)))
    two[few] = one[few] = 2
    assert evidence_for([problem], two, all_seen) == without
    assert evidence_for([problem], one, all_seen) == Evidence(0.5, 0.5)
    monkeypatch.setattr(label_shift, "FEWEST", 3 / len(truth))
    assert evidence_for([problem], one, all_seen) != Evidence(0.5, 0.5)


def test_the_sum_of_evidence() -> None:
    assert Evidence(0.9, 0.8).total == pytest.approx(1.7)


def test_of_many_documents_a_sample_is_looked_at(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, "target")
    labels = (toy.y[toy.in_target] == "class 1").astype(int)
    whole = evidence_for([problem], labels, looked_at(problem))
    seen = []

    def noted(X: Any, labels: Any) -> float:
        seen.append(X.shape[0])
        return 0.0

    monkeypatch.setattr(label_shift, "consistency", noted)
    monkeypatch.setattr(label_shift, "AT_MOST", 50)
    part = evidence_for([problem], labels, looked_at(problem))
    assert 45 <= seen[0] <= 50  # but for near-duplicates
    assert part.reverse_auc == pytest.approx(whole.reverse_auc, abs=0.1)


def test_known_labels_of_the_target_are_added_to_what_was_found(toy: Toy) -> None:
    labeled = ~toy.in_target
    labeled[np.flatnonzero(toy.in_target & (toy.y == "class 0"))[:30]] = True
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, "target", labeled)
    found = prior_of_target(problem, np.array([10.0, 0.0]))
    assert found == pytest.approx({"class 0": 40 / 41, "class 1": 1 / 41})  # no class is ruled out


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_the_target_prior_is_found(share: float) -> None:
    toy = thinned(make_toy(seed=2), share)
    auto = quiet(toy)
    assert auto.target_prior_["class 1"] == pytest.approx(share, abs=0.07)
    assert np.mean(auto.transduction_[toy.in_target] == toy.y[toy.in_target]) > 0.93
    assert auto.diagnostics_.prior_shift == pytest.approx(abs(auto.target_prior_["class 1"] - 0.5), abs=0.01)
    told = quiet(toy, Auto(target_prior="source", random_state=0))
    assert told.target_prior_["class 1"] == pytest.approx(0.5, abs=0.01)


def test_of_two_classes_labels_keep_to_a_prior_that_is_given() -> None:
    """Whatever prior members find: of the fit's documents, of the same ones later, and of a saved model's."""
    toy = thinned(make_toy(seed=2), 0.5)
    auto = quiet(toy, Auto(target_prior={"class 0": 0.9, "class 1": 0.1}, random_state=0))
    of_target = auto.transduction_[toy.in_target]
    assert np.mean(of_target == "class 1") == pytest.approx(0.1, abs=1 / len(of_target))
    later = auto.predict(toy.X[toy.in_target])
    assert np.mean(later == "class 1") == pytest.approx(0.1, abs=0.05)
    assert quiet(toy).solution_._offsets == [0.0, 0.0]


def test_a_hypothesis_counts_by_how_far_its_evidence_falls_behind() -> None:
    def second(behind: float, n: int) -> float:
        first, second = weights_of([Evidence(0.8, 0.9), Evidence(0.8, 0.9 - behind)], n)
        assert first + second == pytest.approx(1)
        return float(second / first)

    assert second(0.0, 1000) == pytest.approx(1)
    assert second(1000**-0.5, 1000) == pytest.approx(np.exp(-1))  # by as much as chance makes of it
    assert second(0.3, 1000) < 1e-3
    assert second(0.02, 2000) == pytest.approx(second(0.02, 10**6))  # more documents are not looked at


@pytest.mark.parametrize(("share", "is_member"), [(0.45, True), (0.3, False)])
def test_tcl_is_no_member_at_another_prior(share: float, is_member: bool, toy: Toy) -> None:
    auto = quiet(toy, Auto(target_prior={"class 0": share, "class 1": 1 - share}, random_state=0))
    assert (candidates.TOPICS in auto.chosen_) == is_member


def test_tcl_runs_only_for_the_ensemble_that_was_chosen(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Diagnostics, "topic_score", -1.0)
    rows = {row["name"]: row for row in quiet(toy).leaderboard_.rows}
    assert rows[candidates.TOPICS]["seconds"] is None
    assert rows[candidates.TOPICS]["why"] == "not needed: classes look unlike topics (-1.0)"


def test_twenty_labels_correct_a_prior_that_was_found() -> None:
    """Nine in ten of the target are of class 0; a prior found the other way round would be believed without them."""
    toy = thinned(make_toy(seed=2), 0.1)
    labeled = ~toy.in_target
    labeled[np.random.default_rng(0).permutation(np.flatnonzero(toy.in_target))[:20]] = True
    with pytest.MonkeyPatch.context() as patch:
        wrong = {"class 0": 0.4, "class 1": 0.6}
        patch.setattr("isthmus.auto.run.prior_of_target", lambda problem, counts: wrong)
        before = quiet(toy, Auto(target_prior="unknown", random_state=0))
        after = quiet(toy, Auto(target_prior="unknown", random_state=0), sample_labeled=labeled)
    assert before.target_prior_ == wrong
    assert after.target_prior_["class 1"] < 0.35


def halves(toy: Toy) -> Toy:
    """Its source, as two domains."""
    X, y = toy.X[~toy.in_target], toy.y[~toy.in_target]
    return Toy(X, y, np.where(np.random.default_rng(0).random(len(y)) < 0.5, "source", "target"))


def test_a_domain_classifier_tells_domains_apart_and_halves_of_one_it_does_not(toy: Toy) -> None:
    other, same = (make_problem(LR(), own.X, own.y, own.domain, "target") for own in (toy, halves(toy)))
    assert domain_auc(other, looked_at(other)) > 0.9
    assert domain_auc(same, looked_at(same)) < 0.6
    rows = np.concatenate([np.flatnonzero(~toy.in_target), np.flatnonzero(toy.in_target)])
    assert domain_auc(other, looked_at(other)) == consistency(toy.X[rows], toy.in_target[rows].astype(int))


def test_the_sources_accuracy_is_that_of_documents_left_out(toy: Toy) -> None:
    """A fifth of them have a wrong label."""
    same = halves(toy)
    y = np.where(np.arange(len(same.y)) % 5 == 0, same.y[::-1], same.y)
    problem = make_problem(LR(), same.X, y, same.domain, "target")
    X, known = problem.labeled
    right = 0
    for learned, asked in StratifiedKFold(5, shuffle=True, random_state=0).split(known, known):
        model = LogisticRegression(C=10.0, tol=1e-8, max_iter=5000).fit(X[learned], known[learned])
        right += int(np.sum(model.predict(X[asked]) == known[asked]))
    found = validated_in_source(problem, looked_at(problem))
    assert found is not None
    assert found.accuracy == pytest.approx(right / len(known), abs=0.011)
    assert found.accuracy < 0.95


@pytest.mark.parametrize(("share", "as_sure"), [(0.0, True), (0.5, False), (1.0, False)])
def test_of_documents_with_fewer_words_the_sources_classifier_is_less_sure(
    toy: Toy, share: float, as_sure: bool
) -> None:
    """In the target, this share of the documents have lost all but one of their words."""
    same = halves(toy)
    X = same.X.toarray()
    poor = np.flatnonzero(same.in_target)[: round(share * same.in_target.sum())]
    X[poor] *= np.arange(X.shape[1]) == X[poor].argmax(axis=1)[:, None]
    problem = make_problem(LR(), X, same.y, same.domain, "target")
    found = validated_in_source(problem, looked_at(problem))
    assert found is not None
    assert found.is_as_sure == as_sure


def test_classes_of_fewer_documents_than_folds_are_left_out_of_the_sources_accuracy(toy: Toy) -> None:
    same = halves(toy)
    places = np.flatnonzero(~same.in_target & (same.y == "class 0"))
    for n_left, is_known in ((5, True), (4, False)):
        kept = np.setdiff1d(np.arange(len(same.y)), places[n_left:])
        problem = make_problem(LR(), same.X[kept], same.y[kept], same.domain[kept], "target")
        assert (validated_in_source(problem, looked_at(problem)) is not None) == is_known


@pytest.mark.parametrize(
    ("auc", "is_as_sure", "same"),
    [(0.59, False, True), (0.61, False, False), (0.61, True, True), (0.84, True, True), (0.86, True, False)],
)
def test_domains_are_one_if_they_cannot_be_told_apart_or_hardly_and_the_source_says_so(
    auc: float, is_as_sure: bool, same: bool, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "domain_auc", lambda *_: auc)
    monkeypatch.setattr(running, "validated_in_source", lambda *_: InSource(0.7, is_as_sure))
    found = quiet(toy)
    assert (candidates.SAME_DOMAIN in found.chosen_) == same
    assert found.diagnostics_.source_accuracy == (0.7 if same else None)
    without = estimate_accuracy(replace(found.diagnostics_, source_accuracy=None), 2)
    expected = (without.value + 0.7) / 2 if same else without.value
    assert found.estimated_accuracy_.value == pytest.approx(expected, abs=0.006)  # none is expected above .99


def test_where_nothing_has_shifted_the_sources_classifier_is_a_member(toy: Toy) -> None:
    auto = quiet(halves(toy))
    found = auto.diagnostics_
    assert auto.chosen_[-1] == candidates.SAME_DOMAIN
    assert not {candidates.MIXTURE, candidates.TRANSDUCTIVE_DCI, *candidates.UNSHIFTED} & set(auto.chosen_)
    assert found.source_accuracy is not None
    reasons = {row["name"]: row["why"] for row in auto.leaderboard_.rows}
    assert reasons[candidates.SAME_DOMAIN] == f"member: nothing seems to have shifted (AUC {found.domain_auc:.2f})"
    assert reasons[candidates.TOPICS] == f"not needed: nothing seems to have shifted (AUC {found.domain_auc:.2f})"
    assert quiet(toy).diagnostics_.source_accuracy is None


def test_a_prior_that_is_given_is_meant_even_within_one_domain(toy: Toy) -> None:
    auto = quiet(halves(toy), Auto(random_state=0, target_prior={"class 0": 0.5, "class 1": 0.5}))
    assert candidates.SAME_DOMAIN not in auto.chosen_
    assert auto.diagnostics_.source_accuracy is None


def test_within_one_domain_known_labels_are_learned_by_its_classifier_too(toy: Toy) -> None:
    same = halves(toy)
    labeled = ~same.in_target | (np.arange(len(same.y)) % 4 == 0)
    auto = quiet(same, sample_labeled=labeled)
    assert auto.chosen_ == (candidates.LEARNER, candidates.SAME_DOMAIN, candidates.BEFORE_LABELS)


def test_without_time_for_a_hypothesis_domains_are_not_compared(toy: Toy) -> None:
    auto = quiet(halves(toy), Auto(random_state=0, max_time=0))
    assert auto.diagnostics_.domain_auc is None
    assert auto.chosen_ == (candidates.SOURCE_ONLY,)
