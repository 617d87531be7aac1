"""Average thresholded confidence.

S. Garg, S. Balakrishnan, Z. Lipton, B. Neyshabur and H. Sedghi, "Leveraging Unlabeled Data to Predict
Out-of-Distribution Performance", ICLR 2022.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import entr
from sklearn.utils._param_validation import StrOptions

from isthmus.selection.scorers.base import Holdout, TransferScorer
from isthmus.typing import Array


class AverageThresholdedConfidence(TransferScorer):
    """Estimated accuracy in the target: the fraction of documents whose confidence is above a threshold.

    Sure enough is what as many documents of the source are as have a right label (eq. 2). The score is between 0 and 1.
    Of documents that are exactly at the threshold, that share counts which makes it come out even in the source.

    It assumes that a model is as often right in the target as in the source where it is equally sure. It misleads where
    the model is sure and wrong, as it is of words that have changed their meaning, and where source documents were
    there at `fit`, which makes the threshold too low. The estimate tends to be too high when domains are far apart.

    Parameters
    ----------
    confidence : {"entropy", "maximum"}
        Negative entropy of the class probabilities, or the highest of them. With two classes, both give the same.
    target_domain : name or list of names, optional
        The target(s). By default, those that the estimator was fitted to.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"confidence": [StrOptions({"entropy", "maximum"})]}

    def __init__(self, confidence: str = "entropy", *, target_domain: Any = None) -> None:
        super().__init__(target_domain=target_domain)
        self.confidence = confidence

    def _score(self, model: Any, holdout: Holdout) -> float:
        probabilities = holdout.probabilities(model, holdout.source)
        right = holdout.right(np.asarray(model.classes_)[probabilities.argmax(axis=1)])
        there = self._confidence(holdout.probabilities(model, holdout.target))
        return _share_above(self._confidence(probabilities), int(right.sum()), there)

    def _confidence(self, probabilities: Array) -> Array:
        largest = probabilities.max(axis=1)
        return np.asarray(largest if self.confidence == "maximum" else -entr(probabilities).sum(axis=1))


def _share_above(source: Array, n_right: int, target: Array) -> float:
    """Share of the target's values above the threshold that `n_right` of the source's are above."""
    if n_right == 0:
        return 0.0
    threshold = np.sort(source)[len(source) - n_right]
    counted = (n_right - np.sum(source > threshold)) / np.sum(source == threshold)
    return float(np.mean(target > threshold) + counted * np.mean(target == threshold))
