"""The graph of similar documents with the links between labeled ones set by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from isthmus.core.numerics import stack, unit_rows
from isthmus.solvers.spectral.eigen import leading_vectors
from isthmus.solvers.spectral.embedding import turn_signs
from isthmus.solvers.spectral.merge import linked_rows
from isthmus.solvers.spectral.must_link import MustLink
from isthmus.solvers.spectral.neighbors import nearest, neighbor_graph
from isthmus.typing import Array, Mask, Matrix, Positions


class Links(Protocol):
    """Similarities of documents, the labeled (tied) ones first, without those of two labeled documents."""

    linked: Mask
    """Which of the free documents a chain of links joins to a tied one. The others are left out."""

    def __matmul__(self, x: Array) -> Array:
        """The product with one vector over the documents, or several in columns."""

    def of_new(self, X: Matrix, x: Array) -> Array:
        """The similarities of new documents, those with tied ones too, times x."""


class AllLinks:
    """The cosines of all pairs. A product costs two with the unit rows."""

    def __init__(self, tied: Matrix, free: Matrix) -> None:
        self.linked = linked_rows(free, tied)
        self._tied, self._free = tied, free[self.linked]

    def __matmul__(self, x: Array) -> Array:
        n_tied = self._tied.shape[0]
        from_free = self._free.T @ x[n_tied:]
        free = self._free @ (self._tied.T @ x[:n_tied] + from_free) - x[n_tied:]
        return np.concatenate([self._tied @ from_free, free])

    def of_new(self, X: Matrix, x: Array) -> Array:
        n_tied, tied, free = self._tied.shape[0], self._tied, self._free
        if sp.issparse(X):  # of words that do not occur nothing need be known
            words = np.unique(X.indices)
            X, tied, free = X[:, words], tied[:, words], free[:, words]
        return np.asarray(X @ (tied.T @ x[:n_tied] + free.T @ x[n_tied:]))


class NeighborLinks:
    """The cosines of nearest neighbors alone."""

    def __init__(self, tied: Matrix, free: Matrix, n_neighbors: int) -> None:
        n_tied = tied.shape[0]
        graph = neighbor_graph(stack([tied, free]), n_neighbors)
        by_hand = sp.diags_array(np.repeat([1.0, 0.0], [n_tied, free.shape[0]]))
        graph = sp.csr_array(graph - by_hand @ graph @ by_hand)
        parts = sp.csgraph.connected_components(graph, directed=False)[1]
        self.linked = np.isin(parts[n_tied:], parts[:n_tied])
        keep = np.append(np.arange(n_tied), n_tied + np.flatnonzero(self.linked))
        self._graph, self._rows, self._n_neighbors = graph[keep][:, keep], stack([tied, free])[keep], n_neighbors

    def __matmul__(self, x: Array) -> Array:
        return np.asarray(self._graph @ x)

    def of_new(self, X: Matrix, x: Array) -> Array:
        return np.asarray(nearest(X, self._rows, self._n_neighbors) @ x)


@dataclass(frozen=True, eq=False)
class Placed:
    """Where documents stand in the eigenvectors of D - A, and where new ones would."""

    values: Array
    """Rising from zero."""
    tied: Array
    free: Array
    _links: Links

    def place(self, X: Matrix) -> tuple[Array, Mask]:
        """Coordinates of new documents, and which of them have a link.

        Row i of (D - A) x = w x says (d_i - w) x_i = (A x)_i. A document with hardly any links would stand opposite of
        those that it resembles, or infinitely far away: hence the bound.
        """
        vectors = np.concatenate([self.tied, self.free])
        found = self._links.of_new(unit_rows(X), np.column_stack([np.ones(len(vectors)), vectors]))
        degrees, linked = found[:, :1], found[:, 0] > 0
        weights = np.maximum(degrees - self.values, 0.1 * degrees)
        return np.asarray(found[:, 1:] / np.where(linked, weights.T, 1.0).T), linked


def embed_clamped(links: Links, classes: Positions, n_vectors: int, start: Array) -> Placed:
    """The largest eigenvectors of (A + d I - D) / d, with d the largest degree: the smallest ones of D - A.

    A holds the links, and one for each two tied documents of one class: D - A is the Laplacian of the links plus that
    of `MustLink`. Without free documents, nothing joins the classes: each is a vector, and all have the value zero.
    """
    n_tied, n = len(classes), len(classes) + int(links.linked.sum())
    if n == n_tied:
        vectors = (classes[:, None] == np.unique(classes)).astype(np.float64)
        return Placed(np.zeros(vectors.shape[1]), vectors, vectors[:0], links)
    must_link = MustLink(classes, n)
    degrees = links @ np.ones(n)
    largest = float((degrees + must_link.links()).max())

    def multiply(x: Array) -> Array:
        return np.asarray(x - (must_link @ x + (degrees * x.T).T - links @ x) / largest)

    # Of D - A, eigenvalues are at most twice the largest degree: here, at least -1.
    values, vectors = leading_vectors(multiply, np.ones(n), -2.0, min(n_vectors, n), start[:n])
    turn_signs(vectors, n_tied)
    return Placed(largest * (1 - values), vectors[:n_tied], vectors[n_tied:], links)
