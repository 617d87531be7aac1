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

    def percents(self) -> tuple[str, str, str]:
        """The share and its bounds, with tenths where the interval is narrow enough for them to mean something."""
        digits = 1 if self.high - self.low < 0.05 else 0
        return f"{self.value:.{digits}%}", f"{self.low:.{digits}%}", f"{self.high:.{digits}%}"

    def __str__(self) -> str:
        value, low, high = self.percents()
        return f"{value} (95% interval {low} to {high})"


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
