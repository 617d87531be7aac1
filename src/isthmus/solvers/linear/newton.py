"""Newton's method for logistic regression, each step by conjugate gradients.

scikit-learn's "newton-cg" finds the same minimum. Here, products of the documents with a step are kept and serve the
line search, so that only the gradients read the documents, and documents may be sparse words beside dense features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils.extmath import row_norms

from isthmus.solvers.linear.side_by_side import Documents, SideBySide, in_two_layouts
from isthmus.typing import Array, Matrix

MAX_STEPS = 100
MAX_INNER = 200
"""Conjugate gradients in one step."""
LOOSEST = 0.5
"""Of a step's residual, relative to the gradient: the first steps need not be exact."""
SUFFICIENT = 1e-4
"""Of the decrease that the gradient promises, so much has to come true."""


@dataclass(frozen=True, eq=False)
class Logistic:
    """C times the weighted logistic loss of `X` and its `targets`, and half the squared length of the weights.

    Values are documents x classes, or a single column for two classes. Weights have a last row, the intercept, that is
    not penalized, and stays zero where there is none.
    """

    X: Documents
    scale: float
    """X is read divided by it."""
    targets: Array
    weights: Array
    """Of the documents, times C."""
    offset: Array | float = 0.0
    """Added to the values, and not learned."""
    has_intercept: bool = True

    @classmethod
    def of(cls, X: Matrix | SideBySide) -> Logistic:
        """Of documents whose classes are yet to come.

        Tolerances are about gradients, which are as large as X: where its rows are far from unit length, so brought.
        """
        parts = (X.words, X.hidden) if isinstance(X, SideBySide) else (X,)
        square = sum(float(row_norms(part, squared=True).mean()) for part in parts)
        scale = 1.0 if 0.1 < square < 10 or not square else square**0.5
        return cls(in_two_layouts(X), scale, np.zeros(0), np.zeros(0))

    def with_classes(self, targets: Array, weights: Array) -> Logistic:
        """The same documents with these classes, and so much weight."""
        return replace(self, targets=targets.astype(self.X.dtype), weights=weights)

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @cached_property
    def _transposed(self) -> Any:
        return self.X.T

    @cached_property
    def _column_of_weights(self) -> Array:
        return self.weights[:, None].astype(self.X.dtype, copy=False)

    def values(self, coefficients: Array) -> Array:
        """What the coefficients make of the documents, without the offset, in the precision of X."""
        if not coefficients.any():  # where every fit without a start begins
            return np.zeros((self.X.shape[0], coefficients.shape[1]), dtype=self.X.dtype)
        words = coefficients[:-1] if self.scale == 1 else coefficients[:-1] / self.scale
        found = np.asarray(self.X @ words.astype(self.X.dtype, copy=False))
        found += coefficients[-1].astype(found.dtype, copy=False)
        return found

    def objective(self, values: Array, square: float) -> float:
        """From the values, and the squared length of the weights."""
        if values.shape[1] == 1:
            losses = np.logaddexp(0, values[:, 0]) - self.targets[:, 0] * values[:, 0]
        else:
            peaks = _peaks(values)
            losses = np.log(np.exp(values - peaks[:, None]) @ np.ones(values.shape[1], dtype=values.dtype)) + peaks
            losses -= np.einsum("ij,ij->i", self.targets, values)
        return float(self.weights @ losses) + square / 2

    def probabilities(self, values: Array) -> Array:
        if values.shape[1] == 1:
            return np.asarray(expit(values))
        found = np.exp(values - _peaks(values)[:, None])
        found /= (found @ np.ones(found.shape[1], dtype=found.dtype))[:, None]
        return np.asarray(found)

    def back(self, residuals: Array, coefficients: Array) -> Array:
        """From residuals of documents to a gradient, the penalty's included."""
        found = np.empty_like(coefficients)
        words = self._transposed @ residuals.astype(self.X.dtype, copy=False)
        np.add(words if self.scale == 1 else words / self.scale, coefficients[:-1], out=found[:-1])
        found[-1] = residuals.sum(axis=0, dtype=np.float64) if self.has_intercept else 0.0
        return found

    def gradient(self, probabilities: Array, coefficients: Array) -> Array:
        """Of the objective, in double precision."""
        return self.back((probabilities - self.targets) * self._column_of_weights, coefficients)

    def curved(self, probabilities: Array, values: Array) -> Array:
        """The loss's second derivative in the direction of these values."""
        if values.shape[1] == 1:
            found = values * (1 - probabilities)
        else:
            found = values - np.einsum("ij,ij->i", probabilities, values)[:, None]
        found *= probabilities
        found *= self._column_of_weights
        return np.asarray(found)


def fit_newton(problem: Logistic, start: Array, tol: float, values: Array | None = None) -> tuple[Array, Array, int]:
    """Coefficients, what they make of the documents, and how many steps led there.

    `values` are those of the start, without the offset, if they are known.

    It ends where no entry of the gradient is larger than `tol` times the weight of all documents.
    """
    coefficients, enough = start.copy(), tol * problem.weights.sum()
    values = problem.offset + (problem.values(coefficients) if values is None else values)
    square = float(np.vdot(coefficients[:-1], coefficients[:-1]))
    best = problem.objective(values, square)
    for step in range(MAX_STEPS):
        probabilities = problem.probabilities(values)
        gradient = problem.gradient(probabilities, coefficients)
        if np.abs(gradient).max() <= enough:
            return coefficients, values, step
        along, its_values = _newton_step(problem, probabilities, gradient, enough)
        slope, size = float(np.vdot(gradient, along)), 1.0
        if not slope < 0:
            return coefficients, values, step
        cross = float(np.vdot(coefficients[:-1], along[:-1]))
        length = float(np.vdot(along[:-1], along[:-1]))
        while True:
            reached = values + size * its_values
            new_square = square + 2 * size * cross + size**2 * length
            found = problem.objective(reached, new_square)
            if found <= best + SUFFICIENT * size * slope:
                break
            size /= 2
            if size < 1e-10:  # rounding: there is no way further down
                return coefficients, values, step
        coefficients += size * along
        values, square, best = reached, new_square, found
    return coefficients, values, MAX_STEPS


def _newton_step(problem: Logistic, probabilities: Array, gradient: Array, enough: float) -> tuple[Array, Array]:
    """A direction, and the documents' values along it: conjugate gradients for the Hessian, not to the end.

    In the precision of X: the next step mends what this one rounds.
    """
    gradient, probabilities = (own.astype(problem.X.dtype, copy=False) for own in (gradient, probabilities))
    along, its_values = np.zeros_like(gradient), np.zeros_like(probabilities)
    residual = -gradient
    direction, square = residual.copy(), float(np.vdot(residual, residual))
    norm = square**0.5
    wanted = min(LOOSEST, (np.abs(gradient).max() / enough) ** -0.5) * norm
    for _ in range(MAX_INNER):
        values = problem.values(direction)
        curved = problem.back(problem.curved(probabilities, values), direction)
        curvature = float(np.vdot(direction, curved))
        if not curvature > 0:  # squares beyond single precision
            break
        size = square / curvature
        along += size * direction
        its_values += size * values
        residual -= size * curved
        new_square = float(np.vdot(residual, residual))
        if new_square**0.5 <= wanted:
            break
        direction *= new_square / square
        direction += residual
        square = new_square
    return along, its_values


def _peaks(values: Array) -> Array:
    """The largest of each row: numpy takes twenty times as long where rows are short."""
    return np.asarray(np.ascontiguousarray(values.T).max(axis=0))
