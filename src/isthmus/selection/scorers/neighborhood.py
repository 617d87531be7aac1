"""Soft neighborhood density.

K. Saito, D. Kim, P. Teterwak, S. Sclaroff, T. Darrell and K. Saenko, "Tune it the Right Way: Unsupervised Validation of
Domain Adaptation via Soft Neighborhood Density", ICCV 2021.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import gen_batches

from isthmus.core.estimator import POSITIVE
from isthmus.selection.scorers.base import Holdout, TransferScorer
from isthmus.typing import Array

BLOCK = 1 << 21
"""Similarities that are held at a time."""


class SoftNeighborhoodDensity(TransferScorer):
    """Soft neighborhood density: how many other target documents each has that the model labels like it.

    The similarities of a document's class probabilities with those of all others, as cosines, become a distribution
    over the others (softmax at a temperature). The score is the mean entropy of these distributions, between 0 and
    log(n - 1) for n documents: high, where predictions form a few dense groups.

    It assumes that a good model groups documents by class, and that a bad one scatters them. It misleads where a model
    groups them by something else, or puts all into one group: a model that gives every document the same answer gets
    the highest score there is, and so does one that is sure of nothing. Use it among models that do well on the
    source, are about equally sure, and find all classes. Scores of different targets cannot be compared.

    Similarities are computed in blocks; time is proportional to n^2, memory to n.

    Parameters
    ----------
    temperature : float
        Lower counts closer neighbors only. The default is the paper's. With two classes, scattered answers are close
        to one another: on made-up data 0.05 did not always tell them from groups, and 0.01 did.
    target_domain : name or list of names, optional
        The target(s). By default, those that the estimator was fitted to.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"temperature": [POSITIVE]}
    _needs_source: ClassVar[bool] = False

    def __init__(self, temperature: float = 0.05, *, target_domain: Any = None) -> None:
        super().__init__(target_domain=target_domain)
        self.temperature = temperature

    def _score(self, model: Any, holdout: Holdout) -> float:
        if len(holdout.target) < 2:
            raise ValueError("X holds a single document of the target, which has no neighbors: pass at least two.")
        probabilities = holdout.probabilities(model, holdout.target)
        return _mean_entropy(probabilities / np.linalg.norm(probabilities, axis=1, keepdims=True), self.temperature)


def _mean_entropy(points: Array, temperature: float) -> float:
    """Of each point's softmax over the others, from log(sum e^s) - sum p s: one exponential per pair."""
    total = 0.0
    for rows in gen_batches(len(points), max(1, BLOCK // len(points))):
        similar = points[rows] @ points.T / temperature
        own = np.arange(rows.start, rows.stop)
        similar[own - rows.start, own] = -np.inf
        highest = similar.max(axis=1, keepdims=True)
        similar -= highest
        weights = np.exp(similar)
        similar[own - rows.start, own] = 0
        sums = weights.sum(axis=1)
        total += float((np.log(sums) - np.einsum("ij,ij->i", weights, similar) / sums).sum())
    return total / len(points)
