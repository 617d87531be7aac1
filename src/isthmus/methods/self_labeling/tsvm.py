"""Transductive support vector machine.

T. Joachims, "Transductive Inference for Text Classification using Support Vector Machines", ICML 1999.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import Interval

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.priors import PRIOR, label_by_rank, read_prior
from isthmus.core.problem import Problem
from isthmus.core.solution import MarginSolution
from isthmus.core.workspace import Workspace
from isthmus.typing import Array, Matrix, Positions

MAX_CHANGES = 20
"""Retrainings at one weight of the unlabeled documents. They rarely need more than five."""


class TSVM(TransferClassifier):
    """Transductive support vector machine: it also keeps its distance from the unlabeled documents.

    Minimizes, over w and the labels y of the unlabeled documents (problem 4 of the paper),

        1/2 ||w||^2 + C sum_labeled loss(y_i w x_i) + C weight sum_unlabeled loss(y_j w x_j)

    for each class against the rest, where the classes have a given prior among the unlabeled documents. The first
    labels are those of a support vector machine of the labeled documents. Their weight doubles from `first_weight` to
    one; at each weight, new labels and new w take turns until no label changes. Neither step raises the objective.

    Where this departs from the paper, and why:

    - The loss is the squared hinge, which liblinear solves in time linear in the words.
    - Joachims exchanges two labels at a time, of documents that stand in the wrong order. Here all documents are put
      into the right order at once: with two classes, that is where his exchanges lead while w stays. With several
      classes, labels are given to minimize the sum of all losses at the given prior.
    - C is relative to the mean squared length of a document (as in SVM^light by default), and so is the penalty of the
      constant: the scale of X does not matter.

    Probabilities are the softmax of the margins: good for ranking, not calibrated.

    Parameters
    ----------
    C : float
        Inverse regularization.
    first_weight : float
        Weight of the unlabeled documents to begin with.
    target_prior : "source", "unknown" or dict of class to probability
        As for `SelfTraining`.
    random_state : int, RandomState or None
        Order in which liblinear visits the documents.

    Attributes
    ----------
    classifier_ : LinearSVC
    n_iter_ : int
        How often it was trained.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [0, 2, 0], [2, 0, 0], [0, 2, 0], [1, 0, 2], [0, 0, 3], [0, 1, 0], [0, 2, 0]])
    >>> model = isthmus.TSVM(random_state=0)
    >>> model = model.fit(X, ["a", "b", "a", "b", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [POSITIVE],
        "first_weight": [Interval(Real, 0, 1, closed="right")],
        "target_prior": PRIOR,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        first_weight: float = 0.01,
        target_prior: str | dict[Any, float] = "source",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.first_weight = first_weight
        self.target_prior = target_prior
        self.random_state = random_state

    def solve(self, problem: Problem, workspace: Workspace) -> TSVMSolution:
        X, known = problem.labeled
        unlabeled, prior = problem.unlabeled, read_prior(self.target_prior, problem)
        both, square = problem.labeled_first, problem.mean_squared_length

        def train(labels: Positions, weight: float) -> LinearSVC:
            if weight:
                rows, classes = both, np.concatenate([known, labels])
                weights = np.repeat([1.0, weight], [len(known), len(labels)])
            else:
                rows, classes, weights = X, known, None
            # liblinear penalises the constant as the weight of one more word, whose value has to grow as X does.
            scale = {"C": self.C / square, "intercept_scaling": square**0.5}
            solver = LinearSVC(**scale, max_iter=20_000, random_state=self.random_state)
            return solver.fit(rows, classes, sample_weight=weights)

        classifier, n_iter = train(np.zeros(0, dtype=np.intp), 0.0), 1
        labels = _labels(_margins(classifier, unlabeled), prior)
        weight = self.first_weight if len(labels) else 2.0
        while weight < 2:
            for _ in range(MAX_CHANGES):
                before, classifier, n_iter = labels, train(labels, min(weight, 1.0)), n_iter + 1
                labels = _labels(_margins(classifier, unlabeled), prior)
                if np.array_equal(before, labels):
                    break
            weight *= 2
        return TSVMSolution(classifier, n_iter)


@dataclass(frozen=True, eq=False)
class TSVMSolution(MarginSolution):
    """A support vector machine, and how often it was trained."""

    n_iter: int


def _margins(classifier: LinearSVC, X: Matrix) -> Array:
    """Documents x classes: how far each stands on each class's side of the plane between it and the rest."""
    if not X.shape[0]:
        return np.zeros((0, len(classifier.classes_)))
    found = np.asarray(classifier.decision_function(X))
    return np.column_stack([-found, found]) if found.ndim == 1 else found


def _labels(distances: Array, prior: Array | None) -> Positions:
    """The labels with the least sum of squared hinge losses: what each class would lose without a document, gained."""
    if prior is None:
        return np.asarray(distances.argmax(axis=1))
    return label_by_rank(np.maximum(0, 1 + distances) ** 2 - np.maximum(0, 1 - distances) ** 2, prior)
