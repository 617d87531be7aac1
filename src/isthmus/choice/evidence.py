"""What can be known without a target label: indicators of one problem and its candidates' answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from isthmus.choice import rules
from isthmus.operators import nearest, unit_rows
from isthmus.problem import Problem
from isthmus.typing import Array, Matrix, Positions

N_NEIGHBOURS = 5
N_FOLDS = 5
AT_MOST = 1000
"""Source documents whose neighbours are looked at."""
HANDFUL = 10
"""Fewer target documents tell nothing about how they lie."""
LEAST_RELIABLE = 0.1
"""So much of a squared difference is never chance."""


@dataclass(frozen=True)
class Evidence:
    """Indicators. None where the candidates that they come from did not run, or where they have no meaning."""

    cut: float | None = None
    """Normalised cut of the target's cosine graph by the classes; about one for classes that have nothing to do with
    what documents are about. None for dense features, such as embeddings: all of their cosines are high, and all of
    their cuts near one. None for signed ones, and with unknown class shares, where self-training may give nearly all
    documents one class."""
    neighbours: float | None = None
    """Skill with which a source document's nearest neighbours tell its class."""
    steadiness: float | None = None
    """Skill with which a long self-training repeats a short one. None with unknown class shares."""
    following: float | None = None
    """Skill with which self-training repeats the source's own classifier; naive Bayes, with unknown class shares."""
    confidence: float | None = None
    """Mean skill that the candidates claim for themselves in the target."""
    likeness: float | None = None
    """Cosine of the differences between class means in source and target, as if documents were many."""
    modesty: float | None = None
    """How much oftener the source's classifier is right on documents that it has not seen than it says, as skill. Where
    documents are few, the candidates are too modest in the target as well."""

    n_documents: float = math.inf
    """Of all domains together."""
    n_free: float = math.inf
    """Of these, those without a label."""
    held: bool = True
    """Whether class shares were known, which hold those that learn from their own labels."""

    @property
    def smallness(self) -> float:
        """Near one for few documents, zero for very many. Fewer than were ever tried are no smaller than these."""
        return 1 / (1 + (max(self.n_documents, rules.FEWEST_DOCUMENTS) / rules.FEW_DOCUMENTS) ** 2)

    @property
    def topicality(self) -> float:
        """Whether the classes are topics: 1 is usual for topics, -1 for anything else."""
        known = {name: getattr(self, name) for name in rules.TOPICAL if getattr(self, name) is not None}
        said = sum(rules.TOPICAL[name].say * rules.TOPICAL[name].read(value) for name, value in known.items())
        return said / max(sum(rules.TOPICAL[name].say for name in known), 1)

    @property
    def strangeness(self) -> float:
        """How unrelated the domains look: doubtful from 0 on, and hardly to be doubted from `rules.CERTAIN` on."""
        if self.likeness is None or self.following is None:
            return -1.0
        rule = rules.UNRELATED if self.held else rules.UNRELATED_AT_UNKNOWN_SHARES
        return rule.likeness * self.likeness + rule.following * self.following + rule.constant - rule.rings_from


def skill(share: float, n_classes: int) -> float:
    """0 at chance, 1 where all is right."""
    return (share - 1 / n_classes) / (1 - 1 / n_classes)


def claimed_skill(distributions: Array) -> float:
    """How sure a candidate is, as skill."""
    return skill(float(distributions.max(axis=1).mean()), distributions.shape[1])


def agreement(first: Array, second: Array) -> float:
    """Share of documents on which two candidates agree, as skill."""
    return skill(float(np.mean(first.argmax(axis=1) == second.argmax(axis=1))), first.shape[1])


def normalised_cut(X: Matrix, numbers: Positions, n_classes: int) -> float | None:
    """Of the graph of all cosines, by classes: the mean share of a class's edges that leave it, one if at random.

    With unit rows N, what a class keeps is the squared length of the sum of its rows, so no graph is ever made.
    None for a handful of documents.
    """
    if X.shape[0] < HANDFUL:
        return None
    rows = unit_rows(X)
    degrees = rows @ np.asarray(rows.sum(axis=0)).ravel() - 1
    left = 0.0
    for number in range(n_classes):
        own = numbers == number
        total = np.asarray(rows[own].sum(axis=0)).ravel()
        left += 1 - (total @ total - own.sum()) / max(degrees[own].sum(), 1e-12) if own.sum() > 1 else 1
    return float(left / (n_classes - 1))


def neighbours_skill(X: Matrix, numbers: Positions, n_classes: int) -> float | None:
    """How often the majority of its nearest neighbours has a labelled document's class."""
    if len(numbers) <= N_NEIGHBOURS:
        return None
    asked = np.random.default_rng(0).permutation(len(numbers))[:AT_MOST]
    found = nearest(X[asked], X, N_NEIGHBOURS + 1).tolil()  # each meets itself
    found[np.arange(len(asked)), asked] = 0
    votes = found.tocsr() > 0
    counts = votes @ np.eye(n_classes)[numbers]
    met = np.asarray(counts).sum(axis=1) > 0
    right = np.asarray(counts).argmax(axis=1) == numbers[asked]
    return skill(float(right[met].mean()), n_classes) if met.any() else None


def modesty(X: Matrix, numbers: Positions, n_classes: int) -> float | None:
    """Skill minus claimed skill of a classifier of held-out labelled documents; None for too few documents."""
    n_folds = min(N_FOLDS, int(np.bincount(numbers, minlength=n_classes).min()))
    if n_folds < 2:
        return None
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    said = cross_val_predict(LogisticRegression(max_iter=1000), X, numbers, cv=folds, method="predict_proba")
    return skill(float(np.mean(said.argmax(axis=1) == numbers)), n_classes) - claimed_skill(said)


def likeness(problem: Problem, numbers: Positions) -> float | None:
    """Cosine between what sets the classes apart in source and target, the target's classes being `numbers`.

    Means of few documents differ by chance as well, which lengthens their differences and brings the cosine down. By
    how much follows from how many documents there are and how they scatter; it is taken off the lengths.

    Classes with fewer than two documents in either are left out. None if fewer than two classes, or a handful of
    target documents, are left.
    """
    X, known = problem.labeled_documents()
    sides = ((X, known), (problem.unlabeled_documents(), numbers))
    sizes = np.stack([np.bincount(classes, minlength=problem.n_classes) for _, classes in sides])
    compared = np.flatnonzero((sizes > 1).all(axis=0))
    if len(compared) < 2 or len(numbers) < HANDFUL:
        return None
    apart, lengths = [], []
    for (rows, classes), counts in zip(sides, sizes[:, compared], strict=True):
        sums = np.stack([np.asarray(unit_rows(rows[classes == number]).sum(axis=0)).ravel() for number in compared])
        means = sums / counts[:, None]
        apart.append(means - means.mean(axis=0))
        square = float(np.vdot(apart[-1], apart[-1]))
        scatter = np.maximum(1 - np.square(means).sum(axis=1), 0) / (counts - 1)
        by_chance = (1 - 1 / len(compared)) * float(scatter.sum())
        lengths.append(max(square - by_chance, LEAST_RELIABLE * square) ** 0.5)
    return float(np.clip(np.vdot(*apart) / max(np.prod(lengths), 1e-12), -1, 1))


def tempered(values: Array, sharpness: float) -> Array:
    """Scores to probabilities."""
    return np.asarray(softmax(sharpness * values, axis=1))
