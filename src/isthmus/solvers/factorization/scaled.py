"""A matrix times a number, without a copy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from isthmus.solvers.factorization.documents import Documents, SweptDocuments
from isthmus.solvers.factorization.sweep import RowStep
from isthmus.typing import Array


@dataclass(frozen=True, eq=False)
class Scaled:
    """scale * X, as something that multiplies."""

    documents: Documents
    scale: float

    @property
    def shape(self) -> tuple[int, int]:
        return self.documents.shape

    @property
    def squared_norm(self) -> float:
        return self.scale**2 * self.documents.squared_norm

    def times(self, words: Array) -> Array:
        product = self.documents.times(words)
        product *= words.dtype.type(self.scale)
        return product

    def transposed_times(self, documents: Array) -> Array:
        product = self.documents.transposed_times(documents)
        product *= documents.dtype.type(self.scale)
        return product


@dataclass(frozen=True, eq=False)
class ScaledDocuments(Scaled):
    """The same of documents that can be passed over."""

    documents: SweptDocuments

    def sweep(self, V: Array, step: RowStep) -> Array:
        scale = V.dtype.type(self.scale)
        product = self.documents.sweep(V, replace(step, words=step.words * scale))
        product *= scale
        return product

    def gram(self, V: Array) -> Array:
        return self.documents.gram(V)

    def holding(self, V: Array) -> AbstractContextManager[None]:
        return self.documents.holding(V)
