"""Open set: a class that the target has and the source lacks.

The target's documents are clustered, into a few more clusters than there are classes. A cluster of a new class lies
farther from the source's documents than the others do, and what the source-only classifier says of it is hardly more
than what it says of any document. Ordinary topics of a domain lie far, too: so a cluster is told by how much farther
than the median cluster it lies, and only one that stands out is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import entropy
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from threadpoolctl import threadpool_limits

from isthmus.core.numerics import order_of_rows, unit_rows
from isthmus.core.problem import Problem
from isthmus.solvers.spectral import nearest, nearest_others
from isthmus.typing import Array, Mask, Matrix, Positions

NEW = 0.13
"""Chosen: familiarity, times that over the median cluster's, below which a cluster is a class of its own."""
INFORMATION = 0.5
"""Nats that the source-only classifier says about a usual cluster."""
MOST = 1.5
"""No part of the familiarity counts for more."""
MORE_CLUSTERS = 3
"""than classes."""
FEWEST, LEAST_SHARE = 8, 0.04
"""Documents of a cluster that is looked at, and its share of the target."""
N_DIMENSIONS = 30
N_NEIGHBORS = 5
N_STARTS = 3
AT_MOST = 1000
"""Labelled documents that neighbors are looked for among."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """Documents of the target that belong together."""

    members: Mask
    """Among the unlabelled documents."""
    familiarity: float
    """How much the source knows about them: about one, if it knows them as well as its own."""


def novel_documents(problem: Problem, probabilities: Array) -> Mask | None:
    """Which unlabelled documents are of a class that no labelled document has. None if nothing stands out.

    `probabilities` are those of the source-only classifier. Of two classes nothing is said: there, topics of a large
    class look no other than a new one.
    """
    if len(probabilities) < FEWEST / LEAST_SHARE:
        return None
    if problem.n_classes < 3 or not problem.is_bag_of_words or len(problem.labeled[1]) <= N_NEIGHBORS:
        return None
    found = clusters(problem, probabilities)
    if len(found) < 3:
        return None
    strangest = min(found, key=lambda cluster: cluster.familiarity)
    usual = float(np.median([cluster.familiarity for cluster in found]))
    return strangest.members if strangest.familiarity**2 < NEW * usual else None


def clusters(problem: Problem, probabilities: Array) -> list[Cluster]:
    """Clusters of the unlabelled documents, but for very small ones."""
    X = problem.unlabeled
    numbers = _k_means(X, problem.n_classes + MORE_CLUSTERS)
    near, overall = nearness(problem), probabilities.mean(axis=0)
    found = []
    for number in range(problem.n_classes + MORE_CLUSTERS):
        own = numbers == number
        if own.sum() >= max(FEWEST, LEAST_SHARE * len(own)):
            told = float(entropy(probabilities[own].mean(axis=0), overall)) / INFORMATION
            found.append(Cluster(own, (min(near[own].mean(), MOST) + min(told, MOST)) / 2))
    return found


def nearness(problem: Problem) -> Array:
    """Of each unlabelled document: cosine with the nearest labelled ones, for what it is among these on average."""
    X = problem.labeled[0]
    if X.shape[0] > AT_MOST:
        X = X[np.sort(np.random.default_rng(0).permutation(X.shape[0])[:AT_MOST])]
    among_them = nearest_others(X, N_NEIGHBORS).sum() / (N_NEIGHBORS * X.shape[0])
    here = np.asarray(nearest(problem.unlabeled, X, N_NEIGHBORS).sum(axis=1)).ravel() / N_NEIGHBORS
    return here / max(float(among_them), 1e-12)


def _k_means(X: Matrix, n_clusters: int) -> Positions:
    """By their directions in a space of few dimensions. The order of documents does not matter."""
    rows = order_of_rows(X)
    reduced = TruncatedSVD(min(N_DIMENSIONS, min(X.shape) - 1), random_state=0).fit_transform(X[rows])
    with threadpool_limits(1, user_api="openmp"):  # the result must not depend on the number of threads
        found = KMeans(n_clusters, n_init=N_STARTS, random_state=0).fit_predict(unit_rows(reduced))
    return np.asarray(found[np.argsort(rows)])
