"""How the fitted rules of the automatic choice follow from the evidence.

Nothing here depends on an earlier fit: the rows say what every answer would have reached, and which of them is given
follows from the rules that are being fitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

from isthmus.auto import rules
from isthmus.auto.diagnostics import skill
from isthmus.auto.evidence import EvidenceRow
from isthmus.auto.rules import Indicator, Unrelated
from isthmus.typing import Array

Numbers = dict[str, Any]
"""Of a rule, by name."""

DECIMALS = 6
COVERAGE = 0.9
"""Of how many rows the interval of the estimate holds the skill."""
MOST = 0.99
"""No accuracy above it is ever expected."""
ESTIMATE_FROM = {
    "source": ("confidence", "confidence_of_few", "underconfidence_of_few", "class_mean_cosine"),
    "unknown": ("confidence",),
    "source_only": ("confidence",),
}
"""Chosen: what each line of the estimate goes by."""


def fit_rules(rows: Sequence[EvidenceRow]) -> dict[str, Numbers]:
    """Every rule's numbers, how many rows they rest on, and the residual standard error."""
    known, unknown = ([row for row in rows if row.target_prior == prior] for prior in ("source", "unknown"))
    related, related_at_unknown = ([row for row in own if not is_unrelated(row)] for own in (known, unknown))
    topic = {name: fit_indicator(name, related) for name in rules.INDICATOR_WEIGHTS}
    unrelated = {
        "source": fit_unrelated(known, rules.UNRELATED_THRESHOLD),
        "unknown": fit_unrelated(unknown, rules.UNRELATED_THRESHOLD_AT_UNKNOWN_PRIOR),
    }
    estimate = {
        "source": fit_estimate("source", related, [reached(row, topic, unrelated["source"]) for row in related]),
        "unknown": fit_estimate(
            "unknown", related_at_unknown, [reached(row, topic, unrelated["unknown"]) for row in related_at_unknown]
        ),
        "source_only": fit_estimate("source_only", related, [row.source_only_accuracy for row in related]),
    }
    return {"topic": topic, "unrelated": unrelated, "estimate": estimate, "usual": usual_values(related)}


def is_unrelated(row: EvidenceRow) -> bool:
    """Whether the task's domains have nothing to do with each other."""
    return row.family == "unrelated"


def fit_indicator(name: str, rows: Sequence[EvidenceRow]) -> Numbers:
    """The middle between the means of topics and of reviews, over whole tasks, and how far each is from it."""
    rows = [row for row in rows if row.draw == "all"]
    is_topic = np.array([row.family != "reviews" for row in rows])
    values = _column(rows, name)
    topics, others = values[is_topic].mean(), values[~is_topic].mean()
    rule = Indicator((topics + others) / 2, (topics - others) / 2)
    residuals = np.where(is_topic, 1.0, -1.0) - [rule.read(value) for value in values]
    return {"center": rule.center, "scale": rule.scale, **_fit_of(residuals, 2)}


def fit_unrelated(rows: Sequence[EvidenceRow], threshold: float) -> Numbers:
    """Least squares of 1 for unrelated tasks and -1 for related ones.

    Both kinds count alike, and whole tasks as much as both draws of few documents together.
    """
    strange, draws = np.array([is_unrelated(row) for row in rows]), np.array([row.draw for row in rows])
    weights = np.zeros(len(rows))
    for draw in np.unique(draws):
        for kind in (strange, ~strange):
            weights[kind & (draws == draw)] = (2 if draw == "all" else 1) / np.sum(kind & (draws == draw))
    columns = {name: _column(rows, name) for name in ("class_mean_cosine", "source_agreement")}
    numbers, residuals = _least_squares(columns, np.where(strange, 1.0, -1.0), weights)
    scores = np.where(strange, 1.0, -1.0) - residuals - threshold
    warned = {
        str(draw): {
            "unrelated": float(np.mean(scores[strange & (draws == draw)] > 0)),
            "related": float(np.mean(scores[~strange & (draws == draw)] > 0)),
        }
        for draw in np.unique(draws)
    }
    fit = _fit_of(residuals, 3, weights)
    return {**numbers, **fit, "highest_related_score": scores[~strange].max(), "warned": warned}


def reached(row: EvidenceRow, topic: Mapping[str, Numbers], unrelated: Numbers) -> float:
    """Accuracy of the answer that these rules choose."""
    threshold = (
        rules.UNRELATED_THRESHOLD if row.target_prior == "source" else rules.UNRELATED_THRESHOLD_AT_UNKNOWN_PRIOR
    )
    rule = Unrelated(**{name: unrelated[name] for name in Unrelated._fields[:-1]}, threshold=threshold)
    assert row.class_mean_cosine is not None
    assert row.source_agreement is not None
    if rule.score(row.class_mean_cosine, row.source_agreement) > rules.CERTAIN:
        return row.source_only_accuracy
    indicators = {
        name: Indicator(topic[name]["center"], topic[name]["scale"], weight)
        for name, weight in rules.INDICATOR_WEIGHTS.items()
    }
    score = rules.topic_score({name: getattr(row, name) for name in indicators}, indicators)
    return row.topics_accuracy if score > 0 else row.other_accuracy


def fit_estimate(which: str, rows: Sequence[EvidenceRow], accuracies: Iterable[float]) -> Numbers:
    """Least squares of the skill, and the standard error with which the interval holds that of nine rows in ten."""
    few = np.array([rules.smallness(row.n_documents) for row in rows])
    confidence = _column(rows, "source_only_confidence" if which == "source_only" else "confidence")
    columns = {
        "confidence": confidence,
        "confidence_of_few": confidence * few,
        "underconfidence_of_few": _column(rows, "underconfidence") * few,
        "class_mean_cosine": _column(rows, "class_mean_cosine"),
    }
    skills = np.array([skill(right, row.n_classes) for row, right in zip(rows, accuracies, strict=True)])
    numbers, residuals = _least_squares({name: columns[name] for name in ESTIMATE_FROM[which]}, skills)
    chance = 1 / _column(rows, "n_classes")
    expected = np.clip(chance + (1 - chance) * (skills - residuals), chance, MOST)
    missed = np.abs((expected - chance) / (1 - chance) - skills)
    room = np.maximum(2 * np.sqrt(expected * (1 - expected)), rules.LEAST_ROOM)
    errors = missed / room / norm.ppf((1 + COVERAGE) / 2)
    return {**numbers, "error": np.quantile(errors, COVERAGE), **_fit_of(residuals, len(numbers))}


def usual_values(rows: Sequence[EvidenceRow]) -> Numbers:
    """Means over whole tasks, and the most that was seen in any draw."""
    whole = [row for row in rows if row.draw == "all"]
    means = {name: _column(whole, name).mean() for name in ("underconfidence", "class_mean_cosine")}
    return {**means, "most_underconfidence": _column(rows, "underconfidence").max(), "rows": len(whole)}


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
