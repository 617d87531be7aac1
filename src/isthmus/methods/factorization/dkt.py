"""Dual Knowledge Transfer.

H. Wang, H. Huang, F. Nie and C. Ding, "Cross-Language Web Page Classification via Dual Knowledge Transfer Using
Nonnegative Matrix Tri-factorization", SIGIR 2011.
"""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.core.estimator import NOT_NEGATIVE
from isthmus.core.progress import Callback
from isthmus.methods.factorization._base import FactorizationClassifier, TopicClassifier
from isthmus.methods.factorization._design import Design, orthogonal_design
from isthmus.methods.factorization.recipes import EqualFactors, NearLabels


class DKT(TopicClassifier):
    """Tri-factorization with two ties of the domains: nearly the same word clusters, and one association with classes.

    Minimizes, with X_d documents x words,

        sum_d || X_d - V_d H^T W_d^T ||^2 / s             one association for all domains: the first path
        + words_weight * sum_{s, t} || W_s - W_t ||^2     word clusters of each source and each target: the second
        + label_weight * || V - Y ||^2                    over the labeled rows
        + orthogonality_weight * sum_d (|| W_d^T W_d - I ||^2 + || V_d^T V_d - I ||^2)

    where s is as for `GCMF`, and Y has columns of unit length, like V. Square-root updates.

    A multiplicative update never moves a zero, so that a labeled document keeps its class; what the fit and
    `label_weight` decide between them is how much it counts: the larger `label_weight`, the more alike. At its limit,
    and without the second path, this is `GCMF` without graphs.

    Departures. The paper was not at hand: the objective is built from what its summary says of the two paths, and from
    what the authors say of their method for images of the same year ("Dyadic Transfer Learning for Cross-Domain Image
    Classification", ICCV 2011). Orthogonality is a term and no constraint, as in `GCMF`, so that the objective falls.
    The paper's words are translated from one language into the other; here, domains have one vocabulary anyway.

    Parameters
    ----------
    n_topics : int
        Columns of W_d.
    words_weight, label_weight : float
        One each: their values in the paper are not known.
    orthogonality_weight : float
        As for `GCMF`.
    start_C, n_init, max_iter, tol, random_state, verbose, callback: as for `TCL`.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> isthmus.DKT(n_topics=2, random_state=0).fit(X, ["a", "a", "b", "b"]).predict([[3., 1, 0, 0]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationClassifier._parameter_constraints,
        "orthogonality_weight": [NOT_NEGATIVE],
        "words_weight": [NOT_NEGATIVE],
        "label_weight": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        n_topics: int = 10,
        *,
        words_weight: float = 1.0,
        label_weight: float = 1.0,
        orthogonality_weight: float = 2.0,
        start_C: float = 100.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.words_weight = words_weight
        self.label_weight = label_weight
        self.orthogonality_weight = orthogonality_weight
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def design(self) -> Design:
        paths = [EqualFactors("W*", self.words_weight), NearLabels(self.label_weight)]
        return orthogonal_design(self.n_topics, paths, self.orthogonality_weight, freeze_labels=False)
