"""Co-clustering based classification.

W. Dai, G.-R. Xue, Q. Yang and Y. Yu, "Co-clustering based Classification for Out-of-domain Documents", KDD 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax, xlogy
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils import check_random_state

from isthmus.core.estimator import AT_LEAST_ONE, NOT_NEGATIVE, ONE_OPENMP_THREAD, TransferClassifier
from isthmus.core.numerics import order_of_rows, unit_rows
from isthmus.core.problem import Problem, has_words
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.exceptions import unheard
from isthmus.solvers.spectral import class_sums
from isthmus.typing import Array, Matrix, Positions

TINY = 1e-9
"""What a share of zero counts as."""


class CoCC(TransferClassifier):
    """Co-clustering of unlabeled documents and words; the labeled documents say which words belong together.

    Every unlabeled document is in the cluster of one class, every word in one of `n_clusters` clusters. With f the
    joint distribution of unlabeled documents d and words w, and g that of classes c and words in the labeled
    documents, the clusters are to lose little information:

        I(d; w) - I(d's cluster; w's cluster) + lam (I(c; w) - I(c; w's cluster))

    Documents and words take turns, each going to the cluster where it adds least: a document where the clusters of its
    words are distributed as in that class, a word where its classes among the unlabeled documents, and among the
    labeled ones, are distributed as in that cluster. Neither step raises the objective. The first labels are those of
    naive Bayes, the first word clusters those of K-means, of words that occur in the same documents.

    The first step is what matters: it asks which topics a class has in the target. After it, words that only one class
    uses hold their documents in place, and a few rounds settle everything.

    Where this departs from the paper, and why: a share of zero counts as a very small one, so that there is a nearest
    class for every document; new documents get the class whose distribution of word clusters is nearest to theirs.

    Probabilities are those of naive Bayes on word clusters: good for ranking, not calibrated.

    Parameters
    ----------
    n_clusters : int
        Word clusters.
    lam : float
        Weight of the labeled documents' information.
    max_iter : int
        Rounds, if the clusters do not settle before.
    random_state : int, RandomState or None
        Start of the word clusters.

    Attributes
    ----------
    word_clusters_ : ndarray
        The cluster of each word.
    n_iter_ : int
    objective_ : ndarray
        The information lost: at the start, and after each round.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [0, 2, 0], [2, 0, 0], [0, 2, 0], [1, 0, 2], [1, 0, 3], [0, 1, 0], [0, 2, 0]])
    >>> model = isthmus.CoCC(n_clusters=2, random_state=0)
    >>> model = model.fit(X, ["a", "b", "a", "b", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _positive_only = True
    _poor_on_blobs = True  # shares of words do not tell clouds of points around centers apart
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [AT_LEAST_ONE],
        "lam": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_ONE],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_clusters: int = 64, *, lam: float = 0.25, max_iter: int = 20, random_state: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.max_iter = max_iter
        self.random_state = random_state

    def solve(self, problem: Problem, workspace: Workspace) -> CoCCSolution:
        X, known = problem.labeled
        unlabeled = problem.unlabeled
        documents = problem.labeled_first
        words = self._first_clusters(documents[order_of_rows(documents)])
        f = g = joint(X, known, problem.n_classes)
        objective = [0.0]
        if unlabeled.shape[0]:
            # What naive Bayes adds to each word, and the prior, weigh as they do on documents of unit length.
            length = problem.mean_squared_length**0.5
            first = MultinomialNB().fit(X / length, known).predict(unlabeled / length)
            f, words, objective = self._alternate(unlabeled, first, words, g)
        of_source, of_target = (log_shares(merged(h, words))[words] for h in (g, f))
        return CoCCSolution(
            word_clusters=words,
            n_iter=max(len(objective) - 1, 1),
            objective=np.array(objective),
            _of_source=of_source,
            _of_target=of_target,
            _fully_labeled=[domain.fully_labeled for domain in problem.domains],
        )

    def _first_clusters(self, X: Matrix) -> Positions:
        """Words that occur in the same documents, whatever their labels."""
        rows = unit_rows(X.T.tocsr() if sp.issparse(X) else X.T)
        used = has_words(rows)
        clusters = np.zeros(len(used), dtype=np.intp)
        rng = check_random_state(self.random_state)
        k_means = KMeans(min(self.n_clusters, int(used.sum())), n_init=1, max_iter=10, random_state=rng)
        # Words of the same documents are no reason to warn.
        with ONE_OPENMP_THREAD, unheard(ConvergenceWarning):
            clusters[used] = k_means.fit(rows[used]).labels_
        return clusters

    def _alternate(
        self, free: Matrix, labels: Positions, words: Positions, g: Array
    ) -> tuple[Array, Positions, list[float]]:
        """Documents and words in turns, until none moves."""
        f = joint(free, labels, g.shape[1])
        everything = information(free / free.sum()) + self.lam * information(g)

        def lost() -> float:
            return everything - information(merged(f, words)) - self.lam * information(merged(g, words))

        objective = [lost()]
        for _ in range(self.max_iter):
            before = labels, words
            labels = (free @ log_shares(merged(f, words))[words]).argmax(axis=1)
            f = joint(free, labels, g.shape[1])
            of_free, of_labeled = (h @ log_shares(merged(h, words).T) for h in (f, g))
            words = np.asarray((of_free + self.lam * of_labeled).argmax(axis=1))
            objective.append(lost())
            if np.array_equal(before[0], labels) and np.array_equal(before[1], words):
                break
        return f, words, objective


@dataclass(frozen=True, eq=False)
class CoCCSolution(Solution):
    """Word clusters, and how likely each is in each class."""

    word_clusters: Positions
    n_iter: int
    objective: Array
    _of_source: Array
    _of_target: Array
    """Words x classes: the logarithm of the share of each word's cluster."""
    _fully_labeled: list[bool]

    def assign(self, X: Matrix, domain: int | None) -> Array:
        of_source = domain is not None and self._fully_labeled[domain]
        lengths = np.diff(X.indptr) if sp.issparse(X) else np.count_nonzero(X, axis=1)
        # As if each of its words had occurred once: the weights' own scale says nothing of how long a document is.
        means = X @ (self._of_source if of_source else self._of_target) / np.asarray(X.sum(axis=1)).reshape(-1, 1)
        return np.asarray(softmax(means * lengths[:, None], axis=1))


def joint(X: Matrix, classes: Positions, n_classes: int) -> Array:
    """The joint distribution of words and classes, in double precision."""
    sums = X.T @ np.eye(n_classes)[classes]
    return np.asarray(sums / sums.sum())


def merged(rows: Array, clusters: Positions) -> Array:
    """The sum of each cluster's rows."""
    return np.asarray(class_sums(rows, clusters, int(clusters.max()) + 1)[0])


def log_shares(table: Array) -> Array:
    """Logarithms of each entry's share of its column."""
    total = table.sum(axis=0)
    return np.asarray(np.log(np.maximum(table / np.where(total > 0, total, 1), TINY)))


def information(table: Matrix) -> float:
    """Mutual information of rows and columns of a joint distribution."""
    parts = [table.data if sp.issparse(table) else table, table.sum(axis=0), table.sum(axis=1)]
    whole, columns, rows = (float(xlogy(part, part).sum()) for part in map(np.asarray, parts))
    return whole - columns - rows
