"""What a whole table says: the best of a line, means over tasks, and how much of the gap a method recovers.

The gap is what the change of domain costs: the distance from a classifier that has learned from the source alone to
one that has learned from labels of the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isthmus.bench.metrics import METRICS
from isthmus.bench.protocols import OF_TRANSFER, ON_SOURCE
from isthmus.bench.runner import Row
from isthmus.bench.tasks import Table


def best(rows: Sequence[Row]) -> set[str]:
    """The best of several methods, or those that share first place.

    What is measured by other protocols, such as a classifier of the target's own labels, does not compete.
    """
    rows = [row for row in rows if row.protocol in OF_TRANSFER]
    if not rows:
        return set()
    choose = max if METRICS[rows[0].metric].higher_is_better else min
    top = choose(row.mean for row in rows)
    return {row.method for row in rows if row.mean == top}


def means(rows: Sequence[Row]) -> list[Row]:
    """A row for each method, over all tasks; with the mean of the published figures if the paper has all of them."""
    result = []
    for method in dict.fromkeys(row.method for row in rows):
        own = [row for row in rows if row.method == method]
        published = [row.published for row in own if row.published is not None]
        result.append(
            replace(
                own[0],
                task="mean",
                mean=float(np.mean([row.mean for row in own])),
                std=0.0,
                repeats=1,
                published=float(np.mean(published)) if len(published) == len(own) else None,
            )
        )
    return result


def share_recovered(method: float, floor: float, ceiling: float, metric: str) -> float | None:
    """(method - floor) / (ceiling - floor); None where the target's labels are worth nothing.

    >>> from isthmus.bench import share_recovered
    >>> share_recovered(90, 70, 95, "accuracy_percent"), share_recovered(0.125, 0.25, 0.0, "error_rate")
    (0.8, 0.5)
    """
    ahead = METRICS[metric].ahead
    gap = ahead(ceiling, floor)
    return ahead(method, floor) / gap if gap > 0 else None


def with_gaps(rows: Sequence[Row], table: Table) -> list[Row]:
    """The same rows, each with the share that it recovers of its task's gap."""
    return [
        replace(row, gap_recovered=mean_gap([other for other in rows if other.task == row.task], row.method, table))
        for row in rows
    ]


def mean_gap(rows: Sequence[Row], method: str, table: Table) -> float | None:
    """From the means over all tasks that have the method and both ends of the gap.

    A mean of the tasks' own shares would be ruled by the tasks that have hardly a gap.
    """
    by_cell = {(row.task, row.method): row.mean for row in rows if row.protocol not in ON_SOURCE}
    columns = (method, table.floor, table.ceiling)
    tasks = [row.task for row in rows if row.method == method and all((row.task, c) in by_cell for c in columns)]
    if not tasks:
        return None
    own, floor, ceiling = (float(np.mean([by_cell[task, column] for task in tasks])) for column in columns)
    return share_recovered(own, floor, ceiling, rows[0].metric)
