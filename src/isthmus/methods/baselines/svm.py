"""A baseline without domain adaptation: a linear support vector machine on the labeled rows."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.svm import LinearSVC

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.solution import MarginSolution
from isthmus.core.workspace import Workspace


class SVM(TransferClassifier):
    """Baseline without domain adaptation: a linear support vector machine (liblinear) on the labeled rows.

    Its probabilities are the softmax of its margins: good for ranking, not calibrated.

    Parameters
    ----------
    C : float
        Inverse regularization.
    random_state : int, RandomState or None
        Order in which liblinear visits the documents.

    Attributes
    ----------
    classifier_ : LinearSVC
        scikit-learn's, which knows the classes by number.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0], [1, 0], [0, 1], [0, 2]])
    >>> isthmus.SVM(random_state=0).fit(X, ["a", "a", "b", "b"]).predict([[3., 1]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"C": [POSITIVE], "random_state": ["random_state"]}

    def __init__(self, C: float = 1.0, *, random_state: Any = None) -> None:
        self.C = C
        self.random_state = random_state

    @property
    def passes_over_parts(self) -> bool:
        return True  # and learns from the labeled rows alone

    def solve(self, problem: Problem, workspace: Workspace) -> MarginSolution:
        X, numbers = problem.labeled
        solver = LinearSVC(C=self.C, max_iter=20_000, random_state=self.random_state)
        return MarginSolution(solver.fit(X, numbers))
