"""Shares of documents, and how sure one can be of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Interval:
    """A proportion with its 95% confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.0%} (95% interval {self.low:.0%} to {self.high:.0%})"


def wilson(right: int, n: int) -> Interval:
    """Wilson's 95% confidence interval of a proportion.

    >>> print(wilson(18, 20))
    90% (95% interval 70% to 97%)
    """
    z = 1.959964
    share = right / n
    center = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return Interval(share, float(max(center - half, 0)), float(min(center + half, 1)))
