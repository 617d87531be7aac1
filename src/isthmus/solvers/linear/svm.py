"""Linear support vector machines: each class against the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from isthmus.typing import Array, Matrix, Positions


@dataclass(frozen=True, eq=False)
class Machines:
    """A column of margins for each class, or a single one, for the second, if there are two."""

    coef: Array
    """Columns x words."""
    intercept: Array

    def margins(self, X: Matrix) -> Array:
        """Documents x columns."""
        return np.asarray(X @ self.coef.T) + self.intercept

    def __add__(self, other: Machines) -> Machines:
        return Machines(self.coef + other.coef, self.intercept + other.intercept)


def mean_of(machines: Sequence[Machines]) -> Machines:
    """Whose margins are the means of theirs."""
    return Machines(*(np.mean([getattr(one, part) for one in machines], axis=0) for part in ("coef", "intercept")))


def signs(numbers: Positions, n_classes: int) -> Array:
    """What the margins should be: documents x columns, 1 for the documents of the column's class and -1 for others."""
    columns = [1] if n_classes == 2 else range(n_classes)
    return np.column_stack([np.where(numbers == column, 1.0, -1.0) for column in columns])


def svm(X: Matrix, numbers: Positions, n_classes: int, C: float, weights: Array | None = None) -> Machines:
    """Squared hinge loss, as liblinear solves it: so closely that the order in which it visits documents hardly shows.

    Where a column knows one sign only, as when a class has no document, that sign is its margin everywhere.
    """
    found = signs(numbers, n_classes)
    coef, intercept = np.zeros((found.shape[1], X.shape[1])), found[0].copy()
    for column, sign in enumerate(found.T):
        if np.ptp(sign):
            machine = LinearSVC(C=C, dual="auto", tol=1e-6, max_iter=100_000, random_state=0)
            machine.fit(X, sign, sample_weight=weights)
            coef[column], intercept[column] = machine.coef_[0], machine.intercept_[0]
    return Machines(coef, intercept)


def squared_hinge(
    blocks: Sequence[Matrix],
    sign: Array,
    required: Array | float,
    C: float,
    start: Array | None = None,
    tol: float = 1e-6,
) -> Array:
    """The w with the least 1/2 ||w||^2 + C sum_i max(0, required_i - sign_i (X w)_i)^2, for X = [blocks].

    What liblinear does not do: documents that need a margin other than one, features in several matrices, and a start.
    """
    ends = np.cumsum([block.shape[1] for block in blocks])

    def objective(w: Array) -> tuple[float, Array]:
        margins = sum(block @ part for block, part in zip(blocks, np.split(w, ends[:-1]), strict=True))
        slack = np.maximum(required - sign * margins, 0)
        pull = 2 * C * sign * slack
        gradient = w - np.concatenate([block.T @ pull for block in blocks])
        return float(w @ w / 2 + C * slack @ slack), gradient

    first = np.zeros(ends[-1]) if start is None else start
    # tol is relative to the gradient at zero, so that neither C nor the scale of X decides when to stop.
    scale = max(float(np.abs(objective(np.zeros(ends[-1]))[1]).max()), 1e-300)
    options = {"maxiter": 2000, "maxfun": 4000, "gtol": tol * scale, "ftol": 1e-15, "maxcor": 20}
    return np.asarray(minimize(objective, first, jac=True, method="L-BFGS-B", options=options).x)
