"""A baseline without domain adaptation: logistic regression on the labelled rows."""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.solution import LinearSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear import logistic_regression


class LR(TransferClassifier):
    """Baseline without domain adaptation: logistic regression on the labelled rows, whatever their domain.

    Parameters
    ----------
    C : float
        Inverse regularisation.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0], [1, 0], [0, 1], [0, 2]])
    >>> isthmus.LR().fit(X, ["a", "a", "b", "b"]).predict([[3., 1]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"C": [POSITIVE]}

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> LinearSolution:
        return LinearSolution(logistic_regression(problem, self.C))
