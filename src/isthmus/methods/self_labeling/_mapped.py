"""Features beside words that methods with pseudo-labels may read."""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_sample_weight

from isthmus.core.problem import DocumentStack, Problem
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear import (
    PivotMap,
    SideBySide,
    WordMap,
    denoising_lsa_map,
    fit_logistic,
    logistic_regression,
    lsa_map,
    pivot_map,
)
from isthmus.typing import Matrix

FEATURES = [StrOptions({"words", "lsa", "msda", "dci"})]
"""What the parameter `features` may be."""
DIMENSIONS = 100
"""Of the profiles by pivots."""

FeatureMap = WordMap | PivotMap | None


def feature_map(features: str, problem: Problem, workspace: Workspace) -> FeatureMap:
    """What makes these features of words; None for the words alone."""
    if features == "dci":
        return workspace.once(dci_features, problem)
    return workspace.once(FEATURE_MAPS[features], problem.documents) if features in FEATURE_MAPS else None


def lsa_features(documents: DocumentStack) -> WordMap:
    """The dimensions of a latent semantic analysis of all documents."""
    return lsa_map(documents.stacked)


def msda_features(documents: DocumentStack) -> WordMap:
    """The leading dimensions of a marginalized denoising autoencoder of all documents."""
    return denoising_lsa_map(documents.stacked)


def dci_features(problem: Problem) -> PivotMap:
    """Profiles of words by pivots, which the labelled documents choose."""
    return pivot_map(problem, n_components=DIMENSIONS)


FEATURE_MAPS = {"lsa": lsa_features, "msda": msda_features}
"""Those that read no label, and hold under others."""


def mapped_documents(problem: Problem, mapping: FeatureMap) -> Matrix | SideBySide:
    """The labelled documents and, below them, the unlabelled ones, with the map's features beside words."""
    return problem.labeled_first if mapping is None else mapping.labeled_first(problem)


def source_classifier(
    problem: Problem, workspace: Workspace, mapping: FeatureMap, C: float, balanced: bool = False
) -> LogisticRegression:
    """Logistic regression of the labelled documents on these features; classes of equal weight if balanced."""
    if mapping is None:
        return workspace.once(logistic_regression, problem, C, balanced)
    known = problem.labeled[1]
    weights = compute_sample_weight("balanced", known) if balanced else None
    return fit_logistic(workspace.once(mapped_documents, problem, mapping)[: len(known)], known, C, weights)
