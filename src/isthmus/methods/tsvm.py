"""Transductive support vector machine.

T. Joachims, "Transductive Inference for Text Classification using Support Vector Machines", ICML 1999.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import Interval

from isthmus.base import POSITIVE, TransferClassifier
from isthmus.engine import mean_squared_length
from isthmus.methods.shares import SHARES, class_shares, label_by_rank, read_shares
from isthmus.problem import Problem, stack
from isthmus.typing import Array, Matrix, Positions

MAX_CHANGES = 20
"""Retrainings at one weight of the unlabelled documents. They rarely need more than five."""


class TSVM(TransferClassifier):
    """Linear support vector machine that also keeps its distance from the unlabelled documents.

    Minimizes, over w and the labels y of the unlabelled documents (problem 4 of the paper),

        1/2 ||w||^2 + C sum_labelled loss(y_i w x_i) + C weight sum_unlabelled loss(y_j w x_j)

    for each class against the rest, where every class has a given share of the unlabelled documents. The first labels
    are those of a support vector machine of the labelled documents. Their weight doubles from `first_weight` to one;
    at each weight, new labels and new w take turns until no label changes. Neither step raises the objective.

    Where this departs from the paper, and why:

    - The loss is the squared hinge, which liblinear solves in time linear in the words.
    - Joachims exchanges two labels at a time, of documents that stand in the wrong order. Here all documents are put
      into the right order at once: with two classes, that is where his exchanges lead while w stays. With several
      classes, labels are given to minimize the sum of all losses at the given shares.
    - C is relative to the mean squared length of a document (as in SVM^light by default), and so is the penalty of the
      constant: the scale of X does not matter.

    Probabilities are the softmax of the margins: good for ranking, not calibrated.

    Parameters
    ----------
    C : float
        Inverse regularisation.
    first_weight : float
        Weight of the unlabelled documents to begin with.
    target_shares : "source", "unknown" or dict of class to share
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
        "target_shares": SHARES,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        first_weight: float = 0.01,
        target_shares: str | dict[Any, float] = "source",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.first_weight = first_weight
        self.target_shares = target_shares
        self.random_state = random_state

    def _learn(self, problem: Problem) -> list[Array]:
        X, known = problem.labeled_documents()
        free = stack([domain.matrix[~domain.labeled] for domain in problem.domains])
        shares = read_shares(self.target_shares, problem)
        both, square = stack([X, free]), mean_squared_length(problem)

        def train(labels: Positions, weight: float) -> Positions:
            """New w, and the labels that lose least with it."""
            if weight:
                rows, classes = both, np.concatenate([known, labels])
                weights = np.repeat([1.0, weight], [len(known), len(labels)])
            else:
                rows, classes, weights = X, known, None
            # liblinear penalises the constant as the weight of one more word, whose value has to grow as X does.
            scale = {"C": self.C / square, "intercept_scaling": square**0.5}
            solver = LinearSVC(**scale, max_iter=20_000, random_state=self.random_state)
            self.classifier_ = solver.fit(rows, classes, sample_weight=weights)
            self.n_iter_ += 1
            return _labels(_margins(self.classifier_, free), shares)

        self.n_iter_ = 0
        labels = train(np.zeros(0, dtype=np.intp), 0.0)
        weight = self.first_weight if len(labels) else 2.0
        while weight < 2:
            for _ in range(MAX_CHANGES):
                before, labels = labels, train(labels, min(weight, 1.0))
                if np.array_equal(before, labels):
                    break
            weight *= 2
        return [self._assign(domain.matrix, None) for domain in problem.domains]

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        return class_shares(self.classifier_, X, len(self.classifier_.classes_))


def _margins(classifier: LinearSVC, X: Matrix) -> Array:
    """Documents x classes: how far each stands on each class's side of the plane between it and the rest."""
    if not X.shape[0]:
        return np.zeros((0, len(classifier.classes_)))
    found = np.asarray(classifier.decision_function(X))
    return np.column_stack([-found, found]) if found.ndim == 1 else found


def _labels(distances: Array, shares: Array | None) -> Positions:
    """The labels with the least sum of squared hinge losses: what each class would lose without a document, gained."""
    if shares is None:
        return np.asarray(distances.argmax(axis=1))
    return label_by_rank(np.maximum(0, 1 + distances) ** 2 - np.maximum(0, 1 - distances) ** 2, shares)
