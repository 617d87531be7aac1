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

    def _pulled(self, factors: Factors) -> Array:
        slot = factors.slot((self, "pulled"), self.name)
        if slot.value is None:
            slot.value = self._pull.times(factors[self.name])
        return slot.value

    def _pushed(self, factors: Factors) -> Array:
        slot = factors.slot((self, "pushed"), self.name)
        if slot.value is None:
            slot.value = self._push * factors[self.name]
        return slot.value

    def value(self, factors: Factors) -> float:
        across = factors[self.name].T  # transposed: in memory order
        return float(np.vdot(self._pushed(factors).T, across) - np.vdot(self._pulled(factors).T, across)) / 2

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        return SplitGradient(negative=[Product(self._pulled(factors))], positive=[Product(self._pushed(factors))])
