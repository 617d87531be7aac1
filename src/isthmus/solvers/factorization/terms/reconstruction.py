"""How well the factors rebuild the documents."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isthmus.solvers.factorization.constraints import ColumnsSumToOne, Constraint, RowsSumToOne
from isthmus.solvers.factorization.documents import Documents, SweptDocuments
from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.kernel import gram, inner, product, row_order
from isthmus.solvers.factorization.sweep import RowStep
from isthmus.solvers.factorization.terms.base import Product, SplitGradient
from isthmus.typing import Array


@dataclass(frozen=True)
class Component:
    """One word-topic factor with its association of topics and classes: weight * F H (or weight * F without H)."""

    words: str
    association: str | None = None
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """weight / 2 * ||X - V M^T||^2, where M, words x classes, is the sum of the components.

    TCL's M is (alpha U + (1 - alpha) W) H, NMTF's W H, that of dual transfer learning U H_1 + W H_2. All work is done
    at the width of M, the number of classes, and never at that of the topics: a word's row of numerators and
    denominators comes from two vectors of one entry per class.
    """

    documents: Documents
    rows: str
    """Name of V."""
    components: tuple[Component, ...]
    weight: float = 1.0

    @cached_property
    def factors(self) -> tuple[str, ...]:
        return (self.rows, *self._word_factors)

    @cached_property
    def _word_factors(self) -> tuple[str, ...]:
        names = [name for s in self.components for name in (s.words, s.association) if name is not None]
        return tuple(dict.fromkeys(names))

    @cached_property
    def _swept(self) -> SweptDocuments | None:
        """The documents, if they can be passed over row by row. It takes a while to find out."""
        return self.documents if isinstance(self.documents, SweptDocuments) else None

    def profile(self, factors: Factors) -> Array:
        """M: the words of each class."""
        slot = factors.slot(("profile", self.components), *self._word_factors)
        if slot.value is None:
            slot.value = self._profile(factors)
        return slot.value

    def _profile(self, factors: Factors) -> Array:
        first, *others = self.components
        if not others:
            return _scaled(first.weight, _component_product(factors, first))
        profile = first.weight * _component_product(factors, first)
        for component in others:
            profile += component.weight * _component_product(factors, component)
        return profile

    def _profile_rows(self, factors: Factors) -> Array:
        """weight * M, in row order."""
        slot = factors.slot(("rows", self.components, self.weight), *self._word_factors)
        if slot.value is None:
            slot.value = row_order(_scaled(self.weight, self.profile(factors)))
        return slot.value

    def _observed(self, factors: Factors) -> Array:
        """X^T V."""
        slot = factors.slot((self.documents, self.rows), self.rows)
        if slot.value is None:
            slot.value = self.documents.transposed_times(factors[self.rows])
        return slot.value

    def _matched(self, factors: Factors) -> Array:
        """X M: how well each document matches each class."""
        slot = factors.slot((self, "matched"), *self._word_factors)
        if slot.value is None:
            slot.value = self.documents.times(self.profile(factors))
        return slot.value

    def _gram(self, factors: Factors) -> Array:
        """V^T V."""
        slot = factors.slot(("gram", self.rows), self.rows)
        if slot.value is None:
            V = factors[self.rows]
            slot.value = gram(V) if self._swept is None else self._swept.gram(V)
        return slot.value

    def _expected(self, factors: Factors) -> Array:
        """M V^T V, which is what X^T V would be if the reconstruction were perfect."""
        slot = factors.slot((self, "expected"), *self.factors)
        if slot.value is None:
            slot.value = product(self.profile(factors), self._gram(factors))
        return slot.value

    def _observed_and_expected(self, factors: Factors) -> Array:
        slot = factors.slot((self, "both"), *self.factors)
        if slot.value is None:
            both = (self._observed(factors).T, self._expected(factors).T)
            slot.value = np.concatenate(both).T
        return slot.value

    def _profile_gram(self, factors: Factors) -> Array:
        """M^T M."""
        slot = factors.slot(("profile gram", self.components), *self._word_factors)
        if slot.value is None:
            slot.value = gram(self.profile(factors))
        return slot.value

    def sweep(self, factors: Factors, constraint: Constraint, exponent: float, others: SplitGradient) -> None:
        """Update V in one pass over the documents, which leaves X^T V as well. `others`: what other terms add."""
        assert self._swept is not None
        V = factors[self.rows]
        gram = self.weight * self._profile_gram(factors)
        for each in others.positive:
            if each.left is V and each.right is not None:
                gram = gram + each.right.T
        step = RowStep(
            self._profile_rows(factors),
            gram,
            exponent,
            isinstance(constraint, RowsSumToOne),
            others.negative,
            [each for each in others.positive if each.left is not V or each.right is None],
        )
        observed = self._swept.sweep(V, step)
        if isinstance(constraint, ColumnsSumToOne):
            scales = constraint.scales(V)
            V *= scales
            observed *= scales
        factors.changed(self.rows)
        factors.slot((self.documents, self.rows), self.rows).value = observed

    def holding(self, factors: Factors) -> AbstractContextManager[None]:
        """Within it V may lie where the documents do. Whatever else looks at it has to wait."""
        return nullcontext() if self._swept is None else self._swept.holding(factors[self.rows])

    def value(self, factors: Factors) -> float:
        # ||X||^2 - 2 <X^T V, M> + <V^T V, M^T M>: no residual.
        cross = np.vdot(self._observed(factors).T, self.profile(factors).T)  # transposed: both in memory order
        square = np.vdot(self._gram(factors), self._profile_gram(factors))
        return float(self.weight / 2 * (self.documents.squared_norm - 2 * cross + square))

    def gradient(self, factors: Factors, name: str) -> SplitGradient:
        split = SplitGradient()
        if name == self.rows:
            split.negative.append(Product(_scaled(self.weight, self._matched(factors))))
            split.positive.append(Product(factors[self.rows], self.weight * self._profile_gram(factors)))
        for component in self.components:
            weight = self.weight * component.weight
            if name == component.words and component.association is None:
                split.negative.append(Product(_scaled(weight, self._observed(factors))))
                split.positive.append(Product(self.profile(factors), weight * self._gram(factors)))
            elif name == component.words and component.association is not None:
                association = weight * factors[component.association]
                split.negative.append(Product(self._observed(factors), association))
                split.positive.append(Product(self._expected(factors), association))
            if name == component.association:
                # Side by side: a product of twice the width takes the same time.
                found = inner(factors[component.words], self._observed_and_expected(factors))
                found *= weight
                split.negative.append(Product(found[:, : found.shape[1] // 2]))
                split.positive.append(Product(found[:, found.shape[1] // 2 :]))
        return split


def _scaled(scale: float, array: Array) -> Array:
    """Without a copy where there is nothing to do. Nobody changes the result."""
    return array if scale == 1 else scale * array


def _component_product(factors: Factors, component: Component) -> Array:
    """F H, shared by all domains that have this component."""
    words, association = component.words, component.association
    if association is None:
        return factors[words]
    slot = factors.slot(("component", words, association), words, association)
    if slot.value is None:
        slot.value = product(factors[words], factors[association])
    return slot.value
