"""Model selection without target labels, and active learning."""

from isthmus.selection.batch import RANDOM, TEACHING, Pick, pick_batch
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
    "RANDOM",
    "SCORERS",
    "TEACHING",
    "Agreement",
    "AverageThresholdedConfidence",
    "DeepEmbeddedValidation",
    "ImportanceWeightedValidation",
    "InformationMaximization",
    "Pick",
    "ReverseValidation",
    "SoftNeighborhoodDensity",
    "TransferScorer",
    "pick_batch",
    "source_folds",
    "suggest_labels",
]
