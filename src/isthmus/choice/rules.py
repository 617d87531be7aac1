"""What the automatic choice goes by: thresholds and weights, all of them found on the development half of the tasks.

`isthmus.data.families` says which tasks these are. `benchmarks/rules.py` computes every number here again.
Shares that depend on the number of classes enter as skill: 0 at chance, 1 where all is right.
"""

from __future__ import annotations

from typing import NamedTuple

# Topics or something else: a vote of three indicators, two of which suffice.
TOPIC_CUT = 0.861
"""Classes that are topics part the target's graph of similar documents with a normalised cut below this."""
TOPIC_NEIGHBOURS = 0.654
"""... and give a source document's nearest neighbours its label with a skill above this."""
TOPIC_STEADINESS = 0.84
"""... and let a long self-training agree with a short one with a skill above this."""

# Unrelated domains: a weighted sum of two indicators.
UNRELATED_PARTED = 10.512
"""Weight of how sure a classifier is that tells the domains apart."""
UNRELATED_SPREAD = -2.256
"""Weight of how far the source classifier's values spread in the target, relative to the source."""
UNRELATED_CONSTANT = -8.147 - 0.05
CERTAIN = 0.25
"""From here on the source's classifier answers alone. Below, the alarm rings, but the team answers: where domains are
unrelated any answer is worthless, and where they are not, much would be lost."""

# Other class shares: how much the answers with and without the source's shares must differ.
SHARES_AGREEMENT = 0.75
SHARES_SHIFT = 0.2

MISSING_CLASS = 0.01
"""A class that gets less than this part of its source share is said to be missing."""

# Accuracy, as skill, from the mean confidence of three candidates and the likeness of the classes' means.


class Line(NamedTuple):
    """A linear rule for the skill, and its standard error where there is most room for one."""

    confidence: float
    likeness: float
    constant: float
    error: float


ESTIMATE = Line(1.457, -0.250, -0.133, 0.08)
ESTIMATE_AT_UNKNOWN_SHARES = Line(1.773, 0.766, -0.862, 0.25)
"""Confidence says far less where nothing holds the class shares down."""
LEAST_ROOM = 0.5
ESTIMATE_WORTH = 20
"""How many checked documents the estimate is worth."""

# A few labelled target documents against the vote, in nats.
PRIOR_FOR_THE_VOTE = 2.0
PRIOR_AGAINST_SOURCE_ONLY = 3.0
SHARES_WORTH = 10
"""How many labelled target documents the assumed class shares are worth."""
