"""The candidates of the automatic choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isthmus.auto.same_domain import SameDomainLR
from isthmus.core.estimator import TransferClassifier
from isthmus.methods import LR, TCL, SelfTraining, TransductiveLR

SOURCE_ONLY = "LR"
WITH_LSA, WITH_DCI = "self-training + LSA", "self-training + DCI"
BALANCED, BALANCED_DCI = "balanced self-training", "balanced self-training + DCI"
TRANSDUCTIVE, TRANSDUCTIVE_LSA, TRANSDUCTIVE_DCI = "transductive", "transductive + LSA", "transductive + DCI"
UNSHIFTED_LSA, UNSHIFTED_DCI = "transductive + LSA, no shift", "transductive + DCI, no shift"
SAME_DOMAIN = "LR, same domain"
SOURCE_LSA = "LR + LSA"
BEFORE_LABELS = "ensemble before the labels"
TOPICS, MIXTURE, DISTILLED = "TCL", "naive Bayes EM", "distilled LR"

HYPOTHESES = (BALANCED, WITH_LSA, WITH_DCI, BALANCED_DCI)
"""Self-trainings that part the target's classes in unlike ways, so that each finds a target prior of its own. The first
stands in for those that take no negative features."""

CAUTIOUS = (TRANSDUCTIVE, TRANSDUCTIVE_LSA)
"""More hypotheses, for targets on whose prior the others do not agree. They never let go of the source, so that they
gain less, and harm less."""

UNSHIFTED = (UNSHIFTED_LSA, UNSHIFTED_DCI)
"""For targets whose prior seems to be about the source's: they go by the source's, and count for one together."""

UNLIKE = (*HYPOTHESES, MIXTURE)
"""Candidates that go about it in unlike ways: how far these agree is what the estimated accuracy goes by."""

LEARNER = BALANCED
"""The one that learns from labels of the target, if there are any."""

NEAR = 0.1
"""Chosen in trials: of priors that differ by less, in every class, TCL does not see the difference."""
APART = 0.15
"""Chosen in trials: priors of two classes that differ by more are not about the same. Total variation."""
FEW = 500
"""Chosen in trials: target documents up to which the source's classifier counts for one. Beside more of them it counts
for less, as what is found there is less often chance."""
OF_SEVERAL, MANY = 2.0, 300
"""Chosen in trials: how much a mixture of more than two classes counts, on which hypotheses err more than it does, if
each has so many target documents on average. With fewer it counts for less: it learns from them alone."""


@dataclass(frozen=True)
class Candidate:
    """A method, and its cost in units of the first logistic regression: the most that was seen with two classes."""

    name: str
    method: Callable[..., TransferClassifier] | None
    """None for those that learn from what others say, whom a `Run` lets answer itself."""
    cost: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    pseudo_labels: bool = False
    """Learns from pseudo-labels that it gives out at the target prior, hypotheses only if that is given; and reads
    embeddings, where there are any, beside words. The others read words alone."""
    needs_counts: bool = False
    """Takes no negative features."""
    on_demand: bool = False
    """Runs only for an ensemble that has been chosen."""


FREE = {"C": 10.0}
EVEN = {"balanced": True, **FREE}
"""Classes of equal weight, so that no prior is learned. Without, the larger a class the more it grows: where one of
these goes wrong, the other need not."""
UNMOVED = {"target_prior": "source"}

PORTFOLIO = (
    Candidate(SOURCE_ONLY, LR, 1),
    Candidate(WITH_LSA, SelfTraining, 20, {**FREE, "features": "lsa"}, pseudo_labels=True),
    Candidate(WITH_DCI, SelfTraining, 20, {**FREE, "features": "dci"}, pseudo_labels=True, needs_counts=True),
    Candidate(BALANCED_DCI, SelfTraining, 20, {**EVEN, "features": "dci"}, pseudo_labels=True, needs_counts=True),
    Candidate(MIXTURE, None, 1, needs_counts=True),
    Candidate(TOPICS, TCL, 10, {"max_iter": 50}, needs_counts=True, on_demand=True),
    Candidate(DISTILLED, None, 2, pseudo_labels=True, on_demand=True),
    Candidate(TRANSDUCTIVE_DCI, TransductiveLR, 20, {"features": "dci"}, True, needs_counts=True, on_demand=True),
    Candidate(UNSHIFTED_LSA, TransductiveLR, 12, {**UNMOVED, "features": "lsa"}, True, on_demand=True),
    Candidate(UNSHIFTED_DCI, TransductiveLR, 20, {**UNMOVED, "features": "dci"}, True, True, on_demand=True),
    Candidate(SAME_DOMAIN, SameDomainLR, 2, {**FREE, "n_weights": 0}, pseudo_labels=True, on_demand=True),
    Candidate(SOURCE_LSA, TransductiveLR, 2, {**FREE, "n_weights": 0, "features": "lsa"}, True, on_demand=True),
    Candidate(TRANSDUCTIVE, TransductiveLR, 8, pseudo_labels=True, on_demand=True),
    Candidate(TRANSDUCTIVE_LSA, TransductiveLR, 12, {"features": "lsa"}, pseudo_labels=True, on_demand=True),
    Candidate(BALANCED, SelfTraining, 8, EVEN, pseudo_labels=True, on_demand=True),
    Candidate(BEFORE_LABELS, None, 0, pseudo_labels=True, on_demand=True),
)
"""Unlike methods, the cheap ones first."""

EVIDENCE_COST = 4
"""Of the evidence for a hypothesis, in the same units as a candidate's."""
DIAGNOSTICS_COST = 8
"""Of the diagnostics."""
