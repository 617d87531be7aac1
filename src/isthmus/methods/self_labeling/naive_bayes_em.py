"""Naive Bayes on the target, by expectation and maximisation.

K. Nigam, A. McCallum, S. Thrun and T. Mitchell, "Text Classification from Labeled and Unlabeled Documents using EM",
Machine Learning 39, 2000.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from isthmus.core.estimator import AT_LEAST_ONE, POSITIVE, TransferClassifier
from isthmus.core.numerics import mean_square, stack
from isthmus.core.priors import PRIOR
from isthmus.core.problem import Problem
from isthmus.core.solution import TransductiveSolution
from isthmus.core.workspace import Workspace
from isthmus.methods.self_labeling.self_training import SelfTraining
from isthmus.typing import Array, Matrix

SETTLED = 1e-4
"""Largest change of a probability at which it stops."""


class NaiveBayesEM(TransferClassifier):
    """Naive Bayes by expectation maximisation (EM): a multinomial mixture of the target, started from pseudo-labels.

    There is one component per class, and the documents are the target's alone.

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
    target_prior : "source", "unknown" or dict of class to probability
        As for `SelfTraining`, which it starts from. The mixture finds a prior of its own.
    C : float
        As for `SelfTraining`.

    Attributes
    ----------
    word_log_probabilities_ : ndarray of words x classes
    class_log_prior_ : ndarray
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
        "max_iter": [AT_LEAST_ONE],
        "alpha": [POSITIVE],
        "target_prior": PRIOR,
        "C": [POSITIVE],
    }

    def __init__(
        self,
        max_iter: int = 10,
        *,
        alpha: float = 0.1,
        target_prior: str | dict[Any, float] = "source",
        C: float = 1.0,
    ) -> None:
        self.max_iter = max_iter
        self.alpha = alpha
        self.target_prior = target_prior
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> MixtureSolution:
        start = SelfTraining(target_prior=self.target_prior, C=self.C).solve(problem, workspace)
        return expectation_maximization(problem, start.transduce(problem), self.max_iter, self.alpha)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # directions tell its classes apart, not places: see TCL
        return tags


@dataclass(frozen=True, eq=False)
class MixtureSolution(TransductiveSolution):
    """A multinomial mixture with a component for each class."""

    word_log_probabilities: Array
    """Words x classes."""
    class_log_prior: Array
    length: float
    spread: float
    n_iter: int

    def log_likelihoods(self, X: Matrix) -> Array:
        """Documents x classes, of each document with its class."""
        return np.asarray(X @ (self.word_log_probabilities / self.length) + self.class_log_prior)

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(softmax(self.log_likelihoods(X) / self.spread, axis=1))


def expectation_maximization(problem: Problem, start: Array, max_iter: int = 10, alpha: float = 0.1) -> MixtureSolution:
    """The mixture that EM finds from class probabilities of the unlabelled documents."""
    mixed = [number for number, domain in enumerate(problem.domains) if not domain.fully_labeled]
    mixed = mixed or list(range(len(problem.domains)))
    X = stack([problem.domains[number].matrix for number in mixed])
    labels = np.concatenate([problem.domains[number].labels for number in mixed]).astype(np.float64)
    labeled = np.concatenate([problem.domains[number].labeled for number in mixed])
    expected: Array = labels.copy()
    if not labeled.all():
        expected[~labeled] = start
    length = mean_square(X) ** 0.5 or 1.0  # squares of the smallest numbers are zero
    floor = alpha * float(abs(X).sum()) / max(X.nnz if hasattr(X, "nnz") else np.count_nonzero(X), 1)
    X = X.astype(np.float64, copy=False)
    by_word = X.tocsc() if sp.issparse(X) else X  # products with several columns take half the time
    for n_iter in range(1, max_iter + 1):
        words = np.asarray(X.T @ expected, dtype=np.float64) + floor
        mixture = MixtureSolution(
            distributions=None,
            word_log_probabilities=np.log(words / words.sum(axis=0)),
            class_log_prior=np.log(np.maximum(expected.mean(axis=0), 1e-9)),
            length=length,
            spread=1.0,
            n_iter=n_iter,
        )
        before, expected = expected, mixture.assign(by_word, None)
        expected[labeled] = labels[labeled]
        if np.abs(expected - before).max() < SETTLED:
            break
    values = mixture.log_likelihoods(by_word)
    spread = float(np.std(values - values.mean(axis=1, keepdims=True))) or 1.0
    found = softmax(values[~labeled] / spread, axis=1)
    return replace(mixture, spread=spread, distributions=np.asarray(found))
