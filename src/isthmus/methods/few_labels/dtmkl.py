"""Domain transfer multiple kernel learning.

L. Duan, I. Tsang and D. Xu, "Domain Transfer Multiple Kernel Learning", IEEE Transactions on Pattern Analysis and
Machine Intelligence 34(3), 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from isthmus.core.estimator import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, TransferClassifier
from isthmus.core.numerics import stack
from isthmus.core.probabilities import margin_probabilities
from isthmus.core.problem import Problem
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear.kernels import KernelFeatures, Risk, least_on_simplex, margins
from isthmus.solvers.linear.svm import signs
from isthmus.typing import Array, Matrix


class DTMKL(TransferClassifier):
    """Semi-supervised multiple kernel learning: an SVM whose kernel makes the domains look alike, and the classes not.

    The kernel is sum_m d_m k_m, with weights d_m that are not negative and sum to one. They have the least

        J(d) / J(d_0) + theta / 2 (p d / p d_0)^2.

    J(d) is the objective of the SVM of all labeled documents, of source and target, with that kernel. p_m is the
    squared distance between the means of source and target in the space of k_m (the maximum mean discrepancy), for
    which no label is needed. d_0 has equal weights: so neither the scale of the kernels nor the number of documents
    matters.

    The k_m are the linear kernel and Gaussian ones, exp(-g ||x - x'||^2), with g times the mean squared distance of two
    documents equal to the `widths`.

    Where this departs from the paper, and why:

    - Gaussian kernels go through Nystroem features of `n_components` documents, so that no matrix of documents x
      documents arises. These documents stand at equal steps along a random direction.
    - Both parts of the objective are relative to their values at d_0; in the paper they are not, and theta stands at
      the other one.
    - The paper takes other kernels for each corpus (Gaussian and three more with distances, or polynomial ones).
    - The loss is the squared hinge, with which J is smooth. The weights are found by sequential quadratic programming
      instead of the paper's reduced gradient: both end at the one minimum, this after a third of the machines.
    - Of the paper's two methods this is the first, which uses unlabeled documents in p alone.
    - With several classes, each against the others, and J is the sum.

    Probabilities are the softmax of margins: good for ranking, not calibrated.

    Parameters
    ----------
    theta : float
        Weight of the discrepancy. Zero: plain multiple kernel learning.
    widths : sequence of float
        Of the Gaussian kernels.
    n_components : int
        Nystroem features of each Gaussian kernel.
    C : float
        Inverse regularization.
    max_iter : int
        Steps of the weights.
    tol : float
        Stop when a step changes the objective, which starts at 1 + theta / 2, by less.
    random_state : int, RandomState or None
        The direction that documents for the Nystroem features are chosen along.

    Attributes
    ----------
    kernel_weights_ : ndarray
        d: of the linear kernel, then of the Gaussian ones.
    discrepancies_ : ndarray
        p. Zeros where there is no target.
    objective_ : ndarray
        At the start, and after each step that lowered it.
    n_iter_ : int
        Steps that lowered it.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 1], [0, 2, 1], [1, 0, 1], [0, 1, 1], [2, 0, 0], [0, 2, 0], [1, 0, 0], [0, 1, 0]])
    >>> labels, domains = ["a", "b"] * 2 + ["a", "b", "?", "?"], [1] * 4 + [-1] * 4
    >>> known = [True] * 6 + [False] * 2
    >>> model = isthmus.DTMKL(random_state=0).fit(X, labels, sample_domain=domains, sample_labeled=known)
    >>> model.transduction_[6:].tolist()
    ['a', 'b']
    >>> len(model.kernel_weights_)
    4
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "theta": [NOT_NEGATIVE],
        "widths": ["array-like"],
        "n_components": [AT_LEAST_ONE],
        "C": [POSITIVE],
        "max_iter": [AT_LEAST_ONE],
        "tol": [NOT_NEGATIVE],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        theta: float = 1.0,
        *,
        widths: Any = (0.25, 1.0, 4.0),
        n_components: int = 100,
        C: float = 1.0,
        max_iter: int = 30,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.theta = theta
        self.widths = widths
        self.n_components = n_components
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def solve(self, problem: Problem, workspace: Workspace) -> DTMKLSolution:
        if not all(POSITIVE.is_satisfied_by(width) for width in self.widths):
            raise ValueError(f"widths is {self.widths!r}: give positive numbers, as in (0.25, 1, 4).")
        rng = check_random_state(self.random_state)
        features = KernelFeatures(problem.documents.stacked, self.widths, self.n_components, rng)
        n_kernels = 1 + len(self.widths)
        transfer = 0 < len(problem.targets) < len(problem.domains)
        discrepancies = _discrepancies(problem, features) if transfer else np.zeros(n_kernels)

        X, numbers = problem.labeled
        risk = Risk(features.blocks(X), signs(numbers, problem.n_classes), self.C)
        equal = np.full(n_kernels, 1 / n_kernels)
        scale, apart = risk(equal)[0], discrepancies / max(discrepancies.mean(), 1e-300)

        def objective(weights: Array) -> tuple[float, Array]:
            value, gradient = risk(weights)
            distance = apart @ weights
            return value / scale + self.theta / 2 * distance**2, gradient / scale + self.theta * distance * apart

        weights, history = least_on_simplex(objective, equal, self.max_iter, self.tol)
        return DTMKLSolution(
            kernel_weights=weights,
            discrepancies=discrepancies,
            objective=np.array(history),
            n_iter=max(len(history) - 1, 1),
            _features=features,
            _machines=risk.machines(weights),
        )


@dataclass(frozen=True, eq=False)
class DTMKLSolution(Solution):
    """Kernels, their weights, and the machines on them."""

    kernel_weights: Array
    discrepancies: Array
    objective: Array
    n_iter: int
    _features: KernelFeatures
    _machines: Array

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return margin_probabilities(margins(self._features.blocks(X), self.kernel_weights, self._machines))


def _discrepancies(problem: Problem, features: KernelFeatures) -> Array:
    """p, from the means of the documents of all sources and of all targets."""
    means = []
    for is_target in (False, True):
        X = stack([domain.matrix for domain in problem.domains if domain.is_target == is_target])
        means.append([np.asarray(block.mean(axis=0)).ravel() for block in features.blocks(X)])
    return np.array([np.sum((source - target) ** 2) for source, target in zip(*means, strict=True)])
