"""The methods that the automatic choice chooses among."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isthmus.base import TransferClassifier
from isthmus.methods import LR, TCL, NaiveBayesEM, SelfTraining, TransductiveLR
from isthmus.typing import Array, Matrix

SOURCE_ONLY = "LR"
SHORT, LONG = "self-training", "long self-training"
WITH_LSA, WITH_MSDA = "words + LSA, transductive", "words + mSDA, transductive"
PLAIN_LSA, PLAIN_MSDA = "words + LSA", "words + mSDA"
TOPICS, MIXTURE = "TCL", "naive Bayes EM"


@dataclass(frozen=True)
class Teams:
    """Who answers, and by whom it is told how far to trust the answer."""

    for_topics: tuple[str, ...]
    """For classes that are what documents are about."""
    for_the_rest: tuple[str, ...]
    """For classes that are something else, such as opinions."""
    voices: tuple[str, ...]
    """Whose confidence the estimated accuracy goes by."""
    leader: str = SHORT
    """By whose labels classes are compared in source and target."""
    follower: str = SHORT
    """Of whom it is asked how far they stay with the source's classifier."""

    @property
    def needed(self) -> tuple[str, ...]:
        """Who has to run, beside those that they start from."""
        return SOURCE_ONLY, self.leader, self.follower, *self.for_topics, *self.for_the_rest, *self.voices


AT_GIVEN_SHARES = Teams(
    for_topics=(LONG, TOPICS, MIXTURE), for_the_rest=(WITH_MSDA, WITH_LSA), voices=(SHORT, WITH_MSDA, WITH_LSA)
)
AT_UNKNOWN_SHARES = Teams(
    for_topics=(SHORT, MIXTURE, WITH_LSA, WITH_MSDA),
    for_the_rest=(PLAIN_LSA, PLAIN_MSDA, WITH_MSDA),
    voices=(PLAIN_LSA, WITH_LSA, PLAIN_MSDA, WITH_MSDA),
    leader=PLAIN_MSDA,
    follower=MIXTURE,
)
"""Where nothing holds the shares, a long self-training drifts and TCL makes classes of about equal size. Those that do
not learn from their own labels have a say in opinions, and in how far any answer can be trusted."""

EVIDENCE = 8
"""Cost of the indicators, in the same units."""


@dataclass(frozen=True)
class Candidate:
    """A method, and its cost in units of the first logistic regression: the most that was seen with two classes."""

    name: str
    estimator: TransferClassifier
    cost: float
    needs_counts: bool = False
    """Takes no negative features."""
    starts_from: str = ""
    """The candidate whose result, or whose map, it needs, and computes if that has not run."""


def portfolio(shares: Any, random_state: Any) -> list[Candidate]:
    """Unlike methods, the cheap ones first. What several of them need, such as maps, comes with the first of them."""
    ranked = {"target_shares": shares}
    return [
        Candidate(SOURCE_ONLY, LR(), 1),
        Candidate(SHORT, SelfTraining(**ranked), 5),
        Candidate(MIXTURE, NaiveBayesEM(**ranked), 1, needs_counts=True, starts_from=SHORT),
        Candidate(LONG, SelfTraining(16, taken=0.9, source_weight=0.2, **ranked), 9),
        Candidate(TOPICS, TCL(random_state=random_state), 19, needs_counts=True),
        Candidate(PLAIN_LSA, TransductiveLR("lsa", n_levels=0), 25),
        Candidate(WITH_LSA, TransductiveLR("lsa", **ranked), 6, starts_from=PLAIN_LSA),
        Candidate(PLAIN_MSDA, TransductiveLR("msda", n_levels=0), 50),
        Candidate(WITH_MSDA, TransductiveLR("msda", **ranked), 11, starts_from=PLAIN_MSDA),
    ]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """The mean of several candidates' log-odds, each divided by its spread, as probabilities."""

    estimators: list[TransferClassifier]
    spreads: list[float]
    sharpness: float

    def values(self, X: Matrix, domain: int | None) -> Array:
        return combined([estimator._assign(X, domain) for estimator in self.estimators], self.spreads)


def log_values(distributions: Array) -> Array:
    """Log-odds against the mean class."""
    logs = np.log(np.maximum(np.asarray(distributions, dtype=np.float64), 1e-12))
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def spread_of(distributions: Array) -> float:
    """What a candidate's log-odds are divided by, so that all have the same say."""
    return float(np.std(log_values(distributions))) or 1.0


def combined(distributions: Sequence[Array], spreads: Sequence[float]) -> Array:
    """The mean of the candidates' log-odds over their spreads."""
    parts = [log_values(own) / spread for own, spread in zip(distributions, spreads, strict=True)]
    return np.asarray(np.mean(parts, axis=0))
