"""Linear classifiers, and the features that they see beside words."""

from isthmus.solvers.linear.denoising import DenoisingMap, denoising_map
from isthmus.solvers.linear.logistic import (
    RepeatedLogistic,
    cross_validated_accuracy,
    first_labels,
    fit_logistic,
    log_odds,
    logistic_regression,
)
from isthmus.solvers.linear.pivots import PivotMap, pivot_map
from isthmus.solvers.linear.side_by_side import SideBySide
from isthmus.solvers.linear.word_map import WordMap, denoising_lsa_map, lsa_map

__all__ = [
    "DenoisingMap",
    "PivotMap",
    "RepeatedLogistic",
    "SideBySide",
    "WordMap",
    "cross_validated_accuracy",
    "denoising_lsa_map",
    "denoising_map",
    "first_labels",
    "fit_logistic",
    "log_odds",
    "logistic_regression",
    "lsa_map",
    "pivot_map",
]
