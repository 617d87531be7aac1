"""Which classes the target has: those of the source that it lacks, and one that the source lacks (open set).

A class that is there leaves traces in the answers of unlike candidates: they mean the same documents, these look like
the source's documents of that class, those in turn look like these, and pairs of both are nearer to one another than to
anything else (mutual nearest neighbors). If the class is missing, candidates fill it with whatever is left, each in its
own way. How much a class's documents look like one another in the source is what they are measured by: some classes are
hard to tell in any domain. The geometric mean of these traces is the class's presence, and counts beside that of the
other classes: where all are low, the domains lie far apart. A class that has merely become rare (label shift) has fewer
pairs, and leaves the other traces.

Two things speak for a class of the source around a target document: that class's documents have their nearest neighbors
there, and the source-only classifier leans to it. Both are looked at in neighborhoods of the target, beside the other
classes, and for what is usual among documents with that class's pseudo-label: so neither how far the domains lie apart
nor a class prior matters. About documents of a new class nothing is said by either. There are always some of that kind;
where they are too many, the source lacks a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from isthmus.auto import candidates
from isthmus.auto.label_shift import HANDFUL, LookedAt
from isthmus.core.problem import Problem
from isthmus.solvers.spectral import nearest, nearest_others
from isthmus.typing import Array, Mask, Matrix, Positions

MISSING = 0.57
"""Chosen: a class is missing if its presence is less than this part of the median class's."""
EXPECTED = 30
"""Chosen: documents that a class should have; of fewer nothing is said."""
LEAST_TRACE = 0.02
"""No single trace rules a class out."""
LEAST_KINSHIP = 0.05
"""Of a class's documents in the source: what they are measured by is no less."""
SUREST = 0.5
"""So much of what a prior gives a class is looked at, the documents that candidates are surest of."""
N_NEIGHBORS = 5
LEAST_REVERSE_AUC = 0.7
"""Chosen: AUC of reverse validation below which no class is called missing."""

NEW = 0.22
"""Chosen: a class is new where a tenth of the documents are less familiar than this; see `NEW_OF_FEW`."""
NEW_OF_FEW = 0.5
"""This over the root of their number is taken off `NEW`: few documents have an unfamiliar tenth by chance."""
TENTH = 0.1
BLOCK = 10_000
"""Documents whose neighborhoods are held at a time."""
FEWEST = 200
"""Target documents that are looked at; of fewer nothing is said."""
USUAL = 0.8
"""Quantile of a class's documents that counts for one: they are surely its own, even if new ones are among the rest."""
LEAST_USUAL = 0.3
"""Of what is usual in the median class: no class's own is less."""
A_LITTLE = 0.02
"""Of the mean density, added to each, so that a ratio of next to nothing is no evidence."""


def missing_classes(
    problem: Problem, counted: LookedAt, answers: Mapping[str, Array], reverse_auc: float | None = None
) -> list[object]:
    """Names of the source's classes that the target does not seem to have; a label that is known there proves one.

    None of two classes: a target with one class alone is a matter of its prior. None of classes of which hardly any
    documents are to be expected, in either domain. None if unlike candidates did not run, or if features are no words,
    whose cosines tell nothing. None where labels of the target hardly lead back to the source's (reverse validation):
    in another language, nobody looks like anybody.
    """
    if reverse_auc is not None and reverse_auc < LEAST_REVERSE_AUC:
        return []
    unlike = [answers[name] for name in candidates.UNLIKE if name in answers]
    if problem.n_classes < 3 or len(unlike) < 2 or not problem.is_bag_of_words:
        return []
    found = presence(problem, counted, unlike)
    expected = min(map(len, counted)) * problem.class_prior
    gone = (found < MISSING * np.median(found)) & (expected >= EXPECTED)
    for domain in problem.labeled_targets:
        gone &= ~domain.labels.any(axis=0)
    return [name for name, lacks in zip(problem.classes.tolist(), gone, strict=True) if lacks]


