"""Neighbors should be alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isthmus.solvers.factorization.documents import MatrixDocuments
from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.terms.base import Product, SplitGradient
from isthmus.typing import Array, Matrix


@dataclass(frozen=True, eq=False)
class Graph:
    """weight * tr(F^T (D - A) F), A a symmetric, sparse, non-negative affinity and D its degrees."""

    name: str
    affinity: Matrix
    weight: float = 1.0

    @property
    def factors(self) -> tuple[str, ...]:
        return (self.name,)

    @cached_property
    def _pull(self) -> MatrixDocuments:
        """2 weight A: the scale that the gradient needs."""
        return MatrixDocuments(2 * self.weight * self.affinity)

    @cached_property
    def _push(self) -> Array:
        """2 weight D, as a column."""
        return np.asarray(self._pull.matrix.sum(axis=1)).reshape(-1, 1)

    def _products(self, factors: Factors) -> tuple[Array, Array, float]:
        """2 weight A F, 2 weight D F, and <F, 2 weight (D - A) F>."""
        slot = factors.slot((self, "products"), self.name)
        if slot.value is None:
            slot.value = self._products_with(factors[self.name])
        return slot.value

    def _products_with(self, factor: Array) -> tuple[Array, Array, float]:
        if self._pull.compiled(factor):
            from isthmus.solvers.factorization.compiled_graph import pull_and_push, suits

            if suits(factor):
                return pull_and_push(self._pull.matrix, self._push, factor)
        pulled, pushed, across = self._pull.times(factor), self._push * factor, factor.T
        return pulled, pushed, float(np.vdot(pushed.T, across) - np.vdot(pulled.T, across))  # transposed: memory order

    def value(self, factors: Factors) -> float:
        return self._products(factors)[2] / 2

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        pulled, pushed, _ = self._products(factors)
        return SplitGradient(negative=[Product(pulled)], positive=[Product(pushed)])
