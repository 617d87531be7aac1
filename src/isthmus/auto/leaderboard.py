"""Every candidate, what it took, and why it is a member of the ensemble or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isthmus.inspection.tables import plain_table, printed

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Leaderboard:
    """Candidates with their confidence, in the order in which they ran. Prints as a table."""

    rows: list[dict[str, Any]]
    """name, seconds, confidence, agreement with the labels given in the end, and why."""

    def table(self) -> Table:
        cells = []
        for row in self.rows:
            figures = [row["seconds"], row["confidence"], row["agreement"]]
            cells.append([row["name"], *("" if figure is None else f"{figure:.2f}" for figure in figures), row["why"]])
        titles = ("candidate", "seconds", "confidence", "agrees", "why")
        return plain_table(titles, cells, right=("seconds", "confidence", "agrees"))

    def __str__(self) -> str:
        return printed(self.table())
