"""Factors should be small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.terms.base import Product, SplitGradient, parts
from isthmus.typing import Array


@dataclass(frozen=True, eq=False)
class Ridge:
    """weight * ||F||^2; with `intercept`, the last column of F is left out."""

    name: str
    weight: float = 1.0
    intercept: bool = False

    @property
    def factors(self) -> tuple[str, ...]:
        return (self.name,)

    def _weights(self, factors: Factors) -> Array:
        """One for each column."""
        weights = np.full(factors[self.name].shape[1], self.weight, dtype=factors[self.name].dtype)
        if self.intercept:
            weights[-1] = 0
        return weights

    def value(self, factors: Factors) -> float:
        return float(np.vdot(factors[self.name] * self._weights(factors), factors[self.name]))

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        plus, minus = parts(2 * self._weights(factors) * factors[name])
        return SplitGradient(negative=[Product(minus)], positive=[Product(plus)])

    def quadratic(self, factors: Factors, name: str) -> tuple[Array, Array]:
        return np.diag(self._weights(factors)), np.zeros_like(factors[name])
