"""Model selection without target labels, and active learning."""

from isthmus.selection.folds import source_folds
from isthmus.selection.scorers import (
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
from isthmus.selection.suggest import suggest_labels

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
    "source_folds",
    "suggest_labels",
]
