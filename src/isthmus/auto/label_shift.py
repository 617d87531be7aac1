"""Label shift: hypotheses of the target's class prior, and the evidence that weighs them; and domain shift, if any.

Self-training that is told no prior finds one, the shares of its pseudo-labels. Where all classes weigh the same, a
small one gains; where they do not, a large one. So hypotheses differ by that, and by the features they read beside
words. How much each counts is decided by what its pseudo-labels are worth. Where they find unlike priors, others join
them that never let go of the source, and drift less.

Whether anything has shifted is told by a classifier of the domains and, where that is in doubt, by the source's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import softmax
from scipy.stats import norm
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from isthmus.auto.distinct import distinct_documents
from isthmus.core.problem import Problem
from isthmus.solvers.linear import fit_logistic, log_odds
from isthmus.typing import Array, Mask, Matrix, Positions

AT_MOST = 2000
"""Documents of either side that are looked at."""
HANDFUL = 10
"""Fewer target documents tell nothing about how they lie."""
N_FOLDS = 2
FEWEST = 0.005
"""Chosen: of the documents looked at, a pseudo-label with fewer is no evidence."""
SHARP = 10.0
"""C of the classifier that repeats pseudo-labels."""
TOL = 1e-3
"""Of classifiers that are asked for an order alone."""
SOURCE_FOLDS = 5
"""In which documents of the source are left out."""
Z = float(norm.ppf(0.95))
"""Standard errors that a difference exceeds by chance once in twenty times."""


@dataclass(frozen=True)
class Evidence:
    """What pseudo-labels of the target are worth, without a true one.

    Both are areas under the ROC curve, means over classes: they rank, so that no class prior matters to them, neither
    the source's nor that of the pseudo-labels.
    """

    reverse_auc: float
    """Reverse validation: in the source, of a classifier trained on the pseudo-labeled target."""
    consistency: float
    """In one half of the pseudo-labeled target, of a classifier trained on the other half: labels forced on documents
    in excess cannot be learned."""

    @property
    def total(self) -> float:
        """Their sum.

        How well labels part the target's graph is left out: two topics of a large class part it better than that class
        and a small one.
        """
        return self.reverse_auc + self.consistency


def weights_of(evidence: Sequence[Evidence], n: int) -> Array:
    """How much each hypothesis counts; the weights sum to one.

    Areas of n documents have a standard error of about one over the root of n: a hypothesis that falls behind by so
    much counts for 1/e of the best.
    """
    totals = np.array([own.total for own in evidence])
    return np.asarray(softmax(min(n, AT_MOST) ** 0.5 * totals))


class LookedAt(NamedTuple):
    """Documents that evidence counts, by their positions: of many a fixed draw."""

    source: Positions
    """Among the labeled ones."""
    target: Positions
    """Among the unlabeled ones, of the target alone; of near-duplicates one."""


def looked_at(problem: Problem, of_target: Mask | None = None) -> LookedAt:
    """Which documents evidence counts; `of_target` tells unlabeled ones of the target from those of the source."""
    unlabeled = np.arange(problem.unlabeled.shape[0]) if of_target is None else np.flatnonzero(of_target)
    source, here = fixed_draw(len(problem.labeled[1])), unlabeled[fixed_draw(len(unlabeled))]
    return LookedAt(source, here[distinct_documents(problem.unlabeled[here])])


def evidence_for(views: Sequence[Problem], labels: Positions, counted: LookedAt) -> Evidence:
    """Of pseudo-labels of the unlabeled documents, as class numbers, by those documents that are looked at.

    Where there are embeddings, words are one view and both together another. Each prefers its own: the mean counts.
    Nothing speaks for a hypothesis that gives all but a few documents one label: of these few, any AUC is chance.
    """
    sizes = np.bincount(labels[counted.target])
    here = counted.target[(sizes >= FEWEST * sizes.sum())[labels[counted.target]]]
    counted = LookedAt(counted.source, here)
    found = [(reverse_auc(view, labels, counted), consistency(view.unlabeled[here], labels[here])) for view in views]
    return Evidence(*np.mean(found, axis=0).tolist())


def reverse_auc(problem: Problem, labels: Positions, counted: LookedAt) -> float:
    """AUC, in the source, of a classifier of the pseudo-labeled target."""
    (X, known), (asked, here) = problem.labeled, counted
    return mean_auc(problem.unlabeled[here], labels[here], X[asked], known[asked], C=1.0)


def consistency(X: Matrix, labels: Positions) -> float:
    """AUC, in one half, of a classifier of the other half."""
    enough = np.bincount(labels)[labels] >= N_FOLDS
    X, labels = X[enough], labels[enough]
    if len(np.unique(labels)) < 2:
        return 0.5
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(labels, labels)
    return float(np.mean([mean_auc(X[one], labels[one], X[other], labels[other], SHARP) for one, other in folds]))


def domain_auc(problem: Problem, counted: LookedAt) -> float:
    """AUC of a domain classifier: of target documents against labeled ones, in those that it has not seen.

    About a half, where there is no domain shift.
    """
    rows = np.concatenate([counted.source, len(problem.labeled[1]) + counted.target])
    return consistency(problem.labeled_first[rows], np.repeat([0, 1], [len(own) for own in counted]))


class InSource(NamedTuple):
    """What cross-validation in the source finds."""

    accuracy: float
    is_as_sure: bool
    """Whether the source's classifier is as sure of the target's documents as of those that were left out, but for
    chance: then nothing has shifted that it would notice."""


def validated_in_source(problem: Problem, counted: LookedAt) -> InSource | None:
    """Classes with fewer documents than folds are left out; None of a single one."""
    (X, known), target = problem.labeled, problem.unlabeled[counted.target]
    rows = counted.source[np.bincount(known[counted.source])[known[counted.source]] >= SOURCE_FOLDS]
    X, known = X[rows], known[rows]
    if len(np.unique(known)) < 2:
        return None
    right, sure, sure_there = np.zeros(len(known)), np.zeros(len(known)), np.zeros(target.shape[0])
    for learned, asked in StratifiedKFold(SOURCE_FOLDS, shuffle=True, random_state=0).split(known, known):
        classifier = fit_logistic(X[learned], known[learned], SHARP)
        here, there = (softmax(log_odds(classifier, own), axis=1) for own in (X[asked], target))
        right[asked] = classifier.classes_[here.argmax(axis=1)] == known[asked]
        sure[asked] = here.max(axis=1)
        sure_there += there.max(axis=1) / SOURCE_FOLDS
    by_chance = Z * np.sqrt(sum(np.var(each) / len(each) for each in (sure, sure_there)))
    return InSource(float(right.mean()), bool(sure.mean() - sure_there.mean() <= by_chance))


def mean_auc(X: Matrix, labels: Positions, asked: Matrix, known: Positions, C: float) -> float:
    """Of a classifier of X, in `asked`: the mean over the classes of both, of each against the nearest other.

    A half, if there are none.
    """
    present = np.unique(labels)
    compared = [number for number in present if 0 < np.sum(known == number) < len(known)]
    if len(present) < 2 or not compared:
        return 0.5
    values = log_odds(fit_logistic(X, labels, C, tol=TOL), asked)
    areas = []
    for number in compared:
        own = int(np.searchsorted(present, number))
        margins = values[:, own] - np.delete(values, own, axis=1).max(axis=1)
        areas.append(roc_auc_score(known == number, margins))
    return float(np.mean(areas))


def prior_of_target(problem: Problem, counts: Array) -> dict[object, float]:
    """The prior of the whole target, from counts of its unlabeled documents: known labels are added."""
    counts = np.maximum(counts, 1.0)  # no class is ruled out
    counts = counts + np.sum([domain.labels.sum(axis=0) for domain in problem.targets], axis=0)
    return dict(zip(problem.classes.tolist(), (counts / counts.sum()).tolist(), strict=True))


def fixed_draw(n: int) -> Positions:
    """Of n documents all, or a fixed draw of as many as are looked at."""
    return np.arange(n) if n <= AT_MOST else np.sort(np.random.default_rng(0).permutation(n)[:AT_MOST])
