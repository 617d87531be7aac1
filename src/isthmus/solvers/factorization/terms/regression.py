"""A document's factors should tell its class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.kernel import gram, product
from isthmus.solvers.factorization.terms.base import Product, SplitGradient, parts
from isthmus.typing import Array, Mask


@dataclass(frozen=True, eq=False)
class Regression:
    """weight * ||Y - V A^T - 1 b^T||^2 over the labelled rows; A, classes x columns of V, may have either sign.

    With `intercept`, b is the last column of the coefficients, and is solved for together with A; without, it is zero.
    """

    rows: str
    coefficients: str
    labels: Array
    labeled: Mask
    weight: float = 1.0
    intercept: bool = False

    @property
    def factors(self) -> tuple[str, ...]:
        return (self.rows, self.coefficients)

    def _visible(self, factors: Factors) -> Array:
        """V, beside it a one for the intercept, with the unlabelled rows zeroed."""
        slot = factors.slot((self, "visible"), self.rows)
        if slot.value is None:
            rows = factors[self.rows]
            if self.intercept:
                rows = np.hstack([rows, np.ones((len(rows), 1), dtype=rows.dtype)])
            slot.value = self._only_labeled(rows)
        return slot.value

    @cached_property
    def _all_labeled(self) -> bool:
        return bool(self.labeled.all())

    def _only_labeled(self, rows: Array) -> Array:
        return rows if self._all_labeled else rows * self.labeled[:, None]

    @cached_property
    def _visible_labels(self) -> Array:
        return np.asarray(self.labels * self.labeled[:, None])

    def value(self, factors: Factors) -> float:
        residual = self._visible_labels - self._visible(factors) @ factors[self.coefficients].T
        return float(self.weight * np.vdot(residual, residual))

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        if name == self.rows:
            width = factors[self.rows].shape[1]
            slopes, shift = factors[self.coefficients][:, :width], factors[self.coefficients][:, width:]
            visible = self._only_labeled(factors[self.rows])
            wanted = self._visible_labels - self.labeled[:, None] * shift.sum(axis=1)
            plus, minus = _parts_of_product(wanted, 2 * self.weight * slopes)
            gram_plus, gram_minus = parts(2 * self.weight * slopes.T @ slopes)
            return SplitGradient(
                negative=[plus, Product(visible, gram_minus)],
                positive=[minus, Product(visible, gram_plus)],
            )
        quadratic, pull = self.quadratic(factors, name)
        toward, away = parts(2 * pull)
        up, down = parts(2 * factors[name] @ quadratic)
        return SplitGradient(negative=[Product(toward), Product(down)], positive=[Product(away), Product(up)])

    def quadratic(self, factors: Factors, name: str) -> tuple[Array, Array]:
        if name != self.coefficients:
            raise ValueError(f"Regression can be solved exactly for {self.coefficients!r} only, not for {name!r}.")
        slot = factors.slot((self, "quadratic"), self.rows)
        if slot.value is None:
            visible = self._visible(factors)
            slot.value = self.weight * gram(visible), self.weight * self.labels.T @ visible
        return slot.value


def _parts_of_product(tall: Array, small: Array) -> tuple[Product, Product]:
    """The positive and the negative part of tall @ small."""
    if len(small) != 1:
        plus, minus = parts(product(tall, small))
        return Product(plus), Product(minus)
    # Of a column and a row, the signs are those of both: two columns stand for an array that nobody writes down.
    left, (up, down) = np.hstack(parts(tall)), parts(small.T)
    return Product(left, np.hstack([up, down])), Product(left, np.hstack([down, up]))
