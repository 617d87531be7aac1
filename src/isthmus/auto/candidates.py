"""The candidates of the automatic choice, and the ensembles that they form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isthmus.core.estimator import TransferClassifier
from isthmus.methods import LR, TCL, NaiveBayesEM, SelfTraining, TransductiveLR

SOURCE_ONLY = "LR"
SHORT, LONG, BALANCED = "self-training", "long self-training", "balanced self-training"
WITH_LSA, WITH_DCI = "words + LSA, transductive", "words + DCI, transductive"
TOPICS, MIXTURE = "TCL", "naive Bayes EM"
BESIDE = ", words + embeddings"
JOINT = tuple(name + BESIDE for name in (SHORT, BALANCED, "transductive"))
"""Where there are embeddings, members of either ensemble."""

UNLIKE = (LONG, MIXTURE, WITH_DCI, WITH_LSA)
"""Candidates that go about it in unlike ways: how far these agree is what the estimated accuracy goes by."""

NEAR = 0.1
"""Priors that differ by less, in every class, are taken for the same."""


@dataclass(frozen=True)
class Ensembles:
    """Which candidates are members of each ensemble."""

    topics: tuple[str, ...]
    """Members for classes that are what documents are about."""
    other: tuple[str, ...] = (WITH_DCI, WITH_LSA)
    """Members for classes that are something else, such as opinions."""


AT_SOURCE_PRIOR = Ensembles(topics=(LONG, TOPICS, MIXTURE))
AT_OTHER_PRIOR = Ensembles(topics=(LONG, MIXTURE, BALANCED))
"""TCL is told no prior, and makes classes like the source's."""


EVIDENCE_COST = 10
"""Of the choice between priors, in the same units as a candidate's."""
DIAGNOSTICS_COST = 8
"""Of the diagnostics."""


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
    starts_from: str = ""
    """The candidate whose result it needs, and computes if that has not run."""
    sees_embeddings: bool = False
    """Reads them beside words; the others read words alone."""
    on_demand: bool = False
    """Runs only for an ensemble that has been chosen."""


LONG_SETTINGS = {"max_iter": 16, "max_fraction": 0.9, "source_weight": 0.2}
BALANCED_SETTINGS = {"target_prior": "unknown", "balanced": True, "C": 10.0}

PORTFOLIO = (
    Candidate(SOURCE_ONLY, LR, 1),
    Candidate(BALANCED, SelfTraining, 8, BALANCED_SETTINGS),
    Candidate(SHORT, SelfTraining, 5, at_prior=True),
    Candidate(MIXTURE, NaiveBayesEM, 1, at_prior=True, needs_counts=True, starts_from=SHORT),
    Candidate(LONG, SelfTraining, 9, LONG_SETTINGS, at_prior=True),
    Candidate(WITH_DCI, TransductiveLR, 25, {"features": "dci"}, at_prior=True, needs_counts=True),
    Candidate(WITH_LSA, TransductiveLR, 30, {"features": "lsa"}, at_prior=True),
    Candidate(TOPICS, TCL, 19, needs_counts=True, on_demand=True),
    Candidate(JOINT[0], SelfTraining, 15, at_prior=True, sees_embeddings=True),
    Candidate(JOINT[1], SelfTraining, 20, BALANCED_SETTINGS, sees_embeddings=True),
    Candidate(JOINT[2], TransductiveLR, 15, at_prior=True, sees_embeddings=True),
)
"""Unlike methods, the cheap ones first."""
