"""A table that `isthmus bench --json` wrote, as Markdown: measured figures with the published ones in brackets.

The best of a line is bold. Below stand the mean and the share of the gap that a method recovers.

python benchmarks/markdown.py FILE.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from isthmus.bench import METRICS, Row, best, mean_gap, means
from isthmus.bench.tasks import load_table


def cell(row: Row | None, wins: bool) -> str:
    """One figure, as precise as the paper prints it."""
    if row is None:
        return ""
    written = METRICS[row.metric].written
    shown = f"**{written(row.mean)}**" if wins else written(row.mean)
    return shown if row.published is None else f"{shown} ({written(row.published)})"


def line(name: str, cells: list[str]) -> str:
    """A line of the table."""
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Tasks down, methods across."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    content = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    table, rows = load_table(content["table"]), [Row(**row) for row in content["rows"]]
    methods = list(dict.fromkeys(row.method for row in rows))
    print(line("task", methods))
    print("|---" * (len(methods) + 1) + "|")
    for task in [*dict.fromkeys(row.task for row in rows), "mean"]:
        own = {row.method: row for row in (means(rows) if task == "mean" else rows) if row.task == task}
        wins = best(list(own.values()))
        print(line(task, [cell(own.get(method), method in wins) for method in methods]))
    gaps = [mean_gap(rows, method, table) for method in methods]
    if any(gap is not None for gap in gaps):
        print(line("gap recovered", ["" if gap is None else f"{100 * gap:.0f}%" for gap in gaps]))


if __name__ == "__main__":
    main()
