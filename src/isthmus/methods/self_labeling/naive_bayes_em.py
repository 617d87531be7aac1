"""Naive Bayes on the target, by expectation and maximisation.

K. Nigam, A. McCallum, S. Thrun and T. Mitchell, "Text Classification from Labeled and Unlabeled Documents using EM",
Machine Learning 39, 2000.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain
from operator import add
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from isthmus.core.estimator import AT_LEAST_ONE, POSITIVE, TransferClassifier
from isthmus.core.parts import over_parts, release
from isthmus.core.priors import PRIOR
from isthmus.core.problem import Problem
from isthmus.core.sample import sample_for_start
from isthmus.core.solution import TransductiveSolution, like_later_ones
from isthmus.core.workspace import Workspace
from isthmus.methods.self_labeling.self_training import SelfTraining
from isthmus.typing import Array, Matrix

SETTLED = 1e-4
"""Largest change of a probability at which it stops."""


class NaiveBayesEM(TransferClassifier):
    """Naive Bayes by expectation maximisation (EM): a multinomial mixture of the target, started from pseudo-labels.

    There is one component per class, and the documents are the target's alone.

    Of more than 20,000 documents of a domain, a sample teaches the self-training, whose classifier labels all of them.

    Departs from the paper, in which labeled and unlabeled documents are of one kind: here the source's words are not
    the target's, so its documents serve for the start and then drop out. Without unlabeled documents, it is the plain
    naive Bayes classifier.

    It assumes that the classes are the mixture's components, that is, what the target's words divide it by. Where they
    are not, as with opinions in reviews, it settles on something else.

    Naive Bayes takes a document's words for so many independent witnesses, and is far too sure. Probabilities are those
    of its log-likelihoods divided by their spread: good for ranking, not calibrated.

    Parameters
    ----------
    max_iter : int
        Steps of EM, at most.
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

    _positive_only = True
    _poor_on_blobs = True  # directions tell its classes apart, not places: see TCL
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
        start = SelfTraining(target_prior=self.target_prior, C=self.C).solve(sample_for_start(problem), workspace)
        return expectation_maximization(problem, like_later_ones(start, problem), self.max_iter, self.alpha)

    @property
    def passes_over_parts(self) -> bool:
        return True


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
        """Documents x classes, of each document with its class. In column order: sums over classes are fast."""
        return np.asfortranarray(X @ (self.word_log_probabilities / self.length)) + self.class_log_prior

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(softmax(self.log_likelihoods(X) / self.spread, axis=1))


@dataclass(frozen=True, eq=False)
class Weighed:
    """What some documents add to a mixture, with the classes that are expected of them."""

    words: Array
    """Words x classes."""
    classes: Array
    """How many documents are expected of each."""
    lengths: float = 0.0
    """The squares of their numbers."""
    spreads: float = 0.0
    """The squares of their log-likelihoods, each less the mean of its document."""
    change: float = 0.0
    """Of what is expected: the largest."""

    def __add__(self, other: Weighed) -> Weighed:
        return Weighed(
            self.words + other.words,
            self.classes + other.classes,
            self.lengths + other.lengths,
            self.spreads + other.spreads,
            max(self.change, other.change),
        )


def expectation_maximization(problem: Problem, start: Any, max_iter: int = 10, alpha: float = 0.1) -> MixtureSolution:
    """The mixture that EM finds from class probabilities of the unlabeled documents, which may lie with these."""
    documents = _with_expected(problem, start)
    n, first = sum(V.shape[0] for _, V, _ in documents), _passed(documents, _at_start)
    length = (first.lengths / n) ** 0.5 or 1.0  # squares of the smallest numbers are zero
    n_words = sum(X.nnz if hasattr(X, "nnz") else np.count_nonzero(X) for X, _, _ in documents)
    # The sums of words are those of all documents: what is expected of one sums to one.
    floor, weighed = max(alpha * float(first.words.sum()) / max(n_words, 1), np.finfo(np.float64).tiny), first
    for n_iter in range(1, max_iter + 1):
        words = weighed.words + floor
        mixture = MixtureSolution(
            distributions=None,
            word_log_probabilities=np.log(words / words.sum(axis=0)),
            class_log_prior=np.log(np.maximum(weighed.classes / n, 1e-9)),
            length=length,
            spread=1.0,
            n_iter=n_iter,
        )
        weighed = _passed(documents, partial(_expected, mixture))
        if weighed.change < SETTLED:
            break
    found = replace(mixture, spread=(weighed.spreads / (n * problem.n_classes)) ** 0.5 or 1.0)
    unknown = [(X, V) for X, V, is_known in documents if not is_known]
    for X, V in unknown:
        deque(over_parts(partial(_settled, found), X, V), maxlen=0)
    if len(unknown) == 1:
        return replace(found, distributions=unknown[0][1])
    return replace(found, distributions=np.concatenate([np.zeros((0, problem.n_classes)), *(V for _, V in unknown)]))


def _with_expected(problem: Problem, start: Any) -> list[tuple[Matrix, Any, bool]]:
    """Documents, the classes that are expected of them, and whether these are known."""
    mixed = [domain for domain in problem.domains if not domain.fully_labeled]
    ends = np.cumsum([domain.unlabeled.shape[0] for domain in mixed])[:-1]
    starts = [start] if len(mixed) == 1 else np.split(start, ends)
    unlabeled = [(domain.unlabeled, own.copy(), False) for domain, own in zip(mixed, starts, strict=False)]
    own = [domain for domain in mixed if domain.is_target] or mixed or problem.domains
    known = [domain for domain in own if domain.labeled.any()]
    labeled = [(each.matrix[each.labeled], each.labels[each.labeled].astype(np.float64), True) for each in known]
    return unlabeled + labeled


def _passed(documents: list[tuple[Matrix, Any, bool]], step: Callable[..., Weighed]) -> Weighed:
    """What all documents add, in a fixed order."""
    return reduce(add, chain.from_iterable(over_parts(partial(step, known), X, V) for X, V, known in documents))


def _at_start(known: bool, part: Matrix, V: Array) -> Weighed:
    X, expected = part.astype(np.float64, copy=False), np.ascontiguousarray(V)
    lengths = float(np.square(X.data if sp.issparse(X) else X).sum())
    found = Weighed(np.asarray(X.T @ expected), expected.sum(axis=0), lengths)
    release(part)
    return found


def _expected(mixture: MixtureSolution, known: bool, part: Matrix, V: Array) -> Weighed:
    """One step: what the mixture expects of documents, unless it is known, and what they add to the next one."""
    X = part.astype(np.float64, copy=False)
    values = mixture.log_likelihoods(X)
    expected = np.ascontiguousarray(V) if known else np.asarray(softmax(values, axis=1))
    change = float(np.abs(expected - V).max(initial=0))
    V[...] = expected
    spreads = float(np.square(values - values.mean(axis=1, keepdims=True)).sum())
    found = Weighed(np.asarray(X.T @ expected), expected.sum(axis=0), spreads=spreads, change=change)
    release(part)
    return found


def _settled(mixture: MixtureSolution, part: Matrix, V: Array) -> None:
    V[...] = mixture.assign(part.astype(np.float64, copy=False), None)
    release(part)
