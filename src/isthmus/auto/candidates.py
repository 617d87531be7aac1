"""The candidates of the automatic choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isthmus.core.estimator import TransferClassifier
from isthmus.methods import LR, TCL, NaiveBayesEM, SelfTraining, TransductiveLR

SOURCE_ONLY = "LR"
SHORT, BALANCED = "self-training", "balanced self-training"
BALANCED_LSA, BALANCED_DCI = "balanced, words + LSA", "balanced, words + DCI"
WITH_DCI = "transductive, words + DCI"
TOPICS, MIXTURE = "TCL", "naive Bayes EM"
BALANCED_BESIDE, BESIDE = "balanced, words + embeddings", "transductive, words + embeddings"

HYPOTHESES = (SHORT, BALANCED, BALANCED_LSA, BALANCED_DCI, BALANCED_BESIDE)
"""Self-trainings that part the target's classes in unlike ways, so that each has a target prior of its own."""

UNLIKE = (BALANCED, BALANCED_LSA, BALANCED_DCI, BALANCED_BESIDE, MIXTURE)
"""Candidates that go about it in unlike ways: how far these agree is what the estimated accuracy goes by."""

NEAR = 0.1
"""Priors that differ by less, in every class, are taken for the same."""


@dataclass(frozen=True)
class Candidate:
    """A method, and its cost in units of the first logistic regression: the most that was seen with two classes."""

    name: str
    method: Callable[..., TransferClassifier]
    cost: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    at_prior: bool = False
    """Gives out pseudo-labels at the target prior."""
    needs_counts: bool = False
    """Takes no negative features."""
    from_consensus: bool = False
    """Starts from what the hypotheses say together."""
    sees_embeddings: bool = False
    """Reads them beside words; the others read words alone."""
    on_demand: bool = False
    """Runs only for an ensemble that has been chosen."""


FREE = {"balanced": True, "C": 10.0}
"""Classes of equal weight, so that no prior is learned."""

PORTFOLIO = (
    Candidate(SOURCE_ONLY, LR, 1),
    Candidate(SHORT, SelfTraining, 5, at_prior=True),
    Candidate(BALANCED, SelfTraining, 8, FREE, at_prior=True),
    Candidate(BALANCED_LSA, SelfTraining, 20, {**FREE, "features": "lsa"}, at_prior=True),
    Candidate(BALANCED_DCI, SelfTraining, 20, {**FREE, "features": "dci"}, at_prior=True, needs_counts=True),
    Candidate(BALANCED_BESIDE, SelfTraining, 20, FREE, at_prior=True, sees_embeddings=True),
    Candidate(MIXTURE, NaiveBayesEM, 1, needs_counts=True, from_consensus=True),
    Candidate(TOPICS, TCL, 10, {"max_iter": 50}, needs_counts=True, on_demand=True),
    Candidate(WITH_DCI, TransductiveLR, 20, {"features": "dci"}, at_prior=True, needs_counts=True, on_demand=True),
    Candidate(BESIDE, TransductiveLR, 15, at_prior=True, sees_embeddings=True, on_demand=True),
)
"""Unlike methods, the cheap ones first."""

EVIDENCE_COST = 4
"""Of the evidence for a hypothesis, in the same units as a candidate's."""
DIAGNOSTICS_COST = 8
"""Of the diagnostics."""
