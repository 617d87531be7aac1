"""Each word in one topic, each document in one class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.kernel import gram
from isthmus.solvers.factorization.terms.base import Product, SplitGradient
from isthmus.typing import Array


@dataclass(frozen=True, eq=False)
class Orthogonality:
    """weight * ||F^T F - I||^2. Non-negative columns that are orthogonal have no row in common.

    Of degree four in F: with the plain rule, updates would overshoot. Use the square-root rule.
    """

    name: str
    weight: float = 1.0

    @property
    def factors(self) -> tuple[str, ...]:
        return (self.name,)

    def _gram(self, factors: Factors) -> Array:
        slot = factors.slot(("gram", self.name), self.name)
        if slot.value is None:
            slot.value = gram(factors[self.name])
        return slot.value

    def value(self, factors: Factors) -> float:
        gap = self._gram(factors) - np.eye(factors[self.name].shape[1])
        return float(self.weight * np.vdot(gap, gap))

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        scale = 4 * self.weight
        return SplitGradient(
            negative=[Product(scale * factors[name])],
            positive=[Product(factors[name], scale * self._gram(factors))],
        )
