"""Eigenvectors of a graph that documents go on joining, at a cost that grows with those that join.

The vectors of T x = w D x (see `embed`) are functions of the documents. What a Rayleigh-Ritz step needs of all free
documents are sums over them, by word: similarities are products of words, and so are degrees, which change with every
document that joins. The sums are kept, and take in what joins; no document is looked at again for it.

Coordinates z_i of documents are those in a basis of functions, the first of them constant; eigenvectors are mixtures of
these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from isthmus.solvers.spectral.document_graph import DocumentGraph
from isthmus.solvers.spectral.embedding import Embedding, signs_at
from isthmus.typing import Array, Matrix, Positions

SMALLEST = 0.01
"""Of values that coordinates are divided by: those of vectors that hardly show in the graph would scatter."""


@dataclass(frozen=True, eq=False)
class WordSums:
    """Sums over the free documents, whose unit rows are f_i and coordinates z_i."""

    reach: Array
    """Words: f_i."""
    carried: Array
    """Words x basis: f_i z_i^T."""
    pairs: Array
    """Words x pairs of the basis: f_i by the upper triangle of z_i z_i^T."""
    gram: Array
    """Basis x basis: z_i z_i^T."""

    @classmethod
    def of(cls, rows: Matrix, coordinates: Array) -> Self:
        return cls(_sum(rows), rows.T @ coordinates, rows.T @ _pairs(coordinates), coordinates.T @ coordinates)

    def joined(self, rows: Matrix, coordinates: Array) -> Self:
        """With documents that were not there."""
        moved = self.moved(rows, np.zeros_like(coordinates), coordinates)
        return replace(moved, reach=self.reach + _sum(rows))

    def moved(self, rows: Matrix, before: Array, now: Array) -> Self:
        """With documents that are there, and have other coordinates now."""
        return replace(
            self,
            carried=self.carried + rows.T @ (now - before),
            pairs=self.pairs + rows.T @ (_pairs(now) - _pairs(before)),
            gram=self.gram + now.T @ now - before.T @ before,
        )

    def weighted(self, reach: Array) -> Array:
        """The sum of (f_i . reach) z_i z_i^T."""
        found = np.zeros_like(self.gram)
        found[np.triu_indices(len(found))] = reach @ self.pairs
        return found + np.triu(found, 1).T


@dataclass(frozen=True, eq=False)
class GrowingGraph:
    """A graph of tied nodes, which stay, and of free documents, of which it keeps sums alone."""

    nodes: Matrix
    sizes: Array
    kinds: Positions
    tied: Array
    """Coordinates of the nodes."""
    sums: WordSums
    lam: float

    @classmethod
    def of(cls, graph: DocumentGraph, embedding: Embedding, free: Matrix, lam: float) -> tuple[Self, Array]:
        """From a graph whose vectors have been found; and the coordinates of its free documents."""
        tied, coordinates = embedding.tied.copy(), embedding.free.copy()
        tied[:, 0] = coordinates[:, 0] = 1
        nodes = sp.csr_array(graph.nodes)
        return cls(nodes, graph.sizes, graph.kinds, tied, WordSums.of(free, coordinates), lam), coordinates

    @property
    def reach(self) -> Array:
        """What the words carry from all nodes: N^T 1."""
        return _sum(self.nodes) + self.sums.reach

    @cached_property
    def embedding(self) -> Embedding:
        """The vectors, which place documents and hold no coordinates of free ones."""
        _, carried, _ = self._carried
        values, mixture = self._vectors
        empty = np.zeros((0, len(values)))
        own = (carried + self.lam * self.sums.carried) @ mixture
        return Embedding(values, self.tied @ mixture, empty, own, self.reach, self.lam * self.sums.reach)

    def place(self, rows: Matrix) -> Array:
        """Coordinates of documents that are to join."""
        return self._in_basis(self.embedding.place(rows)[0])

    def moved(self, rows: Matrix, coordinates: Array) -> Array:
        """Coordinates of documents that are here, from those of the others."""
        return self._in_basis(self.vectors_at(rows, coordinates))

    def vectors_at(self, rows: Matrix, coordinates: Array) -> Array:
        """The eigenvectors at documents that are here: row i of T x = w D x, solved for x_i."""
        values, mixture = self._vectors
        found, others = self.embedding, rows @ self.reach - 1
        carried = found.carry(rows) - (1 + self.lam) * (coordinates @ mixture)
        weights = _at_least(values) * np.maximum(others, 1e-10)[:, None]
        return np.asarray(carried / (weights + self.lam * (rows @ self.sums.reach - 1)[:, None]))

    def joined(self, rows: Matrix, coordinates: Array) -> Self:
        """With more free documents."""
        return replace(self, sums=self.sums.joined(rows, coordinates))

    def settled(self, rows: Matrix, before: Array, now: Array) -> Self:
        """With other coordinates of some free documents, and the nodes moved to where all of these pull them."""
        values, mixture = self._vectors
        degrees, carried, _ = self._carried
        pulled = self.nodes @ (carried @ mixture) - self.sizes[:, None] * (self.tied @ mixture)
        tied = self._in_basis(pulled / (_at_least(values) * degrees[:, None]))
        return replace(self, tied=tied, sums=self.sums.moved(rows, before, now))

    def _in_basis(self, places: Array) -> Array:
        """From eigenvectors to the basis; of the constant function, all have the value one."""
        _, mixture = self._vectors
        places[:, 0] = mixture[0, 0]
        return np.asarray(places @ (mixture.T @ self._carried[2]))

    @cached_property
    def _carried(self) -> tuple[Array, Array, Array]:
        """Degrees of the nodes, what the words carry from all nodes, and the basis functions' products by degree."""
        reach = self.reach
        degrees = self.nodes @ reach - self.sizes
        products = (self.tied.T * degrees) @ self.tied + self.sums.weighted(reach) - self.sums.gram
        return degrees, self.nodes.T @ self.tied + self.sums.carried, products

    @cached_property
    def _vectors(self) -> tuple[Array, Array]:
        """Rayleigh-Ritz: values 1 - w, falling from one, and the mixtures of basis functions that they belong to."""
        _, carried, products = self._carried
        free, lam = self.sums, self.lam
        cut_of_free = free.weighted(free.reach) - free.carried.T @ free.carried
        inner = carried.T @ carried - (self.tied.T * self.sizes) @ self.tied - free.gram - lam * cut_of_free
        # The constant function solves T x = 0. The others are made orthogonal to it, even if they share its value.
        size = len(products)
        others = np.eye(size)[:, 1:]
        others[0] = -products[0, 1:] / products[0, 0]
        lengths, axes = eigh(others.T @ products @ others)
        apart = lengths > 1e-12 * lengths.max(initial=0)
        axes = others @ (axes[:, apart] / np.sqrt(lengths[apart]))
        projected = axes.T @ inner @ axes
        values, turn = eigh((projected + projected.T) / 2)
        mixture = np.column_stack([np.eye(size)[0] / np.sqrt(products[0, 0]), axes @ turn[:, ::-1]])
        return np.append(1.0, values[::-1]), mixture * signs_at(self.tied @ mixture)


def _sum(rows: Matrix) -> Array:
    return np.asarray(rows.sum(axis=0)).ravel()


def _pairs(coordinates: Array) -> Array:
    first, second = np.triu_indices(coordinates.shape[1])
    return np.asarray(coordinates[:, first] * coordinates[:, second])


def _at_least(values: Array) -> Array:
    return np.maximum(np.abs(values), SMALLEST)
