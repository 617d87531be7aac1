"""Averages of what several candidates answer: log-odds, each divided by its spread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isthmus.typing import Array


def centered_log_odds(probabilities: Array) -> Array:
    """Against the mean class."""
    logs = np.log(np.maximum(np.asarray(probabilities, dtype=np.float64), 1e-12))
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def spread_of(probabilities: Array) -> float:
    """What a member's log-odds are divided by, so that all are on one scale."""
    return float(np.std(centered_log_odds(probabilities))) or 1.0 if len(probabilities) else 1.0


def combine(probabilities: Sequence[Array], spreads: Sequence[float], weights: Sequence[float]) -> Array:
    """The weighted mean of the members' log-odds over their spreads."""
    parts = [centered_log_odds(own) / spread for own, spread in zip(probabilities, spreads, strict=True)]
    return np.asarray(np.average(parts, axis=0, weights=weights))
