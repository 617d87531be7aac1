"""Where the documents lie: a map before the transfer and one after it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA

from isthmus.report.material import Material
from isthmus.typing import Array, Matrix, Positions

MOST_POINTS = 4000
MARGIN = 0.06
"""Of the map, on each side, for outliers."""
STEPS = 1000
"""Places are given in so many steps: finer than a pixel, and short in the file."""


def draw_maps(material: Material, excerpt: Any) -> dict[str, Any]:
    """Places of a sample of documents of both domains, before and after."""
    rng = np.random.default_rng(0)
    n_source, n_target = material.X_source.shape[0], material.X_target.shape[0]
    source = _sample(rng, n_source, max(MOST_POINTS // 2, MOST_POINTS - n_target))
    target = _sample(rng, n_target, max(MOST_POINTS // 2, MOST_POINTS - n_source))
    parts = [material.X_source[source], material.X_target[target]]
    stacked = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts)
    n_classes = material.n_classes
    after = np.vstack(
        [
            _class_similarity(material.X_source, material.source_numbers, n_classes, source),
            _class_similarity(material.X_target, material.numbers, n_classes, target),
        ]
    )
    return {
        "domain": [0] * len(source) + [1] * len(target),
        "class": np.concatenate([material.source_numbers[source], material.numbers[target]]).tolist(),
        "row": [-1] * len(source) + target.tolist(),
        "texts": [excerpt(material.result.source_texts[row]) for row in source],
        "before": _places(stacked),
        "after": _places(_contrasts(after)),
        "sampled": len(source) + len(target) < n_source + n_target,
    }


def _sample(rng: np.random.Generator, n: int, most: int) -> Positions:
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _places(X: Matrix) -> list[int]:
    """The two directions in which the rows differ most: x, y, x, y, ..."""
    if sp.issparse(X):
        X = sp.csr_array(X, dtype=np.float64)
        solver = "arpack" if min(X.shape) > 2 else "full"
        X = X if solver == "arpack" else X.toarray()  # two rows or columns
    else:
        solver = "auto"
    found = np.zeros((X.shape[0], 2))
    reduced = PCA(n_components=min(2, *X.shape), svd_solver=solver, random_state=0).fit_transform(X)
    found[:, : reduced.shape[1]] = reduced
    # The outermost hundredth would squeeze all others together: it goes into the margin, ever more compressed.
    low, high = np.quantile(found, [0.005, 0.995], axis=0)
    share = (found - low) / np.where(high > low, high - low, 1)
    inner = np.clip(share, 0, 1)
    placed = MARGIN + (1 - 2 * MARGIN) * inner + MARGIN * np.tanh(share - inner)
    return np.rint(placed * STEPS).astype(int).ravel().tolist()


def _contrasts(alike: Array) -> Array:
    """How the classes differ in similarity. How alike a document is to all of them is no matter, unless there are
    two."""
    if alike.shape[1] == 2:
        return np.column_stack([alike[:, 1] - alike[:, 0], alike.sum(axis=1)])
    return np.asarray(alike - alike.mean(axis=1, keepdims=True))


def _class_similarity(X: Matrix, numbers: Positions, n_classes: int, rows: Positions) -> Array:
    """The mean product of each document with the documents of each class in its own domain, itself left out.

    Left out, because a document is like itself whatever its label: with it, the classes would part even if the labels
    were drawn by lot.
    """
    one_hot = np.eye(n_classes)[numbers]
    sums = X.T @ one_hot
    chosen = X[rows]
    squares = np.asarray((chosen * chosen).sum(axis=1) if not sp.issparse(X) else chosen.multiply(chosen).sum(axis=1))
    own = one_hot[rows]
    alike = (np.asarray(chosen @ sums) - own * squares.reshape(-1, 1)) / np.maximum(one_hot.sum(axis=0) - own, 1)
    return np.asarray(alike - alike.mean(axis=0))
