"""Several kernels as features, and the weights with which they go into one support vector machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import minimize
from sklearn.kernel_approximation import Nystroem

from isthmus.core.numerics import mean_square
from isthmus.solvers.linear.svm import squared_hinge
from isthmus.typing import Array, Matrix


class KernelFeatures:
    """The linear kernel and Gaussian ones, as blocks of features whose rows have a mean squared length of one.

    Gaussian kernels exp(-g ||x - x'||^2) go through Nystroem features, so that no matrix of documents x documents
    arises. g times the mean squared distance of two documents is one of `widths`.
    """

    def __init__(self, X: Matrix, widths: Sequence[float], n_components: int, rng: np.random.RandomState) -> None:
        squared_length = mean_square(X)
        center = np.asarray(X.mean(axis=0)).ravel()
        distance = max(2 * (squared_length - float(center @ center)), 1e-9 * squared_length)
        # Equal steps along a random direction: a sample that the order of documents does not change.
        order = np.argsort(X @ rng.normal(size=X.shape[1]), kind="stable")
        steps = np.linspace(0, len(order) - 1, min(n_components, len(order))).round().astype(np.intp)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        self._kernels = [
            Nystroem(gamma=width / distance, n_components=len(steps), random_state=seed).fit(X[order[steps]])
            for width in widths
        ]
        # A narrow kernel's features are short where none of the chosen documents is near.
        lengths = [squared_length, *(mean_square(kernel.transform(X)) for kernel in self._kernels)]
        self._scales = np.asarray(lengths) ** -0.5

    def blocks(self, X: Matrix) -> list[Matrix]:
        """Documents x features, for each kernel."""
        found = [X, *(kernel.transform(X) for kernel in self._kernels)]
        return [block * scale for block, scale in zip(found, self._scales, strict=True)]


class Risk:
    """J(d): the least objective of a support vector machine whose kernel is sum_m d_m k_m, as a function of d.

    The features of that kernel are those of each k_m, times the root of d_m. Each column of `signs` is a machine, and
    J their sum. A constant stands beside the features, penalised like them.
    """

    def __init__(self, blocks: Sequence[Matrix], signs: Array, C: float, tol: float = 1e-4) -> None:
        self._blocks = [*blocks, np.ones((len(signs), 1))]
        self._signs = signs
        self._C = C
        self._tol = tol
        self._pulls = np.zeros_like(signs)  # of the documents, where the last machines ended

    def machines(self, weights: Array) -> Array:
        """The weights of all features, the constant last: columns x features."""
        roots = np.sqrt(np.append(weights, 1.0))
        blocks = [root * block for root, block in zip(roots, self._blocks, strict=True)]
        found = []
        for column, sign in enumerate(self._signs.T):
            start = np.concatenate([block.T @ self._pulls[:, column] for block in blocks])
            found.append(squared_hinge(blocks, sign, 1.0, self._C, start, self._tol))
            margins = _times(blocks, found[-1])
            self._pulls[:, column] = 2 * self._C * sign * np.maximum(1 - sign * margins, 0)
        return np.stack(found)

    def __call__(self, weights: Array) -> tuple[float, Array]:
        """J and its gradient, -1/2 || sum_i a_i y_i phi_m(x_i) ||^2 for each kernel, with a_i the dual variables."""
        machines = self.machines(weights)
        value = (machines**2).sum() / 2 + (self._pulls**2).sum() / (4 * self._C)
        slopes = [-(np.asarray(block.T @ self._pulls) ** 2).sum() / 2 for block in self._blocks[:-1]]
        return float(value), np.array(slopes)


def margins(blocks: Sequence[Matrix], weights: Array, machines: Array) -> Array:
    """Documents x columns, of documents with features `blocks`."""
    scaled = [np.sqrt(weight) * block for weight, block in zip(weights, blocks, strict=True)]
    return np.column_stack([_times(scaled, machine[:-1]) + machine[-1] for machine in machines])


def least_on_simplex(
    objective: Callable[[Array], tuple[float, Array]], start: Array, max_iter: int, tol: float
) -> tuple[Array, list[float]]:
    """Weights that are not negative and sum to one with the least objective; its value at the start and at each gain.

    Stops when it changes by less than `tol`.
    """
    best, history = start, [np.inf]

    def watched(weights: Array) -> tuple[float, Array]:
        nonlocal best
        weights = np.maximum(weights, 0)
        value, gradient = objective(weights / weights.sum())
        if value < history[-1]:
            best = weights / weights.sum()
            history.append(value)
        return value, gradient

    sums = {"type": "eq", "fun": lambda weights: weights.sum() - 1, "jac": np.ones_like}
    options = {"maxiter": max_iter, "ftol": tol}
    bounds = [(0, 1)] * len(start)
    minimize(watched, start, jac=True, method="SLSQP", bounds=bounds, constraints=sums, options=options)
    return best, history[1:]


def _times(blocks: Sequence[Matrix], weights: Array) -> Array:
    ends = np.cumsum([block.shape[1] for block in blocks])
    parts = [block @ part for block, part in zip(blocks, np.split(weights, ends[:-1]), strict=True)]
    return np.asarray(np.sum(parts, axis=0))
