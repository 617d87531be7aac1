"""What methods with pseudo-labels share: a classifier that learns again and again, and features beside words."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_sample_weight

from isthmus.core.priors import pseudo_labels, read_prior
from isthmus.core.problem import DocumentStack, Problem
from isthmus.core.solution import MappedSolution, TransductiveSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear import (
    PivotMap,
    RepeatedLogistic,
    SideBySide,
    WordMap,
    denoising_lsa_map,
    fit_logistic,
    logistic_regression,
    lsa_map,
    pivot_map,
)
from isthmus.typing import Array, Matrix, Positions

FEATURES = [StrOptions({"words", "lsa", "msda", "dci"})]
"""What the parameter `features` may be."""
DIMENSIONS = 100
"""Of the profiles by pivots."""

MANY = 15_000
"""Documents of which no two maps are made side by side: each takes several times their memory."""
_at_work = Lock()

FeatureMap = WordMap | PivotMap | None


class PseudoLabeling:
    """A logistic regression of the labeled documents, which goes on to learn from pseudo-labels of the others.

    Each fit starts where the one before ended.
    """

    def __init__(
        self,
        problem: Problem,
        workspace: Workspace,
        target_prior: str | dict[Any, float],
        features: str,
        C: float,
        balanced: bool = False,
    ) -> None:
        self._prior, self.known = read_prior(target_prior, problem), problem.labeled[1]
        """The labeled documents' class numbers."""
        self.feature_map = feature_map(features, problem, workspace)
        C /= problem.mean_squared_length
        rows = workspace.once(mapped_documents, problem, self.feature_map)
        start = workspace.once(source_classifier, problem, workspace, self.feature_map, C, balanced)
        self._classes, self._fits = start.classes_, RepeatedLogistic(rows, C, problem.n_classes, start)

    @property
    def scores(self) -> Array:
        """Log-odds of the unlabeled documents."""
        return self._fits.log_odds[len(self.known) :]

    @property
    def labels(self) -> Positions:
        """Their pseudo-labels at the target prior, as class numbers."""
        return pseudo_labels(self.scores, self._prior)

    def learn(self, labels: Positions, weights_of_known: Array, weights: Array) -> None:
        """From the known labels and from these of the unlabeled documents, each by its weight."""
        self._fits.fit(np.concatenate([self.known, labels]), np.concatenate([weights_of_known, weights]))

    def found(self) -> dict[str, Any]:
        """Fields of a `PseudoLabelSolution`."""
        distributions = np.asarray(softmax(self.scores, axis=1))
        classifier = self._fits.classifier(self._classes)
        return {"classifier": classifier, "feature_map": self.feature_map, "distributions": distributions}


@dataclass(frozen=True, eq=False)
class PseudoLabelSolution(MappedSolution, TransductiveSolution):
    """A classifier, and what it says of the documents that it was trained on with pseudo-labels."""


def feature_map(features: str, problem: Problem, workspace: Workspace) -> FeatureMap:
    """What makes these features of words; None for the words alone."""
    return None if features == "words" else workspace.once(_map_beside_embeddings, features, problem, workspace)


def _map_beside_embeddings(features: str, problem: Problem, workspace: Workspace) -> WordMap | PivotMap:
    """A map of words, for rows in which embeddings may stand beside them."""
    words = problem.words_alone
    with _at_work if problem.n_rows > MANY else nullcontext():
        if features == "dci":
            found = workspace.once(dci_features, words)
        else:
            found = workspace.once(FEATURE_MAPS[features], words.documents)
    return found.widened(problem.n_embeddings)


def lsa_features(documents: DocumentStack) -> WordMap:
    """The dimensions of a latent semantic analysis of all documents."""
    return lsa_map(documents.stacked)


def msda_features(documents: DocumentStack) -> WordMap:
    """The leading dimensions of a marginalized denoising autoencoder of all documents."""
    return denoising_lsa_map(documents.stacked)


def dci_features(problem: Problem) -> PivotMap:
    """Profiles of words by pivots, which the labeled documents choose."""
    return pivot_map(problem, n_components=DIMENSIONS)


FEATURE_MAPS = {"lsa": lsa_features, "msda": msda_features}
"""Those that read no label, and hold under others."""


def mapped_documents(problem: Problem, mapping: FeatureMap) -> Matrix | SideBySide:
    """The labeled documents and, below them, the unlabeled ones, with the map's features beside words."""
    return problem.labeled_first if mapping is None else mapping.labeled_first(problem)


def source_classifier(
    problem: Problem, workspace: Workspace, mapping: FeatureMap, C: float, balanced: bool = False
) -> LogisticRegression:
    """Logistic regression of the labeled documents on these features; classes of equal weight if balanced."""
    if mapping is None:
        return workspace.once(logistic_regression, problem, C, balanced)
    known = problem.labeled[1]
    weights = compute_sample_weight("balanced", known) if balanced else None
    return fit_logistic(workspace.once(mapped_documents, problem, mapping)[: len(known)], known, C, weights)
