"""Choosing without target labels: scorers, the automatic method, how far to trust it, and the alarm."""

from isthmus.choice.alarm import Alarm
from isthmus.choice.auto import Auto
from isthmus.choice.evidence import Evidence
from isthmus.choice.leaderboard import Leaderboard
from isthmus.choice.scorers import (
    SCORERS,
    Agreement,
    AverageThresholdedConfidence,
    DeepEmbeddedValidation,
    ImportanceWeightedValidation,
    InformationMaximization,
    ReverseValidation,
    SoftNeighborhoodDensity,
    TransferScorer,
)
from isthmus.choice.suggest import suggest_labels
from isthmus.choice.trust import Estimate

__all__ = [
    "SCORERS",
    "Agreement",
    "Alarm",
    "Auto",
    "AverageThresholdedConfidence",
    "DeepEmbeddedValidation",
    "Estimate",
    "Evidence",
    "ImportanceWeightedValidation",
    "InformationMaximization",
    "Leaderboard",
    "ReverseValidation",
    "SoftNeighborhoodDensity",
    "TransferScorer",
    "suggest_labels",
]
