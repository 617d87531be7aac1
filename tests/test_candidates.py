"""Candidates of the automatic choice: who runs, what it costs, and who learns from whom."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

import isthmus
from conftest import Toy
from isthmus.auto import Diagnostics, Estimate, candidates, rules
from isthmus.auto import run as running
from isthmus.auto.auto import _without_target_labels
from isthmus.auto.averaging import centered_log_odds
from isthmus.auto.decide import _kind, decide
from isthmus.auto.diagnostics import diagnose
from isthmus.auto.distillation import distill
from isthmus.auto.estimate import estimate_accuracy, is_label_shift, room, says_little
from isthmus.auto.label_shift import Evidence
from isthmus.auto.run import NO_TIME, Clock, Run
from isthmus.core.problem import make_problem
from isthmus.core.progress import Stage, listening
from isthmus.core.workspace import Workspace
from isthmus.methods import LR
from isthmus.methods.self_labeling.naive_bayes_em import expectation_maximization
from telling import N_UNLABELED, Telling, a_problem, answer, kinds, told


def test_pseudo_labels_are_learned_from_words_and_embeddings_and_all_else_from_words() -> None:
    run = Run(replace(a_problem(), n_embeddings=1), Workspace(), "auto", Clock(None), 0)
    assert (run.problem.n_words, run.problem.n_embeddings) == (2, 0)
    read = {name: run.width_of(name) for name in run.candidates}
    by_words = {candidates.SOURCE_ONLY, candidates.MIXTURE, candidates.TOPICS}
    assert {name for name, width in read.items() if width == 2} == by_words
    assert {width for name, width in read.items() if name not in by_words} == {3}


@pytest.mark.parametrize(("n_classes", "rounds"), [(2, 1), (3, 3)])
def test_a_mixture_goes_on_from_what_all_members_say(n_classes: int, rounds: int) -> None:
    """Of several classes, from what they then say, once more and again."""
    run = Run(a_problem(n_classes=n_classes), Workspace(), "auto", Clock(None), 0)
    run.start()
    members = (*run.hypotheses, candidates.MIXTURE, candidates.TOPICS)
    run.complete((candidates.TOPICS,))
    answers = dict(run.answers)
    for _ in range(rounds):
        began = softmax(running.SURE * run.average(members, answers)[0], axis=1)
        answers[candidates.MIXTURE] = expectation_maximization(run.problem, began).transduce(run.problem)
    expected = answers[candidates.MIXTURE]
    run.complete(members)
    assert np.array_equal(run.answers[candidates.MIXTURE], expected)
    assert np.array_equal(run.solutions[candidates.MIXTURE].transduce(run.problem), expected)


def test_what_all_members_say_is_distilled(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the mixture has gone on, and by no one who has said it before."""
    asked, average = list[tuple[str, ...]](), Run.average

    def noted(run: Run, names: tuple[str, ...], *given: Any) -> Any:
        asked.append(names)
        return average(run, names, *given)

    monkeypatch.setattr(Run, "average", noted)
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, target_domain="target")
    run = Run(problem, Workspace(), "auto", Clock(None), 0)
    run.start()
    members = run.members(topics=True)
    assert members[-1] == candidates.DISTILLED
    assert candidates.DISTILLED not in run.members(topics=False)
    for _ in range(2):
        run.complete(members)
        labels = run.average(members[:-1])[0].argmax(axis=1)
        solution, expected = distill(run.problem.unlabeled, labels, 2)
        assert np.array_equal(run.answers[candidates.DISTILLED], expected)
        found = run.solutions[candidates.DISTILLED].assign(run.problem.unlabeled, None)
        assert np.array_equal(found, solution.assign(run.problem.unlabeled, None))
    assert not any(candidates.DISTILLED in names for names in asked)


def test_nothing_is_distilled_where_a_class_has_no_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Diagnostics, "topic_score", 1.0)
    run = told(monkeypatch, {own.name: answer(0) for own in candidates.PORTFOLIO}, "auto")
    found = decide(run, None)
    assert candidates.DISTILLED not in found.members
    assert run.skipped[candidates.DISTILLED] == "a class has too few documents"


