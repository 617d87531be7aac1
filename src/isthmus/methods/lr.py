"""Logistic regression on the labelled rows: what transfer is compared with."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from isthmus.base import POSITIVE, TransferClassifier
from isthmus.engine import logistic_regression
from isthmus.problem import Problem
from isthmus.typing import Array, Matrix


class LR(TransferClassifier):
    """Logistic regression that takes no notice of domains.

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

    def _learn(self, problem: Problem) -> list[Array]:
        self.classifier_ = logistic_regression(problem, self.C)
        return [self._assign(domain.matrix, None) for domain in problem.domains]

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(self.classifier_.predict_proba(X))
