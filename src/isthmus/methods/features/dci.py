"""Distributional correspondence indexing.

A. Moreo, A. Esuli and F. Sebastiani, "Distributional Correspondence Indexing for Cross-Lingual and Cross-Domain
Sentiment Classification", JAIR 2016.
"""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.core.estimator import AT_LEAST_ONE, POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.solution import MappedSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear import fit_logistic, pivot_map


class DCI(TransferClassifier):
    """Feature augmentation by distributional correspondence indexing: logistic regression on words and their pivots.

    Pivots are words that both domains use alike and that tell of the classes. Each word gets a profile in each domain:
    how much more often than by chance it stands beside every pivot there. A document is the sum of the profiles of its
    words in its own domain, so that words of the two domains meet in the pivots that they keep company with.

    Where this departs from the paper, and why:

    - The paper classifies profiles alone. Here words stand beside them: what both domains say alike need not take the
      long way round.
    - The paper makes profiles from unlabeled documents, of which it has many. Here they are the documents of the fit,
      and there are fewer: pivots need `support` documents in place of 30.
    - The paper gives a pivot the mean of its two profiles. Here each domain keeps its own.
    - With several classes, a word is as informative as it is about the class that it tells most about.
    - The classifier is logistic regression, where the paper has a linear SVM with C by cross-validation.

    Parameters
    ----------
    n_pivots : int
        How many words are pivots.
    weight : float
        Length of a document's profile, relative to its length in words.
    support : int
        Documents of each domain that a pivot must stand in, where there are enough such words.
    C : float
        Inverse regularization, relative to the mean squared length of a document.

    Attributes
    ----------
    classifier_ : LogisticRegression
    feature_map_ : PivotMap
        `feature_map_.pivots` are the pivots' columns, the most informative first.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> words = ["engine", "oil", "motor", "fever", "cough", "flu"]
    >>> texts = ["engine oil", "engine", "fever cough", "fever", "motor oil", "motor", "flu cough", "flu"]
    >>> X = np.array([[float(word in text.split()) for word in words] for text in texts])
    >>> model = isthmus.DCI(2).fit(X, ["car"] * 2 + ["ill"] * 2 + ["?"] * 4, sample_domain=[1] * 4 + [-1] * 4)
    >>> [words[pivot] for pivot in model.feature_map_.pivots]
    ['oil', 'cough']
    >>> model.transduction_[4:].tolist()
    ['car', 'car', 'ill', 'ill']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_pivots": [AT_LEAST_ONE],
        "weight": [POSITIVE],
        "support": [AT_LEAST_ONE],
        "C": [POSITIVE],
    }

    def __init__(self, n_pivots: int = 450, *, weight: float = 0.5, support: int = 10, C: float = 1.0) -> None:
        self.n_pivots = n_pivots
        self.weight = weight
        self.support = support
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> MappedSolution:
        feature_map = pivot_map(problem, self.n_pivots, self.weight, support=self.support)
        numbers = problem.labeled[1]
        rows = feature_map.labeled_first(problem)[: len(numbers)]
        return MappedSolution(fit_logistic(rows, numbers, self.C / problem.mean_squared_length), feature_map)