def presence(problem: Problem, counted: LookedAt, unlike: list[Array]) -> Array:
    """Of each class in the target, by the answers of unlike candidates: about one where it is as at home as ever."""
    together, across = np.mean(unlike, axis=0), neighbors_across(problem, counted)
    there = together[counted.target]
    traces = [
        concord(unlike),
        support(across, there, problem.class_prior) / np.maximum(kinship(problem, counted), LEAST_KINSHIP),
        reciprocity(across, there),
        mutual_pairs(across, there),
    ]
    return np.asarray(np.exp(np.mean(np.log(np.maximum(traces, LEAST_TRACE)), axis=0)))


def concord(answers: list[Array]) -> Array:
    """For each class, the correlation of the probabilities that candidates give it; the mean over pairs of them."""
    deviations = [answer - answer.mean(axis=0) for answer in answers]
    lengths = [np.maximum(np.linalg.norm(own, axis=0), 1e-12) for own in deviations]
    pairs = [
        (deviations[one] * deviations[other]).sum(axis=0) / (lengths[one] * lengths[other])
        for one, other in combinations(range(len(answers)), 2)
    ]
    return np.clip(np.mean(pairs, axis=0), 0, 1)


class Across(NamedTuple):
    """Which documents of the two domains are near to one another, of those that are looked at."""

    to_source: Matrix
    """A row for each target document, true where its nearest labeled documents are,"""
    to_target: Matrix
    """and one for each labeled document, true where its nearest target documents are."""
    known: Positions
    """The classes of the labeled documents."""


def neighbors_across(problem: Problem, counted: LookedAt) -> Across:
    """In both directions."""
    (X, known), (asked, here) = problem.labeled, counted
    source, target = X[asked], problem.unlabeled[here]
    return Across(
        nearest(target, source, N_NEIGHBORS) > 0,
        nearest(source, target, N_NEIGHBORS) > 0,
        known[asked],
    )


def kinship(problem: Problem, counted: LookedAt) -> Array:
    """For each class, the share of it among the nearest labeled documents of its own ones, themselves left out."""
    (X, known), asked = problem.labeled, counted.source
    votes, own = nearest_others(X[asked], N_NEIGHBORS) > 0, known[asked]
    shares = votes @ np.eye(problem.n_classes)[own] / np.maximum(np.asarray(votes.sum(axis=1)).reshape(-1, 1), 1)
    return own_means(shares, own)


def support(across: Across, probabilities: Array, class_prior: Array) -> Array:
    """For each class, the share of it around the documents that are surest to have it.

    Of as many as the source's prior has, or of those that have its pseudo-label, if they are fewer.
    """
    shares = across.to_source @ np.eye(len(class_prior))[across.known] / N_NEIGHBORS
    given = np.bincount(probabilities.argmax(axis=1), minlength=len(class_prior)) / len(probabilities)
    found = np.zeros(len(class_prior))
    for number, share in enumerate(np.minimum(class_prior, given)):
        n = max(int(SUREST * share * len(probabilities)), N_NEIGHBORS)
        found[number] = shares[np.argsort(-probabilities[:, number], kind="stable")[:n], number].mean()
    return found


def reciprocity(across: Across, probabilities: Array) -> Array:
    """For each class, how much oftener the target documents next to its source documents have its pseudo-label.

    Oftener than those next to any source document, so that a class prior does not matter; twice that, at most one.
    """
    votes = across.to_target @ one_hot(probabilities) / N_NEIGHBORS
    return np.clip(2 * (own_means(votes, across.known) - votes.mean(axis=0)), 0, 1)


def mutual_pairs(across: Across, probabilities: Array) -> Array:
    """For each class, how many mutual nearest neighbors with its pseudo-label its source documents have (Haghverdi)."""
    mutual = across.to_target.multiply(across.to_source.T)
    return own_means(mutual @ one_hot(probabilities), across.known)


def one_hot(probabilities: Array) -> Array:
    """Pseudo-labels, a column for each class."""
    return np.eye(probabilities.shape[1])[probabilities.argmax(axis=1)]


def own_means(values: Array, known: Positions) -> Array:
    """For each class, the mean of its own column over its documents; zero without any."""
    own = np.eye(values.shape[1])[known]
    return np.asarray((own * values).sum(axis=0) / np.maximum(own.sum(axis=0), 1))


