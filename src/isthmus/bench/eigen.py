"""Where documents stand by the eigenvectors of their graph, for the figures of CDSC's paper."""

from __future__ import annotations

import numpy as np

from isthmus.bench.tasks import TaskData
from isthmus.core.numerics import unit_rows
from isthmus.exceptions import DataError
from isthmus.solvers.spectral import AllLinks, CosineAffinity, MustLink, embed, embed_clamped, linked_rows
from isthmus.typing import Array


def eigen_space(
    data: TaskData, *, method: str = "CDSC", n_eigenvectors: int = 2, lam: float = 0.025, beta: float = 15.0
) -> Array:
    """The smallest eigenvectors, the constant one first: documents x vectors; NaN for those without a place.

    Of CDSC's algorithm 2, with the paper's finite beta, where each document of the source is a point (the default of
    `CDSC` makes one of each class); or of `SC`, the classifier that the paper compares it with.
    """
    if method not in ("CDSC", "SC"):
        raise DataError(f"There is no eigen-space of {method!r}: choose CDSC or SC.")
    rows, kinds = unit_rows(data.X), np.unique(data.y, return_inverse=True)[1]
    source, target = np.flatnonzero(~data.in_target), np.flatnonzero(data.in_target)
    places = np.full((rows.shape[0], n_eigenvectors), np.nan)
    if method == "SC":
        links = AllLinks(rows[source], rows[target])
        start = np.random.default_rng(0).normal(size=len(source) + int(links.linked.sum()))
        placed = embed_clamped(links, kinds[source], n_eigenvectors, start)
        places[source], places[target[links.linked]] = placed.tied, placed.free
        return places
    target = target[linked_rows(rows[target], rows[source])]
    degrees = CosineAffinity(rows[source], rows[target], np.ones(len(source))).degrees()
    source = source[degrees[: len(source)] > 0]
    affinity = CosineAffinity(rows[source], rows[target], np.ones(len(source)), lam)
    start = np.random.default_rng(0).normal(size=len(affinity))
    embedding = embed(affinity, n_eigenvectors, start, MustLink(kinds[source], len(affinity)), beta)
    places[source], places[target] = embedding.tied, embedding.free
    return places
