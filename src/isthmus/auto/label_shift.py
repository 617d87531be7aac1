"""Label shift: hypotheses of the target's class prior, and the evidence that decides between them.

One hypothesis is the source's prior. The other is found in the target: self-training whose classes all weigh the same
learns no prior, so that the shares of its pseudo-labels are where the target's own classes part. Which of the two holds
is decided by what their pseudo-labels are worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from isthmus.auto.distinct import distinct_documents
from isthmus.core.problem import Problem
from isthmus.solvers.linear import cross_validated_accuracy, fit_logistic, log_odds
from isthmus.typing import Array, Matrix, Positions

AT_MOST = 2000
"""Documents of either side that are looked at."""
HANDFUL = 10
"""Fewer target documents tell nothing about how they lie."""
N_FOLDS = 2
SHARP = 10.0
"""C of the classifier that repeats pseudo-labels."""


@dataclass(frozen=True)
class Evidence:
    """What pseudo-labels of the target are worth, without a true one."""

    reverse_auc: float
    """Reverse validation: AUC, in the source, of a classifier trained on the pseudo-labelled target; the mean over
    classes. It ranks, so that no class prior matters: neither the source's nor that of the pseudo-labels."""
    consistency: float
    """How often a classifier trained on one half of the pseudo-labels repeats the other half: labels forced on
    documents in excess cannot be learned."""

    @property
    def total(self) -> float:
        """Their sum. Reverse validation looks at both domains, and counts twice.

        How well labels part the target's graph is left out: two topics of a large class part it better than that class
        and a small one.
        """
        return 2 * self.reverse_auc + self.consistency


def weight_of_found(found: Evidence, source: Evidence, n: int) -> float:
    """How far to go from the source's prior to the one found in the target, from 0 to 1.

    Nowhere, if the evidence speaks for the source's. Otherwise by how clearly it speaks, against the chance in it:
    shares and areas among n documents have a variance of about one n-th, which shrinks the step as in Wiener's filter.
    """
    gain = max(found.total - source.total, 0.0)
    return gain**2 / (gain**2 + 1 / min(n, AT_MOST))


def evidence_for(problem: Problem, labels: Positions) -> Evidence:
    """Of the pseudo-labels of all unlabelled documents, as class numbers. Near-duplicates are counted once."""
    (X, known), unlabeled = problem.labeled, problem.unlabeled
    asked, here = _sample(len(known)), _sample(len(labels))
    here = here[distinct_documents(unlabeled[here])]
    target, labels = unlabeled[here], labels[here]
    return Evidence(
        reverse_auc=reverse_auc(target, labels, X[asked], known[asked]),
        consistency=consistency(target, labels),
    )


def reverse_auc(target: Matrix, labels: Positions, source: Matrix, known: Positions) -> float:
    """Mean AUC over the classes that both sides have: of each against the nearest other. A half, if there are none."""
    present = np.unique(labels)
    compared = [number for number in present if 0 < np.sum(known == number) < len(known)]
    if len(present) < 2 or not compared:
        return 0.5
    values = log_odds(fit_logistic(target, labels, C=1.0, tol=1e-4), source)
    areas = []
    for number in compared:
        own = int(np.searchsorted(present, number))
        margins = values[:, own] - np.delete(values, own, axis=1).max(axis=1)
        areas.append(roc_auc_score(known == number, margins))
    return float(np.mean(areas))


def consistency(X: Matrix, labels: Positions) -> float:
    """The share of documents whose label a classifier of the other half repeats."""
    counts = np.bincount(labels)
    enough = counts[labels] >= N_FOLDS
    if len(np.unique(labels[enough])) < 2:
        return 0.0
    return cross_validated_accuracy(X[enough], labels[enough], SHARP, N_FOLDS, tol=1e-4)


def prior_of_target(problem: Problem, counts: Array) -> dict[object, float]:
    """The prior of the whole target, from counts of its unlabelled documents: known labels are added."""
    counts = np.maximum(counts, 1.0)  # no class is ruled out
    counts = counts + np.sum([domain.labels.sum(axis=0) for domain in problem.targets], axis=0)
    return dict(zip(problem.classes.tolist(), (counts / counts.sum()).tolist(), strict=True))


def _sample(n: int) -> Positions:
    """All of n, or a fixed draw of as many as are looked at."""
    return np.arange(n) if n <= AT_MOST else np.sort(np.random.default_rng(0).permutation(n)[:AT_MOST])
