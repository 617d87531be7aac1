"""Averages of what several candidates answer: log-odds, each divided by its spread."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from isthmus.typing import Array

BLOCK = 1 << 13
"""Documents that are averaged together: of millions, the steps in between would take many times their memory."""
MANY = 1 << 16
"""Documents of which no spread is computed at once."""


def centered_log_odds(probabilities: Array) -> Array:
    """Against the mean class."""
    logs = np.maximum(np.asarray(probabilities, dtype=np.float64), 1e-12)
    np.log(logs, out=logs)
    logs -= logs.mean(axis=1, keepdims=True)
    return logs


def spread_of(probabilities: Array) -> float:
    """What a member's log-odds are divided by, so that all are on one scale."""
    if len(probabilities) <= MANY:
        return float(np.std(centered_log_odds(probabilities))) or 1.0 if len(probabilities) else 1.0
    squares = by_blocks(lambda rows: np.square(centered_log_odds(probabilities[rows])).sum(axis=1), len(probabilities))
    return float(squares.mean() / probabilities.shape[1]) ** 0.5 or 1.0  # log-odds against the mean have the mean zero


def combine(probabilities: Sequence[Array], spreads: Sequence[float], weights: Sequence[float]) -> Array:
    """The weighted mean of the members' log-odds over their spreads."""

    def of(rows: slice) -> Array:
        parts = [centered_log_odds(own[rows]) / spread for own, spread in zip(probabilities, spreads, strict=True)]
        return np.asarray(np.average(parts, axis=0, weights=weights))

    return by_blocks(of, len(probabilities[0]))


def by_blocks(function: Callable[[slice], Array], n: int) -> Array:
    """What a function makes of some documents at a time."""
    first = function(slice(0, BLOCK))
    if n <= BLOCK:
        return first
    out = np.empty((n, *first.shape[1:]), dtype=first.dtype)
    out[:BLOCK] = first
    for start in range(BLOCK, n, BLOCK):
        out[start : start + BLOCK] = function(slice(start, start + BLOCK))
    return out
