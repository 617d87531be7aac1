"""Non-negative Matrix Tri-Factorization over several domains.

C. Ding, T. Li, W. Peng and H. Park, "Orthogonal Nonnegative Matrix Tri-factorizations for Clustering", KDD 2006; over
several domains as eq. 2 of Z. Chen and W. Zhang, "Domain Adaptation with Topical Correspondence Learning", IJCAI 2013.
"""

from __future__ import annotations

from typing import Any

from isthmus.core.progress import Callback
from isthmus.methods.factorization._base import TopicClassifier
from isthmus.methods.factorization._design import Design
from isthmus.solvers.factorization import Component


class NMTF(TopicClassifier):
    """Non-negative matrix tri-factorization: topics of each domain's own, and one association with the classes.

    Minimizes 1/2 sum_d || X_d - V_d H^T W_d^T ||^2 with X_d documents x words, columns of W_d and rows of V_d summing
    to one. TCL without common words.

    Parameters
    ----------
    n_topics : int
        Columns of W_d. Twenty, as in the comparison of TCL's paper.
    start_C, n_init, max_iter, tol, random_state, verbose, callback
        As for `TCL`.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> isthmus.NMTF(n_topics=2, random_state=0).fit(X, ["a", "a", "b", "b"]).predict([[3., 1, 0, 0]]).tolist()
    ['a']
    """

    def __init__(
        self,
        n_topics: int = 20,
        *,
        start_C: float = 100.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def design(self) -> Design:
        return Design([Component("W*", "H")], self.n_topics)
