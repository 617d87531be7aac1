"""Which of the source's classes the target has.

A class that is there leaves three traces in the answers of unlike candidates: they give it some documents, they mean
the same ones, and these look like the source's documents of that class. If the class is missing, candidates that go by
a prior fill it with whatever is left, each in its own way. All three are shares from 0 to 1; their mean is the class's
presence.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from isthmus.auto import candidates as names
from isthmus.auto.label_shift import fixed_draw
from isthmus.core.problem import Problem
from isthmus.solvers.spectral import nearest
from isthmus.typing import Array

MISSING = 0.64
"""Chosen: presence below which a class is missing,"""
BESIDE = 0.8
"""if it is less than this part of the median class's: where all are low, the domains lie far apart."""
SUREST = 0.5
"""So much of what the source's prior gives a class is looked at, the documents that candidates are surest of."""
N_NEIGHBORS = 5


def missing_classes(problem: Problem, answers: Mapping[str, Array]) -> list[object]:
    """Names of the source's classes that the target does not seem to have.

    None of two classes: a target with one class alone is a matter of its prior. None if unlike candidates did not run,
    or if features are no words, whose cosines tell nothing.
    """
    unlike = [answers[name] for name in names.UNLIKE if name in answers]
    if problem.n_classes < 3 or len(unlike) < 2 or not problem.is_bag_of_words:
        return []
    found = presence(problem, unlike, list(answers.values()))
    gone = found < min(MISSING, BESIDE * float(np.median(found)))
    return [name for name, lacks in zip(problem.classes.tolist(), gone, strict=True) if lacks]


def presence(problem: Problem, unlike: list[Array], answers: list[Array]) -> Array:
    """Of each class in the target, from 0 to 1."""
    return (concord(unlike) + support(problem, np.mean(unlike, axis=0)) + relative_shares(problem, answers)) / 3


def concord(answers: list[Array]) -> Array:
    """For each class, the correlation of the probabilities that candidates give it; the mean over pairs of them."""
    deviations = [answer - answer.mean(axis=0) for answer in answers]
    lengths = [np.maximum(np.linalg.norm(own, axis=0), 1e-12) for own in deviations]
    pairs = [
        (deviations[one] * deviations[other]).sum(axis=0) / (lengths[one] * lengths[other])
        for one, other in combinations(range(len(answers)), 2)
    ]
    return np.clip(np.mean(pairs, axis=0), 0, 1)


def support(problem: Problem, probabilities: Array) -> Array:
    """For each class, the share of it among the nearest labelled documents of those that are surest to have it."""
    X, known = problem.labeled
    asked, here = fixed_draw(len(known)), fixed_draw(len(probabilities))
    labels, target = known[asked], problem.unlabeled[here]
    votes = nearest(target, X[asked], N_NEIGHBORS) > 0
    shares = np.asarray(votes @ np.eye(problem.n_classes)[labels]) / N_NEIGHBORS
    found = np.zeros(problem.n_classes)
    for number, share in enumerate(problem.class_prior):
        n = max(int(SUREST * share * len(here)), N_NEIGHBORS)
        found[number] = shares[np.argsort(-probabilities[here, number], kind="stable")[:n], number].mean()
    return found


def relative_shares(problem: Problem, answers: list[Array]) -> Array:
    """For each class, how many documents candidates give it, for as many as the source's prior would; at most one."""
    given = [np.bincount(own.argmax(axis=1), minlength=problem.n_classes) / max(len(own), 1) for own in answers]
    return np.minimum(np.median(given, axis=0) / np.maximum(problem.class_prior, 1e-12), 1)
