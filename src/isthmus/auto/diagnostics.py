"""Diagnostics that need no target label: indicators of one problem and its candidates' answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from isthmus.auto import candidates, rules
from isthmus.auto.label_shift import HANDFUL
from isthmus.auto.run import Run
from isthmus.core.numerics import unit_rows
from isthmus.core.problem import Problem
from isthmus.solvers.spectral import nearest
from isthmus.typing import Array, Matrix, Positions

N_NEIGHBORS = 5
AT_MOST = 1000
"""Source documents whose neighbors are looked at."""
LEAST_RELIABLE = 0.1
"""So much of a squared difference is never chance."""


@dataclass(frozen=True)
class Diagnostics:
    """Label-free diagnostics. None where the candidates that they come from did not run, or where they mean nothing."""

    normalized_cut: float | None = None
    """Of the target's cosine graph by the classes; about one for classes that have nothing to do with what documents
    are about. None for features whose cosines are not for cutting."""
    neighbor_skill: float | None = None
    """Skill with which a source document's nearest neighbors tell its class."""
    agreement: float | None = None
    """Mean agreement of unlike candidates, pair by pair, beyond that of guesses at the target prior (kappa). Where
    their mistakes have little to do with each other, they agree about as often as they are right."""
    reverse_auc: float | None = None
    """AUC, in the source, of a classifier trained on the target with the hypotheses' pseudo-labels."""
    class_mean_cosine: float | None = None
    """Cosine of the differences between class means in source and target, as if documents were many."""
    confidence: float | None = None
    """Skill that the source-only classifier claims for itself in the target."""
    domain_auc: float | None = None
    """AUC of a classifier that tells target from source: about a half where there is no domain shift."""
    source_accuracy: float | None = None
    """Cross-validated in the source. None where the target is another domain, of which it says nothing."""
    chance: float = 0.0
    """How often guesses at the target prior are right: at least one over the number of classes."""
    prior_shift: float = 0.0
    """Total variation between the source's prior and the target prior that candidates went by."""

    n_documents: float = math.inf
    """Of all domains together."""
    n_unlabeled: float = math.inf

    @property
    def topic_score(self) -> float:
        """Whether the classes are topics: 1 is usual for topics, -1 for anything else."""
        return rules.topic_score({name: getattr(self, name) for name in rules.TOPIC}, rules.TOPIC)

    @property
    def unrelated_score(self) -> float:
        """How unrelated the domains look: doubtful from 0 on, and hardly to be doubted from `rules.CERTAIN` on."""
        values = {name: getattr(self, name) for name in rules.UNRELATED_FROM}
        return -1.0 if None in values.values() else rules.UNRELATED.score(values)


def diagnose(run: Run) -> Diagnostics:
    """All indicators of a run."""
    problem, n_classes, answers = run.problem, run.problem.n_classes, run.at_first
    X, known = problem.labeled
    labels = run.labels_at_first
    here = run.looked_at.target
    chance = float(np.sum(np.square(run.prior)))
    across = any(d.is_target for d in problem.domains) and any(not d.is_target for d in problem.domains)
    return Diagnostics(
        normalized_cut=normalized_cut(problem.unlabeled, labels, n_classes) if problem.is_bag_of_words else None,
        neighbor_skill=neighbor_skill(X, known, n_classes),
        agreement=mean_agreement([answers[name][here] for name in candidates.UNLIKE if name in answers], chance),
        reverse_auc=run.reverse_auc,
        class_mean_cosine=class_mean_cosine(problem, labels) if across else None,
        confidence=claimed_skill(answers[candidates.SOURCE_ONLY]),
        domain_auc=run.domain_auc,
        source_accuracy=run.source_accuracy,
        chance=chance,
        prior_shift=run.prior_shift,
        n_documents=X.shape[0] + problem.unlabeled.shape[0],
        n_unlabeled=problem.unlabeled.shape[0],
    )


def mean_agreement(answers: Sequence[Array], chance: float) -> float | None:
    """Of all pairs, beyond chance; None for a single answer."""
    pairs = [np.mean(one.argmax(axis=1) == other.argmax(axis=1)) for one, other in combinations(answers, 2)]
    return skill(float(np.mean(pairs)), chance) if pairs else None


def skill(share: float, chance: float) -> float:
    """0 at chance, 1 where all is right."""
    return (share - chance) / (1 - chance)


def claimed_skill(distributions: Array) -> float:
    """The confidence of a candidate, as skill."""
    return skill(float(distributions.max(axis=1).mean()), 1 / distributions.shape[1])


def normalized_cut(X: Matrix, numbers: Positions, n_classes: int) -> float | None:
    """Of the graph of all cosines, by classes: the mean share of a class's edges that leave it, one if at random.

    With unit rows N, what a class keeps is the squared length of the sum of its rows, so no graph is ever made.
    None for a handful of documents.
    """
    if X.shape[0] < HANDFUL:
        return None
    rows = unit_rows(X)
    degrees = rows @ np.asarray(rows.sum(axis=0)).ravel() - 1
    full = degrees > -0.5  # without words, a document is not even near to itself
    left = 0.0
    for number in range(n_classes):
        own = full & (numbers == number)
        total = np.asarray(rows[own].sum(axis=0)).ravel()
        left += 1 - (total @ total - own.sum()) / max(degrees[own].sum(), 1e-12) if own.sum() > 1 else 1
    return float(left / (n_classes - 1))


def neighbor_skill(X: Matrix, numbers: Positions, n_classes: int) -> float | None:
    """How often the majority of its nearest neighbors has a labeled document's class."""
    if len(numbers) <= N_NEIGHBORS:
        return None
    asked = np.random.default_rng(0).permutation(len(numbers))[:AT_MOST]
    found = nearest(X[asked], X, N_NEIGHBORS + 1).tolil()  # each meets itself
    found[np.arange(len(asked)), asked] = 0
    votes = found.tocsr() > 0
    counts = votes @ np.eye(n_classes)[numbers]
    met = np.asarray(counts).sum(axis=1) > 0
    right = np.asarray(counts).argmax(axis=1) == numbers[asked]
    return skill(float(right[met].mean()), 1 / n_classes) if met.any() else None


def class_mean_cosine(problem: Problem, numbers: Positions) -> float | None:
    """Cosine between what sets the classes apart in source and target, the target's classes being `numbers`.

    Means of few documents differ by chance as well, which lengthens their differences and brings the cosine down. By
    how much follows from how many documents there are and how they scatter; it is taken off the lengths.

    Classes with fewer than two documents in either are left out. None if fewer than two classes, or a handful of
    target documents, are left.
    """
    X, known = problem.labeled
    sides = ((X, known), (problem.unlabeled, numbers))
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
