"""Logistic regression on words and latent semantic dimensions of both domains.

S. Deerwester, S. Dumais, G. Furnas, T. Landauer and R. Harshman, "Indexing by Latent Semantic Analysis", JASIS 1990.
"""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.core.estimator import AT_LEAST_ONE, POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.solution import MappedSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear import fit_logistic, lsa_map


class LSA(TransferClassifier):
    """Feature augmentation by latent semantic analysis: logistic regression on words and on what they have in common.

    Words of the target that keep company with words of the source get a share of their weight. That helps where the
    strongest dimensions have to do with the classes, and not where they are products, or authors.

    Parameters
    ----------
    n_components : int
        Dimensions.
    weight : float
        Length of a document in these dimensions, relative to its length in words.
    C : float
        Inverse regularization, relative to the mean squared length of a document.

    Attributes
    ----------
    classifier_ : LogisticRegression
    feature_map_ : WordMap

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> words = ["engine", "oil", "motor", "fever", "cough", "flu"]
    >>> texts = ["engine oil", "engine", "fever cough", "fever", "motor oil", "motor", "flu cough", "flu"]
    >>> X = np.array([[float(word in text.split()) for word in words] for text in texts])
    >>> model = isthmus.LSA(2).fit(X, ["car"] * 2 + ["ill"] * 2 + ["?"] * 4, sample_domain=[1] * 4 + [-1] * 4)
    >>> model.transduction_[4:].tolist()
    ['car', 'car', 'ill', 'ill']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [AT_LEAST_ONE],
        "weight": [POSITIVE],
        "C": [POSITIVE],
    }

    def __init__(self, n_components: int = 100, *, weight: float = 0.5, C: float = 1.0) -> None:
        self.n_components = n_components
        self.weight = weight
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> MappedSolution:
        feature_map = lsa_map(problem.documents.stacked, self.n_components, self.weight)
        X, numbers = problem.labeled
        classifier = fit_logistic(feature_map.transform(X), numbers, self.C / problem.mean_squared_length)
        return MappedSolution(classifier, feature_map)
