"""The estimated accuracy of labels that nobody has checked, and probabilities that are calibrated to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax
from scipy.stats import norm

from isthmus.auto import rules
from isthmus.auto.diagnostics import Diagnostics
from isthmus.typing import Array, Mask, Positions

Z = float(norm.ppf(0.95))
"""Standard errors to each side of an interval that holds nine in ten."""
N_STRATA = 4
"""Into which documents fall by their probabilities, if a few of them have been checked."""
BETTER_IF_CHANGED, BETTER_YET = 0.25, 0.5
"""Chosen in trials: of the labels that changed, how many more are right, and how many more may be."""
MOST = 0.99
"""No accuracy above it is ever expected."""
BLOCK = 1 << 16
"""Documents whose probabilities are looked at together."""


@dataclass(frozen=True)
class Estimate:
    """An accuracy and its 90% confidence interval, as numbers from 0 to 1."""

    value: float
    low: float
    high: float

    def doubting(self, share: float) -> Estimate:
        """The estimate if a share of the documents may be wrong altogether: half of them in `value`, all in `low`."""
        return Estimate(self.value * (1 - share / 2), self.low * (1 - share), self.high)

    def after_change(self, share: float) -> Estimate:
        """The estimate where known labels have changed a share of the others: more are right than before, if not all.

        In trials accuracy rose by two fifths of that share.
        """
        by = share * BETTER_IF_CHANGED
        value, low = (min(end + by, MOST) for end in (self.value, self.low))
        return Estimate(value, low, min(self.high + by + share * BETTER_YET, 1.0))

    def moved_to(self, value: float) -> Estimate:
        """As uncertain, around another value."""
        by = value - self.value
        return Estimate(value, max(self.low + by, 0.0), min(self.high + by, 1.0))

    def __str__(self) -> str:
        return f"{self.value:.0%} (90% interval {self.low:.0%} to {self.high:.0%})"


def estimate_accuracy(diagnostics: Diagnostics, n_classes: int) -> Estimate:
    """Estimated accuracy without a target label, from how far unlike candidates agree; see `rules`."""
    if diagnostics.agreement is None or diagnostics.reverse_auc is None:
        assert diagnostics.confidence is not None
        skill = rules.ESTIMATE_OF_SOURCE_ONLY.skill(diagnostics.confidence)
        return _from_skill(skill, 1 / n_classes, diagnostics, n_classes, rules.INTERVAL_OF_SOURCE_ONLY)
    skill = expected_skill(diagnostics.agreement, diagnostics.reverse_auc, diagnostics.neighbor_skill)
    return _from_skill(skill, max(diagnostics.chance, 1 / n_classes), diagnostics, n_classes, rules.INTERVAL)


def _from_skill(
    skill: float, chance: float, diagnostics: Diagnostics, n_classes: int, interval: rules.Reach
) -> Estimate:
    wider = max(rules.FEWEST_DOCUMENTS / diagnostics.n_documents, 1) ** 0.5
    draw = Z * _of_a_draw(diagnostics.n_unlabeled) ** 0.5
    below, above = (float(np.hypot(reach * wider, draw)) for reach in interval)
    value = beside_source(chance + (1 - chance) * skill, diagnostics.source_accuracy)
    return _around(value, below, above, 1 / n_classes)


def beside_source(value: float, source_accuracy: float | None) -> float:
    """Where there is no domain shift, the mean with the source's cross-validated accuracy.

    Candidates that learn from one domain share mistakes that no agreement shows; but they are better than the
    classifier that is validated.
    """
    return value if source_accuracy is None else (value + source_accuracy) / 2


def expected_skill(agreement: float, reverse_auc: float, neighbor_skill: float | None) -> float:
    """Candidates whose mistakes are their own agree about as often as they are right.

    They agree and are wrong together where labels have not come across: then a classifier of the labeled target knows
    little of the source. And so they do where classes are hard to tell: then neighbors do not know them in the source.
    """
    back = max(2 * reverse_auc - 1, 0.0) ** rules.REVERSE_POWER
    clear = 1.0 if neighbor_skill is None else max(neighbor_skill, rules.LEAST_NEIGHBOR_SKILL) ** rules.NEIGHBOR_POWER
    return max(agreement, 0.0) * float(back * clear)


def is_label_shift(prior_shift: float, accuracy: float, n_unlabeled: float, n_classes: int) -> bool:
    """Whether a shift that was found is to be told: mistakes alone would look like some, and so would a small draw."""
    even = 1 / n_classes
    by_chance = n_classes * (even * (1 - even) / (2 * np.pi * max(n_unlabeled, 1))) ** 0.5  # of even classes, the most
    return bool(prior_shift - by_chance >= max(rules.SHIFT, rules.OF_ERRORS * (1 - accuracy)))


def says_little(diagnostics: Diagnostics, n_classes: int, largest_share: float) -> bool:
    """Whether labels may say no more than which class is the largest.

    The estimate is taken as if classes were even, with all of its interval: that candidates agree because one class is
    large does not show that they know the others.
    """
    if diagnostics.agreement is None or diagnostics.reverse_auc is None:
        known = diagnostics.confidence is not None
        return known and estimate_accuracy(diagnostics, n_classes).high <= largest_share
    agreed = skill_if_even(diagnostics.agreement, diagnostics.chance, n_classes)
    skill = expected_skill(agreed, diagnostics.reverse_auc, diagnostics.neighbor_skill)
    return _from_skill(skill, 1 / n_classes, diagnostics, n_classes, rules.INTERVAL_IF_EVEN).high <= largest_share


def skill_if_even(skill: float, chance: float, n_classes: int) -> float:
    """What is so far beyond chance, as skill where guesses are right once in the number of classes."""
    even = 1 / n_classes
    return (max(chance, even) + (1 - max(chance, even)) * skill - even) / (1 - even)


def updated(
    estimate: Estimate,
    probabilities: Array,
    right: Mask,
    n_classes: int,
    n_left: int | None,
    population: Array | None = None,
) -> Estimate:
    """The estimated accuracy of `n_left` documents after a few others have been checked: prediction-powered inference.

    What counts is how much oftener they are right than their probabilities say, so that documents need not be drawn at
    random. Doubtful ones may be chosen, and stand for doubtful ones alone: `population` has the probabilities of all
    documents, by which they fall into strata of equal size. The estimate before counts as much as so many documents as
    would be needed to know the accuracy as well: the variance of one is p (1 - p), a quarter of the squared room.
    Without `n_left` it is about any documents that may come, and neither interval about a draw of them.
    """
    n, unit = len(right), room(estimate.value)
    reaches = np.array([estimate.value - estimate.low, estimate.high - estimate.value]) / unit
    if estimate.low <= 0 or estimate.high >= 1:  # this end was cut off
        reaches[:] = reaches.max()
    variances = (reaches / Z) ** 2 - (0.0 if n_left is None else _of_a_draw(n + n_left))
    if not n or variances.max() <= 0:
        return estimate
    worth = 1 / (4 * variances.max())
    stratum, shares = strata(probabilities, probabilities if population is None else population)
    known = np.bincount(stratum, minlength=len(shares)) + worth * shares
    surprise = np.bincount(stratum, weights=right - probabilities, minlength=len(shares))
    shift, total = float(np.sum(shares * surprise / known)), 1 / float(np.sum(shares**2 / known))
    # A draw stays unknown, however many others are known. If none is left, it is about any that may come.
    left = np.maximum(variances, 0) * worth / total + (_of_a_draw(n_left) if n_left else 0.0)
    below, above = Z * np.sqrt(left)
    return _around(estimate.value + shift, float(below), float(above), 1 / n_classes)


def strata(probabilities: Array, population: Array) -> tuple[Positions, Array]:
    """The stratum of each document that was checked, and the share of the population in each that is not empty."""
    limits = np.unique(np.quantile(population, np.arange(1, N_STRATA) / N_STRATA))
    counts = np.bincount(np.searchsorted(limits, population), minlength=len(limits) + 1)
    filled = np.flatnonzero(counts)
    own = np.searchsorted(filled, np.searchsorted(limits, probabilities)).clip(max=len(filled) - 1)
    return np.asarray(own), counts[filled] / counts.sum()


def _around(value: float, below: float, above: float, chance: float) -> Estimate:
    """The interval is wider where accuracy is in doubt than near a hundred percent, where there is no room."""
    value = float(np.clip(value, chance, MOST))
    unit = room(value)
    return Estimate(value, float(max(value - below * unit, 0)), float(min(value + above * unit, 1)))


def _of_a_draw(n: float) -> float:
    """Variance of the share that is right among so many documents, in units of the squared room."""
    return 1 / (4 * max(n, 1))


def room(value: float) -> float:
    """One at a half, small near the ends."""
    return max(2 * float(np.sqrt(value * (1 - value))), rules.LEAST_ROOM)


def tempered(scores: Array, sharpness: float) -> Array:
    """Scores to probabilities: the softmax at an inverse temperature."""
    found = np.empty(scores.shape)
    for own, given in zip(_blocks(found), _blocks(scores), strict=True):
        own[...] = softmax(sharpness * given, axis=1)
    return found


def sharpness_for(values: Array, mean: float) -> float:
    """What to multiply scores with so that the softmax's largest entries have this mean: calibration in the large."""
    if not len(values):
        return 1.0

    def excess(logarithm: float) -> float:
        largest = [tempered(own, float(np.exp(logarithm))).max(axis=1) for own in _blocks(values)]
        return float(np.concatenate(largest).mean()) - mean

    low, high = -6.0, 6.0
    if excess(low) >= 0 or excess(high) <= 0:
        return float(np.exp(low if excess(low) >= 0 else high))
    return float(np.exp(brentq(excess, low, high, xtol=1e-6)))


def _blocks(scores: Array) -> list[Array]:
    """Of many documents, some at a time: the steps of a softmax take three times the memory of its result."""
    return [scores[first : first + BLOCK] for first in range(0, max(len(scores), 1), BLOCK)]
