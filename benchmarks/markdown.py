"""A table that `isthmus bench --json` wrote, as Markdown: measured figures with the published ones in brackets.

python benchmarks/markdown.py FILE.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def cell(row: dict[str, Any] | None) -> str:
    """One figure, as precise as the paper prints it."""
    if row is None:
        return ""
    percent = row["metric"] == "accuracy_percent"
    published = "" if row["published"] is None else f" ({row['published']:.{1 if percent else 3}f})"
    return f"{row['mean']:.{1 if percent else 3}f}{published}"


def main() -> None:
    """Tasks down, methods across, a mean row at the end."""
    rows = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["rows"]
    methods, tasks = (list(dict.fromkeys(row[key] for row in rows)) for key in ("method", "task"))
    by_cell = {(row["task"], row["method"]): row for row in rows}
    print("| task |", " | ".join(methods), "|")
    print("|---" * (len(methods) + 1) + "|")
    for task in tasks:
        print(f"| {task} |", " | ".join(cell(by_cell.get((task, method))) for method in methods), "|")
    means = []
    for method in methods:
        own = [by_cell[task, method] for task in tasks if (task, method) in by_cell]
        printed = [row["published"] for row in own if row["published"] is not None]
        complete = sum(printed) / len(printed) if len(printed) == len(own) else None
        means.append(cell({**own[0], "mean": sum(row["mean"] for row in own) / len(own), "published": complete}))
    print("| mean |", " | ".join(means), "|")


if __name__ == "__main__":
    main()
