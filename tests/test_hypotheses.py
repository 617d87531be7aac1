"""Hypotheses about the target: what label shift looks like, and who goes by which prior."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from conftest import Toy
from isthmus.auto import Diagnostics, Estimate, candidates
from isthmus.auto import run as running
from isthmus.auto.decide import decide
from isthmus.auto.label_shift import Evidence
from isthmus.auto.run import Clock, Run
from isthmus.core.problem import make_problem
from isthmus.core.workspace import Workspace
from isthmus.methods import LR
from isthmus.methods.self_labeling._pseudo_labels import lsa_features
from isthmus.solvers.linear import fit_logistic, log_odds
from telling import N_UNLABELED, answer, kinds, told


@pytest.mark.parametrize(("n_of_second", "said"), [(50, False), (70, False), (72, True), (28, True)])
def test_label_shift_is_said_where_the_prior_that_was_found_is_another(
    n_of_second: int, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By more than 17 in a hundred, and what a draw of a hundred may differ by, whichever ensemble answers."""
    run = told(monkeypatch, dict.fromkeys(candidates.HYPOTHESES, answer(n_of_second)), "unknown")
    assert run.prior_by_class() == pytest.approx({0: 1 - n_of_second / 100, 1: n_of_second / 100})
    monkeypatch.setattr("isthmus.auto.decide.estimate_accuracy", lambda *_: Estimate(0.9, 0.8, 1.0))
    for topic_score in (-1.0, 1.0):
        monkeypatch.setattr(Diagnostics, "topic_score", topic_score)
        assert ("prior" in kinds(run)) == said
    monkeypatch.setattr("isthmus.auto.decide.estimate_accuracy", lambda *_: Estimate(0.3, 0.2, 0.4))
    assert "prior" not in kinds(run)  # so many mistakes would look like it


