"""Candidates that answer as they are told: who runs, what it costs, and what label shift looks like."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from isthmus.auto import Diagnostics, candidates, label_shift, rules
from isthmus.auto import run as running
from isthmus.auto.auto import _without_target_labels
from isthmus.auto.label_shift import class_cautions
from isthmus.auto.run import Clock, Run
from isthmus.core.problem import Problem, make_problem
from isthmus.core.solution import TransductiveSolution
from isthmus.core.workspace import Workspace
from isthmus.methods import LR
from isthmus.typing import Array, Matrix

N_UNLABELED = 100
MANY = Diagnostics()
"""So many documents that missing classes can be told."""


@dataclass(frozen=True, eq=False)
class Told(TransductiveSolution):
    """Says what it was told to."""

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.full((X.shape[0], 2), 0.5)


class Telling:
    """In the place of an estimator."""

    def __init__(self, answer: Array) -> None:
        self.answer = answer

    def solve(self, problem: Problem, workspace: Workspace) -> Told:
        return Told(self.answer)


def a_problem(n_known: int = 0) -> Problem:
    """Half of the source's documents, and of the target's, are of each class."""
    n = 20 + N_UNLABELED
    X, y = np.random.default_rng(0).uniform(size=(n, 3)), np.arange(n) % 2
    labeled = np.arange(n) < 20 + n_known
    return make_problem(LR(), X, y, np.repeat([1, -1], [20, N_UNLABELED]), sample_labeled=labeled)


def answer(n_of_second: int, confidence: float = 0.9) -> Array:
    """The last so many documents are of the second class."""
    labels = (np.arange(N_UNLABELED) >= N_UNLABELED - n_of_second).astype(int)
    return np.where(np.eye(2)[labels] == 1, confidence, 1 - confidence)


def told(monkeypatch: pytest.MonkeyPatch, at_source: dict[str, Array], at_unknown: dict[str, Array]) -> Run:
    """A run at the source's prior in which all have answered; what they will say at an unknown one is known."""

    def telling(one: candidates.Candidate) -> candidates.Candidate:
        def method(target_prior: Any = "source", **settings: Any) -> Any:
            answers = at_unknown if target_prior == "unknown" else at_source
            return Telling(answers.get(one.name, answer(N_UNLABELED // 2)))

        return replace(one, method=method)

    monkeypatch.setattr(running, "PORTFOLIO", tuple(map(telling, candidates.PORTFOLIO)))
    run = Run(a_problem(), Workspace(), "source", Clock(None), 0)
    run.start()
    return run


def kinds(run: Run, diagnostics: Diagnostics = MANY, members: tuple[str, ...] | None = None) -> list[str]:
    return [caution.kind for caution in class_cautions(run, members or run.ensembles.topics, diagnostics)]


@pytest.mark.parametrize(("n_of_second", "moved"), [(50, False), (69, False), (71, True), (31, False), (29, True)])
def test_label_shift_is_said_where_the_prior_that_was_found_is_another(
    n_of_second: int, moved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All members but TCL, which needs no prior, change their mind with it: far more than a quarter of the labels."""
    free = dict.fromkeys((candidates.LONG, candidates.MIXTURE), answer(100, 0.99))
    run = told(monkeypatch, {}, {candidates.SHORT: answer(n_of_second), **free})
    assert kinds(run) == (["prior"] if moved else [])


@pytest.mark.parametrize(("n_changed", "said"), [(0, False), (24, False), (26, True)])
def test_label_shift_is_said_where_labels_depend_on_the_prior(
    n_changed: int, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = dict.fromkeys((candidates.LONG, candidates.MIXTURE), answer(50 + n_changed))
    run = told(monkeypatch, {}, {candidates.SHORT: answer(90), **free})
    assert kinds(run) == (["prior"] if said else [])


def test_label_shift_is_for_topics_and_for_priors_that_nobody_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    free = dict.fromkeys((candidates.SHORT, candidates.LONG, candidates.MIXTURE), answer(90))
    run = told(monkeypatch, {}, free)
    assert kinds(run) == ["prior"]
    run.target_prior = {0: 0.5, 1: 0.5}
    assert kinds(run) == []
    run.target_prior, run.clock = "source", Clock(0.0)
    run.unit = 1.0
    assert kinds(run) == []  # there is no time to find out


@pytest.mark.parametrize(
    ("n_of_second", "confidence", "gone"), [(24, 0.7, True), (26, 0.7, False), (24, 0.74, False), (0, 0.9, True)]
)
def test_a_class_with_less_than_half_of_its_share_is_missing(
    n_of_second: int, confidence: float, gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = told(monkeypatch, {}, {candidates.SHORT: answer(n_of_second, confidence)})
    assert label_shift._missing_classes(run, answer(n_of_second, confidence)) == ([1] if gone else [])
    assert ("missing class" in kinds(run)) == gone
    few = Diagnostics(n_documents=rules.FEW_DOCUMENTS)
    assert "missing class" not in kinds(run, few)


def test_candidates_run_in_turn_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run = told(monkeypatch, {candidates.SHORT: answer(30)}, {})
    assert list(run.answers) == [one.name for one in candidates.PORTFOLIO]
    assert np.array_equal(run.answers[candidates.SHORT], answer(30))
    assert run.unit == run.seconds[candidates.SOURCE_ONLY]
    assert run.expected_seconds((candidates.LONG,)) == 0
    assert run.prior_by_class() == {0: 0.5, 1: 0.5}
    only = Run(a_problem(), Workspace(), "unknown", Clock(None), 0)
    only.start(only=(candidates.MIXTURE, candidates.LONG))
    assert set(only.answers) == {candidates.MIXTURE, candidates.LONG}
    assert only.prior_by_class() is None


def test_time_that_is_left_decides_who_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first takes a second; the next needs 5 more, and the diagnostics 8."""
    now = [0.0]
    monkeypatch.setattr(running, "perf_counter", lambda: now[0])
    run = Run(a_problem(), Workspace(), "source", Clock(14.0), 0)
    run.unit = 1.0
    now[0] = 1.0
    assert run._obstacle(run.candidates[candidates.SHORT], False) == ""
    now[0] = 1.1
    assert run._obstacle(run.candidates[candidates.SHORT], False) == "no time left"
    assert run._obstacle(run.candidates[candidates.MIXTURE], False) == "no time left"  # it starts from that
    run.answers[candidates.SHORT] = answer(50)
    assert run._obstacle(run.candidates[candidates.MIXTURE], False) == ""
    run.seconds = {candidates.SHORT: 2.0, candidates.MIXTURE: 0.5, candidates.LONG: 9.0}
    assert run.seconds_of((candidates.MIXTURE,)) == 2.5


def test_labels_of_the_target_are_set_aside_to_be_checked_against() -> None:
    problem = a_problem(n_known=6)
    hidden, checked = _without_target_labels(problem)
    assert checked is not None
    assert not hidden.targets[0].labeled.any()
    assert hidden.unlabeled.shape[0] == N_UNLABELED == len(checked)
    assert np.flatnonzero(checked.any(axis=1)).tolist() == list(range(6))
    assert checked.argmax(axis=1)[:6].tolist() == [0, 1] * 3
    assert _without_target_labels(a_problem())[1] is None
