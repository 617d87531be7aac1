"""What the methods have in common that classify documents by where eigenvectors of their graph put them."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.special import softmax
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods, Interval

from isthmus.base import TransferClassifier
from isthmus.methods.shares import class_shares, sharpness
from isthmus.operators import class_means, unit_rows
from isthmus.problem import Problem, stack
from isthmus.typing import Array, Mask, Matrix, Positions


class Places(Protocol):
    """Where the documents stand, and where new ones would."""

    @property
    def free(self) -> Array:
        """Of the unlabelled documents that have a place, documents x vectors."""

    def place(self, X: Matrix) -> tuple[Array, Mask]:
        """Of new documents, and which of them have one."""


class SpectralClassifier(TransferClassifier):
    """Base of CDSC and SC. A method says how it embeds the documents (`_solve`), and how rows are compared.

    Documents that no chain of shared words joins to a labelled one have no place in the graph: they get the class
    prior.

    Attributes
    ----------
    class_points_ : ndarray of classes x vectors
        Mean place of each class's labelled documents, as they are compared.
    classifier_ : classifier or None
        The fitted classifier of the places; None for the nearest class mean.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_vectors": [Interval(Integral, 2, None, closed="left"), None],
        "classifier": [HasMethods(["fit", "predict"]), None],
        "random_state": ["random_state"],
    }
    n_vectors: int | None
    classifier: Any
    random_state: Any
    _embedding: Places

    @abstractmethod
    def _solve(self, labeled: Matrix, classes: Positions, free: Matrix) -> Mask:
        """Set `_embedding` from documents of unit length, call `_judge`, and say which free documents have a place."""

    def _learn(self, problem: Problem) -> list[Array]:
        X, classes = problem.labeled_documents()
        labeled = unit_rows(X)
        free = unit_rows(stack([domain.matrix[~domain.labeled] for domain in problem.domains]))
        self._prior = problem.class_prior.astype(np.float64)
        linked = self._solve(labeled, classes, free)

        distributions = np.concatenate([domain.labels for domain in problem.domains]).astype(np.float64)
        unlabeled = np.concatenate([~domain.labeled for domain in problem.domains])
        distributions[unlabeled] = self._distributions(self._embedding.free, linked)
        return np.split(distributions, np.cumsum([len(domain.rows) for domain in problem.domains])[:-1])

    def _judge(self, places: Array, kinds: Positions) -> None:
        """Learn the classes' places, or the classifier of places."""
        points = self._rows(places)
        self.class_points_ = class_means(points, kinds, len(self._prior))
        seen = np.unique(kinds)
        several = self.classifier is not None and len(seen) > 1
        self.classifier_ = clone(self.classifier).fit(points, kinds) if several else None
        self._sharpness = sharpness(self._scores(self.class_points_[seen])[:, seen])

    def _rows(self, places: Array) -> Array:
        """Coordinates as they are compared: at unit length."""
        return np.asarray(unit_rows(places))

    def _scores(self, rows: Array) -> Array:
        """How much speaks for each class: nearness to its mean."""
        return self._where_seen(rows @ self.class_points_.T - (self.class_points_**2).sum(axis=1) / 2)

    def _where_seen(self, scores: Array) -> Array:
        """Nothing speaks for a class without a place."""
        return np.asarray(np.where(np.isnan(self.class_points_[:, 0]), -np.inf, scores))

    def _distributions(self, places: Array, linked: Mask) -> Array:
        """Class distributions of the documents that have a place; the prior for the others."""
        distributions = np.tile(self._prior, (len(linked), 1))
        if linked.any():
            rows = self._rows(places)
            if self.classifier_ is None:
                distributions[linked] = softmax(self._sharpness * self._scores(rows), axis=1)
            else:
                distributions[linked] = class_shares(self.classifier_, rows, len(self._prior))
        return distributions

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        places, linked = self._embedding.place(X)
        return self._distributions(places[linked], linked)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # cosines do not tell clouds of points around centres apart
        return tags
