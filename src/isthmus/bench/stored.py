"""Results that were stored: means of tables, and points of sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

COMES_BACK, PARTLY, DOES_NOT, NOT_RUN = VERDICTS = ("comes back", "partly", "does not", "not run")


@dataclass(frozen=True)
class Judgement:
    """What was measured, in words, and what that says of a claim."""

    measured: str
    verdict: str


@dataclass(frozen=True)
class StoredResults:
    """Stored results, by table."""

    means: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    """By table, task and column."""
    points: Mapping[tuple[str, str], Sequence[tuple[str, str, float, float]]] = field(default_factory=dict)
    """By table and figure: task, method, value of the setting, mean."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """From what `json.loads` makes of a stored file."""
        return cls(
            {(table, task, column): mean for table, task, column, mean in stored["means"]},
            {
                (table, figure): [(task, method, float(value), mean) for task, method, value, mean in points]
                for table, figure, points in stored["sweeps"]
            },
        )

    def mean(self, table: str, task: str, column: str) -> float | None:
        """None for what was not run."""
        return self.means.get((table, task, column))

    def over(self, table: str, column: str, tasks: Iterable[str] = ()) -> float | None:
        """The mean over some tasks, or all that the column has; None if one of them was not run."""
        names = list(tasks) or [task for own, task, name in self.means if (own, name) == (table, column)]
        found = [self.mean(table, task, column) for task in names]
        known = [mean for mean in found if mean is not None]
        return float(np.mean(known)) if known and len(known) == len(found) else None

    def curve(self, table: str, figure: str, tasks: Iterable[str] = (), method: str = "") -> dict[float, float]:
        """The mean over tasks at each value of a sweep."""
        wanted = set(tasks)
        by_value: dict[float, list[float]] = {}
        for task, own, value, mean in self.points.get((table, figure), ()):
            if (not wanted or task in wanted) and (not method or own == method):
                by_value.setdefault(value, []).append(mean)
        return {value: float(np.mean(means)) for value, means in sorted(by_value.items())}
