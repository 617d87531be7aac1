"""Agreement between unlike methods.

E. A. Platanios, A. Blum and T. Mitchell, "Estimating Accuracy from Unlabeled Data", UAI 2014; C. Baek, Y. Jiang, A.
Raghunathan and J. Z. Kolter, "Agreement-on-the-Line: Predicting the Performance of Neural Networks under Distribution
Shift", NeurIPS 2022.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from isthmus.methods import CDSC, LR, NaiveBayesEM
from isthmus.selection.scorers.base import Holdout, TransferScorer


class Agreement(TransferScorer):
    """Agreement with other methods: the fraction of target documents with the same label, in the mean over methods.

    The score is between 0 and 1. The others are fitted by each call, to the rows that were passed: in a search, to a
    fold of the source and the target. So a search costs as many fits of each as of the candidates.

    It assumes that methods which work in different ways make different mistakes, so that what they agree on is right.
    It misleads where they make the same ones, and in favour of models that are like one of the others. A model that is
    better than all the others agrees with them less than a middling one may.

    Parameters
    ----------
    others : list of classifiers, optional
        By default LR, CDSC and NaiveBayesEM: one classifier of the source alone, one that follows the similarities of
        documents, one that follows the words of the target. The last two want an X without negative values.
    target_domain : name or list of names, optional
        The target(s). By default, those that the estimator was fitted to.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"others": [list, tuple, None]}

    def __init__(self, others: Any = None, *, target_domain: Any = None) -> None:
        super().__init__(target_domain=target_domain)
        self.others = others

    def _score(self, model: Any, holdout: Holdout) -> float:
        others = [LR(), CDSC(random_state=0), NaiveBayesEM()] if self.others is None else self.others
        if not others:
            raise ValueError("others is empty: name at least one method to agree with.")
        labels = holdout.labels(model, holdout.target)
        agreed = [
            np.mean(holdout.carry(other, holdout.source, holdout.truth, holdout.target) == labels) for other in others
        ]
        return float(np.mean(agreed))
