"""Callbacks during a search for eigenvectors. Solvers have none; what they do ask for are products."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from scipy.linalg import eigh

from isthmus.core.progress import Step
from isthmus.typing import Array

ROUND = 10
"""Vectors to multiply from one step to the next, at least."""


class Stopped(Exception):  # noqa: N818  # it is a wish and no error
    """Raised when the callback asks to stop. It holds the best values, falling, and vectors so far."""

    def __init__(self, values: Array, vectors: Array) -> None:
        super().__init__()
        self.values, self.vectors = values, vectors


class Watched:
    """A symmetric matrix that can only multiply, and tells after some products how far the search has come.

    The best vectors in the space of those that were multiplied (Rayleigh and Ritz) take no further products. The
    objective is the sum of one minus their values, which falls as that space grows.
    """

    def __init__(
        self, multiply: Callable[[Array], Array], n_vectors: int, on_step: Callable[[Step], bool | None]
    ) -> None:
        self._multiply, self._n_vectors, self._on_step = multiply, n_vectors, on_step
        self._round = max(ROUND, n_vectors)
        self._vectors: list[Array] = []  # in rows, which lie together
        self._products: list[Array] = []
        self._n_new, self._n_steps, self._began = 0, 0, perf_counter()

    def __call__(self, x: Array) -> Array:
        product = self._multiply(x)
        for kept, new in ((self._vectors, x), (self._products, product)):
            kept.append(np.array(new.T, order="C", ndmin=2))  # a copy: solvers write over their own
        self._n_new += len(self._vectors[-1])
        if self._n_new >= self._round:
            self._look()
        return product

    def end(self, values: Array) -> None:
        """The last step: the solver has found these."""
        self._tell(values, self._n_steps + 1)

    def _look(self) -> None:
        """Twice as many vectors are carried on as are new, which is what Lanczos itself carries."""
        values, vectors, products = _best(np.vstack(self._vectors), np.vstack(self._products), 2 * self._round)
        self._vectors, self._products, self._n_new = [vectors], [products], 0
        n = self._n_vectors
        if len(values) >= n and self._tell(values[:n], None):
            raise Stopped(values[:n], vectors[:n].T)

    def _tell(self, values: Array, n_steps: int | None) -> bool:
        self._n_steps += 1
        objective = float(np.sum(1 - values))
        return bool(self._on_step(Step(self._n_steps, n_steps, objective, perf_counter() - self._began)))


def _best(vectors: Array, products: Array, n: int) -> tuple[Array, Array, Array]:
    """The n largest values, falling, in the space of some vectors; the vectors they belong to, and their products."""
    lengths, axes = eigh(vectors @ vectors.T)
    apart = lengths > 1e-8 * lengths[-1]
    axes = axes[:, apart] / np.sqrt(lengths[apart])
    inner = axes.T @ (vectors @ products.T) @ axes
    values, mix = eigh((inner + inner.T) / 2)
    chosen = (axes @ mix[:, ::-1][:, :n]).T
    return values[::-1][:n], chosen @ vectors, chosen @ products
