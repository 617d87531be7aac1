"""How the fitted rules of the automatic choice follow from the evidence.

Nothing here depends on an earlier fit: the rows say what every answer would have reached, and which of them is given
follows from the rules that are being fitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isthmus.auto import rules
from isthmus.auto.diagnostics import skill
from isthmus.auto.estimate import MOST, beside_source, expected_skill, room, skill_if_even
from isthmus.auto.evidence import EvidenceRow
from isthmus.auto.rules import Indicator, Line, Unrelated
from isthmus.typing import Array

Numbers = dict[str, Any]
"""Of a rule, by name."""

DECIMALS = 6
COVERAGE = 0.9
"""Of how many rows the interval of the estimate holds the accuracy."""
TAILS = (0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01, 0.005)
"""Of rows beyond either end of an interval, as fitted."""


def fit_rules(rows: Sequence[EvidenceRow]) -> dict[str, Numbers]:
    """Every rule's numbers, how many rows they rest on, and how well it fits."""
    related = [row for row in rows if not is_unrelated(row)]
    topic = {name: fit_indicator(name, related) for name in rules.INDICATOR_WEIGHTS}
    unrelated = fit_unrelated(rows)
    line = fit_source_only(related)
    ensemble = [reached(row, topic, unrelated) for row in related]
    alone = [row.source_only_accuracy for row in related]
    return {
        "topic": topic,
        "unrelated": {"rule": unrelated},
        "estimate": {"source_only": line},
        "interval": {
            "ensemble": fit_interval(related, [estimated(row) for row in related], ensemble),
            "if_even": fit_interval(related, [estimated_if_even(row) for row in related], ensemble),
            "source_only": fit_interval(related, [estimated_alone(row, line) for row in related], alone),
        },
    }


def is_unrelated(row: EvidenceRow) -> bool:
    """Whether the task's domains have nothing to do with each other."""
    return row.family == "unrelated"


def fit_indicator(name: str, rows: Sequence[EvidenceRow]) -> Numbers:
    """The middle between the means of topics and of reviews, over whole tasks, and how far each is from it."""
    rows = [row for row in rows if row.draw == "all" and row.kind in ("newsgroups", "reviews")]
    is_topic = np.array([row.kind == "newsgroups" for row in rows])
    values = _column(rows, name)
    topics, others = values[is_topic].mean(), values[~is_topic].mean()
    rule = Indicator((topics + others) / 2, (topics - others) / 2)
    residuals = np.where(is_topic, 1.0, -1.0) - [rule.read(value) for value in values]
    return {"center": rule.center, "scale": rule.scale, **_fit_of(residuals, 2)}


def fit_unrelated(rows: Sequence[EvidenceRow]) -> Numbers:
    """The threshold at which as many of the unrelated tasks are warned of as should be."""
    strange = np.array([is_unrelated(row) for row in rows])
    scores = np.array([unrelated_score(row, 0.0) for row in rows])
    threshold = -float(np.quantile(scores[strange], 1 - rules.FOUND))
    scores = np.array([unrelated_score(row, threshold) for row in rows])
    warned = {"unrelated": float(np.mean(scores[strange] > 0)), "related": float(np.mean(scores[~strange] > 0))}
    highest = float(scores[~strange].max())
    return {"threshold": threshold, "rows": len(rows), "highest_related_score": highest, "warned": warned}


def unrelated_score(row: EvidenceRow, threshold: float) -> float:
    """Above zero, there is a warning."""
    return Unrelated(threshold).score({name: getattr(row, name) for name in rules.UNRELATED_FROM})


def reached(row: EvidenceRow, topic: Mapping[str, Numbers], unrelated: Numbers) -> float:
    """Accuracy of the answer that these rules choose."""
    if unrelated_score(row, unrelated["threshold"]) > rules.CERTAIN:
        return row.source_only_accuracy
    return row.topics_accuracy if _topic_score(row, topic) > 0 else row.other_accuracy


def _topic_score(row: EvidenceRow, topic: Mapping[str, Numbers]) -> float:
    indicators = {
        name: Indicator(topic[name]["center"], topic[name]["scale"], weight)
        for name, weight in rules.INDICATOR_WEIGHTS.items()
    }
    return rules.topic_score({name: getattr(row, name) for name in indicators}, indicators)


def fit_source_only(rows: Sequence[EvidenceRow]) -> Numbers:
    """Least squares of the skill of the source-only classifier."""
    skills = np.array([skill(row.source_only_accuracy, 1 / row.n_classes) for row in rows])
    weights = weights_by_kind(rows)
    numbers, residuals = _least_squares({"confidence": _column(rows, "confidence")}, skills, weights)
    return {**numbers, **_fit_of(residuals, len(numbers), weights)}


