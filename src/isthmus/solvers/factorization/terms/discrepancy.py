"""Domains should have the same mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.terms.base import Product, SplitGradient
from isthmus.typing import Array


@dataclass(frozen=True, eq=False)
class MeanDiscrepancy:
    """weight * ||mean row of F - mean row of G||^2. Its gradient has rank one."""

    first: str
    second: str
    weight: float = 1.0

    @property
    def factors(self) -> tuple[str, ...]:
        return (self.first, self.second)

    def value(self, factors: Factors) -> float:
        gap = _mean(factors, self.first) - _mean(factors, self.second)
        return float(self.weight * np.vdot(gap, gap))

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        other = self.second if name == self.first else self.first
        shares, scale = _shares(factors, name), float(2 * self.weight)
        return SplitGradient(
            negative=[Product(shares, scale * _mean(factors, other).T)],
            positive=[Product(shares, scale * _mean(factors, name).T)],
        )


def _mean(factors: Factors, name: str) -> Array:
    slot = factors.slot(("mean", name), name)
    if slot.value is None:
        slot.value = _shares(factors, name).T @ factors[name]
    return slot.value


def _shares(factors: Factors, name: str) -> Array:
    """What each row counts in the mean, as a column."""
    slot = factors.slot(("shares", name))
    if slot.value is None:
        factor = factors[name]
        slot.value = np.full((len(factor), 1), 1 / max(len(factor), 1), dtype=factor.dtype)
    return slot.value
