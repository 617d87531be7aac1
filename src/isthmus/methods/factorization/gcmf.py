"""Graph co-regularized Collective Matrix tri-Factorization.

M. Long, J. Wang, G. Ding, D. Shen and Q. Yang, "Transfer Learning with Graph Co-Regularization", AAAI 2012.
"""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.core.estimator import AT_LEAST_ONE, NOT_NEGATIVE
from isthmus.core.progress import Callback
from isthmus.methods.factorization._base import FactorizationClassifier, TopicClassifier
from isthmus.methods.factorization._design import Design, orthogonal_design
from isthmus.methods.factorization.recipes import Neighbors


class GCMF(TopicClassifier):
    """Graph-regularized tri-factorization: keeps neighbors together, among words and among documents.

    Minimizes, with X_d documents x words,

        sum_d || X_d - V_d H^T W_d^T ||^2 / s             each domain its topics, one association for all
        + word_weight * sum_d R(W_d)                      lambda: words that occur together, in each domain
        + document_weight * sum_d R(V_d)                  gamma: documents that are alike, in each target domain
        + orthogonality_weight * sum_d (|| W_d^T W_d - I ||^2 + || V_d^T V_d - I ||^2)

    where R(F) = tr F^T L F, L the Laplacian of a graph of nearest neighbors by cosine, and s what makes the weights
    mean the same for any X: the mean squared length of a document, times the number of all documents, in thousands.
    Square-root updates. V of a labeled document is its label, and stays; a document belongs to the class with the
    largest entry in its row of V.

    Departures, from the authors' program; the paper was not at hand. It asks for W^T W = I and V^T V = I, with the
    constraint's multiplier in the fit's share of each denominator, and none in the graphs': that does not follow the
    objective, and in trials three of eight runs ended with more than half of the target exchanged. Here orthogonality
    is a term, and the objective falls, as in the same authors' later GTL (TKDE 2014), the source of its weight. Their
    program stops when accuracy on the target's true labels drops. This one never sees them.

    Without graphs, and with topics that are not asked to be orthogonal, it is `NMTF` but for the scale of the factors.
    `DTLM` descends from it.

    Parameters
    ----------
    n_topics : int
        k, the columns of W_d. Ten, as in the authors' program.
    word_weight, document_weight : float
        lambda and gamma. There, they are one, and s is one: the same as 0.2 for five thousand documents of unit length.
    n_neighbors : int
        p, for all graphs. Ten, as there.
    orthogonality_weight : float
        sigma. Ten in the authors' GTL: 2 for five thousand documents.
    start_C, n_init, max_iter, tol, random_state, verbose, callback: as for `TCL`.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> isthmus.GCMF(n_topics=2, random_state=0).fit(X, ["a", "a", "b", "b"]).predict([[3., 1, 0, 0]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationClassifier._parameter_constraints,
        "orthogonality_weight": [NOT_NEGATIVE],
        "word_weight": [NOT_NEGATIVE],
        "document_weight": [NOT_NEGATIVE],
        "n_neighbors": [AT_LEAST_ONE],
    }

    def __init__(
        self,
        n_topics: int = 10,
        *,
        word_weight: float = 0.2,
        document_weight: float = 0.2,
        n_neighbors: int = 10,
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
        self.word_weight = word_weight
        self.document_weight = document_weight
        self.n_neighbors = n_neighbors
        self.orthogonality_weight = orthogonality_weight
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def design(self) -> Design:
        weights = {"W*": self.word_weight, "V*": self.document_weight}
        graphs = [Neighbors(factor, weight, self.n_neighbors) for factor, weight in weights.items()]
        return orthogonal_design(self.n_topics, graphs, self.orthogonality_weight)