def novel_documents(
    problem: Problem, counted: LookedAt, probabilities: Array, labels: Positions, among: Matrix | None = None
) -> Mask | None:
    """Which unlabeled documents are of a class that no labeled document has. None if there seems to be none.

    `probabilities` are the answers of the source-only classifier, and `labels` the pseudo-labels. Novel are those
    around which no class of the source is as dense as the target itself, of these or of more rows that are given. Of
    two classes nothing is said, nor of two and others that hardly any document has.
    """
    here = counted.target
    n_there = int(np.sum(np.bincount(labels[here]) >= HANDFUL))
    if n_there < 3 or len(here) < FEWEST or not problem.is_bag_of_words:
        return None
    votes = Votes(problem, counted)
    if np.quantile(familiarity(votes, probabilities[here], labels[here]), TENTH) >= NEW - NEW_OF_FEW / len(here) ** 0.5:
        return None
    X = problem.unlabeled if among is None else among
    blocks = [X[rows] for rows in gen_batches(X.shape[0], BLOCK)]
    novel = np.concatenate([np.all(votes.density_ratios(votes.around(own)) < 1, axis=1) for own in blocks])
    return novel if novel.any() else None


class Votes:
    """What documents vote for: each for as many as the root of their number, the nearest to it in the target.

    A source that lies elsewhere as a whole has to vote as well, and documents that are near to all of it are near to
    the target's own, too. So what is rare in a ratio of both is rare for no such reason.
    """

    def __init__(self, problem: Problem, counted: LookedAt) -> None:
        (X, known), (asked, here) = problem.labeled, counted
        self._target = problem.unlabeled[here]
        self.own = self.around(self._target)
        """Of the target's documents, as means over a neighborhood."""
        for_classes = (self.around(X[asked]) > 0).T @ np.eye(problem.n_classes)[known[asked]]
        self._densities = [_relative(each) for each in (for_classes, (self.own > 0).sum(axis=0).reshape(-1, 1))]

    def around(self, X: Matrix) -> Matrix:
        """Whose products with columns are means over the neighborhood of each row; none where a row has no word."""
        found = (nearest(X, self._target, round(self._target.shape[0] ** 0.5)) > 0).astype(np.float64)
        counts = np.diff(found.indptr)
        found.data /= np.repeat(counts, counts)
        return found

    def density_ratios(self, around: Matrix) -> Array:
        """In neighborhoods: how dense each class of the source is, for how dense the target is."""
        of_classes, of_target = (around @ each + A_LITTLE for each in self._densities)
        return np.asarray(of_classes / of_target)


def familiarity(votes: Votes, probabilities: Array, labels: Positions) -> Array:
    """Of each document: what speaks for the class that most speaks for, one if as much as usual.

    A class that only its neighbors or only the classifier speak for is none. Documents without a word are left out.
    """
    log_odds = np.log(np.maximum(probabilities, 1e-12))
    views = votes.density_ratios(votes.own), votes.own @ (log_odds - log_odds.mean(axis=0))
    known = np.diff(votes.own.indptr) > 0
    one, other = (np.maximum(for_usual(view[known], labels[known]), 0) for view in views)
    return np.asarray(np.sqrt(one * other).max(axis=1))


def for_usual(values: Array, labels: Positions) -> Array:
    """Of each class beside the mean of the others, for what is usual among documents that have its label."""
    n_classes = values.shape[1]
    beside = values - (values.sum(axis=1, keepdims=True) - values) / (n_classes - 1)
    enough = np.bincount(labels, minlength=n_classes) >= HANDFUL
    usual = np.full(n_classes, np.nan)
    for number in np.flatnonzero(enough):
        usual[number] = np.quantile(beside[labels == number, number], USUAL)
    median = max(float(np.nanmedian(usual)), 1e-12)
    return np.asarray(beside / np.where(enough, np.maximum(usual, LEAST_USUAL * median), median))


def _relative(counts: Array) -> Array:
    """To the mean of each column."""
    counts = np.asarray(counts, dtype=np.float64)
    return counts / np.maximum(counts.mean(axis=0), 1e-12)
