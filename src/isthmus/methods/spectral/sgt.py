"""Spectral graph transducer.

T. Joachims, "Transductive Learning via Spectral Graph Partitioning", ICML 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from isthmus.core.estimator import AT_LEAST_ONE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.solution import TransductiveSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.spectral import leading_vectors, nearest, nearest_others
from isthmus.typing import Array, Matrix

LARGEST_COST = 1e12
"""Beside the cost of labeled documents, that of a cut must not be lost in rounding."""


class SGT(TransferClassifier):
    """Transductive spectral cut of the nearest-neighbor graph, with most labeled documents on their class's side.

    A' holds the cosines of each document with its nearest neighbors, divided by their sum, and A = A' + A'^T. The
    columns of V are the smallest eigenvectors of the normalized Laplacian of A but the first, which is constant. For
    each class against the rest, with l+ and l- labeled documents, z = V w minimizes (eq. 14 to 16)

        w^T S w + c (V w - g)^T C (V w - g)    with w^T w = n

    where the diagonal matrix S holds the squared ranks of the eigenvalues instead of these, g is sqrt(l- / l+) for the
    documents of the class, -sqrt(l+ / l-) for the other labeled ones, and C weighs both sides alike, unlabeled
    documents with zero. A document gets the class with the largest z, measured from the middle between the two values
    of g in units of their distance.

    Where this departs from the paper, and why:

    - V holds eigenvectors of B^-1 (B - A), as the paper says, B being the row sums of A: they come from those of the
      symmetric Laplacian by B^-1/2, and are scaled so that V^T B V = I with mean degree one.
    - Documents without neighbors get the class prior.
    - New documents get the mean z of their nearest neighbors, weighted by cosines.

    Probabilities are the softmax of the distances from the middle: good for ranking, not calibrated.

    Parameters
    ----------
    c : float
        Cost of labeled documents that are not near their g; at most 1e12.
    n_neighbors : int
        Which of several documents that are equally near are taken depends on their order in X.
    n_eigenvectors : int
        d, the columns of V.
    random_state : int, RandomState or None
        Where the search for eigenvectors starts. It hardly shows in the result.

    Attributes
    ----------
    cuts_ : ndarray of documents x classes
        z, measured as above; labeled documents first.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [0, 2, 0], [2, 0, 0], [0, 2, 0], [1, 0, 2], [1, 0, 3], [0, 1, 0], [0, 2, 0]])
    >>> model = isthmus.SGT(random_state=0)
    >>> model = model.fit(X, ["a", "b", "a", "b", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _positive_only = True
    _poor_on_blobs = True  # cosines do not tell clouds of points around centers apart
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "c": [Interval(Real, 0, LARGEST_COST, closed="right")],
        "n_neighbors": [AT_LEAST_ONE],
        "n_eigenvectors": [AT_LEAST_ONE],
        "random_state": ["random_state"],
    }

    def __init__(
        self, c: float = 3200.0, *, n_neighbors: int = 100, n_eigenvectors: int = 80, random_state: Any = None
    ) -> None:
        self.c = c
        self.n_neighbors = n_neighbors
        self.n_eigenvectors = n_eigenvectors
        self.random_state = random_state

    def solve(self, problem: Problem, workspace: Workspace) -> SGTSolution:
        _, classes = problem.labeled
        rows = problem.labeled_first
        rng = check_random_state(self.random_state)
        vectors = _vectors(nearest_others(rows, self.n_neighbors), self.n_eigenvectors, rng)
        sides = classes[:, None] == np.arange(problem.n_classes)
        cuts = np.column_stack([_cut(vectors, side, self.c) for side in sides.T])
        prior = problem.class_prior.astype(np.float64)
        found = _probabilities(cuts[len(classes) :], prior)
        return SGTSolution(cuts, rows.copy(), prior, self.n_neighbors, distributions=found)


@dataclass(frozen=True, eq=False)
class SGTSolution(TransductiveSolution):
    """The cuts, and the documents that new ones are compared with."""

    cuts: Array
    _rows: Matrix
    _prior: Array
    _n_neighbors: int

    def assign(self, X: Matrix, domain: int | None) -> Array:
        near = nearest(X, self._rows, self._n_neighbors)
        total = np.asarray(near.sum(axis=1)).reshape(-1, 1)
        known = np.nan_to_num(self.cuts)
        unknown = np.full((X.shape[0], known.shape[1]), np.nan)
        return _probabilities(np.divide(near @ known, total, out=unknown, where=total > 0), self._prior)


def _probabilities(cuts: Array, prior: Array) -> Array:
    """A document that stands where its class's labeled ones should gets it odds of about 50 to 1."""
    return np.asarray(np.where(np.isnan(cuts[:, :1]), prior, softmax(4 * np.nan_to_num(cuts), axis=1)))


def _vectors(near: Matrix, n_eigenvectors: int, rng: np.random.RandomState) -> Array:
    """V: documents x vectors; NaN in rows of documents without neighbors."""
    sums = np.asarray(near.sum(axis=1)).ravel()
    shares = sp.diags_array(1 / np.where(sums > 0, sums, 1)) @ near
    graph = sp.csr_array(shares + shares.T)
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    joined = degrees > 0
    found = np.full((len(degrees), min(n_eigenvectors, max(int(joined.sum()) - 1, 0))), np.nan)
    if found.size:
        scale = sp.diags_array(degrees[joined] ** -0.5)
        normalized = scale @ graph[joined][:, joined] @ scale
        first, start = np.sqrt(degrees[joined]), rng.normal(size=int(joined.sum()))
        _, vectors = leading_vectors(lambda x: normalized @ x, first, -2.0, found.shape[1] + 1, start)
        found[joined] = np.sqrt(degrees[joined].mean()) * (scale @ vectors[:, 1:])
    return found


def _cut(vectors: Array, side: Any, c: float) -> Array:
    """z of a class against the rest, from the middle of the two values of g and in units of their distance."""
    n, d = vectors.shape
    if not d:  # nobody has a neighbor
        return np.full(n, np.nan)
    labeled = np.nan_to_num(vectors[: len(side)])
    n_own, n_rest = side.sum(), (~side).sum()
    goal = np.where(side, np.sqrt(n_rest / n_own), -np.sqrt(n_own / n_rest))
    cost = len(side) / (2 * np.where(side, n_own, n_rest))
    G = np.diag(np.arange(1, d + 1.0) ** 2) + c * (labeled.T * cost) @ labeled
    w = on_sphere(G, c * labeled.T @ (cost * goal), float(n))
    middle, distance = (np.sqrt(n_rest / n_own) - np.sqrt(n_own / n_rest)) / 2, np.ptp(goal)
    return np.asarray((vectors @ w - middle) / distance)


def on_sphere(G: Array, b: Array, n: float) -> Array:
    """The w with the least w^T G w - 2 b^T w among those of squared length n.

    That is (G - u I)^-1 b with u below all eigenvalues of G (the paper finds it as an eigenvalue of a matrix of twice
    the size): the length grows with u, and two bounds enclose the right one.
    """
    values, basis = eigh(G)
    seen = basis.T @ b
    if not np.any(seen):
        return np.zeros_like(b)

    def excess(u: float) -> float:
        return float(np.sum((seen / (values - u)) ** 2) - n)

    length = np.linalg.norm(seen)
    low, high = values[0] - 1.001 * length / np.sqrt(n), values[0] - 1e-9 * max(1.0, abs(values[0]))
    if excess(high) > 0:
        u = brentq(excess, low, high, xtol=1e-12 * max(1.0, abs(values[0])))
        return np.asarray(basis @ (seen / (values - u)))
    # b has next to nothing of the lowest eigenvector: u is its eigenvalue, and its length is what is missing.
    w = np.asarray(basis @ (seen / (values - high)))
    along = w @ basis[:, 0]
    missing = np.sqrt(max(n - w @ w + along**2, 0))
    return np.asarray(w + (np.copysign(missing, along) - along) * basis[:, 0])
