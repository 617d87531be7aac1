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
    """weight * ||Y - V A^T - 1 b^T||^2 over the labeled rows; A, classes x columns of V, may have either sign.

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

    @cached_property
    def _all_labeled(self) -> bool:
        return bool(self.labeled.all())

    def _only_labeled(self, rows: Array) -> Array:
        return rows if self._all_labeled else rows * self.labeled[:, None]

    @cached_property
    def _visible_labels(self) -> Array:
        return np.asarray(self.labels * self.labeled[:, None])

    @cached_property
    def _total(self) -> float:
        """What the value is without coefficients."""
        return self.weight * float(np.square(self._visible_labels, dtype=np.float64).sum())

    def value(self, factors: Factors) -> float:
        # ||Y||^2 - 2 <A, Y^T V> + <A V^T V, A>, with the intercept beside A: no residual.
        coefficients = factors[self.coefficients].astype(np.float64)
        square, pull = self.quadratic(factors, self.coefficients)
        return float(self._total - 2 * np.vdot(coefficients, pull) + np.vdot(coefficients @ square, coefficients))

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
            slot.value = self._quadratic(factors)
        return slot.value

    def _quadratic(self, factors: Factors) -> tuple[Array, Array]:
        """Of the labeled rows; if there is an intercept, of these with a one beside each."""
        V, labels, width = self._only_labeled(factors[self.rows]), self._visible_labels, len(factors[self.rows].T)
        known = factors.slot(("gram", self.rows), self.rows).value if self._all_labeled else None
        n = width + self.intercept
        square, pull = np.empty((n, n), dtype=V.dtype), np.empty((labels.shape[1], n), dtype=V.dtype)
        square[:width, :width] = gram(V) if known is None else known  # by the reconstruction of the same rows
        pull[:, :width] = labels.T @ V
        if self.intercept:
            square[width, :width] = square[:width, width] = V.sum(axis=0)
            square[width, width], pull[:, width] = self.labeled.sum(), labels.sum(axis=0)
        return self.weight * square, self.weight * pull


def _parts_of_product(tall: Array, small: Array) -> tuple[Product, Product]:
    """The positive and the negative part of tall @ small."""
    if len(small) != 1:
        plus, minus = parts(product(tall, small))
        return Product(plus), Product(minus)
    # Of a column and a row, the signs are those of both: two columns stand for an array that nobody writes down.
    left, (up, down) = np.vstack([part.T for part in parts(tall)]).T, parts(small.T)
    return Product(left, np.hstack([up, down])), Product(left, np.hstack([down, up]))
