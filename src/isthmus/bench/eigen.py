"""Where documents stand by the eigenvectors of their graph, for the figures of CDSC's paper."""

from __future__ import annotations

import numpy as np

from isthmus.bench.tasks import TaskData
from isthmus.core.numerics import unit_rows
from isthmus.solvers.spectral import CosineAffinity, MustLink, embed, linked_rows
from isthmus.typing import Array


def eigen_space(data: TaskData, *, n_eigenvectors: int = 2, lam: float = 0.025, beta: float = 15.0) -> Array:
    """The smallest eigenvectors of algorithm 2, the constant one first: documents x vectors.

    With the paper's finite beta, where each document of the source is a point; the default of `CDSC` makes one of each
    class. Without beta and lam, what a spectral cut sees that knows no label. NaN for documents that have no place in
    the graph.
    """
    rows, kinds = unit_rows(data.X), np.unique(data.y, return_inverse=True)[1]
    source, target = np.flatnonzero(~data.in_target), np.flatnonzero(data.in_target)
    target = target[linked_rows(rows[target], rows[source])]
    degrees = CosineAffinity(rows[source], rows[target], np.ones(len(source))).degrees()
    source = source[degrees[: len(source)] > 0]
    affinity = CosineAffinity(rows[source], rows[target], np.ones(len(source)), lam)
    start = np.random.default_rng(0).normal(size=len(affinity))
    embedding = embed(affinity, n_eigenvectors, start, MustLink(kinds[source], len(affinity)), beta)
    places = np.full((rows.shape[0], n_eigenvectors), np.nan)
    places[source], places[target] = embedding.tied, embedding.free
    return places
