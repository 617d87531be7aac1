"""Cross-Domain Spectral Classification.

X. Ling, W. Dai, G.-R. Xue, Q. Yang and Y. Yu, "Spectral Domain-Transfer Learning", KDD 2008.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from isthmus.core.estimator import NOT_NEGATIVE
from isthmus.core.numerics import unit_rows
from isthmus.core.problem import Problem
from isthmus.core.progress import Callback, watched
from isthmus.core.workspace import Workspace
from isthmus.methods.spectral._base import EmbeddingSolution, PlaceClassifier, SpectralClassifier, embedding_solution
from isthmus.solvers.spectral import (
    CosineAffinity,
    DocumentGraph,
    Embedding,
    MustLink,
    class_means,
    class_sums,
    embed,
)
from isthmus.typing import Array, Positions


class CDSC(SpectralClassifier):
    """Spectral clustering across domains: cuts the graph of documents, without parting labeled ones of one class.

    W holds the cosines of all pairs of documents, W_s those of unlabeled pairs alone; D and D_s hold their row sums.
    The smallest solutions of (eq. 10, 11)

        T x = w D x,    T = (D - W) + beta U U^T + lam (D_s - W_s)

    are coordinates of the documents. U has a column for each pair of labeled documents of one class (eq. 4). Rows of
    coordinates, at unit length, go to a classifier F that learns from the labeled ones (algorithm 2).

    Where this departs from the paper, and why:

    - beta is infinite by default: the labeled documents of a class become one node. That is the limit of large beta,
      hardly differs in its labels from the paper's 15, and takes a fraction of the time.
    - The number of vectors is that of the classes: the constant one (T 1 = 0) and the first others in which the classes
      do not lie together. The paper says six, which does not come back; and the very smallest cut can be around a few
      documents that are copies of one another, which tells nothing of the classes. Give `n_eigenvectors` to do without
      this.
    - The paper does not name F. By default it is the nearest class mean, a linear classifier.
    - A document has no similarity with itself; there may be any number of classes; labeled target documents are tied
      to their class like those of the source.
    - Documents that no chain of shared words joins to a labeled one make D singular, or take a vector for themselves:
      they get the class prior.
    - New documents stand where row i of eq. 11 puts an unlabeled document with their similarities (the Nystroem
      extension): x_i = (W x + lam W_s x)_i / ((1 - w) d_i + lam d_si).

    Probabilities are those of F. Without a `classifier`, they are good for ranking, not calibrated.

    Parameters
    ----------
    n_eigenvectors : int or None
        Take this many smallest vectors, the constant one included. None: see above; with `weighting="eigenvalue"`, four
        more than there are classes (for two, the paper's six).
    lam : float
        Weight of the cut among the unlabeled documents.
    beta : float
        Weight of the pairs that must have one label. `np.inf` merges them.
    classifier : scikit-learn classifier or None
        F. None: the nearest class mean.
    weighting : {"none", "eigenvalue"}
        "eigenvalue" takes the place of F: document i gets the class c with the largest sum_j (1 - w_j)^4 x_ij x_cj.
        With all vectors and lam = 0, that is how likely a random walk of four steps leads from i to the node of c, by
        the degree of that node. The number of vectors hardly matters then. Not in the paper.
    random_state : int, RandomState or None
        Where the search for eigenvectors starts. It hardly shows in the result.
    verbose : bool
        Show how far the search for eigenvectors is. How many steps it will take is not known before the last one.
    callback : callable or None
        Called with a `Step` after each ten products or so with the similarities, and at the end; return True to go on
        with the vectors found so far. The objective is the sum of their w, which falls.

    Attributes
    ----------
    eigenvalues_ : ndarray
        w of the vectors in use, rising from zero.
    class_points_ : ndarray of classes x vectors
        Mean place of each class's labeled documents, as they are compared: rows of unit length, or coordinates times
        (1 - w)^2. NaN for a class that shares no word with any other document.
    classifier_ : classifier or None
        The fitted F.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> import isthmus
    >>> texts = ["the engine of the car stalls", "brakes and engine of this car", "the doctor saw a fever",
    ...          "fever and cough, said the doctor", "the engine of the boat is loud", "cough and fever at sea"]
    >>> labels = ["machine", "machine", "health", "health", None, None]
    >>> domains = ["land"] * 4 + ["sea"] * 2
    >>> X = TfidfVectorizer(stop_words="english").fit_transform(texts)
    >>> clf = isthmus.CDSC(random_state=0).fit(X, labels, sample_domain=domains, target_domain="sea")
    >>> clf.transduction_[4:].tolist()
    ['machine', 'health']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SpectralClassifier._parameter_constraints,
        "lam": [NOT_NEGATIVE],
        "beta": [Interval(Real, 0, None, closed="both")],
        "weighting": [StrOptions({"none", "eigenvalue"})],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }

    def __init__(
        self,
        n_eigenvectors: int | None = None,
        *,
        lam: float = 0.025,
        beta: float = np.inf,
        classifier: Any = None,
        weighting: str = "none",
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_eigenvectors = n_eigenvectors
        self.lam = lam
        self.beta = beta
        self.classifier = classifier
        self.weighting = weighting
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def solve(self, problem: Problem, workspace: Workspace) -> EmbeddingSolution:
        """Algorithm 2."""
        if self.weighting == "eigenvalue" and self.classifier is not None:
            raise ValueError(
                f"classifier is {self.classifier!r} and weighting is 'eigenvalue', which decides without a classifier: "
                "leave one of them out."
            )
        graph = self.graph(problem)
        return self.read(graph, self.embed(graph), problem.class_prior.astype(np.float64))

    def graph(self, problem: Problem) -> DocumentGraph:
        """The documents as nodes, those of a class as one if beta is infinite."""
        X, classes = problem.labeled
        labeled, n_classes = unit_rows(X), problem.n_classes
        if np.isinf(self.beta):
            nodes, sizes = class_sums(labeled, classes, n_classes)
            return DocumentGraph.of(nodes, sizes, np.arange(n_classes), unit_rows(problem.unlabeled), n_classes)
        return DocumentGraph.of(labeled, np.ones(len(classes)), classes, unit_rows(problem.unlabeled), n_classes)

    def read(self, graph: DocumentGraph, embedding: Embedding, prior: Array) -> EmbeddingSolution:
        """Classes of documents by their places."""
        columns = self.columns(graph.kinds, embedding.tied, graph.n_classes)
        embedding = embedding.only(columns)
        places = self.learn(graph.kinds, graph.sizes, embedding, prior)
        return embedding_solution(embedding, 1 - embedding.values, places, graph.linked)

    def columns(self, kinds: Positions, tied: Array, n_classes: int) -> Positions:
        """Of the vectors, those that were asked for or tell classes, by their values at the nodes of these kinds."""
        if self.n_eigenvectors is None and self.weighting == "none" and len(kinds):
            return _between(class_means(tied, kinds, n_classes)[np.unique(kinds)])
        return np.arange(tied.shape[1])

    def learn(self, kinds: Positions, sizes: Array, embedding: Embedding, prior: Array) -> PlaceClassifier:
        """F, from the places of nodes that stand for so many documents of these kinds."""
        copies = sizes.astype(np.intp)
        weights = embedding.values**2 if self.weighting == "eigenvalue" else None
        tied = np.repeat(embedding.tied, copies, axis=0)
        return PlaceClassifier.learn(tied, np.repeat(kinds, copies), prior, self.classifier, weights)

    def n_vectors(self, n_classes: int) -> int:
        """How many vectors to look at."""
        return self.n_eigenvectors or n_classes + 4

    def embed(self, graph: DocumentGraph, n_spare: int = 0) -> Embedding:
        """The smallest vectors, and some more."""
        affinity = CosineAffinity(graph.nodes, graph.free, graph.sizes, self.lam)
        must_link = None if np.isinf(self.beta) else MustLink(graph.kinds, len(affinity))
        most = len(np.unique(graph.kinds)) + graph.free.shape[0]
        n_eigenvectors = min(self.n_vectors(graph.n_classes) + n_spare, most)
        start = check_random_state(self.random_state).normal(size=len(affinity))
        with watched(type(self).__name__, bool(self.verbose), self.callback) as on_step:
            looks = on_step if self.verbose or self.callback else None  # to look on takes time
            return embed(affinity, max(1, n_eigenvectors), start, must_link, self.beta, looks)


def _between(means: Array) -> Positions:
    """The constant vector and the first others that take the classes apart, as many in all as there are classes."""
    together = np.ptp(means[:, 1:], axis=0) < 0.1 * np.abs(means[0, 0])  # vectors are as long as the constant one
    chosen = np.argsort(together, kind="stable")[: len(means) - 1]
    return np.append(0, 1 + np.sort(chosen))
