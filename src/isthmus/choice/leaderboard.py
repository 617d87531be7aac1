"""Every candidate, what it took, and why it won or fell out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from isthmus.topics import printed


@dataclass(frozen=True)
class Leaderboard:
    """One row per candidate, in the order in which they ran. Prints as a table."""

    rows: list[dict[str, Any]]
    """name, seconds, confidence, agreement with the labels given in the end, and why."""

    def table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("candidate", "seconds", "confidence", "agrees", "why"):
            table.add_column(title, justify="left" if title in ("candidate", "why") else "right", overflow="fold")
        for row in self.rows:
            figures = [row["seconds"], row["confidence"], row["agreement"]]
            cells = [row["name"], *("" if figure is None else f"{figure:.2f}" for figure in figures), row["why"]]
            table.add_row(*map(Text, cells))
        return table

    def __str__(self) -> str:
        return printed(self.table())
