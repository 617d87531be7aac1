"""The target's class prior, and pseudo-labels that keep to it.

Label shift is a target prior that is not the source's.
"""

from __future__ import annotations

from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from isthmus.core.labels import spelled_like
from isthmus.core.problem import Problem
from isthmus.typing import Array, Positions

PRIOR_WEIGHT = 10
"""How many labeled target documents an assumed prior is worth."""
LEAST_SHARE = 1e-6
"""Of all classes that a given prior leaves out: too small for a pseudo-label, and nothing is ruled out."""
SWEEPS = 20
"""Rounds of offsets before single documents are moved."""

PRIOR = [StrOptions({"source", "unknown"}), dict]
"""What the parameter `target_prior` may be; see `read_prior`."""


def read_prior(target_prior: Any, problem: Problem) -> Array | None:
    """The prior of the documents to be labeled, or None if it is unknown.

    `target_prior` is about the whole target: "source" is the prior of the labeled source documents, "unknown" none; a
    dict maps classes to their shares, and those that it leaves out have next to none. What is known of the target
    already is taken off. Documents of the source without a label have the source's prior.
    """
    if target_prior == "unknown":
        return None
    prior = _source_prior(problem) if target_prior == "source" else _named_prior(target_prior, problem)
    targets = problem.targets or problem.domains
    known = np.sum([domain.labels.sum(axis=0) for domain in targets], axis=0)
    n_elsewhere = sum(int((~domain.labeled).sum()) for domain in problem.domains if domain not in targets)
    if not (np.any(known) or n_elsewhere):
        return prior
    left = np.maximum(sum(len(domain.rows) for domain in targets) * prior - known, 0)
    if n_elsewhere:
        left = left + n_elsewhere * _source_prior(problem)
    return left / left.sum() if left.any() else prior


def _source_prior(problem: Problem) -> Array:
    """Of the labeled source documents. A class that the source lacks has its share of the labeled target ones.

    Few of these say little: a single one, of a new class, does not make the whole target that class.
    """
    source, target = (
        np.sum([d.labels.sum(axis=0, dtype=np.float64) for d in some], axis=0) + np.zeros(problem.n_classes)
        for some in (problem.labeled_sources, problem.labeled_targets)
    )
    if not source.any():
        return target / target.sum()
    new = np.where(source == 0, target, 0) / (target.sum() + PRIOR_WEIGHT)
    return new + (1 - new.sum()) * source / source.sum()


def _named_prior(target_prior: Any, problem: Problem) -> Array:
    classes = problem.classes.tolist()
    if not set(target_prior) <= set(classes):
        target_prior = dict(zip(spelled_like(target_prior, classes), target_prior.values(), strict=True))
    if not set(target_prior) <= set(classes):
        raise ValueError(
            f"target_prior names {list(target_prior)} and the classes are {classes}: give a probability to these alone."
        )
    for name, share in target_prior.items():
        if not (isinstance(share, Real) and 0 <= float(share) < np.inf):
            raise ValueError(f"target_prior[{name!r}] is {share!r}: give a number from 0 to 1.")
    prior = np.array([target_prior.get(name, 0) for name in classes], dtype=np.float64)
    if not np.isclose(prior.sum(), 1):
        raise ValueError(f"target_prior is {target_prior}: give probabilities that sum to one.")
    absent = prior == 0
    if absent.sum() > len(prior) - 2:
        raise ValueError(
            f"target_prior is {target_prior}: give two classes a share, or there is nothing to tell apart."
        )
    left_over = LEAST_SHARE if absent.any() else 0.0
    return np.where(absent, left_over / max(absent.sum(), 1), prior * (1 - left_over))


def pseudo_labels(scores: Array, prior: Array | None) -> Positions:
    """Pseudo-labels, as class numbers: by the highest score or, where the prior is known, at this prior."""
    return np.asarray(scores.argmax(axis=1)) if prior is None else label_by_rank(scores, prior)


