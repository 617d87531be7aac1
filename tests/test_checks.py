"""The contract suite itself: it lets good methods pass, and says what is wrong with others."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest

import isthmus
from isthmus.checks import CHECKS, check_method, checks_of
from isthmus.core.estimator import TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.solution import LinearSolution, Solution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear import logistic_regression
from isthmus.typing import Array, Matrix


@pytest.mark.parametrize(
    "method", [isthmus.TCL(n_topics=4, max_iter=10, random_state=0), isthmus.LR()], ids=["TCL", "LR"]
)
def test_good_methods_pass(method: Any) -> None:
    before = dict(vars(method))
    assert check_method(method) == {}
    assert vars(method) == before


@dataclass(frozen=True, eq=False)
class Linear(Solution):
    """A solution of somebody else's."""

    classifier: Any

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(self.classifier.predict_proba(X))


class Good(TransferClassifier):
    """The shortest method that keeps the contract. Those below break it in one way each."""

    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        return Linear(logistic_regression(problem, 1.0))


def test_a_method_of_somebody_else_passes() -> None:
    skipped = check_method(Good())
    assert skipped == {"check_save_and_load": "model files hold classes of isthmus, and Good is none of them"}


class WritesIntoItself(Good):
    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        self.n_seen = problem.n_rows
        return super().solve(problem, workspace)


class AddsToItsParameters(Good):
    """In place, so that the attribute is still the same object."""

    def __init__(self, history: tuple[Any, ...] = ([],)) -> None:
        self.history = history

    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        self.history[0].append(problem.n_rows)
        return super().solve(problem, workspace)


class IsNotRepeatable(Good):
    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        return Linear(logistic_regression(problem, np.random.default_rng().uniform(0.1, 10)))


class ChangesX(Good):
    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        problem.domains[0].matrix.data[:] = 1.0
        return super().solve(problem, workspace)


class ChangesTheProblem(Good):
    """Through the back door: what is read-only is a view."""

    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        behind = problem.class_prior.base
        assert behind is not None
        behind[:] = behind / 2
        return super().solve(problem, workspace)


@dataclass(frozen=True, eq=False)
class Doubled(LinearSolution):
    def assign(self, X: Matrix, domain: int | None) -> Array:
        return 2 * super().assign(X, domain)


@dataclass(frozen=True, eq=False)
class Centred(LinearSolution):
    """Compares each document with the mean of those that come along."""

    def assign(self, X: Matrix, domain: int | None) -> Array:
        found = super().assign(X, domain)
        shifted = found / found.mean(axis=0)
        return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Missing(LinearSolution):
    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.full_like(super().assign(X, domain), np.nan)


@dataclass(frozen=True, eq=False)
class Reversed(LinearSolution):
    def assign(self, X: Matrix, domain: int | None) -> Array:
        return 1 - super().assign(X, domain)


class Returns(TransferClassifier):
    """A method with one of these solutions."""

    def __init__(self, kind: type[LinearSolution] = LinearSolution) -> None:
        self.kind = kind

    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        return self.kind(logistic_regression(problem, 1.0))


class IgnoresKnownTargetLabels(Good):
    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        blind = [d if not d.is_target else replace(d, labeled=np.zeros_like(d.labeled)) for d in problem.domains]
        return super().solve(problem.relabeled(tuple(blind), problem.class_prior), workspace)


class GoesByTheClassesNames(Good):
    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        return Linear(logistic_regression(problem, 2.0 if problem.classes.dtype.kind in "ifb" else 1.0))


class NeedsTwoDomains(Good):
    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        _source, _target = problem.domains
        return super().solve(problem, workspace)


class NeedsSparse(Good):
    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        problem.domains[0].matrix.tocsr()
        return super().solve(problem, workspace)


