"""What papers count: accuracy in percent or as a fraction, the error rate, the area under the ROC curve."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import NamedTuple


class Metric(NamedTuple):
    """How a paper counts."""

    label: str
    """Of an axis."""
    points: float
    """In a difference of one; less than zero, where less is better."""
    digits: int
    """That papers print."""
    of_accuracy: Callable[[float], float]
    """From the share of labels that are right; NaN where that is not enough."""

    @property
    def higher_is_better(self) -> bool:
        return self.points > 0

    def ahead(self, mean: float, other: float) -> float:
        """By how many points a mean is better than another."""
        return self.points * (mean - other)

    def written(self, mean: float) -> str:
        """As papers print it."""
        return f"{mean:.{self.digits}f}"


METRICS = {
    "accuracy_percent": Metric("accuracy on the target (%)", 1.0, 1, lambda accuracy: 100 * accuracy),
    "accuracy_fraction": Metric("share of the target that is right", 100.0, 3, lambda accuracy: accuracy),
    "error_rate": Metric("error rate on the target", -100.0, 3, lambda accuracy: 1 - accuracy),
    "roc_auc": Metric("area under the ROC curve", 100.0, 3, lambda _: nan),
}
"""By the names that tables have for them."""
