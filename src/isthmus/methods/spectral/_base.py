"""What CDSC and SC have in common: documents are classified by where eigenvectors of their graph put them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.special import softmax
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods, Interval

from isthmus.core.estimator import TransferClassifier
from isthmus.core.numerics import unit_rows
from isthmus.core.probabilities import classifier_probabilities, separation_sharpness
from isthmus.core.solution import TransductiveSolution
from isthmus.solvers.spectral import class_means
from isthmus.typing import Array, Mask, Matrix, Positions


class Places(Protocol):
    """Where the documents stand, and where new ones would."""

    @property
    def free(self) -> Array:
        """Of the unlabeled documents that have a place, documents x vectors."""

    def place(self, X: Matrix) -> tuple[Array, Mask]:
        """Of new documents, and which of them have one."""


@dataclass(frozen=True, eq=False)
class PlaceClassifier:
    """Class probabilities of places: by the nearest class mean, or by a classifier of scikit-learn."""

    class_points: Array
    """Classes x vectors: the mean place of each class's labeled documents, as they are compared."""
    classifier: Any
    """None for the nearest class mean."""
    prior: Array
    sharpness: float
    weights: Array | None
    """Of the vectors, where sums of products are compared; None where rows of unit length are."""

    @classmethod
    def learn(
        cls, places: Array, kinds: Positions, prior: Array, classifier: Any = None, weights: Array | None = None
    ) -> PlaceClassifier:
        """From the places of labeled documents and their classes."""
        points = compared(places, weights)
        means = class_means(points, kinds, len(prior))
        seen = np.unique(kinds)
        several = classifier is not None and len(seen) > 1
        found = cls(means, clone(classifier).fit(points, kinds) if several else None, prior, 1.0, weights)
        return cls(means, found.classifier, prior, separation_sharpness(found.scores(means[seen])[:, seen]), weights)

    def scores(self, rows: Array) -> Array:
        """What speaks for each class: nearness to its mean, or the weighted sum; nothing for one without a place."""
        scores = rows @ self.class_points.T
        if self.weights is None:
            scores -= (self.class_points**2).sum(axis=1) / 2
        return np.asarray(np.where(np.isnan(self.class_points[:, 0]), -np.inf, scores))

    def probabilities(self, places: Array, linked: Mask) -> Array:
        """Of the documents that have a place; the prior for the others."""
        found = np.tile(self.prior, (len(linked), 1))
        if linked.any():
            rows = compared(places, self.weights)
            if self.classifier is None:
                found[linked] = softmax(self.sharpness * self.scores(rows), axis=1)
            else:
                found[linked] = classifier_probabilities(self.classifier, rows, len(self.prior))
        return found


def compared(places: Array, weights: Array | None) -> Array:
    """Coordinates as they are compared: at unit length, or weighted."""
    return np.asarray(unit_rows(places) if weights is None else places * weights)


@dataclass(frozen=True, eq=False)
class EmbeddingSolution(TransductiveSolution):
    """Places of documents, and a classifier of these."""

    eigenvalues: Array
    class_points: Array
    classifier: Any
    _embedding: Any
    _places: PlaceClassifier

    def assign(self, X: Matrix, domain: int | None) -> Array:
        places, linked = self._embedding.place(X)
        return self._places.probabilities(places[linked], linked)


def embedding_solution(
    embedding: Places, eigenvalues: Array, places: PlaceClassifier, linked: Mask
) -> EmbeddingSolution:
    """`linked` says which unlabeled documents have a place."""
    return EmbeddingSolution(
        distributions=places.probabilities(embedding.free, linked),
        eigenvalues=eigenvalues,
        class_points=places.class_points,
        classifier=places.classifier,
        _embedding=embedding,
        _places=places,
    )


class SpectralClassifier(TransferClassifier):
    """Base of CDSC and SC.

    Documents that no chain of shared words joins to a labeled one have no place in the graph: they get the class
    prior.

    Attributes
    ----------
    class_points_ : ndarray of classes x vectors
        Mean place of each class's labeled documents, as they are compared.
    classifier_ : classifier or None
        The fitted classifier of the places; None for the nearest class mean.
    """

    _positive_only = True
    _poor_on_blobs = True  # cosines do not tell clouds of points around centers apart
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_eigenvectors": [Interval(Integral, 2, None, closed="left"), None],
        "classifier": [HasMethods(["fit", "predict"]), None],
        "random_state": ["random_state"],
    }
    n_eigenvectors: int | None
    classifier: Any
    random_state: Any
