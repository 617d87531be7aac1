"""A document's factors should tell its class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.engine.factors import Factors
from isthmus.engine.terms.base import Product, Split, parts
from isthmus.typing import Array, Mask


@dataclass(frozen=True, eq=False)
class Regression:
    """weight * ||Y - V A^T||^2 over the labelled rows; A, classes x columns of V, may have either sign."""

    rows: str
    coefficients: str
    labels: Array
    labeled: Mask
    weight: float = 1.0

    @property
    def factors(self) -> tuple[str, ...]:
        return (self.rows, self.coefficients)

    def _visible(self, factors: Factors) -> Array:
        """V with the unlabelled rows zeroed."""
        return np.asarray(factors[self.rows] * self.labeled[:, None])

    def value(self, factors: Factors) -> float:
        residual = (self.labels - factors[self.rows] @ factors[self.coefficients].T)[self.labeled]
        return float(self.weight * np.vdot(residual, residual))

    def gradient(self, factors: Factors, name: str) -> Split:
        labels, visible = (
            2 * self.weight * self.labels * self.labeled[:, None],
            2 * self.weight * self._visible(factors),
        )
        if name == self.rows:
            coefficients = factors[self.coefficients]
            plus, minus = parts(coefficients)
            gram_plus, gram_minus = parts(coefficients.T @ coefficients)
            return Split(
                negative=[Product(labels, plus.T), Product(visible, gram_minus)],
                positive=[Product(labels, minus.T), Product(visible, gram_plus)],
            )
        quadratic, pull = self.quadratic(factors, name)
        plus, minus = parts(2 * pull)
        up, down = parts(2 * factors[name] @ quadratic)
        return Split(negative=[Product(plus), Product(down)], positive=[Product(minus), Product(up)])

    def quadratic(self, factors: Factors, name: str) -> tuple[Array, Array]:
        if name != self.coefficients:
            raise ValueError(f"Regression can be solved exactly for {self.coefficients!r} only, not for {name!r}.")
        visible = self._visible(factors)
        return self.weight * visible.T @ visible, self.weight * self.labels.T @ visible
