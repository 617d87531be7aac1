"""Shares of documents, and how sure one can be of them."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest


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
    found = binomtest(right, n).proportion_ci(method="wilson")
    return Interval(right / n, float(found.low), float(found.high))
