"""Two ways of labeling the same documents."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from scipy.stats import binomtest

from isthmus.core.labels import spelled_like
from isthmus.core.proportions import Proportion, wilson


@dataclass(frozen=True)
class Comparison:
    """A model beside another one, such as LR without transfer."""

    name: str
    """Of the other one."""
    n: int
    n_right: int
    """Labels of the other one that are right."""
    n_gained: int
    """Documents that the model has right and the other one wrong."""
    n_lost: int

    @property
    def accuracy(self) -> Proportion:
        """Of the other one."""
        return wilson(self.n_right, self.n)

    @property
    def p_value(self) -> float:
        """Of the exact McNemar test: how often as large a difference comes by chance, if both are as good."""
        changed = self.n_gained + self.n_lost
        return float(binomtest(self.n_gained, changed).pvalue) if changed else 1.0

    def as_dict(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "name": self.name,
            "right": self.n_right,
            "accuracy": asdict(self.accuracy),
            "gained": self.n_gained,
            "lost": self.n_lost,
            "p_value": self.p_value,
        }

    def __str__(self) -> str:
        if self.p_value >= 0.05:
            verdict = "the difference may be chance"
        else:
            verdict = "the model is better" if self.n_gained > self.n_lost else f"{self.name} is better"
        return (
            f"{self.name} has {self.n_right:,} of {self.n:,} right, {self.accuracy}. The model is right in "
            f"{self.n_gained:,} that {self.name} has wrong, and wrong in {self.n_lost:,} that it has right: {verdict} "
            f"(McNemar, {'p < 0.001' if self.p_value < 0.001 else f'p = {self.p_value:.2g}'})."
        )


def compare(truth: Collection[Any], labels: Collection[Any], others: Collection[Any], name: str) -> Comparison:
    """Count where the labels of a model and those of another one are right.

    >>> compare(["a", "b", "b"], ["a", "b", "a"], ["b", "b", "a"], "LR").n_gained
    1
    """
    if not len(truth) == len(labels) == len(others):
        lengths = f"truth, labels and others have {len(truth)}, {len(labels)} and {len(others)} entries"
        raise ValueError(f"{lengths}: give one of each for every document.")
    truth = spelled_like(truth, (), "truth")
    if None in truth:
        raise ValueError(f"truth[{truth.index(None)}] is missing: leave out documents whose label nobody knows.")
    right, other = (
        [label == true for label, true in zip(spelled_like(own, truth, argument), truth, strict=True)]
        for own, argument in ((labels, "labels"), (others, "others"))
    )
    pairs = list(zip(right, other, strict=True))
    return Comparison(name, len(truth), sum(other), pairs.count((True, False)), pairs.count((False, True)))
