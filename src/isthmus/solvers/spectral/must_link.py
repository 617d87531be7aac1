"""Pairs of documents that must have one label."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from isthmus.typing import Array, Positions


class MustLink:
    """U U^T, where U has a column for every pair of documents of one class, +1 at the one and -1 at the other.

    A document appears in as many pairs as its class has other documents, and once with each of them. So U U^T is,
    within a class of n_c documents, n_c I minus all-ones, and zero between classes, for any number of classes.
    """

    def __init__(self, classes: Positions, n_nodes: int) -> None:
        """`classes` numbers the classes of the first nodes; the other nodes are free."""
        n = len(classes)
        self._classes = classes
        self._members = sp.csr_array((np.ones(n), (classes, np.arange(n))), shape=(classes.max(initial=0) + 1, n_nodes))
        self._counts = np.zeros(n_nodes)  # of a node's class; zero for free nodes
        self._counts[:n] = np.bincount(classes)[classes]

    def __matmul__(self, x: Array) -> Array:
        """The product U U^T x, for one vector over the nodes or several in columns."""
        result = (self._counts * x.T).T
        result[: len(self._classes)] -= (self._members @ x)[self._classes]
        return np.asarray(result)

    def links(self) -> Array:
        """How many others each node must have its label in common with."""
        return np.maximum(self._counts - 1, 0)

    def solve(self, diagonal: Array, beta: float, x: Array) -> Array:
        """The u with (diag(diagonal) + beta U U^T) u = x.

        Within a class this is a diagonal minus beta times all-ones, which the formula of Sherman and Morrison inverts.
        """
        full = diagonal + beta * self._counts
        result = (x.T / full).T
        # 1 - beta sum_i 1 / full_i, over a class, without cancellation.
        rest = self._members @ (diagonal / full / np.maximum(self._counts, 1))
        shares = ((self._members @ result).T * beta / np.where(rest > 0, rest, 1.0)).T
        n = len(self._classes)
        result[:n] += (shares[self._classes].T / full[:n]).T
        return np.asarray(result)
