"""A good model, and bad ones that a scorer must tell from it."""

from __future__ import annotations

import numpy as np

import isthmus
from isthmus.core.problem import Problem
from isthmus.solvers.linear.logistic import fit_logistic
from isthmus.typing import Array, Matrix


class Muddled(isthmus.LR):
    """Learns something about documents that has nothing to do with their class, nor with their order."""

    def _learn(self, problem: Problem) -> list[Array]:
        X, _ = problem.labeled
        digits = np.floor(X.sum(axis=1) * 1e5).astype(int)
        self.classifier_ = fit_logistic(X, digits % problem.n_classes, self.C)
        return [self._assign(domain.matrix, None) for domain in problem.domains]


class Stubborn(isthmus.LR):
    """Gives every document the same answer."""

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        shares = np.full((X.shape[0], self.classifier_.coef_.shape[0] + 1), 0.1)
        shares[:, 0] = 1 - shares[:, 1:].sum(axis=1)
        return shares


GOOD, MUDDLED, STUBBORN = isthmus.NaiveBayesEM(), Muddled(C=100.0), Stubborn()
