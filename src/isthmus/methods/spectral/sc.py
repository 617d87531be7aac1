"""Spectral classification.

S. D. Kamvar, D. Klein and C. D. Manning, "Spectral Learning", IJCAI 2003.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from isthmus.core.estimator import AT_LEAST_ONE
from isthmus.core.numerics import unit_rows
from isthmus.core.problem import Problem
from isthmus.core.workspace import Workspace
from isthmus.methods.spectral._base import EmbeddingSolution, PlaceClassifier, SpectralClassifier, embedding_solution
from isthmus.solvers.spectral import AllLinks, NeighborLinks, embed_clamped


class SC(SpectralClassifier):
    """Semi-supervised spectral learning: a graph in which labeled documents of one class are linked, by eigenvectors.

    A holds the cosines of documents that are near to one another. Labels overrule them: one for two labeled documents
    of one class, zero for two of different classes. With D the row sums of A and d the largest of them, the largest
    eigenvectors of

        (A + d I - D) / d

    are coordinates of the documents. Rows of coordinates, at unit length, go to a classifier that learns from the
    labeled ones.

    These are the smallest eigenvectors of D - A. Degrees play no part, unlike in CDSC: with the cosines of all pairs
    (`n_neighbors="all"`), a few documents that resemble no others get most of the vectors.

    Where this departs from the paper, and why:

    - The classifier is the nearest class mean by default, and not the nearest labeled document: the links put those of
      a class into nearly one place.
    - A document has no similarity with itself. Documents that no chain of shared words joins to a labeled one get the
      class prior.
    - New documents stand where row i of the equation puts an unlabeled document with their similarities (the
      Nystroem extension).

    Probabilities are good for ranking, not calibrated, unless those of a `classifier` are.

    Parameters
    ----------
    n_eigenvectors : int or None
        How many vectors to take, the constant one included. None: as many as there are classes.
    n_neighbors : int or "all"
        Which cosines to keep: those of each document with its nearest ones, or those of all pairs. Which of several
        that are equally near are taken depends on their order in X.
    classifier : scikit-learn classifier or None
        None: the nearest class mean.
    random_state : int, RandomState or None
        Where the search for eigenvectors starts. It hardly shows in the result.

    Attributes
    ----------
    eigenvalues_ : ndarray
        Of D - A, for the vectors in use, rising from zero.
    class_points_ : ndarray of classes x vectors
        Mean place of each class's labeled documents.
    classifier_ : classifier or None
        As fitted.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [0, 2, 0], [2, 0, 0], [0, 2, 0], [1, 0, 2], [1, 0, 3], [0, 1, 0], [0, 2, 0]])
    >>> model = isthmus.SC(random_state=0)
    >>> model = model.fit(X, ["a", "b", "a", "b", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SpectralClassifier._parameter_constraints,
        "n_neighbors": [AT_LEAST_ONE, StrOptions({"all"})],
    }

    def __init__(
        self,
        n_eigenvectors: int | None = None,
        *,
        n_neighbors: int | str = 20,
        classifier: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_eigenvectors = n_eigenvectors
        self.n_neighbors = n_neighbors
        self.classifier = classifier
        self.random_state = random_state

    def solve(self, problem: Problem, workspace: Workspace) -> EmbeddingSolution:
        X, classes = problem.labeled
        labeled, free = unit_rows(X), unit_rows(problem.unlabeled)
        links: AllLinks | NeighborLinks
        if isinstance(self.n_neighbors, str):
            links = AllLinks(labeled, free)
        else:
            links = NeighborLinks(labeled, free, self.n_neighbors)
        start = check_random_state(self.random_state).normal(size=len(classes) + free.shape[0])
        embedding = embed_clamped(links, classes, self.n_eigenvectors or problem.n_classes, start)
        prior = problem.class_prior.astype(np.float64)
        places = PlaceClassifier.learn(embedding.tied, classes, prior, self.classifier)
        return embedding_solution(embedding, embedding.values, places, links.linked)
