"""Transductive logistic regression: the target's documents join in, with a weight that rises.

T. Joachims, "Transductive Inference for Text Classification using Support Vector Machines", ICML 1999, with the
logistic loss in the place of the hinge.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from isthmus.base import POSITIVE, TransferClassifier
from isthmus.engine import fit_logistic, log_odds, mean_squared_length
from isthmus.methods.shares import SHARES, known_or, labels_at, read_shares
from isthmus.operators import WordMap, denoising_lsa_map, lsa_map
from isthmus.problem import Problem, stack
from isthmus.typing import Array, Matrix

MAPS = {"lsa": lsa_map, "msda": denoising_lsa_map}
LAST_WEIGHT = 1.0
FIRST_WEIGHT = 0.01


class TransductiveLR(TransferClassifier):
    """Logistic regression on all documents, those of the target with labels of its own making.

    All unlabelled documents are ranked and get labels at the class shares that the target is said to have. Trained on
    them with little weight first and, after each relabelling, with more, the classifier moves to where few documents
    lie. Unlike `SelfTraining` it takes all documents at once and never lets go of the source, which makes it slower to
    gain and slower to harm: it is at its best where classes are opinions rather than topics.

    Parameters
    ----------
    features : "words", "lsa" or "msda"
        X alone; with the dimensions of a latent semantic analysis of both domains beside it; or with those of a
        marginalized denoising autoencoder.
    n_levels : int
        Steps in which the weight of a target document rises from 0.01 to 1. With 0 it stays a plain logistic regression
        on these features.
    target_shares : "source", "unknown" or dict of class to share
        As for `SelfTraining`.
    C : float
        Inverse regularisation, relative to the mean squared length of a document.

    Attributes
    ----------
    classifier_ : LogisticRegression
    map_ : WordMap or None

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [1, 0, 0], [0, 2, 0], [0, 1, 0], [1, 0, 1], [0, 0, 2], [0, 2, 0], [0, 1, 0]])
    >>> model = isthmus.TransductiveLR("lsa").fit(X, [*"aabb", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "features": [StrOptions({"words", *MAPS})],
        "n_levels": [Interval(Integral, 0, None, closed="left")],
        "target_shares": SHARES,
        "C": [POSITIVE],
    }

    def __init__(
        self,
        features: str = "words",
        *,
        n_levels: int = 5,
        target_shares: str | dict[Any, float] = "source",
        C: float = 1.0,
    ) -> None:
        self.features = features
        self.n_levels = n_levels
        self.target_shares = target_shares
        self.C = C

    def _learn(self, problem: Problem) -> list[Array]:
        labeled, known = problem.labeled_documents()
        shares, C = read_shares(self.target_shares, problem), self.C / mean_squared_length(problem)
        self.map_ = shared_map(problem, self.features)
        X = problem.once(("labelled", self.features), lambda: self._seen(labeled))
        free = problem.once(("unlabelled", self.features), lambda: self._seen(problem.unlabeled_documents()))
        self.classifier_ = problem.once(("logistic", self.features, C), lambda: fit_logistic(X, known, C))
        if free.shape[0]:
            both = stack([X, free])
            for weight in np.geomspace(FIRST_WEIGHT, LAST_WEIGHT, self.n_levels):
                labels = labels_at(log_odds(self.classifier_, free), shares)
                weights = np.repeat([1.0, weight], [len(known), len(labels)])
                self.classifier_ = fit_logistic(both, np.concatenate([known, labels]), C, weights, self.classifier_)
        return known_or(self._assign, problem)

    def _seen(self, X: Matrix) -> Matrix:
        return X if self.map_ is None else self.map_.transform(X)

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(self.classifier_.predict_proba(self._seen(X)))


def shared_map(problem: Problem, features: str) -> WordMap | None:
    """The map of all documents, made once for all methods on a problem."""
    if features == "words":
        return None
    return problem.once(("map", features), lambda: MAPS[features](problem.documents()), reads_labels=False)