def label_by_rank(scores: Array, prior: Array) -> Positions:
    """Pseudo-labels at a given class prior, with the largest sum of scores that it allows.

    `scores` is documents x classes; `prior` sums to one. Every class gets its share of the documents, rounded. With
    two classes, these are the documents with the largest difference of scores.

    An offset for each class brings the counts near; labels by the largest score plus offset have the largest sum that
    their own counts allow. What is still missing moves along chains of classes, each time the one that costs least,
    which keeps it so (successive shortest paths).

    >>> label_by_rank(np.array([[3.0, 0], [2, 0], [1, 0], [0, 1]]), np.array([0.5, 0.5])).tolist()
    [0, 0, 1, 1]
    """
    scores = np.asarray(scores, dtype=np.float64)
    if not len(scores):
        return np.zeros(0, dtype=np.intp)
    if not np.isfinite(scores).all():  # by what is no number, nothing can be ranked
        raise ValueError("scores holds NaN or an infinite number: give finite scores.")
    wanted = _whole(len(scores) * prior)
    labels = np.asarray((scores + _offsets(scores, wanted)).argmax(axis=1))
    surplus = np.bincount(labels, minlength=len(wanted)) - wanted
    costs = np.stack([_costs(scores, labels, number) for number in range(len(wanted))])
    while surplus.any():
        chain = _cheapest_chain(costs, surplus)
        moves = [(_cheapest(scores, labels, a, b), b) for a, b in pairwise(chain)]
        # Documents with equal scores move together: one by one, thousands of empty ones would take for ever.
        count = min(surplus[chain[0]], -surplus[chain[-1]], *(len(rows) for rows, _ in moves))
        for rows, number in moves:
            labels[rows[:count]] = number
        for number in chain:
            costs[number] = _costs(scores, labels, number)
        surplus[chain[0]] -= count
        surplus[chain[-1]] += count
    return labels


def offsets_at(scores: Array, prior: Array) -> Array:
    """What to add to each class's scores so that the largest are about at this prior.

    >>> scores = np.array([[3.0, 0], [2, 0], [1, 0], [0, 1]])
    >>> (scores + offsets_at(scores, np.array([0.5, 0.5]))).argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    return _offsets(scores, _whole(len(scores) * prior)) if len(scores) else np.zeros(len(prior))


def _whole(sizes: Array) -> Positions:
    """Whole numbers with the same sum: the largest remainders are rounded up."""
    counts = np.asarray(np.floor(sizes + 1e-9), dtype=np.intp)
    missing = round(sizes.sum()) - counts.sum()
    counts[np.argsort(counts - sizes, kind="stable")[:missing]] += 1
    return counts


def _offsets(scores: Array, wanted: Positions) -> Array:
    """What to add to each class's scores so that the largest give about the wanted counts.

    One class at a time gets the offset that is right for the present ones of the others.
    """
    n, n_classes = scores.shape
    offsets = np.zeros(n_classes)
    shifted = np.array(scores.T, order="C")
    for _ in range(SWEEPS):
        if np.array_equal(np.bincount(shifted.argmax(axis=0), minlength=n_classes), wanted):
            break
        for number, count in enumerate(wanted):
            shifted[number] = -np.inf
            margins = shifted.max(axis=0) - scores[:, number]  # an offset above a margin wins the document
            margins.partition((max(count - 1, 0), min(count, n - 1)))
            low = margins[count - 1] if count else margins[0] - 2
            high = margins[count] if count < n else margins[-1] + 2
            offsets[number] = (low + high) / 2
            shifted[number] = scores[:, number] + offsets[number]
    return offsets


def _costs(scores: Array, labels: Positions, number: int) -> Array:
    """What it costs to move a document from a class to each other class: the least of its documents' losses."""
    own = scores[labels == number]
    costs = np.min(own[:, [number]] - own, axis=0, initial=np.inf)
    costs[number] = np.inf
    return np.asarray(costs)


def _cheapest(scores: Array, labels: Positions, number: int, other: int) -> Positions:
    """The documents that cost least to move from a class to another one."""
    rows = np.flatnonzero(labels == number)
    losses = scores[rows, number] - scores[rows, other]
    return rows[losses == losses.min()]


def _cheapest_chain(costs: Array, surplus: Positions) -> list[int]:
    """From a class with too many documents to one with too few, by Bellman and Ford: a move may also gain."""
    n = len(surplus)
    slack = 1e-12 * np.abs(costs[np.isfinite(costs)]).max(initial=0)  # no circles of moves that rounding makes cheap
    distance = np.where(surplus > 0, 0.0, np.inf)
    previous = np.full(n, -1)
    for _ in range(n - 1):
        through = distance[:, None] + costs
        nearer = through.min(axis=0) < distance - slack
        if not nearer.any():
            break
        previous[nearer] = through.argmin(axis=0)[nearer]
        distance[nearer] = through.min(axis=0)[nearer]
    chain = [int(np.where(surplus < 0, distance, np.inf).argmin())]
    while previous[chain[0]] >= 0:
        chain.insert(0, int(previous[chain[0]]))
    return chain
