"""Discriminative Transfer Learning on Manifold.

Z. Fang and Z. Zhang, "Discriminative Transfer Learning on Manifold", SDM 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from isthmus.core.estimator import AT_LEAST_ONE, NOT_NEGATIVE
from isthmus.core.problem import Problem
from isthmus.core.progress import Callback
from isthmus.core.workspace import Workspace
from isthmus.methods.factorization._base import FactorizationClassifier, TopicClassifier
from isthmus.methods.factorization._design import Design
from isthmus.methods.factorization.recipes import EqualMeans, LabelRegression, Neighbors
from isthmus.solvers.factorization import Component, RowsSumToOne, random_start
from isthmus.typing import Array


class DTLM(TopicClassifier):
    """Manifold-regularized tri-factorization: neighbors together, domains alike, and classes linearly separable.

    Minimizes eq. 3.9, here with X_d documents x words and U_d called W_d as in the other methods:

        sum_d || X_d - V_d H^T W_d^T ||^2 / s                        both factorizations (3.1)
        + graph_weight * sum_d (R(V_d) + R(W_d))                     neighbors among documents and words (3.6, 3.8)
        + discrepancy_weight * (gap(V_s, V_t) + gap(W_s, W_t))       equal means in source and target (3.3, 3.4)
        + regression_weight * || Y - V A^T ||^2 + ridge_weight * || A ||^2     over the labeled rows (3.1)

    where s, the mean squared length of a document, makes the weights independent of the scale of X (the paper's grow
    with it). A weight of zero switches its part off. Rows of W_d and V_d sum to one.

    Square-root updates (4.14 to 4.16), derived from the objective: several signs and denominators in the paper's
    formulas do not agree with it. A is solved for exactly (4.19). With several sources or targets, every source is
    compared with every target.

    Labels are read as A V (step 9 of algorithm 1). V of a labeled row is its label, and stays: so A is nearly the
    identity, and the regression does no more than weigh the classes. What each part contributes on 20 Newsgroups is
    shown by `isthmus bench dtlm --methods "DTLM,no graphs,no discrepancy,no regression,fit alone"`: a third of a point
    in the mean. The labels cross through the start, which is logistic regression's; the factorization does the rest.

    Parameters
    ----------
    n_topics : int
        k, the columns of W_d.
    graph_weight : float
        lambda.
    n_neighbors : int
        p, for both graphs.
    regression_weight, ridge_weight : float
        beta and alpha.
    discrepancy_weight : float, one in the paper
    start : {"logistic", "random"}
        Where V of the unlabeled documents starts: from logistic regression (section 7.4), or at random as algorithm 1
        says, which finds good clusters without their names.
    start_C, n_init, max_iter, tol, random_state, verbose, callback: as for `TCL`.

    Attributes
    ----------
    coefficients_ : ndarray of classes x classes, or None
        A, with which labels are read from V; None without the regression. The others are those of `TCL`.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> isthmus.DTLM(n_topics=2, random_state=0).fit(X, ["a", "a", "b", "b"]).predict([[3., 1, 0, 0]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationClassifier._parameter_constraints,
        "graph_weight": [NOT_NEGATIVE],
        "n_neighbors": [AT_LEAST_ONE],
        "regression_weight": [NOT_NEGATIVE],
        "ridge_weight": [NOT_NEGATIVE],
        "discrepancy_weight": [NOT_NEGATIVE],
        "start": [StrOptions({"logistic", "random"})],
    }

    def __init__(
        self,
        n_topics: int = 16,
        *,
        graph_weight: float = 0.01,
        n_neighbors: int = 5,
        regression_weight: float = 10.0,
        ridge_weight: float = 10.0,
        discrepancy_weight: float = 1.0,
        start: str = "logistic",
        start_C: float = 100.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.graph_weight = graph_weight
        self.n_neighbors = n_neighbors
        self.regression_weight = regression_weight
        self.ridge_weight = ridge_weight
        self.discrepancy_weight = discrepancy_weight
        self.start = start
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def document_starts(self, problem: Problem, workspace: Workspace, rng: np.random.RandomState) -> Sequence[Array]:
        if self.start == "logistic":
            return super().document_starts(problem, workspace, rng)
        starts = []
        for domain in problem.domains:
            labels = np.array(domain.labels)
            labels[~domain.labeled] = random_start(rng, labels.shape, labels.dtype)[~domain.labeled]
            RowsSumToOne().restore(labels)
            starts.append(labels)
        return starts

    def design(self) -> Design:
        graphs = (Neighbors(factor, self.graph_weight, self.n_neighbors) for factor in ("W*", "V*"))
        gaps = (EqualMeans(factor, self.discrepancy_weight) for factor in ("V*", "W*"))
        regression = LabelRegression(self.regression_weight, self.ridge_weight)
        return Design(
            [Component("W*", "H")],
            self.n_topics,
            [*graphs, *gaps, regression],
            {"W*": RowsSumToOne()},
            fit_weight=1.0,
            fit_scale="length",
            exponent=0.5,
        )
