"""Which cluster is which class: one rule for all methods that cluster the target, and it reads no target label."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from isthmus.core.estimator import ONE_OPENMP_THREAD
from isthmus.core.numerics import order_of_rows
from isthmus.core.problem import Domain
from isthmus.exceptions import unheard
from isthmus.typing import Array, Positions

STARTS = 10
"""K-means is run this often, and the tightest clusters are kept."""


def name_clusters(membership: Array, votes: Array) -> Positions:
    """For each class the column of `membership` that is its cluster.

    Both arguments have one row per document: the clusters' shares of it, and the classes' (what a classifier trained
    on the labeled documents says, and the label where it is known). A document counts for the largest of each. Of
    all ways to give every class a cluster, the one with the most documents in agreement is chosen.
    """
    n_classes = votes.shape[1]
    agreed = np.zeros((n_classes, n_classes))
    np.add.at(agreed, (votes.argmax(axis=1), membership.argmax(axis=1)), 1)
    return np.asarray(linear_sum_assignment(agreed, maximize=True)[1])


def cluster(domain: Domain, votes: Array, rng: np.random.RandomState) -> KMeans:
    """K-means of a domain's documents, one cluster per class, in the order of the classes."""
    n_documents, n_classes = votes.shape
    if n_documents < n_classes:
        raise ValueError(
            f"Domain {domain.name!r} has {n_documents} documents and y {n_classes} classes: "
            "clustering needs at least as many documents as classes. Add documents, or use LR or TCL."
        )
    rows = order_of_rows(domain.matrix)  # centers start at rows that are drawn
    with ONE_OPENMP_THREAD, unheard(ConvergenceWarning):  # of documents that are the same, too few can differ
        found = KMeans(n_classes, n_init=STARTS, random_state=rng).fit(domain.matrix[rows])
    found.labels_ = found.labels_[np.argsort(rows)]
    order = name_clusters(np.eye(n_classes)[found.labels_], votes)
    found.cluster_centers_ = found.cluster_centers_[order]
    found.labels_ = np.argsort(order)[found.labels_].astype(found.labels_.dtype)
    return found
