"""Information maximisation: sure of each document, balanced over all.

J. Bridle, A. Heading and D. MacKay, "Unsupervised Classifiers, Mutual Information and 'Phantom Targets'", NIPS 1991;
for domains, Y. Shi and F. Sha, "Information-Theoretical Learning of Discriminative Clusters for Unsupervised Domain
Adaptation", ICML 2012.
"""

from __future__ import annotations

from typing import Any, ClassVar

from scipy.special import entr

from isthmus.selection.scorers.base import Holdout, TransferScorer


class InformationMaximization(TransferScorer):
    """Mutual information of target documents and their predicted classes, by the model's own account.

    The score is the entropy of the mean of the class probabilities, less the mean of their entropies: between 0 and
    log c for c classes. It is high for a model that is sure of each document and finds all classes equally often.

    It assumes that a good model is sure and that classes are about equally frequent. It misleads where one class is
    rare in the target, and wherever sureness comes from elsewhere: weaker regularization, longer documents, naive
    Bayes. Compare models of one method, or such whose probabilities are calibrated.

    Parameters
    ----------
    target_domain : name or list of names, optional
        The target(s). By default, those that the estimator was fitted to.
    """

    _needs_source: ClassVar[bool] = False

    def _score(self, model: Any, holdout: Holdout) -> float:
        found = holdout.probabilities(model, holdout.target)
        return max(0.0, float(entr(found.mean(axis=0)).sum() - entr(found).sum(axis=1).mean()))  # rounding
