"""Naive Bayes on the target, by expectation and maximisation.

K. Nigam, A. McCallum, S. Thrun and T. Mitchell, "Text Classification from Labeled and Unlabeled Documents using EM",
Machine Learning 39, 2000.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.utils._param_validation import Interval

from isthmus.base import POSITIVE, TransferClassifier
from isthmus.engine import mean_square
from isthmus.methods.self_training import SelfTraining
from isthmus.methods.shares import SHARES, known_or
from isthmus.problem import Problem, stack
from isthmus.typing import Array, Matrix

SETTLED = 1e-4
"""Largest change of a probability at which it stops."""


class NaiveBayesEM(TransferClassifier):
    """A multinomial mixture of the target's documents alone, one component per class, that starts from self-training.

    Departs from the paper, in which labelled and unlabelled documents are of one kind: here the source's words are not
    the target's, so its documents serve for the start and then drop out. Without unlabelled documents, it is the plain
    naive Bayes classifier.

    It assumes that the classes are the mixture's components, that is, what the target's words divide it by. Where they
    are not, as with opinions in reviews, it settles on something else.

    Naive Bayes takes a document's words for so many independent witnesses, and is far too sure. Probabilities are those
    of its log-likelihoods divided by their spread: good for ranking, not calibrated.

    Parameters
    ----------
    max_iter : int
    alpha : float
        Added to every word's weight in every class, as a share of the mean weight of a word in a document.
    target_shares : "source", "unknown" or dict of class to share
        As for `SelfTraining`, which it starts from. The mixture finds shares of its own.
    C : float
        As for `SelfTraining`.

    Attributes
    ----------
    word_log_shares_ : ndarray of words x classes
    class_log_shares_ : ndarray
    length_ : float
        Of a document, as the root of the mean square. So long counts for one: a likelihood depends on how many words
        there are, and X may say so in any unit.
    spread_ : float
        What log-likelihoods are divided by.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [1, 0, 0], [0, 2, 0], [0, 1, 0], [1, 0, 1], [0, 0, 2], [0, 2, 0], [0, 1, 0]])
    >>> model = isthmus.NaiveBayesEM().fit(X, [*"aabb", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "alpha": [POSITIVE],
        "target_shares": SHARES,
        "C": [POSITIVE],
    }

    def __init__(
        self,
        max_iter: int = 10,
        *,
        alpha: float = 0.1,
        target_shares: str | dict[Any, float] = "source",
        C: float = 1.0,
    ) -> None:
        self.max_iter = max_iter
        self.alpha = alpha
        self.target_shares = target_shares
        self.C = C

    def _learn(self, problem: Problem) -> list[Array]:
        starts = SelfTraining(target_shares=self.target_shares, C=self.C)._learn(problem)
        mixed = [number for number, domain in enumerate(problem.domains) if not domain.fully_labeled]
        mixed = mixed or list(range(len(problem.domains)))
        X = stack([problem.domains[number].matrix for number in mixed])
        labels = np.concatenate([problem.domains[number].labels for number in mixed])
        labeled = np.concatenate([problem.domains[number].labeled for number in mixed])
        shares = np.concatenate([starts[number] for number in mixed])
        shares[labeled] = labels[labeled]
        self.length_ = mean_square(X) ** 0.5
        floor = self.alpha * float(abs(X).sum()) / max(X.nnz if hasattr(X, "nnz") else np.count_nonzero(X), 1)

        for step in range(1, self.max_iter + 1):
            self.n_iter_ = step
            words = np.asarray(X.T @ shares, dtype=np.float64) + floor
            self.word_log_shares_ = np.log(words / words.sum(axis=0))
            self.class_log_shares_ = np.log(np.maximum(shares.mean(axis=0), 1e-9))
            before, shares = shares, softmax(self._log_likelihoods(X), axis=1)
            shares[labeled] = labels[labeled]
            if np.abs(shares - before).max() < SETTLED:
                break
        values = self._log_likelihoods(X)
        self.spread_ = float(np.std(values - values.mean(axis=1, keepdims=True))) or 1.0
        return known_or(self._assign, problem)

    def _log_likelihoods(self, X: Matrix) -> Array:
        return np.asarray(X @ (self.word_log_shares_ / self.length_) + self.class_log_shares_)

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(softmax(self._log_likelihoods(X) / self.spread_, axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # directions tell its classes apart, not places: see TCL
        return tags
