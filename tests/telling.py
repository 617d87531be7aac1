"""Candidates that answer as they are told, for tests of what is made of their answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from isthmus.auto import Diagnostics, candidates
from isthmus.auto import run as running
from isthmus.auto.decide import decide
from isthmus.auto.run import Clock, Run
from isthmus.core.problem import Problem, make_problem
from isthmus.core.solution import TransductiveSolution
from isthmus.core.workspace import Workspace
from isthmus.methods import LR
from isthmus.typing import Array, Matrix

N_UNLABELED = 100


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
        return Told(distributions=self.answer)


def a_problem(n_known: int = 0, n_classes: int = 2) -> Problem:
    """All classes have as many of the source's documents, and of the target's, which is another domain."""
    n = 60 + N_UNLABELED
    X, y = np.random.default_rng(0).uniform(size=(n, 3)), np.arange(n) % n_classes
    X[:, 2] = np.arange(n) >= 60
    labeled = np.arange(n) < 60 + n_known
    return make_problem(LR(), X, y, np.repeat([1, -1], [60, N_UNLABELED]), sample_labeled=labeled)


def answer(n_of_second: int, confidence: float = 0.9) -> Array:
    """The last so many documents are of the second class."""
    labels = (np.arange(N_UNLABELED) >= N_UNLABELED - n_of_second).astype(int)
    return np.where(np.eye(2)[labels] == 1, confidence, 1 - confidence)


def told(monkeypatch: pytest.MonkeyPatch, answers: dict[str, Array], prior: Any, n_classes: int = 2) -> Run:
    """A run in which all have answered what they were told to, and half of one class and half of the other if not."""

    def telling(one: candidates.Candidate) -> candidates.Candidate:
        def method(**settings: Any) -> Any:
            usual = np.eye(n_classes)[np.arange(N_UNLABELED) % n_classes] * 0.8 + 0.2 / n_classes
            return Telling(answers.get(one.name, usual))

        return one if one.method is None else replace(one, method=method)

    monkeypatch.setattr(running, "PORTFOLIO", tuple(map(telling, candidates.PORTFOLIO)))
    run = Run(a_problem(n_classes=n_classes), Workspace(), prior, Clock(None), 0)
    run.start()
    return run


def kinds(run: Run) -> list[str]:
    """Of all cautions but the worst, which would silence the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Diagnostics, "unrelated_score", property(lambda self: -1.0))
        return [caution.kind for caution in decide(run, None).warnings]
