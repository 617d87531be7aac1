"""Importance-weighted validation, and deep embedded validation.

M. Sugiyama, M. Krauledat and K.-R. Mueller, "Covariate Shift Adaptation by Importance Weighted Cross Validation", JMLR
8, 2007. K. You, X. Wang, M. Long and M. Jordan, "Towards Accurate Model Selection in Deep Unsupervised Domain
Adaptation", ICML 2019. Density ratios as in S. Bickel, M. Brueckner and T. Scheffer, "Discriminative Learning for
Differing Training and Test Distributions", ICML 2007.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_array

from isthmus.core.estimator import POSITIVE
from isthmus.core.numerics import mean_square
from isthmus.selection.scorers.base import Holdout, TransferScorer
from isthmus.solvers.linear.logistic import fit_logistic
from isthmus.typing import Array

EVEN = 1e-3
"""Relative spread below which weights carry nothing: the regression's own tolerance makes as much."""


class ImportanceWeightedValidation(TransferScorer):
    """Importance-weighted accuracy on the source: documents count the more, the more they look like the target's.

    A document's weight is the ratio of the domains' densities there, by a logistic regression that tells target from
    source. The score is the weighted share of right labels, between 0 and 1. Weights are made to sum to one; the
    paper divides by the number of documents, which lets one heavy document push the score above one.

    It assumes that a document's class depends on its words alone, whatever its domain (covariate shift), and that the
    source has documents of every kind that the target has. Neither holds where words are new, or change their
    meaning: then it tells how well the model does on the few documents of the source that could be the target's.
    Where domains are easily told apart, few documents have all the weight, and the score is noise.

    Parameters
    ----------
    C : float
        Inverse regularization of that regression, relative to the mean squared length of a document. Less makes for
        more even weights; near 0, the score is the accuracy on the source.
    target_domain : name or list of names, optional
        The target(s). By default, those that the estimator was fitted to.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"C": [POSITIVE]}

    def __init__(self, C: float = 1.0, *, target_domain: Any = None) -> None:
        super().__init__(target_domain=target_domain)
        self.C = C

    def _score(self, model: Any, holdout: Holdout) -> float:
        right = holdout.right(holdout.labels(model, holdout.source))
        return self._weigh(right.astype(np.float64), np.exp(_log_ratios(holdout, self.C)))

    def _weigh(self, right: Array, weights: Array) -> float:
        return min(1.0, float(right @ weights / weights.sum()))  # rounding


class DeepEmbeddedValidation(ImportanceWeightedValidation):
    """Importance-weighted validation with a control variate, which lessens the scatter that heavy documents cause.

    Weights have mean one if the ratios are right. Where their mean is off, the score is moved by as much as it
    usually moves with the weights: mean(w a) - cov(w a, w) / var(w) (mean(w) - 1), with a = 1 for right labels. The
    paper has it for losses, and gets the same for 1 - a. The score is an estimate of the accuracy in the target, near
    0 to 1, but it can leave that range.

    Assumes and misleads as `ImportanceWeightedValidation` does. Correcting for the mean takes it that the regression
    finds the true ratios but for chance: where it is itself far off, so is the correction. The paper's ratios are of a
    network's features, which have been made alike in both domains; here they are of words, which have not.

    Parameters
    ----------
    C : float
        As for `ImportanceWeightedValidation`.
    target_domain : name or list of names, optional
        The target(s). By default, those that the estimator was fitted to.
    """

    def _weigh(self, right: Array, weights: Array) -> float:
        weighted = right * weights
        centred = weights - weights.mean()
        # Where weights are as good as equal, the slope would be one of rounding errors.
        varied = weights.std() > EVEN * weights.mean()
        slope = float(centred @ weighted / (centred @ centred)) if varied else 0.0
        return float(weighted.mean() - slope * (weights.mean() - 1))


def _log_ratios(holdout: Holdout, C: float) -> Array:
    """log p(x | target) / p(x | source) of the source's documents, the labeled ones alone: these are weighed."""
    rows = np.union1d(holdout.source, holdout.target)
    X = check_array(holdout.documents(rows), accept_sparse="csr", dtype=(np.float64, np.float32))
    in_target = np.isin(rows, holdout.target)
    odds = fit_logistic(X, in_target.astype(np.intp), C / (mean_square(X) or 1.0)).decision_function(X[~in_target])
    return np.asarray(odds + np.log(len(holdout.source) / len(holdout.target)), dtype=np.float64)
