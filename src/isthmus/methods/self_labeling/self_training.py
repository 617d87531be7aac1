"""Self-training of a logistic regression at a given target prior."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.class_weight import compute_sample_weight

from isthmus.core.estimator import AT_LEAST_ONE, POSITIVE, TransferClassifier
from isthmus.core.priors import PRIOR
from isthmus.core.problem import Problem
from isthmus.core.workspace import Workspace
from isthmus.methods.self_labeling._pseudo_labels import FEATURES, PseudoLabeling, PseudoLabelSolution
from isthmus.typing import Array, Mask, Positions


class SelfTraining(TransferClassifier):
    """Self-training: a logistic regression that learns from its own pseudo-labels, the most confident ones first.

    In each iteration all unlabeled documents are ranked and get pseudo-labels at the target's class prior; of every
    class, the documents with the widest margins join the training set, more of them each time. What the classifier was
    wrong about in one iteration can be put right in the next.

    It assumes that there is no label shift, unless `target_prior` says otherwise. Where there is, ranking forces wrong
    labels on the documents in excess. Where the classes are not what the target's words divide it by, many iterations
    with little weight for the source drift away.

    Parameters
    ----------
    max_iter : int
        How often pseudo-labels are given out anew, to more documents each time.
    max_fraction : float
        Fraction of the unlabeled documents that have joined in the last iteration.
    source_weight : float
        Weight of a labeled document of a source in the last iteration; it falls evenly from one.
    target_prior : "source", "unknown" or dict of class to probability
        Class prior of the whole target: that of the labeled source documents (a class that these lack has its share
        of the labeled target ones); as the classifier finds it; or given, where classes that it leaves out have next
        to no share. Target documents whose labels are known are taken off, and the others get labels at the prior that
        is left.
    balanced : bool
        All classes weigh the same in every fit, whatever their shares, among the labeled documents and among those
        that join. So no prior is learned, and with an unknown target prior the classifier finds one by where the
        target's classes part: the way to go where label shift is likely.
    features : "words", "lsa", "msda" or "dci"
        As for `TransductiveLR`: what the classifier reads beside words.
    C : float
        Inverse regularization, relative to the mean squared length of a document.

    Attributes
    ----------
    classifier_ : LogisticRegression
    feature_map_ : WordMap, PivotMap or None
    n_iter_ : int
        Iterations done; one, where there is nothing to label.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [1, 0, 0], [0, 2, 0], [0, 1, 0], [1, 0, 1], [0, 0, 2], [0, 2, 0], [0, 1, 0]])
    >>> model = isthmus.SelfTraining().fit(X, [*"aabb", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_iter": [AT_LEAST_ONE],
        "max_fraction": [Interval(Real, 0, 1, closed="right")],
        "source_weight": [Interval(Real, 0, 1, closed="right")],
        "target_prior": PRIOR,
        "balanced": ["boolean"],
        "features": FEATURES,
        "C": [POSITIVE],
    }

    def __init__(
        self,
        max_iter: int = 6,
        *,
        max_fraction: float = 0.8,
        source_weight: float = 1.0,
        target_prior: str | dict[Any, float] = "source",
        balanced: bool = False,
        features: str = "words",
        C: float = 1.0,
    ) -> None:
        self.max_iter = max_iter
        self.max_fraction = max_fraction
        self.source_weight = source_weight
        self.target_prior = target_prior
        self.balanced = balanced
        self.features = features
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> SelfTrainingSolution:
        learner = PseudoLabeling(problem, workspace, self.target_prior, self.features, self.C, self.balanced)
        in_source = np.concatenate([np.full(int(d.labeled.sum()), not d.is_target) for d in problem.domains])
        known = _evened(learner.known, self.balanced)
        n_iter = self.max_iter if problem.unlabeled.shape[0] else 0
        for done in np.arange(1, n_iter + 1) / max(n_iter, 1):
            labels = learner.labels
            joining = _most_confident(learner.scores, labels, self.max_fraction * done)
            weights = np.zeros(len(labels))
            weights[joining] = _evened(labels[joining], self.balanced)
            learner.learn(labels, np.where(in_source, 1 - (1 - self.source_weight) * done, 1.0) * known, weights)
        return SelfTrainingSolution(**learner.found(), n_iter=n_iter or 1)


@dataclass(frozen=True, eq=False)
class SelfTrainingSolution(PseudoLabelSolution):
    """The classifier after the last iteration."""

    n_iter: int


def _evened(labels: Positions, balanced: bool) -> Array:
    """Weights of documents; if balanced, with the same sum for each class."""
    if not (balanced and len(labels)):
        return np.ones(len(labels))
    return np.asarray(compute_sample_weight("balanced", labels))


def _most_confident(values: Array, labels: Positions, fraction: float) -> Mask:
    """Of each class, this fraction of its documents: those that stand farthest above their next class."""
    rows = np.arange(len(labels))
    others = values.copy()
    others[rows, labels] = -np.inf
    margins = values[rows, labels] - others.max(axis=1)
    chosen = np.zeros(len(labels), dtype=bool)
    for number in range(values.shape[1]):
        members = np.flatnonzero(labels == number)
        ranked = members[np.argsort(-margins[members], kind="stable")]
        chosen[ranked[: round(fraction * len(members))]] = True
    return chosen
