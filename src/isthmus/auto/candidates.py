"""The candidates of the automatic choice, and the ensembles that they form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from isthmus.core.estimator import TransferClassifier
from isthmus.methods import LR, TCL, NaiveBayesEM, SelfTraining, TransductiveLR

SOURCE_ONLY = "LR"
SHORT, LONG = "self-training", "long self-training"
WITH_LSA, WITH_MSDA = "words + LSA, transductive", "words + mSDA, transductive"
PLAIN_LSA, PLAIN_MSDA = "words + LSA", "words + mSDA"
TOPICS, MIXTURE = "TCL", "naive Bayes EM"


@dataclass(frozen=True)
class Ensembles:
    """Which candidates are members of each ensemble, and by which its accuracy is estimated."""

    topics: tuple[str, ...]
    """Members for classes that are what documents are about."""
    other: tuple[str, ...]
    """Members for classes that are something else, such as opinions."""
    confidence_of: tuple[str, ...]
    """Whose confidence the estimated accuracy goes by."""
    labels_of: str = SHORT
    """By whose pseudo-labels classes are compared in source and target."""
    agreement_of: str = SHORT
    """Whose agreement with the source-only classifier is measured."""

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """Which candidates have to run, beside those that they start from."""
        return SOURCE_ONLY, self.labels_of, self.agreement_of, *self.topics, *self.other, *self.confidence_of


AT_KNOWN_PRIOR = Ensembles(
    topics=(LONG, TOPICS, MIXTURE), other=(WITH_MSDA, WITH_LSA), confidence_of=(SHORT, WITH_MSDA, WITH_LSA)
)
AT_UNKNOWN_PRIOR = Ensembles(
    topics=(SHORT, MIXTURE, WITH_LSA, WITH_MSDA),
    other=(PLAIN_LSA, PLAIN_MSDA, WITH_MSDA),
    confidence_of=(PLAIN_LSA, WITH_LSA, PLAIN_MSDA, WITH_MSDA),
    labels_of=PLAIN_MSDA,
    agreement_of=MIXTURE,
)
"""Where no prior holds it, a long self-training drifts and TCL makes classes of about equal size. Those that do not
learn from pseudo-labels are members for opinions, and the estimated accuracy goes by them."""

DIAGNOSTICS_COST = 8
"""Of the diagnostics, in the same units as a candidate's."""


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
    """The candidate whose result, or whose feature map, it needs, and computes if that has not run."""


LONG_SETTINGS = {"max_iter": 16, "max_fraction": 0.9, "source_weight": 0.2}
LSA, MSDA = {"features": "lsa"}, {"features": "msda"}

PORTFOLIO = (
    Candidate(SOURCE_ONLY, LR, 1),
    Candidate(SHORT, SelfTraining, 5, at_prior=True),
    Candidate(MIXTURE, NaiveBayesEM, 1, at_prior=True, needs_counts=True, starts_from=SHORT),
    Candidate(LONG, SelfTraining, 9, LONG_SETTINGS, at_prior=True),
    Candidate(TOPICS, TCL, 19, needs_counts=True),
    Candidate(PLAIN_LSA, TransductiveLR, 25, {**LSA, "n_weights": 0}),
    Candidate(WITH_LSA, TransductiveLR, 6, LSA, at_prior=True, starts_from=PLAIN_LSA),
    Candidate(PLAIN_MSDA, TransductiveLR, 50, {**MSDA, "n_weights": 0}),
    Candidate(WITH_MSDA, TransductiveLR, 11, MSDA, at_prior=True, starts_from=PLAIN_MSDA),
)
"""Unlike methods, the cheap ones first. What several of them need, such as maps, comes with the first of them."""
