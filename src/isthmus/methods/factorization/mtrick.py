"""Matrix Tri-factorization based Classification.

F. Zhuang, P. Luo, H. Xiong, Q. He, Y. Xiong and Z. Shi, "Exploiting Associations between Word Clusters and Document
Classes for Cross-Domain Text Categorization", SDM 2010.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from isthmus.core.estimator import POSITIVE
from isthmus.core.problem import Problem
from isthmus.core.progress import Callback
from isthmus.methods.factorization._base import FactorizationClassifier, TopicClassifier
from isthmus.methods.factorization._design import Design
from isthmus.solvers.factorization import ColumnsSumToOne, Component, plsa
from isthmus.typing import Array

PLSA_STEPS = 10
"""Enough for a start: with fifty, results differ less than with another seed."""


class MTrick(TopicClassifier):
    """Tri-factorization with word clusters of each domain and one association with the classes. Starts from PLSA.

    Minimizes, with X_d documents x words and F_d, S, G_d of the paper called W_d, H, V_d as in the other methods,

        sum_s || X_s - V_s H^T W_s^T ||^2 + target_weight * sum_t || X_t - V_t H^T W_t^T ||^2.

    Columns of W_d, the words of a cluster, and rows of V_d sum to one. V_s is the labels of a source s. V_t starts from
    logistic regression, all W_d from the P(w|z) of one PLSA of all documents, and H even.

    The paper also pulls V_s towards the labels, with a weight alpha. V_s starts there, and a multiplicative update
    never moves a zero: with rows that sum to one it stays there, whatever alpha is. So there is no alpha here.

    `NMTF` differs in its start, in the number of its topics, and in weighing all domains alike.

    Departures. The paper was not at hand: settings are its as its readers report them, and columns of W_d
    sum to one because those of their start do. It divides each X_d by the sum of its entries; here X is taken as it is,
    because one H can serve domains of different sizes only if their documents are of the same scale.

    Parameters
    ----------
    n_topics : int
        Word clusters. Fifty, as in the paper. Take several times as many as there are classes and domains: one cluster
        that has words of one class in the source and of another in the target exchanges the classes for good.
    target_weight : float
        beta. 1.5, as in the paper.
    start_C, n_init, max_iter, tol, random_state, verbose, callback: as for `TCL`. Random is the start of PLSA alone.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> isthmus.MTrick(n_topics=2, random_state=0).fit(X, ["a", "a", "b", "b"]).predict([[3., 1, 0, 0]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationClassifier._parameter_constraints,
        "target_weight": [POSITIVE],
    }

    def __init__(
        self,
        n_topics: int = 50,
        *,
        target_weight: float = 1.5,
        start_C: float = 100.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.target_weight = target_weight
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @property
    def passes_over_parts(self) -> bool:
        return True  # as its start does

    def word_starts(self, problem: Problem, rng: np.random.RandomState) -> dict[str, Array]:
        matrices = [domain.matrix for domain in problem.domains]
        dtype = matrices[0].dtype
        clusters = plsa(matrices, self.n_topics, rng, n_iter=PLSA_STEPS).words.astype(dtype)
        ColumnsSumToOne().restore(clusters)
        words = {f"W{number}": clusters for number in range(len(problem.domains))}
        return {**words, "H": np.full((self.n_topics, problem.n_classes), 1 / problem.n_classes, dtype)}

    def design(self) -> Design:
        return Design([Component("W*", "H")], self.n_topics, fit_weight=1.0, target_weight=self.target_weight)
