"""K-means of the target's documents: the baseline of what clustering alone can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.problem import Domain, Problem
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.solvers.clusters import cluster
from isthmus.solvers.linear import first_labels
from isthmus.typing import Array, Matrix


class KMeans(TransferClassifier):
    """Clustering baseline: one K-means cluster per class in each target domain, named by a source-only classifier.

    The source does nothing but name the clusters: of all ways to give every class a cluster, the one that agrees with
    most of a logistic regression's labels is chosen. CCI names its clusters by the same rule, so that the two tell how
    much of a result is owed to clustering and naming alone.

    The clusters of a domain whose documents are all labeled are its classes, each with the mean of its documents: in
    one domain, this is the nearest-centroid classifier. Labels of a few target documents help to name its clusters.

    A document belongs to the nearest center. Probabilities are the softmax of negative squared distances to the
    centers, in units of a document's mean squared length: good for ranking, not calibrated.

    Parameters
    ----------
    C : float
        Inverse regularization of the logistic regression that names the clusters.
    random_state : int, RandomState or None
        Start of the centers.

    Attributes
    ----------
    centers_ : ndarray of domains x classes x words
        The center of each class's cluster in each domain.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [0, 2, 0], [2, 0, 0], [0, 2, 0], [1, 0, 2], [1, 0, 3], [0, 1, 0], [0, 2, 0]])
    >>> model = isthmus.KMeans(random_state=0)
    >>> model = model.fit(X, ["a", "b", "a", "b", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"C": [POSITIVE], "random_state": ["random_state"]}

    def __init__(self, C: float = 1.0, *, random_state: Any = None) -> None:
        self.C = C
        self.random_state = random_state

    def solve(self, problem: Problem, workspace: Workspace) -> KMeansSolution:
        rng = check_random_state(self.random_state)
        votes = first_labels(problem, self.C)
        centers = np.stack([_centers(d, v, rng) for d, v in zip(problem.domains, votes, strict=True)])
        return KMeansSolution(centers, problem.target_mean(centers), problem.mean_squared_length)


@dataclass(frozen=True, eq=False)
class KMeansSolution(Solution):
    """The center of each class's cluster in each domain."""

    centers: Array
    _default: Array
    _square: float
    """The mean squared length of a document."""

    def assign(self, X: Matrix, domain: int | None) -> Array:
        centers = self._default if domain is None else self.centers[domain]
        distances = euclidean_distances(X, centers.astype(X.dtype, copy=False), squared=True)
        return np.asarray(softmax(-distances.astype(np.float64) / self._square, axis=1))


def _centers(domain: Domain, votes: Array, rng: np.random.RandomState) -> Array:
    """Classes x words."""
    if not domain.fully_labeled:
        return np.asarray(cluster(domain, votes, rng).cluster_centers_)
    sums = (domain.matrix.T @ votes).T
    return np.asarray(sums / np.maximum(votes.sum(axis=0), 1)[:, None])
