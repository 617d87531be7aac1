"""Two factors should be alike, entry by entry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.terms.base import Product, SplitGradient


@dataclass(frozen=True, eq=False)
class Closeness:
    """weight * ||F - G||^2, both non-negative and of one shape."""

    first: str
    second: str
    weight: float = 1.0

    @property
    def factors(self) -> tuple[str, ...]:
        return (self.first, self.second)

    def value(self, factors: Factors) -> float:
        gap = (factors[self.first] - factors[self.second]).T  # transposed: in memory order
        return float(self.weight * np.vdot(gap, gap))

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        other = self.second if name == self.first else self.first
        scale = 2 * self.weight
        return SplitGradient(negative=[Product(scale * factors[other])], positive=[Product(scale * factors[name])])
