"""Neighbours should be alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isthmus.engine.factors import Factors
from isthmus.engine.terms.base import Product, Split
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
    def _degrees(self) -> Array:
        return np.asarray(self.affinity.sum(axis=1)).reshape(-1, 1)

    def _spread(self, factors: Factors) -> Array:
        """A F."""
        return factors.recall(
            (self, "spread"), [self.name], lambda: np.asarray(self.affinity @ np.ascontiguousarray(factors[self.name]))
        )

    def value(self, factors: Factors) -> float:
        factor = factors[self.name]
        own = np.vdot(self._degrees * factor, factor)
        return float(self.weight * (own - np.vdot(self._spread(factors), factor)))

    def gradient(self, factors: Factors, name: str) -> Split:
        return Split(
            negative=[Product(2 * self.weight * self._spread(factors))],
            positive=[Product(2 * self.weight * self._degrees * factors[name])],
        )
