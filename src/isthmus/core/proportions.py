"""Shares of documents, and how sure one can be of them."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest


@dataclass(frozen=True)
class Proportion:
    """A proportion with its 95% confidence interval."""

    value: float
    low: float
    high: float

    def percents(self) -> tuple[str, str, str]:
        """The share and its bounds, with tenths where the interval is narrow enough for them to mean something.

        >>> Proportion(0.89, 0.86, 0.912).percents(), Proportion(0.9996, 0.998, 1.0).percents()
        (('89%', '86%', '91%'), ('>99.9%', '99.8%', '100.0%'))
        """
        written = in_tenths if self.high - self.low < 0.05 else "{:.0%}".format
        return written(self.value), written(self.low), written(self.high)

    def __str__(self) -> str:
        value, low, high = self.percents()
        return f"{value} (95% interval {low} to {high})"


def in_tenths(share: float) -> str:
    """Percents. What is next to nothing, or nearly all, is not rounded to nothing or all.

    >>> in_tenths(0.034), in_tenths(0.0002), in_tenths(0.0), in_tenths(0.9996)
    ('3.4%', '<0.1%', '0.0%', '>99.9%')
    """
    written = f"{share:.1%}"
    if written == "0.0%" and share > 0:
        return "<0.1%"
    return ">99.9%" if written == "100.0%" and share < 1 else written


def wilson(right: int, n: int) -> Proportion:
    """Wilson's 95% confidence interval of a proportion.

    >>> print(wilson(18, 20))
    90% (95% interval 70% to 97%)
    """
    found = binomtest(right, n).proportion_ci(method="wilson")
    return Proportion(right / n, float(found.low), float(found.high))
