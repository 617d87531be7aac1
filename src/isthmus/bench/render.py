"""A benchmark as tables to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table as Grid
from rich.text import Text

from isthmus.bench.metrics import METRICS
from isthmus.bench.runner import Row
from isthmus.bench.summary import best, mean_gap, means
from isthmus.bench.tasks import Table

PADDING = 2


def as_grids(rows: Sequence[Row], table: Table, width: int) -> Iterator[Grid]:
    """Tasks down, methods across: measured ± deviation, and the paper's figure in brackets.

    The best of a row is bold and has a star. Below, the mean, and the share of the gap that a method recovers. Columns
    for which `width` has no room go to a second table.
    """
    methods = list(dict.fromkeys(row.method for row in rows))
    lines = _lines(rows, methods, table)
    widths = [max(len(m), *(len(cells[i]) for cells in lines.values())) for i, m in enumerate(methods)]
    left = max(map(len, lines))
    begin = 0
    while begin < len(methods):
        end = begin + 1
        while end < len(methods) and left + sum(PADDING + w for w in widths[begin : end + 1]) <= width:
            end += 1
        grid = Grid(box=None, header_style="bold", padding=(0, PADDING, 0, 0), pad_edge=False)
        grid.add_column("task", no_wrap=True)
        for method in methods[begin:end]:
            grid.add_column(method, justify="right", no_wrap=True)
        for name, cells in lines.items():
            grid.add_row(name, *cells[begin:end])
        yield grid
        begin = end


def _lines(rows: Sequence[Row], methods: list[str], table: Table) -> dict[str, list[Text]]:
    """Cells by line and method."""
    by_cell = {(row.task, row.method): row for row in rows}
    tasks = list(dict.fromkeys(row.task for row in rows))
    lines = {}
    for task in tasks:
        wins = best([row for row in rows if row.task == task])
        lines[task] = [_cell(by_cell.get((task, method)), method in wins) for method in methods]
    if len(tasks) > 1:
        total = means(rows)
        wins = best(total)
        lines["mean"] = [_cell(row, row.method in wins) for row in total]
    gaps = [mean_gap(rows, method, table) for method in methods]
    if any(gap is not None for gap in gaps):
        lines["gap recovered"] = [Text("" if gap is None else f"{100 * gap:.1f}%") for gap in gaps]
    return lines


def _cell(row: Row | None, best: bool) -> Text:
    if row is None:
        return Text("")
    shown = _figure(row.mean, row.metric) + (f" ± {_figure(row.std, row.metric)}" if row.repeats > 1 else "")
    text = Text().append(f"{shown}*" if best else shown, style="bold" if best else "")
    return text if row.published is None else text.append(f" ({_figure(row.published, row.metric)})", style="dim")


def _figure(value: float, metric: str) -> str:
    """With one digit more than papers print."""
    return f"{value:.{METRICS[metric].digits + 1}f}"
