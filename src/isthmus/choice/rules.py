"""What the automatic choice goes by: thresholds and weights, found on the development half of the tasks.

`isthmus.data.families` says which tasks these are; `benchmarks/rules.py` prints what they show. Estimate and alarm were
fitted to them as they are and with 300 source documents only, the alarm to 24 more pairs of newsgroups, too, that have
nothing to do with each other; for unknown class shares, both to more thinned tasks. Shares that depend on the number of
classes enter as skill: 0 at chance, 1 where all is right.
"""

from __future__ import annotations

from typing import NamedTuple

# Topics or something else: the mean of three indicators.


class Indicator(NamedTuple):
    """On a scale on which tasks of topics are at 1 on average, and the others at -1."""

    middle: float
    reach: float
    say: int = 1

    def read(self, value: float) -> float:
        return (value - self.middle) / self.reach


TOPICAL = {
    "cut": Indicator(0.794, -0.107),
    "neighbours": Indicator(0.728, 0.205, say=2),  # parts the two kinds most clearly
    "steadiness": Indicator(0.846, 0.103),
}
"""Classes that are topics part the target's graph of similar documents; a source document's nearest neighbours have its
label; and a long self-training agrees with a short one."""


class Unrelated(NamedTuple):
    """A linear rule for how unrelated domains look: 1 is usual for unrelated tasks, -1 for related ones."""

    likeness: float
    """Weight of how alike the differences between classes are in source and target."""
    following: float
    """Weight of how far a method that learns from its own labels stays with the source's classifier."""
    constant: float
    rings_from: float
    """A little above the middle: an alarm that rings where all is well is soon not heeded."""


UNRELATED = Unrelated(-4.729, -0.456, 1.348, 0.1)
UNRELATED_AT_UNKNOWN_SHARES = Unrelated(-5.593, -1.163, 2.511, 0.2)
CERTAIN = 0.95
"""No related development task, of any size, comes so far above where the alarm rings. From here on the source's
classifier answers alone. Below, the alarm rings, but the team answers: where domains are unrelated any answer is
worthless, and where they are not, much would be lost."""

# Other class shares: how much the answers with and without the source's shares must differ.
SHARES_AGREEMENT = 0.75
SHARES_SHIFT = 0.2

# A missing class, by self-training that assumes no shares.
MISSING_SHARE = 0.5
"""It gets less than this part of its source share,"""
MISSING_CONFIDENCE = 0.72
"""with less confidence than this on average."""
MISSING_SMALLNESS = 0.1
"""With few documents, self-training without shares often gives them all one class: nothing is said."""

# Accuracy, as skill, from the mean confidence of three candidates, the likeness of the classes' means and, in so far
# as documents are few, how much oftener a classifier is right in the source than it says.


class Line(NamedTuple):
    """A linear rule for the skill, and its standard error where there is most room for one."""

    confidence: float
    confidence_of_few: float
    """Added to the weight of confidence, in so far as documents are few; that of modesty counts only so far."""
    modesty_of_few: float
    likeness: float
    constant: float
    error: float


ESTIMATE = Line(1.609, -1.062, 1.513, -0.069, -0.298, 0.103)
ESTIMATE_AT_UNKNOWN_SHARES = Line(1.638, 0.0, 0.0, 0.0, -0.301, 0.192)
"""Of other voices: the confidence of those that learn from their own labels says little where no shares hold them."""
ESTIMATE_OF_SOURCE_ONLY = Line(0.809, 0.0, 0.0, 0.0, 0.387, 0.215)
"""Where there was no time for any other candidate."""
FEW_DOCUMENTS = 1000
"""Of all domains together: so many are half way between few and many."""
LEAST_ROOM = 0.5
USUAL_MODESTY = 0.38
"""Where the source is too small to measure it."""
USUAL_LIKENESS = 0.33
"""Where the target is too small to measure it."""
MOST_MODESTY = 0.77
"""More was never seen; it comes from classifiers that know nothing."""
FEWEST_DOCUMENTS = 600
"""Of the draws that the estimate was fitted to. With fewer, the interval widens with the root of how few."""

# A few labelled target documents against the indicators, in nats, and against the alarm.
PRIOR_FOR_THE_EVIDENCE = 2.0
PRIOR_AGAINST_SOURCE_ONLY = 3.0
ONE_IN_TWENTY = 0.05
"""How improbable it must be that the answers are right by chance, for the alarm to be silent."""
