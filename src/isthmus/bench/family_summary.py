"""The automatic choice, family by family: what it gains, where transfer is negative, and whether it knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rich.table import Table as Grid

from isthmus.bench.runner import Row
from isthmus.bench.tasks import Table

HARM = 1.0
"""Points under the source's own classifier from which on a task is harmed."""


def as_summary(rows: Sequence[Row], table: Table) -> Iterator[Grid]:
    """For each half and family: means, negative transfer, warnings, errors of the estimates, calibration."""
    claimed = [row for row in rows if row.estimated is not None]
    if not claimed:
        return
    floor = {row.task: row.mean for row in rows if row.method == table.floor}
    grid = Grid(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    figures = ("tasks", table.floor, "Auto", "harmed", "warnings", "estimate off by", "in interval")
    for title in ("half", "family", *figures):
        grid.add_column(title, justify="left" if title in ("half", "family") else "right")
    grid.add_column("calibration error", justify="right")
    for half in dict.fromkeys(row.half for row in claimed):
        for family in dict.fromkeys(row.family for row in claimed):
            own = [row for row in claimed if row.half == half and row.family == family]
            if own:
                grid.add_row(half, family, *_figures(own, floor))
    yield grid


def _figures(rows: Sequence[Row], floor: dict[str, float]) -> list[str]:
    both = [row for row in rows if row.task in floor]
    harmed = sum(row.mean < floor[row.task] - HARM for row in both)
    errors = [abs(row.mean - row.estimated) for row in rows if row.estimated is not None]
    inside = [row.low <= row.mean <= row.high for row in rows if row.low is not None and row.high is not None]
    return [
        str(len(rows)),
        f"{np.mean([floor[row.task] for row in both]):.1f}" if both else "",
        f"{np.mean([row.mean for row in rows]):.1f}",
        str(harmed),
        str(sum(bool(row.warning) for row in rows)),
        f"{np.mean(errors):.1f}",
        f"{np.mean(inside):.0%}",
        f"{np.mean([row.calibration_error for row in rows if row.calibration_error is not None]):.3f}",
    ]
