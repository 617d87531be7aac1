"""What the automatic choice goes by: thresholds and weights, found on the development half of the tasks.

`isthmus.bench.families` says which tasks these are; `benchmarks/rules.py` prints what they show. Estimate and warning
were fitted to them as they are and with 300 source documents only, the warning to 24 more pairs of newsgroups, too,
which have nothing to do with each other; for an unknown prior, both to more thinned tasks. Accuracies, which depend on
the number of classes, enter as skill: 0 at chance, 1 where all is right.
"""

from __future__ import annotations

from typing import NamedTuple

# Topics or something else: the mean of three indicators.


class Indicator(NamedTuple):
    """On a scale on which tasks of topics are at 1 on average, and the others at -1."""

    center: float
    scale: float
    weight: int = 1

    def read(self, value: float) -> float:
        return (value - self.center) / self.scale


TOPIC = {
    "normalized_cut": Indicator(0.794, -0.107),
    "neighbor_skill": Indicator(0.728, 0.205, weight=2),  # parts the two kinds most clearly
    "self_training_stability": Indicator(0.846, 0.103),
}
"""Classes that are topics part the target's graph of similar documents; a source document's nearest neighbors have its
label; and a long self-training agrees with a short one."""


class Unrelated(NamedTuple):
    """A linear rule for how unrelated domains look: 1 is usual for unrelated tasks, -1 for related ones."""

    class_mean_cosine: float
    """Weight of how alike the differences between classes are in source and target."""
    source_agreement: float
    """Weight of how far a method that learns from pseudo-labels stays with the source's classifier."""
    constant: float
    threshold: float
    """A little above the middle: a warning where all is well is soon not heeded."""


UNRELATED = Unrelated(-4.729, -0.456, 1.348, 0.1)
UNRELATED_AT_UNKNOWN_PRIOR = Unrelated(-5.593, -1.163, 2.511, 0.2)
CERTAIN = 0.95
"""No related development task, of any size, comes so far above the threshold. From here on the fallback answers, the
source's classifier alone. Below, there is a warning, but the ensemble answers: where domains are unrelated any answer
is worthless, and where they are not, much would be lost."""

# Label shift: how much the answers with and without the source's prior must differ.
PRIOR_AGREEMENT = 0.75
PRIOR_SHIFT = 0.2

# A missing class, by self-training that assumes no prior.
MISSING_SHARE = 0.5
"""It gets less than this part of its share of the source,"""
MISSING_CONFIDENCE = 0.72
"""with less confidence than this on average."""
MISSING_SMALLNESS = 0.1
"""With few documents, self-training without a prior often gives them all one class: nothing is said."""

# Accuracy, as skill, from the mean confidence of three candidates, the cosine of the classes' means and, in so far
# as documents are few, how much oftener a classifier is right in the source than it says.


class Line(NamedTuple):
    """A linear rule for the skill, and its standard error where there is most room for one."""

    confidence: float
    confidence_of_few: float
    """Added to the weight of confidence, in so far as documents are few; that of underconfidence counts only so far."""
    underconfidence_of_few: float
    class_mean_cosine: float
    constant: float
    error: float


ESTIMATE = Line(1.609, -1.062, 1.513, -0.069, -0.298, 0.103)
ESTIMATE_AT_UNKNOWN_PRIOR = Line(1.638, 0.0, 0.0, 0.0, -0.301, 0.192)
"""Of other candidates: the confidence of those that learn from pseudo-labels says little where no prior holds them."""
ESTIMATE_OF_SOURCE_ONLY = Line(0.809, 0.0, 0.0, 0.0, 0.387, 0.215)
"""Where there was no time for any other candidate."""
FEW_DOCUMENTS = 1000
"""Of all domains together: so many are half way between few and many."""
LEAST_ROOM = 0.5
USUAL_UNDERCONFIDENCE = 0.38
"""Where the source is too small to measure it."""
USUAL_CLASS_MEAN_COSINE = 0.33
"""Where the target is too small to measure it."""
MOST_UNDERCONFIDENCE = 0.77
"""More was never seen; it comes from classifiers that know nothing."""
FEWEST_DOCUMENTS = 600
"""Of the draws that the estimate was fitted to. With fewer, the interval widens with the root of how few."""

# A few labelled target documents against the indicators, in nats, and against the warning.
PRIOR_FOR_DIAGNOSTICS = 2.0
PRIOR_AGAINST_FALLBACK = 3.0
SIGNIFICANCE = 0.05
"""How improbable it must be that the answers are right by chance, for the warning to be left out."""
