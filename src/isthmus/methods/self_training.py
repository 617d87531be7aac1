"""Self-training of a logistic regression at given class shares."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import Interval

from isthmus.base import POSITIVE, TransferClassifier
from isthmus.engine import fit_logistic, log_odds, logistic_regression, mean_squared_length
from isthmus.methods.shares import SHARES, known_or, labels_at, read_shares
from isthmus.problem import Problem, stack
from isthmus.typing import Array, Mask, Matrix, Positions


class SelfTraining(TransferClassifier):
    """A logistic regression that learns from its own labels, the surest ones first.

    In each round all unlabelled documents are ranked and get labels at the class shares that the target is said to
    have; of every class, the documents with the widest margins join the training set, more of them in each round. What
    the classifier was wrong about in one round can be put right in the next.

    It assumes that classes have about the same shares in both domains, unless `target_shares` says otherwise. Where
    they have not, ranking forces wrong labels on the documents in excess. Where the classes are not what the target's
    words divide it by, many rounds with little weight for the source drift away.

    Parameters
    ----------
    n_rounds : int
    taken : float
        Share of the unlabelled documents that have joined in the last round.
    source_weight : float
        Weight of a labelled document of a source in the last round; it falls evenly from one.
    target_shares : "source", "unknown" or dict of class to share
        Shares of the classes in the whole target: those of the labelled source documents (a class that these lack has
        its share of the labelled target ones); as the classifier finds them; or given, for every class. Target
        documents whose labels are known are taken off, and the others get labels at the shares that are left.
    C : float
        Inverse regularisation, relative to the mean squared length of a document.

    Attributes
    ----------
    classifier_ : LogisticRegression

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [1, 0, 0], [0, 2, 0], [0, 1, 0], [1, 0, 1], [0, 0, 2], [0, 2, 0], [0, 1, 0]])
    >>> model = isthmus.SelfTraining().fit(X, [*"aabb", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "taken": [Interval(Real, 0, 1, closed="right")],
        "source_weight": [Interval(Real, 0, 1, closed="right")],
        "target_shares": SHARES,
        "C": [POSITIVE],
    }

    def __init__(
        self,
        n_rounds: int = 6,
        *,
        taken: float = 0.8,
        source_weight: float = 1.0,
        target_shares: str | dict[Any, float] = "source",
        C: float = 1.0,
    ) -> None:
        self.n_rounds = n_rounds
        self.taken = taken
        self.source_weight = source_weight
        self.target_shares = target_shares
        self.C = C

    def _learn(self, problem: Problem) -> list[Array]:
        key = ("self-training", *sorted((name, str(value)) for name, value in self.get_params().items()))
        self.classifier_ = problem.once(key, lambda: self._train(problem))
        return known_or(self._assign, problem)

    def _train(self, problem: Problem) -> LogisticRegression:
        X, known = problem.labeled_documents()
        free, shares = problem.unlabeled_documents(), read_shares(self.target_shares, problem)
        C = self.C / mean_squared_length(problem)
        in_source = np.concatenate([np.full(int(d.labeled.sum()), not d.is_target) for d in problem.domains])
        classifier = problem.once(("logistic", C), lambda: logistic_regression(problem, C))
        for done in np.arange(1, self.n_rounds + 1) / self.n_rounds if free.shape[0] else ():
            values = log_odds(classifier, free)
            labels = labels_at(values, shares)
            joining = _surest(values, labels, self.taken * done)
            weights = np.where(in_source, 1 - (1 - self.source_weight) * done, 1.0)
            classifier = fit_logistic(
                stack([X, free[joining]]),
                np.concatenate([known, labels[joining]]),
                C,
                np.concatenate([weights, np.ones(int(joining.sum()))]),
                classifier,
            )
        return classifier

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(self.classifier_.predict_proba(X))


def _surest(values: Array, labels: Positions, share: float) -> Mask:
    """Of each class, this share of its documents: those that stand farthest above their next class."""
    rows = np.arange(len(labels))
    others = values.copy()
    others[rows, labels] = -np.inf
    margins = values[rows, labels] - others.max(axis=1)
    chosen = np.zeros(len(labels), dtype=bool)
    for number in range(values.shape[1]):
        members = np.flatnonzero(labels == number)
        ranked = members[np.argsort(-margins[members], kind="stable")]
        chosen[ranked[: round(share * len(members))]] = True
    return chosen