def estimated(row: EvidenceRow) -> float:
    """The estimate of the ensemble's accuracy."""
    assert row.agreement is not None
    assert row.reverse_auc is not None
    skill = expected_skill(row.agreement, row.reverse_auc, row.neighbor_skill)
    return beside_source(_accuracy(skill, row.chance), row.source_accuracy)


def estimated_if_even(row: EvidenceRow) -> float:
    """The same as if classes were even, for the warning that labels say little."""
    assert row.agreement is not None
    assert row.reverse_auc is not None
    agreed = skill_if_even(row.agreement, row.chance, row.n_classes)
    found = expected_skill(agreed, row.reverse_auc, row.neighbor_skill)
    return beside_source(_accuracy(found, 1 / row.n_classes), row.source_accuracy)


def estimated_alone(row: EvidenceRow, line: Numbers) -> float:
    """The estimate of the source-only classifier's accuracy."""
    assert row.confidence is not None
    return _accuracy(Line(line["confidence"], line["constant"]).skill(row.confidence), 1 / row.n_classes)


def _accuracy(found: float, chance: float) -> float:
    """From skill, within what is ever expected."""
    return float(np.clip(chance + (1 - chance) * found, chance, MOST))


def fit_interval(rows: Sequence[EvidenceRow], estimates: Sequence[float], accuracies: Sequence[float]) -> Numbers:
    """How far to either side an interval must reach, in units of the room, to hold nine in ten on kinds left out.

    Kinds differ, so that quantiles of some are too narrow for another: the tails are the largest with which each kind
    is held by the others' quantiles, on average, as often as it should be. `error` is how far the estimates are off,
    which nothing was fitted to, and `held` how many rows are held on kinds left out; means over kinds.
    """
    values, truths = np.array(estimates), np.array(accuracies)
    misses = (truths - values) / np.array([room(value) for value in estimates])
    kinds, weights = np.array([row.kind for row in rows]), weights_by_kind(rows)
    for tail in TAILS:
        held = []
        for kind in np.unique(kinds):
            own = kinds == kind
            below, above = _reaches(misses[~own], weights[~own], tail)
            held.append(np.mean((misses[own] >= -below) & (misses[own] <= above)))
        if np.mean(held) >= COVERAGE:
            break
    below, above = _reaches(misses, weights, tail)
    error = np.average(np.abs(truths - values), weights=weights)
    found = {"below": below, "above": above, "tail": tail, "rows": len(rows)}
    return {**found, "error": float(error), "held": float(np.mean(held))}


def _reaches(misses: Array, weights: Array, tail: float) -> tuple[float, float]:
    """Quantiles of rows that count by their weights."""
    order = np.argsort(misses)
    shares = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    low, high = np.interp([tail, 1 - tail], shares, misses[order])
    return float(max(-low, 0.0)), float(max(high, 0.0))


def weights_by_kind(rows: Sequence[EvidenceRow]) -> Array:
    """With which all kinds count alike, however many tasks there are of each."""
    kinds, numbers = np.unique([row.kind for row in rows], return_inverse=True)
    return np.asarray(1 / (len(kinds) * np.bincount(numbers)[numbers]))


def rounded(numbers: Any) -> Any:
    """As they are written down."""
    if isinstance(numbers, dict):
        return {name: rounded(value) for name, value in numbers.items()}
    return round(float(numbers), DECIMALS) if isinstance(numbers, float) else numbers


def _least_squares(
    columns: Mapping[str, Array], y: Array, weights: Array | None = None
) -> tuple[dict[str, float], Array]:
    """The weight of every column, and of a constant; and what is left of y."""
    A = np.column_stack([*columns.values(), np.ones(len(y))])
    root = np.ones(len(y)) if weights is None else np.sqrt(weights)
    line = np.linalg.lstsq(A * root[:, None], y * root, rcond=None)[0]
    return dict(zip((*columns, "constant"), line.tolist(), strict=True)), y - A @ line


def _fit_of(residuals: Array, n_numbers: int, weights: Array | None = None) -> Numbers:
    """How many rows there were, and their residual standard error."""
    n = len(residuals)
    mean_square = float(np.average(np.square(residuals), weights=weights))
    return {"rows": n, "residual_standard_error": (mean_square * n / (n - n_numbers)) ** 0.5}


def _column(rows: Sequence[EvidenceRow], name: str) -> Array:
    values = [getattr(row, name) for row in rows]
    assert None not in values, f"{name} is not known of every row"
    return np.array(values, dtype=np.float64)
