"""A few target labels: what they say of the target prior, and how they are learned from.

They may have been chosen for being doubtful. So what counts is how they differ from what was expected of these very
documents, and each document counts as much as there are others like it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from scipy.stats import binom

from isthmus.auto import candidates, rules
from isthmus.auto.decide import Decision
from isthmus.auto.diagnostics import skill
from isthmus.auto.estimate import strata
from isthmus.auto.label_shift import prior_of_target
from isthmus.auto.run import Run
from isthmus.typing import Array

USUAL_SHIFT = 0.5
"""Chosen in trials: standard deviation of the shift of a class's log-odds, before any label is seen."""
MOST = 2.0
"""A document counts for no more than two."""
LEARN_TOO = (candidates.MIXTURE, candidates.SAME_DOMAIN)
"""Members that begin anew with the labels, beside the self-training."""
LEAST = 1e-4
"""Of a probability: no label is so surprising that it decides alone."""


def class_they_were_chosen_by(run: Run, decision: Decision, checked: Array) -> int | None:
    """The number of the one class that all known labels are of, if documents seem to have been chosen by it.

    Then the answers have this class oftener among them than elsewhere, and not just by chance. Where they have not,
    the labels tell of a prior that nobody saw.
    """
    counts, known = checked.sum(axis=0), checked.any(axis=1)
    number = int(counts.argmax())
    if counts[number] < counts.sum():
        return None
    answers = decision.scores.argmax(axis=1) == number
    by_chance = binom.sf(answers[known].sum() - 1, known.sum(), answers[run.problem.of_target].mean())
    return number if by_chance < rules.SIGNIFICANCE else None


def shift_by_labels(expected: Array, labels: Array, weights: Array) -> Array:
    """What to add to each class's log-odds, by the labels of documents of which these probabilities were expected.

    Logistic regression with an intercept alone for each class, from which the expected log-odds are given, and with a
    normal prior: classes of which nothing was seen, or what was expected, stay where they are.

    >>> expected = np.array([[0.5, 0.5], [0.9, 0.1]] * 4)
    >>> shift_by_labels(expected, np.eye(2)[[0, 0] * 4], np.ones(8)).round(1).tolist()
    [0.4, -0.4]
    """
    logs = np.log(np.maximum(expected, LEAST))

    def loss(shift: Array) -> tuple[float, Array]:
        found = log_softmax(logs + shift, axis=1)
        surprise = (weights[:, None] * (np.exp(found) - labels)).sum(axis=0)
        penalty = float(shift @ shift) / (2 * USUAL_SHIFT**2)
        return penalty - float((weights[:, None] * labels * found).sum()), surprise + shift / USUAL_SHIFT**2

    return np.asarray(minimize(loss, np.zeros(labels.shape[1]), jac=True, method="L-BFGS-B").x)


def corrected(run: Run, decision: Decision, checked: Array) -> tuple[Any, Decision]:
    """The target prior after a look at labels that are known, and the decision with its answers at that prior."""
    if isinstance(run.asked_for, dict):  # who gives a prior means it; one that was found is corrected
        return run.asked_for, decision
    known, expected = checked.any(axis=1), decision.probabilities
    here = expected[run.problem.of_target]
    own, shares = strata(expected[known].max(axis=1), here.max(axis=1))
    weights = np.minimum((shares / np.bincount(own, minlength=len(shares)).clip(1))[own] * known.sum(), MOST)
    shift = shift_by_labels(expected[known], checked[known], weights)
    counts = softmax(np.log(np.maximum(here, LEAST)) + shift, axis=1).sum(axis=0)
    moved = shift / decision.sharpness
    offsets = [float(old + more) for old, more in zip(decision.offsets, moved, strict=True)]
    return prior_of_target(run.problem, counts), replace(decision, scores=decision.scores + moved, offsets=offsets)


def with_learner(decision: Decision, run: Run, accuracy: float) -> Decision:
    """The same decision, with a self-training that learns from the labels; the answer has yet to follow (`relearned`).

    What was said before them, at the corrected prior, is a member beside it, and keeps it from what few labels cannot
    tell. It counts by its skill, as far as these labels tell that.
    """
    learner, before = candidates.LEARNER, candidates.BEFORE_LABELS
    if not any(name in run.hypotheses for name in decision.members):
        return decision
    members = (learner, *(name for name in decision.members if name in LEARN_TOO), before)
    whys = {learner: "member: learns from the known labels", before: "member: at the prior that the labels tell"}
    rows = [{**row, "why": whys.pop(row["name"], row["why"])} for row in decision.rows]
    rows += [{"name": name, "why": why} for name, why in whys.items()]
    weights = [1.0] * (len(members) - 1) + [max(skill(accuracy, 1 / run.problem.n_classes), 0.0)]
    return replace(decision, members=members, weights=weights, rows=rows)