def test_who_decides_twice_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A warm start asks the same run again: its mixture does not go on a second time."""
    for score, value in (("topic_score", 1.0), ("unrelated_score", -1.0)):
        monkeypatch.setattr(Diagnostics, score, value)
    run = told(monkeypatch, {candidates.WITH_LSA: answer(30)}, "source")
    first = decide(run, None)
    assert candidates.MIXTURE in first.members
    assert np.array_equal(first.scores, decide(run, None).scores)


def test_known_labels_judge_what_was_said_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A warm start's run has gone on since, and a fresh one has not: both must choose the same."""
    monkeypatch.setattr(Diagnostics, "topic_score", 1.0)
    truth = np.arange(N_UNLABELED) % 2
    checked = np.where(np.arange(N_UNLABELED)[:, None] < 20, np.eye(2)[truth], 0)
    run = told(monkeypatch, {}, "source")
    first = _kind(run, Diagnostics(), checked, Estimate(0.8, 0.7, 0.9))
    for name in (candidates.TRANSDUCTIVE_DCI, *candidates.UNSHIFTED):
        run.answers[name] = 1 - run.answers[candidates.WITH_LSA]
    assert _kind(run, Diagnostics(), checked, Estimate(0.8, 0.7, 0.9)) == first


@pytest.mark.parametrize(
    ("n_classes", "n_documents", "weight"), [(2, 9, 1.0), (3, 900, 2.0), (3, 9000, 2.0), (3, 450, 1.0), (6, 450, 0.5)]
)
def test_a_mixture_of_several_classes_counts_twice_if_each_has_many_documents(
    n_classes: int, n_documents: int, weight: float
) -> None:
    run = Run(a_problem(n_classes=n_classes), Workspace(), "auto", Clock(None), 0)
    run.n_unlabeled = n_documents
    run.weights = {candidates.WITH_LSA: 0.2, candidates.WITH_DCI: 0.6}
    members = (candidates.WITH_LSA, candidates.WITH_DCI, candidates.MIXTURE, candidates.TOPICS)
    assert run.member_weights(members) == pytest.approx([0.25, 0.75, weight, 1.0])


def test_diagnostics_go_by_hypotheses_that_may_let_go_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cautious ones would hide that domains are unrelated."""
    monkeypatch.setattr(running, "evidence_for", lambda *_: Evidence(0.9, 0.9))
    monkeypatch.setattr("isthmus.auto.diagnostics.class_mean_cosine", lambda _, labels: float(labels.mean()))
    bold = {candidates.WITH_LSA: answer(90), candidates.WITH_DCI: answer(40), candidates.BALANCED_DCI: answer(40)}
    first = told(monkeypatch, {**bold, **dict.fromkeys(candidates.CAUTIOUS, answer(40))}, "auto")
    other = told(monkeypatch, {**bold, **dict.fromkeys(candidates.CAUTIOUS, 1 - answer(40))}, "auto")
    assert np.array_equal(first.labels_at_first, other.labels_at_first)
    assert not np.array_equal(first.consensus.argmax(axis=1), other.consensus.argmax(axis=1))
    one, two = diagnose(first), diagnose(other)
    assert (one.reverse_auc, one.class_mean_cosine) == (two.reverse_auc, two.class_mean_cosine)


def test_nothing_is_said_of_a_prior_that_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    run = told(monkeypatch, {candidates.WITH_DCI: answer(90)}, {0: 0.9, 1: 0.1})
    assert "prior" not in kinds(run)
    assert run.prior_by_class() == {0: 0.9, 1: 0.1}


@pytest.mark.parametrize(
    ("shift", "accuracy", "told"), [(0.17, 0.7, True), (0.16, 0.7, False), (0.29, 0.4, False), (0.31, 0.4, True)]
)
def test_label_shift_has_to_be_more_than_half_of_what_is_wrong(shift: float, accuracy: float, told: bool) -> None:
    assert is_label_shift(shift, accuracy, np.inf, 2) == told
    assert not is_label_shift(shift, accuracy, 10, 2)  # a draw of ten differs by .13 on average


def test_a_draw_of_few_documents_differs_from_the_prior_by_chance() -> None:
    rng = np.random.default_rng(0)
    for n, k in ((20, 2), (40, 4)):
        draws = rng.multinomial(n, np.full(k, 1 / k), size=20_000) / n
        usual = np.abs(draws - 1 / k).sum(axis=1).mean() / 2
        least = next(shift for shift in np.linspace(0.17, 0.6, 4301) if is_label_shift(shift, 1.0, n, k))
        assert least - 0.17 == pytest.approx(usual, rel=0.03)


@pytest.mark.parametrize("prior", ["unknown", {0: 0.5, 1: 0.49, 2: 0.01}])
def test_a_missing_class_is_said_in_one_sentence(prior: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Label shift is the same news, and who gives a prior knows it."""
    labels = 0.8 * np.eye(3)[np.arange(N_UNLABELED) % 2] + 0.2 / 3
    run = told(monkeypatch, dict.fromkeys(candidates.HYPOTHESES, labels), prior, n_classes=3)
    monkeypatch.setattr("isthmus.auto.decide.missing_classes", lambda *_: [2])
    asked_for = isinstance(prior, str)
    assert ("missing class" in kinds(run)) == asked_for
    assert "prior" not in kinds(run)
    monkeypatch.setattr("isthmus.auto.decide.missing_classes", lambda *_: [])
    assert "missing class" not in kinds(run)
    assert ("prior" in kinds(run)) == asked_for


