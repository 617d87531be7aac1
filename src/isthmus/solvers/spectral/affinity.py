"""Cosine similarity of documents, as a product with their unit rows."""

from __future__ import annotations

import numpy as np

from isthmus.typing import Array, Matrix


class CosineAffinity:
    """A = W + lam W_s: cosines of all pairs of nodes, and once more, lam times, of all pairs of free nodes.

    With unit rows N, W is N N^T without its diagonal: a product with it costs two products with N. A node may also
    stand for several documents (`sizes` says how many): its row is then the sum of their rows, and its affinity to
    itself is that of their pairs, ||row||^2 - size.

    Parameters
    ----------
    tied : documents or groups of documents x words
        The nodes that the labels tie down. They come first in every vector.
    free : documents x words
        The others, of unit length.
    sizes : ndarray
        How many documents each tied node stands for.
    lam : float
        Weight of W_s.
    """

    def __init__(self, tied: Matrix, free: Matrix, sizes: Array, lam: float = 0.0) -> None:
        self.tied, self.free, self.sizes, self.lam = tied, free, sizes, lam

    def __len__(self) -> int:
        return int(self.tied.shape[0] + self.free.shape[0])

    def __matmul__(self, x: Array) -> Array:
        """The product A x, for one vector over the nodes or several in columns."""
        n_tied = len(self.sizes)
        total, extra = self.words(x)
        tied = self.tied @ total - (self.sizes * x[:n_tied].T).T
        free = self.free @ (total + self.lam * extra) - (1 + self.lam) * x[n_tied:]
        return np.concatenate([tied, free])

    def words(self, x: Array) -> tuple[Array, Array]:
        """What the words carry from all nodes, and from the free ones alone: N^T x and N_s^T x_s."""
        n_tied = len(self.sizes)
        extra = self.free.T @ x[n_tied:]
        return self.tied.T @ x[:n_tied] + extra, extra

    def degrees(self) -> Array:
        """The diagonal of D: row sums of W. Never below zero, which rounding would have."""
        plain = CosineAffinity(self.tied, self.free, self.sizes)
        sums = plain @ np.ones(len(self))
        # Cosines that sum to less than this are the rounding of the diagonal that was taken out.
        return np.where(sums > 1e-10 * np.concatenate([self.sizes, np.ones(self.free.shape[0])]), sums, 0.0)
