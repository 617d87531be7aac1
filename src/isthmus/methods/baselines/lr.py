"""A baseline without domain adaptation: logistic regression on the labeled rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.solution import LinearSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear import cross_validated_accuracy, logistic_regression
from isthmus.typing import Matrix, Positions

GRID = (0.1, 1.0, 10.0, 100.0)
N_FOLDS = 5


class LR(TransferClassifier):
    """Baseline without domain adaptation: logistic regression on the labeled rows, whatever their domain.

    Parameters
    ----------
    C : float or "cv"
        Inverse regularization; or the best of 0.1, 1, 10 and 100 in a cross-validation on the labeled rows, which
        `classifier_.C` then says.

    Attributes
    ----------
    classifier_ : LogisticRegression
        scikit-learn's, which knows the classes by number.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0], [1, 0], [0, 1], [0, 2]])
    >>> isthmus.LR().fit(X, ["a", "a", "b", "b"]).predict([[3., 1]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"C": [POSITIVE, StrOptions({"cv"})]}

    def __init__(self, C: float | str = 1.0) -> None:
        self.C = C

    @property
    def passes_over_parts(self) -> bool:
        return True  # and learns from the labeled rows alone

    def solve(self, problem: Problem, workspace: Workspace) -> LinearSolution:
        C = cross_validated_C(*problem.labeled) if isinstance(self.C, str) else self.C
        return LinearSolution(workspace.once(logistic_regression, problem, C, False))


def cross_validated_C(X: Matrix, numbers: Positions) -> float:
    """The C that repeats most labels, and the smallest of several; one, where a class has a single document."""
    n_folds = min(N_FOLDS, *np.unique(numbers, return_counts=True)[1].tolist())
    return max(GRID, key=lambda C: cross_validated_accuracy(X, numbers, C, n_folds)) if n_folds > 1 else 1.0
