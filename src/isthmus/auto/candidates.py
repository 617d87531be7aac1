"""The candidates of the automatic choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isthmus.core.estimator import TransferClassifier
from isthmus.methods import LR, TCL, NaiveBayesEM, SelfTraining, TransductiveLR

SOURCE_ONLY = "LR"
WITH_LSA, WITH_DCI = "self-training, words + LSA", "self-training, words + DCI"
BALANCED, BALANCED_DCI = "balanced self-training", "balanced, words + DCI"
WITH_EMBEDDINGS, BALANCED_EMBEDDINGS = "self-training, words + embeddings", "balanced, words + embeddings"
TRANSDUCTIVE, TRANSDUCTIVE_LSA, TRANSDUCTIVE_BOTH = (
    "transductive",
    "transductive, words + LSA",
    "transductive, both views",
)
TRANSDUCTIVE_DCI, TRANSDUCTIVE_EMBEDDINGS = "transductive, words + DCI", "transductive, words + embeddings"
TOPICS, MIXTURE = "TCL", "naive Bayes EM"

HYPOTHESES = (BALANCED, WITH_LSA, WITH_DCI, BALANCED_DCI, WITH_EMBEDDINGS, BALANCED_EMBEDDINGS)
"""Self-trainings that part the target's classes in unlike ways, so that each finds a target prior of its own. The first
stands in for those that take no negative features."""

CAUTIOUS_WITHOUT, CAUTIOUS_WITH = (TRANSDUCTIVE, TRANSDUCTIVE_LSA), (TRANSDUCTIVE_BOTH,)
"""More hypotheses, without embeddings and with them, for targets on whose prior the others do not agree. They never let
go of the source, so that they gain less, and harm less."""

UNLIKE = (*HYPOTHESES, MIXTURE)
"""Candidates that go about it in unlike ways: how far these agree is what the estimated accuracy goes by."""

LEARNERS = (BALANCED, BALANCED_EMBEDDINGS)
"""Those that learn from labels of the target, if there are any; the last one that reads all features."""

NEAR = 0.1
"""Priors that differ by less, in every class, are taken for the same."""
APART = 0.15
"""Chosen in trials: from here on two hypotheses do not agree on the prior. Total variation."""


@dataclass(frozen=True)
class Candidate:
    """A method, and its cost in units of the first logistic regression: the most that was seen with two classes."""

    name: str
    method: Callable[..., TransferClassifier]
    cost: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    at_prior: bool = False
    """Gives out pseudo-labels at the target prior; hypotheses only if that is given."""
    needs_counts: bool = False
    """Takes no negative features."""
    from_consensus: bool = False
    """Starts from what the hypotheses say together."""
    sees_embeddings: bool = False
    """Reads them beside words; the others read words alone."""
    on_demand: bool = False
    """Runs only for an ensemble that has been chosen."""


FREE = {"C": 10.0}
EVEN = {"balanced": True, **FREE}
"""Classes of equal weight, so that no prior is learned. Without, the larger a class the more it grows: where one of
these goes wrong, the other need not."""

PORTFOLIO = (
    Candidate(SOURCE_ONLY, LR, 1),
    Candidate(WITH_LSA, SelfTraining, 20, {**FREE, "features": "lsa"}, at_prior=True),
    Candidate(WITH_DCI, SelfTraining, 20, {**FREE, "features": "dci"}, at_prior=True, needs_counts=True),
    Candidate(BALANCED_DCI, SelfTraining, 20, {**EVEN, "features": "dci"}, at_prior=True, needs_counts=True),
    Candidate(WITH_EMBEDDINGS, SelfTraining, 20, FREE, at_prior=True, sees_embeddings=True),
    Candidate(BALANCED_EMBEDDINGS, SelfTraining, 20, EVEN, at_prior=True, sees_embeddings=True),
    Candidate(MIXTURE, NaiveBayesEM, 1, needs_counts=True, from_consensus=True),
    Candidate(TOPICS, TCL, 10, {"max_iter": 50}, needs_counts=True, on_demand=True),
    Candidate(TRANSDUCTIVE_DCI, TransductiveLR, 20, {"features": "dci"}, True, needs_counts=True, on_demand=True),
    Candidate(TRANSDUCTIVE_EMBEDDINGS, TransductiveLR, 15, {}, True, sees_embeddings=True, on_demand=True),
    Candidate(TRANSDUCTIVE, TransductiveLR, 8, {}, at_prior=True, on_demand=True),
    Candidate(TRANSDUCTIVE_LSA, TransductiveLR, 12, {"features": "lsa"}, at_prior=True, on_demand=True),
    Candidate(TRANSDUCTIVE_BOTH, TransductiveLR, 15, {}, at_prior=True, sees_embeddings=True, on_demand=True),
    Candidate(BALANCED, SelfTraining, 8, EVEN, at_prior=True, on_demand=True),
)
"""Unlike methods, the cheap ones first."""

EVIDENCE_COST = 4
"""Of the evidence for a hypothesis, in the same units as a candidate's."""
DIAGNOSTICS_COST = 8
"""Of the diagnostics."""
