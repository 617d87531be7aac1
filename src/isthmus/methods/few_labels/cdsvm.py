"""Cross-domain support vector machines.

W. Jiang, E. Zavesky, S.-F. Chang and A. Loui, "Cross-Domain Learning Methods for High-Level Visual Concept
Classification", ICIP 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from isthmus.core.estimator import NOT_NEGATIVE, POSITIVE, TransferClassifier
from isthmus.core.numerics import stack
from isthmus.core.probabilities import margin_probabilities
from isthmus.core.problem import Problem, labeled_documents
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear.svm import Machines, signs, svm
from isthmus.typing import Array, Matrix, Positions

BATCH = 256
"""Documents whose similarities to the target's are computed at a time."""


class CDSVM(TransferClassifier):
    """Semi-supervised SVM of the target's labeled documents and of the source's support vectors near to them.

    First an SVM of the source. Its support vectors v_j, all that it rests on, then stand beside the labeled documents
    x_i of the target in a second one, with the weight

        mean over i of exp(-beta ||v_j - x_i||^2 / s),

    so that what the source says counts where the target has documents. s is the mean of all these squared distances.

    Without labeled target documents it is the SVM of the source.

    Where this departs from the paper, and why:

    - The paper's beta is absolute and tuned for each data set; here it is relative to s, and one.
    - The machines are linear with squared hinge loss, as in the SVM that it is compared with here. The paper has
      kernels and the plain hinge.
    - With several classes, each against the others; a document that supports any of these machines stays.
    - All sources together make the first machine, and the labeled documents of all targets the weights.

    Probabilities are the softmax of margins: good for ranking, not calibrated.

    Parameters
    ----------
    beta : float
        How fast a support vector's weight falls with its distance to the target. Zero: all of them count in full.
    C : float
        Inverse regularization of both machines.

    Attributes
    ----------
    support_ : ndarray
        The source's support vectors, as row numbers of X.
    support_weights_ : ndarray
        Their weights.
    machines_ : Machines
        The decision functions: `coef`, `intercept`.

    Examples
    --------
    "sick" is bad in the source, and the target's labeled documents say otherwise; "great" is good in both.

    >>> import numpy as np, isthmus
    >>> X = np.array([[1., 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1], [0, 1], [0, 1]])  # great, sick
    >>> labels, domains = ["good", "bad"] * 2 + ["good"] * 3 + ["?"], ["shop"] * 4 + ["street"] * 4
    >>> known = [True] * 7 + [False]
    >>> model = isthmus.CDSVM().fit(X, labels, sample_domain=domains, target_domain="street", sample_labeled=known)
    >>> model.transduction_[7:].tolist()
    ['good']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "beta": [NOT_NEGATIVE],
        "C": [POSITIVE],
    }

    def __init__(self, beta: float = 1.0, *, C: float = 1.0) -> None:
        self.beta = beta
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> CDSVMSolution:
        sources, targets = problem.labeled_sources, problem.labeled_targets
        rows = [domain.rows[domain.labeled] for domain in sources]
        support = np.concatenate(rows) if rows else np.array([], dtype=np.intp)
        weights: Array = np.ones(len(support))
        if sources:
            X, numbers = labeled_documents(sources)
            machines = svm(X, numbers, problem.n_classes, self.C)
            supports = (signs(numbers, problem.n_classes) * machines.margins(X) < 1).any(axis=1)
            X, numbers, support = X[supports], numbers[supports], support[supports]
            weights = np.ones(len(support))
        if targets:
            near, near_numbers = labeled_documents(targets)
            if sources:
                weights = similarity(X, near, self.beta)
                near, near_numbers = stack([X, near]), np.concatenate([numbers, near_numbers])
            all_weights = np.ones(len(near_numbers))
            all_weights[: len(support)] = weights
            machines = svm(near, near_numbers, problem.n_classes, self.C, all_weights)
        return CDSVMSolution(machines, support, weights)


@dataclass(frozen=True, eq=False)
class CDSVMSolution(Solution):
    """One machine for all domains, and the source's support vectors that it rests on."""

    machines: Machines
    support: Positions
    support_weights: Array

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return margin_probabilities(self.machines.margins(X))


def similarity(X: Matrix, others: Matrix, beta: float) -> Array:
    """For each row of X, the mean of exp(-beta times squared distance / mean squared distance) over the other rows."""
    if not X.shape[0]:  # the source's machine rests on no document
        return np.zeros(0)
    centers = [np.asarray(part.mean(axis=0)).ravel() for part in (X, others)]
    squares = sum(float(row_norms(part, squared=True).mean()) for part in (X, others))
    mean = max(squares - 2 * float(centers[0] @ centers[1]), 1e-30)
    batches = gen_batches(X.shape[0], BATCH)
    return np.concatenate([rbf_kernel(X[part], others, gamma=beta / mean).mean(axis=1) for part in batches])
