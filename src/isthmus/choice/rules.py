"""What the automatic choice goes by: thresholds and weights, found on the development half of the tasks.

`isthmus.data.families` says which tasks these are; `benchmarks/rules.py` prints what they show. The line for the
estimate was fitted to eleven of them in other weights as well, the alarm's to 24 more pairs of newsgroups that have
nothing to do with each other. Thresholds of the vote lie where the two kinds of development tasks part.
Shares that depend on the number of classes enter as skill: 0 at chance, 1 where all is right.
"""

from __future__ import annotations

from typing import NamedTuple

# Topics or something else: a vote of three indicators, two of which suffice.
TOPIC_CUT = 0.839
"""Classes that are topics part the target's graph of similar documents with a normalised cut below this."""
TOPIC_NEIGHBOURS = 0.654
"""... and give a source document's nearest neighbours its label with a skill above this."""
TOPIC_STEADINESS = 0.874
"""... and let a long self-training agree with a short one with a skill above this."""

# Unrelated domains: a weighted sum of three indicators.
UNRELATED_LIKENESS = -4.21
"""Weight of how alike the differences between classes are in source and target."""
UNRELATED_FOLLOWING = -1.897
"""Weight of how far self-training stays with the source's classifier."""
UNRELATED_CUT = -2.791
"""Weight of the cut that the source's classifier makes: domains that are strangers have clear clusters of their own."""
UNRELATED_CONSTANT = 4.298
CERTAIN = 1.1
"""From here on the source's classifier answers alone. Below, the alarm rings, but the team answers: where domains are
unrelated any answer is worthless, and where they are not, much would be lost."""

# Other class shares: how much the answers with and without the source's shares must differ.
SHARES_AGREEMENT = 0.75
SHARES_SHIFT = 0.2

MISSING_CLASS = 0.01
"""A class that gets less than this part of its source share is said to be missing."""

# Accuracy, as skill, from the mean confidence of three candidates, the likeness of the classes' means, and how much
# oftener a classifier is right in the source than it says.


class Line(NamedTuple):
    """A linear rule for the skill, and its standard error where there is most room for one."""

    confidence: float
    likeness: float
    modesty: float
    constant: float
    error: float


ESTIMATE = Line(1.774, -0.215, 0.694, -0.627, 0.105)
ESTIMATE_AT_UNKNOWN_SHARES = Line(1.773, 0.766, 0.0, -0.862, 0.25)
"""Confidence says far less where nothing holds the class shares down."""
LEAST_ROOM = 0.5
USUAL_MODESTY = 0.38
"""Where the source is too small to measure it."""
ESTIMATE_WORTH = 20
"""How many checked documents the estimate is worth."""

# A few labelled target documents against the vote, in nats.
PRIOR_FOR_THE_VOTE = 2.0
PRIOR_AGAINST_SOURCE_ONLY = 3.0
SHARES_WORTH = 10
"""How many labelled target documents the assumed class shares are worth."""
