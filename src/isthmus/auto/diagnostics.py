"""Diagnostics that need no target label: indicators of one problem and its candidates' answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from isthmus.auto import candidates as names
from isthmus.auto import rules
from isthmus.auto.run import Run
from isthmus.core.numerics import unit_rows
from isthmus.core.problem import Problem
from isthmus.solvers.spectral import nearest
from isthmus.typing import Array, Matrix, Positions

N_NEIGHBORS = 5
N_FOLDS = 5
AT_MOST = 1000
"""Source documents whose neighbors are looked at."""
HANDFUL = 10
"""Fewer target documents tell nothing about how they lie."""
LEAST_RELIABLE = 0.1
"""So much of a squared difference is never chance."""


@dataclass(frozen=True)
class Diagnostics:
    """Label-free diagnostics. None where the candidates that they come from did not run, or where they mean nothing."""

    normalized_cut: float | None = None
    """Of the target's cosine graph by the classes; about one for classes that have nothing to do with what documents
    are about. None for dense features, such as embeddings: all of their cosines are high, and all of their cuts near
    one. None for signed ones, and at an unknown prior, where self-training may give nearly all documents one class."""
    neighbor_skill: float | None = None
    """Skill with which a source document's nearest neighbors tell its class."""
    self_training_stability: float | None = None
    """Skill with which a long self-training repeats a short one. None at an unknown prior."""
    source_agreement: float | None = None
    """Skill with which self-training repeats the source-only classifier; naive Bayes, at an unknown prior."""
    confidence: float | None = None
    """Mean skill that the candidates claim for themselves in the target."""
    class_mean_cosine: float | None = None
    """Cosine of the differences between class means in source and target, as if documents were many."""
    underconfidence: float | None = None
    """How much oftener the source's classifier is right on documents that it has not seen than it says, as skill. Where
    documents are few, the candidates are underconfident in the target as well."""

    n_documents: float = math.inf
    """Of all domains together."""
    n_unlabeled: float = math.inf
    prior_known: bool = True
    """Whether a class prior holds those that learn from pseudo-labels."""

    @cached_property
    def smallness(self) -> float:
        """Near one for few documents, zero for very many. Fewer than were ever tried are no smaller than these."""
        return rules.smallness(self.n_documents)

    @property
    def topic_score(self) -> float:
        """Whether the classes are topics: 1 is usual for topics, -1 for anything else."""
        return rules.topic_score({name: getattr(self, name) for name in rules.TOPIC}, rules.TOPIC)

    @property
    def unrelated_score(self) -> float:
        """How unrelated the domains look: doubtful from 0 on, and hardly to be doubted from `rules.CERTAIN` on."""
        if self.class_mean_cosine is None or self.source_agreement is None:
            return -1.0
        rule = rules.UNRELATED if self.prior_known else rules.UNRELATED_AT_UNKNOWN_PRIOR
        return rule.score(self.class_mean_cosine, self.source_agreement)


def diagnose(run: Run) -> Diagnostics:
    """All indicators of a run."""
    problem, n_classes, ensembles = run.problem, run.problem.n_classes, run.ensembles
    X, known = problem.labeled
    unlabeled, answers = problem.unlabeled, run.answers
    source_only = answers[names.SOURCE_ONLY]
    asked = [answers[name] for name in ensembles.confidence_of if name in answers] or [source_only]
    labels = answers.get(ensembles.labels_of, source_only).argmax(axis=1)
    # Naive Bayes takes no negative features; with whom it would agree, self-training agrees more closely.
    compared = next((answers[name] for name in (ensembles.agreement_of, names.SHORT) if name in answers), None)
    both_lengths = names.SHORT in answers and names.LONG in answers
    cuts = sp.issparse(unlabeled) and not problem.is_signed  # cosines of other features are not for cutting
    prior_known = run.target_prior != "unknown"  # where nothing holds its prior, self-training cuts off what it likes
    across = any(d.is_target for d in problem.domains) and any(not d.is_target for d in problem.domains)
    if not (across and ensembles.labels_of in answers):
        compared = None
    return Diagnostics(
        normalized_cut=normalized_cut(unlabeled, labels, n_classes) if cuts and prior_known else None,
        neighbor_skill=neighbor_skill(X, known, n_classes),
        self_training_stability=agreement(answers[names.LONG], answers[names.SHORT]) if both_lengths else None,
        source_agreement=None if compared is None else agreement(compared, source_only),
        confidence=float(np.mean([claimed_skill(answer) for answer in asked])),
        class_mean_cosine=class_mean_cosine(problem, labels),
        underconfidence=underconfidence(X, known, n_classes),
        n_documents=X.shape[0] + unlabeled.shape[0],
        n_unlabeled=unlabeled.shape[0],
        prior_known=prior_known,
    )


def skill(share: float, n_classes: int) -> float:
    """0 at chance, 1 where all is right."""
    return (share - 1 / n_classes) / (1 - 1 / n_classes)


def claimed_skill(distributions: Array) -> float:
    """The confidence of a candidate, as skill."""
    return skill(float(distributions.max(axis=1).mean()), distributions.shape[1])


def agreement(first: Array, second: Array) -> float:
    """Agreement of two candidates: the fraction of documents with one label, as skill."""
    return skill(float(np.mean(first.argmax(axis=1) == second.argmax(axis=1))), first.shape[1])


def normalized_cut(X: Matrix, numbers: Positions, n_classes: int) -> float | None:
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


def neighbor_skill(X: Matrix, numbers: Positions, n_classes: int) -> float | None:
    """How often the majority of its nearest neighbors has a labelled document's class."""
    if len(numbers) <= N_NEIGHBORS:
        return None
    asked = np.random.default_rng(0).permutation(len(numbers))[:AT_MOST]
    found = nearest(X[asked], X, N_NEIGHBORS + 1).tolil()  # each meets itself
    found[np.arange(len(asked)), asked] = 0
    votes = found.tocsr() > 0
    counts = votes @ np.eye(n_classes)[numbers]
    met = np.asarray(counts).sum(axis=1) > 0
    right = np.asarray(counts).argmax(axis=1) == numbers[asked]
    return skill(float(right[met].mean()), n_classes) if met.any() else None


def underconfidence(X: Matrix, numbers: Positions, n_classes: int) -> float | None:
    """Skill minus claimed skill of a classifier of held-out labelled documents; None for too few documents."""
    n_folds = min(N_FOLDS, int(np.bincount(numbers, minlength=n_classes).min()))
    if n_folds < 2:
        return None
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    said = cross_val_predict(LogisticRegression(max_iter=1000), X, numbers, cv=folds, method="predict_proba")
    return skill(float(np.mean(said.argmax(axis=1) == numbers)), n_classes) - claimed_skill(said)


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
