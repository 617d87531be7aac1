"""Importance weights from kernel density estimates, for a support vector machine.

H. Shimodaira, "Improving predictive inference under covariate shift by weighting the log-likelihood function", Journal
of Statistical Planning and Inference, 2000.
B. Zadrozny, "Learning and Evaluating Classifiers under Sample Selection Bias", ICML 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import Interval, StrOptions

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.numerics import unit_rows
from isthmus.core.problem import Problem
from isthmus.core.solution import MarginSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.spectral import nearest, nearest_others
from isthmus.typing import Array, Matrix

N_NEIGHBORS = 100
"""Of these, the kernel is exact; of all others, to first order."""

SHARPEST = 500.0
"""The exponential of much more is infinite. The kernel sees nothing but copies long before."""


class KDE(TransferClassifier):
    """Importance weighting: an SVM in which labeled documents count by how common their like is among unlabeled ones.

    The weight of a labeled document x is p_free(x) / p_labeled(x), which would make up for a shift between the two if
    that were all that is different: if documents with the same words had the same labels in both. In new domains, with
    words that no labeled document has, they do not, and the weights do little.

    A density is the mean of exp(a cos(x, x_i)) over the documents x_i but x itself: the Gaussian kernel of documents of
    unit length, whose constant cancels in the ratio. By default its squared width 1 / a is the mean squared distance of
    two documents, a usual rule that needs no label. The papers leave open how densities are to be estimated.

    The kernel is wide: weights differ little from one. Sharper ones (`sharpness`) give most of the weight to the few
    labeled documents that are near copies of an unlabeled one, and can take all weight from a class.

    Parameters
    ----------
    C : float
        Inverse regularization of the support vector machine.
    sharpness : float or "auto"
        a, at most 500. "auto": see above.
    random_state : int, RandomState or None
        Order in which liblinear visits the documents.

    Attributes
    ----------
    weights_ : ndarray
        Of the labeled documents, domain by domain; their mean is one.
    sharpness_ : float
    classifier_ : LinearSVC

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0], [1, 0], [0, 1], [0, 2], [3, 1], [1, 4]])
    >>> model = isthmus.KDE(random_state=0).fit(X, ["a", "a", "b", "b", "?", "?"], sample_domain=[1] * 4 + [-1] * 2)
    >>> model.transduction_[4:].tolist()
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [POSITIVE],
        "sharpness": [Interval(Real, 0, SHARPEST, closed="right"), StrOptions({"auto"})],
        "random_state": ["random_state"],
    }

    def __init__(self, C: float = 1.0, *, sharpness: float | str = "auto", random_state: Any = None) -> None:
        self.C = C
        self.sharpness = sharpness
        self.random_state = random_state

    def solve(self, problem: Problem, workspace: Workspace) -> KDESolution:
        X, numbers = problem.labeled
        weights, sharpness = importance(X, problem.unlabeled, self.sharpness)
        solver = LinearSVC(C=self.C, max_iter=20_000, random_state=self.random_state)
        return KDESolution(solver.fit(X, numbers, sample_weight=weights), weights, sharpness)


@dataclass(frozen=True, eq=False)
class KDESolution(MarginSolution):
    """A support vector machine, and how much each labeled document counted."""

    weights: Array
    sharpness: float


def importance(labeled: Matrix, free: Matrix, sharpness: float | str) -> tuple[Array, float]:
    """Weights of the labeled documents, and how sharp the kernel was."""
    labeled, free = unit_rows(labeled), unit_rows(free)
    n_labeled, n_free = labeled.shape[0], free.shape[0]
    sums = [np.asarray(rows.sum(axis=0)).ravel() for rows in (labeled, free)]
    n = n_labeled + n_free
    mean_cosine = float((np.sum((sums[0] + sums[1]) ** 2) - n) / (n * (n - 1)))
    a = 1 / max(2 * (1 - mean_cosine), 1 / SHARPEST) if isinstance(sharpness, str) else float(sharpness)
    if not n_free:
        return np.ones(n_labeled), a
    among_free = _density(nearest(labeled, free, N_NEIGHBORS), labeled @ sums[1], n_free, a)
    among_own = _density(nearest_others(labeled, N_NEIGHBORS), labeled @ sums[0] - 1, n_labeled - 1, a)
    ratio = among_free / among_own
    return np.asarray(ratio / ratio.mean()), a


def _density(near: Matrix, total: Array, n: int, a: float) -> Array:
    """The mean of exp(a cos) over n documents whose cosines sum to `total`.

    1 + a cos for all of them, and what the exponential has beyond that for the nearest ones.
    """
    beyond = near.astype(np.float64)  # in single precision, the exponential of 89 is infinite
    beyond.data = np.expm1(a * beyond.data) - a * beyond.data
    return np.maximum(1 + (a * total + np.asarray(beyond.sum(axis=1)).ravel()) / n, 1e-3)
