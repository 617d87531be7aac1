"""What the solver needs of a term."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.kernel import product
from isthmus.typing import Array


class Product(NamedTuple):
    """Stands for left @ right.T, unmultiplied; without `right`, for `left` itself."""

    left: Array
    right: Array | None = None

    def multiplied(self) -> Array:
        return self.left if self.right is None else product(self.left, self.right.T)


@dataclass(frozen=True)
class SplitGradient:
    """A gradient as the difference of two sums of products, all of whose entries are non-negative."""

    negative: list[Product] = field(default_factory=list)
    positive: list[Product] = field(default_factory=list)


class Term(Protocol):
    """A part of an objective."""

    @property
    def factors(self) -> tuple[str, ...]:
        """Names of the factors that it depends on."""

    def value(self, factors: Factors) -> float: ...

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        """The gradient in one factor: positive part minus negative part."""


@runtime_checkable
class QuadraticTerm(Protocol):
    """A term whose minimum in a free factor can be computed."""

    def quadratic(self, factors: Factors, name: str) -> tuple[Array, Array]:
        """Q and R such that the term is <F Q, F> - 2 <F, R> plus a constant."""


def parts(array: Array) -> tuple[Array, Array]:
    """The positive part and the negative part, both non-negative."""
    plus = np.maximum(array, 0)
    return plus, plus - array  # exactly