@pytest.mark.parametrize("better", [candidates.WITH_LSA, candidates.WITH_DCI, candidates.BALANCED_DCI])
def test_evidence_decides(better: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of hypotheses with class shares of their own, the better one counts, and the target prior is its."""
    shares = {candidates.WITH_LSA: 20, candidates.WITH_DCI: 55, candidates.BALANCED_DCI: 85}

    def of_labels(views: Any, labels: Any, here: Any) -> Evidence:
        return Evidence(0.95 if labels.sum() == shares[better] else 0.3, 0.9)

    monkeypatch.setattr(running, "evidence_for", of_labels)
    run = told(monkeypatch, {name: answer(share) for name, share in shares.items()}, "auto")
    assert run.weights[better] > 0.95
    assert run.prior_by_class()[1] == pytest.approx(shares[better] / 100, abs=0.02)
    assert [name for name in run.members(topics=True) if name in run.hypotheses] == [better]


@pytest.mark.parametrize(
    ("prior", "n_of_second", "apart"),
    [("auto", 64, False), ("auto", 66, True), ("unknown", 34, True), ("source", 90, False)],
)
def test_cautious_hypotheses_join_where_the_others_do_not_agree_on_the_prior(
    prior: str, n_of_second: int, apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By more than 15 in a hundred documents; where a prior is given, there is nothing to agree on."""
    halves = dict.fromkeys((candidates.WITH_DCI, candidates.BALANCED_DCI), answer(50))
    cautious = dict.fromkeys(candidates.CAUTIOUS, answer(80))
    run = told(monkeypatch, {candidates.WITH_LSA: answer(n_of_second), **halves, **cautious}, prior)
    ran = [name in run.answers and name in run.weights for name in candidates.CAUTIOUS]
    assert ran == [apart] * len(candidates.CAUTIOUS)
    assert sum(run.weights.values()) == pytest.approx(1)
    reasons = {row["name"]: row["why"] for row in decide(run, None).rows}
    if apart:
        assert set(run.evidence) == {candidates.WITH_LSA, *halves, *cautious}
        shares = {candidates.WITH_LSA: n_of_second / 100, **dict.fromkeys(halves, 0.5), **dict.fromkeys(cautious, 0.8)}
        mean = sum(run.weights[name] * share for name, share in shares.items())
        assert run.prior_by_class()[1] == pytest.approx(mean, abs=0.001)
    else:
        assert all(reasons[name] == "not needed: the hypotheses agree on the prior" for name in cautious)


def test_of_more_than_two_classes_no_hypothesis_is_cautious(monkeypatch: pytest.MonkeyPatch) -> None:
    """However far their priors are apart."""
    all_of_one = np.tile([0.8, 0.1, 0.1], (N_UNLABELED, 1))
    run = told(monkeypatch, {candidates.WITH_LSA: all_of_one}, "auto", n_classes=3)
    assert not set(run.answers) & set(candidates.CAUTIOUS)


@pytest.mark.parametrize(
    ("prior", "n_of_second", "near"),
    [
        ("auto", 64, True),
        ("auto", 66, False),
        ("unknown", 36, True),
        ("source", 90, True),
        ({0: 0.5, 1: 0.5}, 50, False),
    ],
)
def test_at_about_the_sources_prior_the_regressions_for_opinions_go_by_it(
    prior: Any, n_of_second: int, near: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within 15 in a hundred documents, unless a prior is given; together they count as much as the one alone."""
    run = told(monkeypatch, dict.fromkeys(candidates.HYPOTHESES, answer(n_of_second)), prior)
    own = tuple(name for name in run.members(topics=False) if name not in (*run.hypotheses, candidates.SOURCE_LSA))
    assert own == (candidates.UNSHIFTED if near else (candidates.TRANSDUCTIVE_DCI,))
    assert sum(run.member_weights(own)) == 1
    for name in candidates.UNSHIFTED:
        chosen = run.candidates[name]
        assert {**chosen.settings, **run._told(chosen)}["target_prior"] == "source"
    rows = {row["name"]: row["why"] for row in decide(run, None).rows}
    left_out = (candidates.TRANSDUCTIVE_DCI,) if near else candidates.UNSHIFTED
    assert {rows[name] for name in left_out} == {"not needed at this target prior"}


def test_of_more_than_two_classes_no_prior_is_taken_for_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    run = told(monkeypatch, {}, "auto", n_classes=3)
    assert run.members(topics=False)[-2:] == (candidates.TRANSDUCTIVE_DCI, candidates.SOURCE_LSA)


@pytest.mark.parametrize(
    ("prior", "joins"), [("auto", True), ("unknown", True), ("source", False), ({0: 0.5, 1: 0.5}, False)]
)
def test_where_the_prior_has_to_be_found_a_classifier_of_the_source_joins(
    prior: Any, joins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which has learned nothing from the target: of opinions, and not where nothing has shifted."""
    run = told(monkeypatch, {}, prior)
    assert (candidates.SOURCE_LSA in run.members(topics=False)) == joins
    assert candidates.SOURCE_LSA not in run.members(topics=True)
    run.source_accuracy = 0.9
    assert candidates.SOURCE_LSA not in run.members(topics=False)


def test_beside_many_documents_the_sources_classifier_counts_for_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """As what is found in them is less often chance."""
    run = told(monkeypatch, {}, "auto")
    for times, weight in ((0.2, 1.0), (1, 1.0), (4, 0.5), (100, 0.1)):
        run.n_unlabeled = round(times * candidates.FEW)
        assert run.member_weights((candidates.SOURCE_LSA, candidates.MIXTURE)) == pytest.approx([weight, 1.0])


def test_a_classifier_of_the_source_learns_nothing_from_pseudo_labels(toy: Toy) -> None:
    """Whatever the prior: it is the one that self-training begins with."""
    problem, workspace = make_problem(LR(), toy.X, toy.y, toy.domain, "target"), Workspace()
    chosen = Run(problem, workspace, "auto", Clock(None), 0).candidates[candidates.SOURCE_LSA]
    assert chosen.method is not None
    words = lsa_features(problem.documents)
    rows = words.labeled_first(problem)
    classifier = fit_logistic(rows[: len(problem.labeled[1])], problem.labeled[1], candidates.FREE["C"])
    expected = softmax(log_odds(classifier, rows[len(problem.labeled[1]) :]), axis=1)
    for prior in ("source", {"class 0": 0.9, "class 1": 0.1}):
        found = chosen.method(**chosen.settings, target_prior=prior).solve(problem, workspace)
        np.testing.assert_allclose(found.transduce(problem), expected, atol=1e-6)
