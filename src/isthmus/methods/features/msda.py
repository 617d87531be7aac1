"""Marginalized stacked denoising autoencoders.

M. Chen, Z. Xu, K. Weinberger and F. Sha, "Marginalized Denoising Autoencoders for Domain Adaptation", ICML 2012.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from isthmus.core.estimator import AT_LEAST_ONE, POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.solution import MappedSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.linear import denoising_map, fit_logistic


class MSDA(TransferClassifier):
    """Feature augmentation by a denoising autoencoder: logistic regression on words and those expected beside them.

    Documents of all domains, with or without labels, tell which words go together: a linear map learns to reconstruct
    documents from what is left of them when each word is dropped with probability `noise`. The map has a closed form
    (`isthmus.solvers.linear.denoising_map`). What it expects of a document, through tanh, stands beside the document's
    own words when the classifier learns and when it predicts.

    Where this departs from the paper, and why:

    - The paper reconstructs 5,000 words from random sets of 5,000, in five layers. Here it is 1,000 from sets of 2,500
      that go by frequency, in one layer: seconds for 8,000 documents instead of minutes.
    - The paper finds noise, layers and the classifier's C by cross-validation on the source. Here they are fixed.
      Noise is high because the documents of two domains share few words.
    - The classifier is logistic regression, as in the comparisons that TCL's authors made, where the paper has a
      linear SVM.

    Values of X should be about as large as those of rows of unit length: tanh takes larger ones to one.

    Parameters
    ----------
    n_features : int
        How many words, the most frequent ones, are reconstructed.
    set_size : int
        How many words they are reconstructed from at a time. The mean over all such sets counts.
    noise : float
        Probability that a word is dropped.
    n_layers : int
        Each layer after the first reconstructs the output of the one before. The classifier sees all of them.
    C : float
        Inverse regularization of the classifier.

    Attributes
    ----------
    feature_map_ : DenoisingMap
        `feature_map_.transform(X)` gives words and expected words, for any other classifier.
    classifier_ : LogisticRegression

    Examples
    --------
    The target says "motor" where the source says "engine"; both say "oil".

    >>> import numpy as np, isthmus
    >>> words = ["engine", "oil", "motor", "fever", "cough", "flu"]
    >>> texts = ["engine oil", "engine", "fever cough", "fever", "motor oil", "motor", "flu cough", "flu"]
    >>> X = np.array([[float(word in text.split()) for word in words] for text in texts])
    >>> labels, domains = ["car"] * 2 + ["ill"] * 2 + ["?"] * 4, [1] * 4 + [-1] * 4
    >>> model = isthmus.MSDA().fit(X, labels, sample_domain=domains)
    >>> model.transduction_[4:].tolist()
    ['car', 'car', 'ill', 'ill']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features": [AT_LEAST_ONE],
        "set_size": [AT_LEAST_ONE],
        "noise": [Interval(Real, 0, 1, closed="neither")],
        "n_layers": [AT_LEAST_ONE],
        "C": [POSITIVE],
    }

    def __init__(
        self,
        n_features: int = 1000,
        *,
        set_size: int = 2500,
        noise: float = 0.9,
        n_layers: int = 1,
        C: float = 1.0,
    ) -> None:
        self.n_features = n_features
        self.set_size = set_size
        self.noise = noise
        self.n_layers = n_layers
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> MappedSolution:
        feature_map = denoising_map(
            problem.documents.stacked,
            noise=self.noise,
            n_features=self.n_features,
            set_size=self.set_size,
            n_layers=self.n_layers,
        )
        X, numbers = problem.labeled
        return MappedSolution(fit_logistic(feature_map.transform(X), numbers, self.C), feature_map)