def test_missing_classes_are_looked_for_in_what_was_said_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mixture that goes on from the ensemble is no longer unlike it."""
    seen = {}
    monkeypatch.setattr(
        "isthmus.auto.decide.missing_classes", lambda problem, counted, answers, *_: seen.update(answers) or []
    )
    labels = 0.8 * np.eye(3)[np.arange(N_UNLABELED) % 2] + 0.2 / 3
    run = told(monkeypatch, {candidates.WITH_LSA: labels}, "auto", n_classes=3)
    at_first = run.answers[candidates.MIXTURE]
    monkeypatch.setattr(Diagnostics, "topic_score", 1.0)
    kinds(run)
    assert seen[candidates.MIXTURE] is at_first
    assert run.answers[candidates.MIXTURE] is not at_first


@pytest.mark.parametrize(("known", "gone"), [(None, {1, 2}), (2, {1}), (0, {1, 2})])
def test_a_class_with_a_known_label_of_the_target_is_not_missing(
    known: int | None, gone: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of two that are left, nothing is said of a new one."""
    said: dict[str, Any] = {"novel": 0}
    monkeypatch.setattr(Diagnostics, "unrelated_score", -1.0)
    monkeypatch.setattr("isthmus.auto.decide.missing_classes", lambda *_: [1, 2])
    monkeypatch.setattr("isthmus.auto.decide.novel_documents", lambda *_: said.update(novel=said["novel"] + 1))
    monkeypatch.setattr("isthmus.auto.warnings.missing", lambda names: said.update(gone=set(names)))
    run = told(monkeypatch, {}, "auto", n_classes=4)
    checked = None if known is None else np.eye(4)[[known]].repeat(N_UNLABELED, axis=0) * (np.arange(100) == 7)[:, None]
    decide(run, checked)
    assert said["gone"] == gone
    assert said["novel"] == (len(gone) == 1)


def test_labels_that_say_no_more_than_the_largest_class_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    run = told(monkeypatch, {}, "source")
    for little in (True, False):
        asked = list[float]()
        monkeypatch.setattr(
            "isthmus.auto.decide.says_little", lambda *given, own=little, to=asked: bool(to.append(given[2])) or own
        )
        assert ("majority" in kinds(run)) == little
        assert asked == [run.prior.max()]


def test_that_candidates_agree_on_a_large_class_does_not_show_that_they_know_the_others() -> None:
    """Guesses at nine to one agree in 82%; beyond that, these agree in a tenth of what is left."""
    sure: dict[str, Any] = {"reverse_auc": 1.0, "n_documents": 5000, "n_unlabeled": 1e9}
    uneven = Diagnostics(agreement=0.1, chance=0.82, **sure)
    value = 0.82 + 0.18 * 0.1
    assert estimate_accuracy(uneven, 2).value == pytest.approx(value)
    high = value + rules.INTERVAL_IF_EVEN.above * room(value)
    assert says_little(uneven, 2, high + 1e-6)
    assert not says_little(uneven, 2, high - 1e-6)
    assert not says_little(Diagnostics(agreement=0.9, chance=0.82, **sure), 2, 0.9)
    assert not says_little(Diagnostics(agreement=0.9, **sure), 2, 0.9)


def test_candidates_run_in_turn_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run = told(monkeypatch, {candidates.WITH_LSA: answer(30)}, "source")
    first = [one.name for one in candidates.PORTFOLIO if not one.on_demand]
    assert next(iter(run.answers)) == candidates.SOURCE_ONLY
    assert list(run.answers)[-1] == candidates.MIXTURE  # which starts from what the others say together
    assert set(run.answers) == set(first)
    run.complete((candidates.TOPICS, candidates.WITH_DCI))
    assert set(run.answers) == {*first, candidates.TOPICS}
    assert np.array_equal(run.answers[candidates.WITH_LSA], answer(30))
    assert run.unit == run.seconds[candidates.SOURCE_ONLY]
    assert run.prior_by_class() == {0: 0.5, 1: 0.5}
    assert run.expected_seconds(candidates.BALANCED) == 8 * run.unit


