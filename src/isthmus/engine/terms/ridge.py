"""Factors should be small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.engine.factors import Factors
from isthmus.engine.terms.base import Product, Split, parts
from isthmus.typing import Array


@dataclass(frozen=True, eq=False)
class Ridge:
    """weight * ||F||^2."""

    name: str
    weight: float = 1.0

    @property
    def factors(self) -> tuple[str, ...]:
        return (self.name,)

    def value(self, factors: Factors) -> float:
        return float(self.weight * np.vdot(factors[self.name], factors[self.name]))

    def gradient(self, factors: Factors, name: str) -> Split:
        plus, minus = parts(2 * self.weight * factors[name])
        return Split(negative=[Product(minus)], positive=[Product(plus)])

    def quadratic(self, factors: Factors, name: str) -> tuple[Array, Array]:
        factor = factors[name]
        return self.weight * np.eye(factor.shape[1], dtype=factor.dtype), np.zeros_like(factor)
