"""The estimated accuracy of labels that nobody has checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax
from scipy.stats import norm

from isthmus.auto import rules
from isthmus.auto.diagnostics import Diagnostics
from isthmus.auto.rules import Line
from isthmus.typing import Array, Mask

Z = float(norm.ppf(0.95))
"""Standard errors to each side of an interval that holds nine in ten."""


@dataclass(frozen=True)
class Estimate:
    """An accuracy and its 90% confidence interval, as numbers from 0 to 1."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.0%} ({self.low:.0%} to {self.high:.0%})"


def estimate_accuracy(diagnostics: Diagnostics, n_classes: int, rule: Line = rules.ESTIMATE) -> Estimate:
    """Estimated accuracy from the candidates' confidence and other diagnostics, without a target label; see `rules`."""
    assert diagnostics.confidence is not None
    chance = 1 / n_classes
    cosine = rules.USUAL_CLASS_MEAN_COSINE if diagnostics.class_mean_cosine is None else diagnostics.class_mean_cosine
    underconfidence = (
        rules.USUAL_UNDERCONFIDENCE
        if diagnostics.underconfidence is None
        else min(diagnostics.underconfidence, rules.MOST_UNDERCONFIDENCE)
    )
    skill = rule.skill(diagnostics.confidence, cosine, underconfidence, diagnostics.smallness)
    fewer = max(rules.FEWEST_DOCUMENTS / diagnostics.n_documents, 1)
    variance = (rule.error * (1 - chance)) ** 2 * fewer + _of_a_draw(diagnostics.n_unlabeled)
    return _around(chance + (1 - chance) * skill, float(np.sqrt(variance)), chance)


def updated(estimate: Estimate, probabilities: Array, right: Mask, n_classes: int, n_left: int) -> Estimate:
    """The estimated accuracy of `n_left` documents after a few others have been checked.

    What counts is how much oftener they are right than their probabilities say, so that documents need not be drawn at
    random: doubtful ones may be chosen. The estimate before counts as much as so many documents as would be needed to
    know the accuracy as well: the variance of one is p (1 - p), a quarter of the squared room.
    """
    n = len(right)
    reach = max(estimate.value - estimate.low, estimate.high - estimate.value)  # one end may have been cut off
    variance = (reach / (Z * _room(estimate.value))) ** 2 - _of_a_draw(n + n_left)
    if variance <= 0:
        return estimate
    worth = 1 / (4 * variance)
    shift = float(np.sum(right - probabilities)) / (n + worth)
    left = variance * worth / (n + worth) + _of_a_draw(n_left)  # a draw stays unknown, however many others are known
    return _around(estimate.value + shift, float(np.sqrt(left)), 1 / n_classes)


def _around(value: float, error: float, chance: float) -> Estimate:
    """The interval is wider where accuracy is in doubt than near a hundred percent, where there is no room."""
    value = float(np.clip(value, chance, 0.99))
    reach = Z * error * _room(value)
    return Estimate(value, float(max(value - reach, 0)), float(min(value + reach, 1)))


def _of_a_draw(n: float) -> float:
    """Variance of the share that is right among so many documents, in units of the squared room."""
    return 1 / (4 * max(n, 1))


def _room(value: float) -> float:
    """One at a half, small near the ends."""
    return max(2 * float(np.sqrt(value * (1 - value))), rules.LEAST_ROOM)


def sharpness_for(values: Array, mean: float) -> float:
    """What to multiply scores with so that the softmax's largest entries have this mean: calibration in the large."""
    if not len(values):
        return 1.0

    def excess(logarithm: float) -> float:
        return float(softmax(np.exp(logarithm) * values, axis=1).max(axis=1).mean()) - mean

    low, high = -6.0, 6.0
    if excess(low) >= 0 or excess(high) <= 0:
        return float(np.exp(low if excess(low) >= 0 else high))
    return float(np.exp(brentq(excess, low, high, xtol=1e-6)))
