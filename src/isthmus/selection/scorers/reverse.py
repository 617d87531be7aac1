"""Reverse validation.

E. Zhong, W. Fan, Q. Yang, O. Verscheure and J. Ren, "Cross Validation Framework to Choose amongst Models and Datasets
for Transfer Learning", ECML PKDD 2010; Y. Ganin et al., "Domain-Adversarial Training of Neural Networks", JMLR 17,
2016, section 5.1.2.
"""

from __future__ import annotations

from typing import Any

from isthmus.selection.scorers.base import Holdout, TransferScorer


class ReverseValidation(TransferScorer):
    """Reverse validation: labels found for the target are carried back to the source by the same method, and checked.

    The score is the share of right labels in the source, where these may be read, between 0 and 1.

    It assumes that only right labels of the target lead back to right labels of the source. It misleads where mistakes
    cancel out: a method that takes classes for other classes in the target can do the same on the way back, as those
    may that follow clusters. And the way back can be harder than the way there, or easier.

    Departs from the papers: the unlabeled documents of the way back are the source's rows that were passed, not those
    that the model was fitted to.

    Parameters
    ----------
    target_domain : name or list of names, optional
        The target(s). By default, those that the estimator was fitted to.
    """

    def _score(self, model: Any, holdout: Holdout) -> float:
        found = holdout.labels(model, holdout.target)
        return float(holdout.right(holdout.carry(model, holdout.target, found, holdout.source)).mean())
