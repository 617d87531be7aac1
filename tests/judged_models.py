"""A good model, and bad ones that a scorer must tell from it."""

from __future__ import annotations

import numpy as np

import isthmus
from isthmus.core.problem import Problem
from isthmus.core.solution import LinearSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear.logistic import fit_logistic
from isthmus.typing import Array, Matrix


class Muddled(isthmus.LR):
    """Learns something about documents that has nothing to do with their class, nor with their order."""

    def solve(self, problem: Problem, workspace: Workspace) -> LinearSolution:
        X, _ = problem.labeled
        digits = np.floor(X.sum(axis=1) * 1e5).astype(int)
        return LinearSolution(fit_logistic(X, digits % problem.n_classes, float(self.C)))


class StubbornSolution(LinearSolution):
    def assign(self, X: Matrix, domain: int | None) -> Array:
        probabilities = np.full((X.shape[0], self.classifier.coef_.shape[0] + 1), 0.1)
        probabilities[:, 0] = 1 - probabilities[:, 1:].sum(axis=1)
        return probabilities


class Stubborn(isthmus.LR):
    """Gives every document the same answer."""

    def solve(self, problem: Problem, workspace: Workspace) -> LinearSolution:
        return StubbornSolution(super().solve(problem, workspace).classifier)


GOOD, MUDDLED, STUBBORN = isthmus.NaiveBayesEM(), Muddled(C=100.0), Stubborn()