def test_another_run_repeats_the_members_alone() -> None:
    run = Run(a_problem(), Workspace(), "auto", Clock(None), 0)
    members = (candidates.MIXTURE, candidates.WITH_DCI, candidates.WITH_LSA)
    prior = {0: 0.3, 1: 0.7}
    run.repeat(members, {candidates.WITH_DCI: 0.5, candidates.WITH_LSA: 0.25, candidates.MIXTURE: 1.0}, prior)
    assert set(run.answers) == set(members)
    assert list(run.answers)[-1] == candidates.MIXTURE
    assert run.weights == {candidates.WITH_DCI: 0.5, candidates.WITH_LSA: 0.25}
    assert run.prior_by_class() == pytest.approx(prior)
    parts = [centered_log_odds(run.answers[name]) for name in run.weights]
    whole = np.average([part / part.std() for part in parts], axis=0, weights=[2, 1])
    assert run.consensus == pytest.approx(whole)


def test_a_repeated_run_tells_cautious_hypotheses_no_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the first run did, whose prior the others go by."""
    asked: dict[str, Any] = {}

    def noting(one: candidates.Candidate) -> candidates.Candidate:
        def method(**settings: Any) -> Any:
            asked[one.name] = settings.get("target_prior")
            return Telling(answer(50))

        return one if one.method is None else replace(one, method=method)

    monkeypatch.setattr(running, "PORTFOLIO", tuple(map(noting, candidates.PORTFOLIO)))
    prior = {0: 0.3, 1: 0.7}
    members = (candidates.TRANSDUCTIVE, candidates.TRANSDUCTIVE_DCI)
    run = Run(a_problem(), Workspace(), "auto", Clock(None), 0)
    run.repeat(members, {candidates.TRANSDUCTIVE: 1.0, candidates.TRANSDUCTIVE_DCI: 1.0}, prior)
    assert asked == {candidates.TRANSDUCTIVE: "unknown", candidates.TRANSDUCTIVE_DCI: prior}
    assert run.weights == {candidates.TRANSDUCTIVE: 1.0}


def test_time_that_is_left_decides_who_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first takes a second; the next needs 20 more, the evidence for it 4, and the diagnostics 8."""
    now = [0.0]
    monkeypatch.setattr(running, "perf_counter", lambda: now[0])
    run = Run(a_problem(), Workspace(), "source", Clock(33.0), 0)
    run.unit = 1.0
    now[0] = 1.0
    assert run._obstacle(run.candidates[candidates.WITH_LSA]) == ""
    now[0] = 1.1
    assert run._obstacle(run.candidates[candidates.WITH_LSA]) == "no time left"
    assert run._obstacle(run.candidates[candidates.MIXTURE]) == ""


def test_labels_of_the_target_are_set_aside_to_be_checked_against() -> None:
    problem = a_problem(n_known=6)
    hidden, checked = _without_target_labels(problem)
    assert checked is not None
    assert not hidden.targets[0].labeled.any()
    assert hidden.unlabeled.shape[0] == N_UNLABELED == len(checked)
    assert np.flatnonzero(checked.any(axis=1)).tolist() == list(range(6))
    assert checked.argmax(axis=1)[:6].tolist() == [0, 1] * 3
    assert _without_target_labels(a_problem())[1] is None


def test_whoever_listens_is_told_of_each_candidate_as_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[Stage] = []
    monkeypatch.setattr(running, "in_threads", map)  # side by side, whose turn it is would be chance
    with listening(stages.append):
        run = told(monkeypatch, {}, "source")
    names = [stage.name for stage in stages]
    assert set(names) == set(run.answers)
    assert names[0] == candidates.SOURCE_ONLY
    for number, stage in enumerate(stages):
        assert set(stage.left) == set(names[number + 1 :])
    told(monkeypatch, {}, "source")
    assert len(stages) == len(names)  # nobody listens


def test_candidates_side_by_side_answer_as_one_after_another(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, target_domain="target")
    stages: list[Stage] = []
    runs = []
    for mapped in (None, map):
        if mapped is not None:
            monkeypatch.setattr(running, "in_threads", mapped)
        runs.append(Run(problem, Workspace(), "source", Clock(None), 0))
        with listening(stages.append):
            runs[-1].start()
    beside, alone = (run.answers for run in runs)
    assert beside.keys() == alone.keys()
    assert all(np.array_equal(beside[name], alone[name]) for name in alone)
    assert sorted(stage.name for stage in stages) == sorted([*beside, *alone])


def test_known_labels_are_learned_from_where_no_hypothesis_had_time(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    obstacle = Run._obstacle
    monkeypatch.setattr(
        Run, "_obstacle", lambda self, own: NO_TIME if own.name in self.hypotheses else obstacle(self, own)
    )
    labeled = toy.domain != "target"
    labeled[np.flatnonzero(~labeled)[:20]] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = isthmus.Auto(random_state=0)
        auto.fit(toy.X, toy.y, sample_domain=toy.domain, target_domain="target", sample_labeled=labeled)
    assert not set(auto.chosen_) & set(candidates.HYPOTHESES)
