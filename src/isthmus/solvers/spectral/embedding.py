"""Coordinates of documents from the eigenvectors of their graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from isthmus.core.numerics import unit_rows
from isthmus.core.progress import Step
from isthmus.solvers.spectral.affinity import CosineAffinity
from isthmus.solvers.spectral.eigen import leading_vectors
from isthmus.solvers.spectral.must_link import MustLink
from isthmus.typing import Array, Mask, Matrix, Positions


@dataclass(frozen=True, eq=False)
class Embedding:
    """Where documents stand, and how to place more of them by their words alone."""

    values: Array
    """1 - w, falling from one."""
    tied: Array
    free: Array
    """Coordinates, nodes x vectors, with X^T D X = I."""
    _carried: Array
    _reach: Array
    _reach_of_free: Array

    def only(self, columns: Positions) -> Self:
        """The same with fewer vectors."""
        return replace(
            self,
            values=self.values[columns],
            tied=self.tied[:, columns],
            free=self.free[:, columns],
            _carried=self._carried[:, columns],
        )

    def carry(self, rows: Matrix) -> Array:
        """What the words of unit rows carry to them from the graph."""
        return np.asarray(rows @ self._carried)

    def place(self, X: Matrix) -> tuple[Array, Mask]:
        """Coordinates of new documents, and which of them share a word with the graph.

        Row i of T x = w D x, solved for x_i, for an unlabeled document with these similarities. Only in graphs of a
        few documents can 1 - w be negative; its size then does better, for the sign would put a document opposite of
        those that it resembles.
        """
        rows = unit_rows(X)
        degrees, degrees_of_free = rows @ self._reach, rows @ self._reach_of_free
        linked = np.asarray(degrees > 0)
        weights = np.maximum(np.abs(self.values), 1e-6) * degrees[:, None] + degrees_of_free[:, None]
        return self.carry(rows) / np.where(linked, weights.T, 1.0).T, linked


def embed(
    affinity: CosineAffinity,
    n_vectors: int,
    start: Array,
    must_link: MustLink | None,
    beta: float,
    on_step: Callable[[Step], bool | None] | None = None,
) -> Embedding:
    """The smallest solutions of T x = w D x, T = (D - W) + beta U U^T + lam (D_s - W_s).

    Found as the largest eigenvalues 1 - w of I - D^-1/2 T D^-1/2. No node may have degree zero. Without `must_link`, U
    is zero: what it would tie together is one node already. `start` and `on_step`: see `leading_vectors`.
    """
    n, lam = len(affinity), affinity.lam
    degrees = affinity.degrees()
    scale = degrees**-0.5
    own = affinity @ np.ones(n)  # D + lam D_s

    def multiply(y: Array) -> Array:
        x = (scale * y.T).T
        cut = (own * x.T).T - affinity @ x
        if must_link is not None:
            cut += beta * (must_link @ x)
        return np.asarray(y - (scale * cut.T).T)

    def almost_solve(y: Array) -> Array:
        """Undo all of D^-1/2 T D^-1/2 but the similarities: what makes beta slow to deal with."""
        assert must_link is not None
        return np.asarray((must_link.solve(own, beta, (y.T / scale).T).T / scale).T)

    # T 1 = 0: the first vector is constant. Those of cuts end at w = 2 + 2 lam.
    values, vectors = leading_vectors(
        multiply, np.sqrt(degrees), -2 - 2 * lam, n_vectors, start, None if must_link is None else almost_solve, on_step
    )
    vectors = scale[:, None] * vectors
    n_tied = len(affinity.sizes)
    turn_signs(vectors, n_tied)
    carried, carried_of_free = affinity.words(vectors)
    reach, reach_of_free = affinity.words(np.ones(n))
    return Embedding(
        values, vectors[:n_tied], vectors[n_tied:], carried + lam * carried_of_free, reach, lam * reach_of_free
    )


def turn_signs(vectors: Array, n_tied: int) -> None:
    """Make eigenvectors point one way at the tied nodes: they come with either sign, which some classifiers notice."""
    vectors *= signs_at(vectors[:n_tied])


def signs_at(tied: Array) -> Array:
    """One or minus one, for vectors that have these values at the tied nodes."""
    if not len(tied):
        return np.ones(tied.shape[1])
    size = np.abs(tied)
    decisive = tied[(size > 0.5 * size.max(axis=0)).argmax(axis=0), np.arange(tied.shape[1])]
    return np.where(decisive < 0, -1.0, 1.0)
