"""The classifier of a single domain, in which nothing but the class prior has shifted.

M. Saerens, P. Latinne and C. Decaestecker, "Adjusting the Outputs of a Classifier to New a Priori Probabilities: A
Simple Procedure", Neural Computation 14, 2002.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression

from isthmus.core.priors import read_prior
from isthmus.core.problem import Problem
from isthmus.core.workspace import Workspace
from isthmus.methods import TransductiveLR
from isthmus.methods.self_labeling.transductive_lr import TransductiveLRSolution
from isthmus.typing import Array

MAX_ITER = 200
LEAST = 1e-6
"""No class is ruled out."""
FEWEST = 300
"""Labeled documents. Of fewer, a classifier is so unsure that EM goes too far, and the source's prior stays."""


class SameDomainLR(TransductiveLR):
    """Logistic regression of the labeled documents, at the target prior: given, or found by EM (label shift).

    Where documents of a class are the same in source and target, its probabilities need no more than another prior.
    """

    def solve(self, problem: Problem, workspace: Workspace) -> TransductiveLRSolution:
        found = super().solve(problem, workspace)
        probabilities, learned_at = found.transduce(problem), problem.class_prior
        prior = read_prior(self.target_prior, problem)
        if prior is None:
            prior = prior_by_em(probabilities, learned_at) if len(problem.labeled[1]) >= FEWEST else learned_at
        prior = np.maximum(prior, LEAST)
        return replace(
            found,
            classifier=with_prior(found.classifier, learned_at, prior),
            distributions=at_prior(probabilities, learned_at, prior),
        )


def prior_by_em(probabilities: Array, learned_at: Array) -> Array:
    """The prior of documents whose probabilities were learned at another one.

    It is the mean of what the probabilities are at itself: a maximum of the likelihood, which EM climbs to.
    """
    found = learned_at
    for _ in range(MAX_ITER if len(probabilities) else 0):
        found = np.maximum(at_prior(probabilities, learned_at, found).mean(axis=0), LEAST)
    return np.asarray(found / found.sum())


def at_prior(probabilities: Array, learned_at: Array, prior: Array) -> Array:
    """Probabilities that were learned at one prior, at another."""
    weighed = probabilities * (prior / learned_at)
    return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))


def with_prior(classifier: LogisticRegression, learned_at: Array, prior: Array) -> LogisticRegression:
    """The same classifier for documents with another prior: intercepts move, and nothing else."""
    by, moved = np.log(prior / learned_at), copy(classifier)
    moved.intercept_ = classifier.intercept_ + (by if len(classifier.intercept_) > 1 else by[1] - by[0])
    return moved
