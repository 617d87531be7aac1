"""What a factor must satisfy, and so how it is updated.

A constraint with `restore` is for factors that are updated multiplicatively: it puts the factor back after each
update. `Frozen` factors are never updated; `Free` ones may be negative and are solved for exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.typing import Array


@dataclass(frozen=True)
class Constraint:
    """Base of all constraints. By itself it asks for nothing."""

    def restore(self, factor: Array) -> None:
        """Make the factor satisfy the constraint again, in place."""


@dataclass(frozen=True)
class NonNegative(Constraint):
    """Multiplicative updates keep it by themselves."""


@dataclass(frozen=True)
class ColumnsSumToOne(Constraint):
    """Each topic is a distribution over words. A topic that lost all its words stays zero."""

    def restore(self, factor: Array) -> None:
        factor *= self.scales(factor)

    def scales(self, factor: Array) -> Array:
        """What each column is to be multiplied with."""
        sums = factor.sum(axis=0)
        return np.asarray(1 / np.where(sums > 0, sums, 1))


@dataclass(frozen=True)
class RowsSumToOne(Constraint):
    """Each document is a distribution over classes. One that lost all its classes is even over all of them."""

    def restore(self, factor: Array) -> None:
        sums = factor.sum(axis=1, keepdims=True)
        lost = ~(sums[:, 0] > 0)
        if lost.any():
            factor[lost] = 1
            sums[lost] = factor.shape[1]
        factor /= sums


@dataclass(frozen=True)
class Frozen(Constraint):
    """Never updated."""


@dataclass(frozen=True)
class Free(Constraint):
    """Of either sign; solved for exactly. Every term in the factor must be quadratic and offer `quadratic`."""
