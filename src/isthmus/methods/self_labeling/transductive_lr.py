"""Transductive logistic regression: the target's documents join in, with a weight that rises.

T. Joachims, "Transductive Inference for Text Classification using Support Vector Machines", ICML 1999, with the
logistic loss in the place of the hinge.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.priors import PRIOR
from isthmus.core.problem import Problem
from isthmus.core.workspace import Workspace
from isthmus.methods.self_labeling._pseudo_labels import FEATURES, PseudoLabeling, PseudoLabelSolution

LAST_WEIGHT = 1.0
FIRST_WEIGHT = 0.01


class TransductiveLR(TransferClassifier):
    """Transductive logistic regression: on all documents, those of the target with pseudo-labels.

    All unlabeled documents are ranked and get pseudo-labels at the target's class prior. Trained on
    them with little weight first and, after each relabeling, with more, the classifier moves to where few documents
    lie. Unlike `SelfTraining` it takes all documents at once and never lets go of the source, which makes it slower to
    gain and slower to harm: it is at its best where classes are opinions rather than topics.

    Parameters
    ----------
    features : "words", "lsa", "msda" or "dci"
        X alone; with the dimensions of a latent semantic analysis of both domains beside it; with those of a
        marginalized denoising autoencoder; or with distributional correspondences to pivots, as in `DCI`.
    n_weights : int
        Steps in which the weight of a target document rises from 0.01 to 1. With 0 it stays a plain logistic regression
        on these features.
    target_prior : "source", "unknown" or dict of class to probability
        As for `SelfTraining`.
    C : float
        Inverse regularization, relative to the mean squared length of a document.

    Attributes
    ----------
    classifier_ : LogisticRegression
    feature_map_ : WordMap, PivotMap or None

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 0, 0], [1, 0, 0], [0, 2, 0], [0, 1, 0], [1, 0, 1], [0, 0, 2], [0, 2, 0], [0, 1, 0]])
    >>> model = isthmus.TransductiveLR("lsa").fit(X, [*"aabb", *"????"], sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['a', 'a', 'b', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "features": FEATURES,
        "n_weights": [Interval(Integral, 0, None, closed="left")],
        "target_prior": PRIOR,
        "C": [POSITIVE],
    }

    def __init__(
        self,
        features: str = "words",
        *,
        n_weights: int = 5,
        target_prior: str | dict[Any, float] = "source",
        C: float = 1.0,
    ) -> None:
        self.features = features
        self.n_weights = n_weights
        self.target_prior = target_prior
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> TransductiveLRSolution:
        learner = PseudoLabeling(problem, workspace, self.target_prior, self.features, self.C)
        known, unlabeled = np.ones(len(learner.known)), np.ones(problem.unlabeled.shape[0])
        for weight in np.geomspace(FIRST_WEIGHT, LAST_WEIGHT, self.n_weights) if len(unlabeled) else ():
            learner.learn(learner.labels, known, weight * unlabeled)
        return TransductiveLRSolution(**learner.found())


@dataclass(frozen=True, eq=False)
class TransductiveLRSolution(PseudoLabelSolution):
    """The classifier at the last weight."""
