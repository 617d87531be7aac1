"""Choosing among models of a target that nobody has labelled."""

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

__all__ = [
    "SCORERS",
    "Agreement",
    "AverageThresholdedConfidence",
    "DeepEmbeddedValidation",
    "ImportanceWeightedValidation",
    "InformationMaximization",
    "ReverseValidation",
    "SoftNeighborhoodDensity",
    "TransferScorer",
]