BROKEN: dict[str, tuple[Any, str]] = {
    "writes into itself": (
        WritesIntoItself(),
        "WritesIntoItself fails check_solve_changes_nothing: expected solve to leave the attributes of "
        "WritesIntoItself as they are, found that it sets n_seen.",
    ),
    "adds to its parameters": (
        AddsToItsParameters(),
        "check_solve_changes_nothing: .* found that it sets history",
    ),
    "is not repeatable": (
        IsNotRepeatable(),
        "check_same_seed_gives_the_same_bits: expected the same bits in label_distributions_ of a second fit with the "
        "same seed, found a difference of up to",
    ),
    "changes X": (
        ChangesX(),
        "check_input_is_left_unchanged: expected no error, found ValueError: assignment destination is read-only",
    ),
    "changes the problem": (
        ChangesTheProblem(),
        "check_solve_changes_nothing: expected solve to leave the arrays of the problem as they are, found that it "
        "sets class_prior",
    ),
    "rows that do not sum to one": (
        Returns(Doubled),
        "check_probabilities: expected rows of label_distributions_ that sum to one, found a sum of 2",
    ),
    "missing numbers": (
        Returns(Missing),
        "check_input_is_left_unchanged: expected no error, found ValueError: Returns has no probabilities for row 0",
    ),
    "the wrong way round": (
        Returns(Reversed),
        r"check_easy_target_is_labeled_right: expected more than 85% of the target's labels to be right, found \d+%",
    ),
    "depends on other documents": (
        Returns(Centred),
        "check_new_documents_one_by_one: expected predict_proba of single documents as of all at once within 1e-09, "
        "found a difference of up to",
    ),
    "ignores known target labels": (
        IgnoresKnownTargetLabels(),
        "check_known_target_labels_are_used: expected known labels of target rows to count for the other rows, found "
        "the same bits as without them",
    ),
    "goes by the classes' names": (
        GoesByTheClassesNames(),
        "check_labels_of_any_type: expected the same bits in label_distributions_ with labels -1 and 1 as with strings",
    ),
    "needs two domains": (
        NeedsTwoDomains(),
        "check_several_sources_and_targets: expected no error, found ValueError: too many values to unpack",
    ),
    "needs sparse documents": (
        NeedsSparse(),
        "check_input_is_left_unchanged: expected no error, found AttributeError: 'numpy.ndarray' object has no",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_methods_fail_with_a_sentence(case: str) -> None:
    method, sentence = BROKEN[case]
    with pytest.raises(AssertionError, match=sentence):
        check_method(method)


def test_checks_that_are_skipped_are_not_run() -> None:
    names = [check.__name__ for check in CHECKS]
    others = [name for name in names if name != "check_probabilities"]
    assert list(check_method(isthmus.LR(), skip=others)) == others
    with pytest.raises(AssertionError, match="Returns fails check_probabilities"):
        check_method(Returns(Doubled), skip=others)
    assert check_method(Returns(Doubled), skip=names) == dict.fromkeys(names, "named in skip")


def test_arguments_of_check_method_are_named() -> None:
    with pytest.raises(TypeError, match=r"estimator is <class .*LR'>: give an instance of a class derived from"):
        check_method(isthmus.LR)
    with pytest.raises(ValueError, match="skip names 'poison', which is no check: choose from check_"):
        check_method(isthmus.LR(), skip=["poison"])
    with pytest.raises(TypeError, match="skip is 'check_frames': give a list"):
        check_method(isthmus.LR(), skip="check_frames")


def test_checks_can_be_run_one_by_one() -> None:
    checks = list(checks_of(Returns(Doubled)))
    assert [check.name for check in checks] == [check.__name__ for check in CHECKS]
    named = {str(check): check for check in checks}
    named["Returns-check_solution"]()
    with pytest.raises(AssertionError, match="Returns fails check_probabilities"):
        named["Returns-check_probabilities"]()
    with pytest.raises(SkipTest, match="Returns is none of them"):
        named["Returns-check_save_and_load"]()


def test_frames_are_skipped_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    others = [check.__name__ for check in CHECKS if check.__name__ != "check_frames"]
    assert check_method(isthmus.LR(), skip=others)["check_frames"] == "pandas is not installed"


def test_checks_are_imported_when_they_are_asked_for() -> None:
    script = "import sys, isthmus; assert 'isthmus.checks' not in sys.modules; isthmus.checks.check_method"
    script += "; assert 'pytest' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
