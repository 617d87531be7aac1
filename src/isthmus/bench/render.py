"""A benchmark as a table to read."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from isthmus.bench.runner import Row

HIGHER_IS_BETTER = {"accuracy_percent": True, "accuracy_fraction": True, "error_rate": False, "roc_auc": True}


def as_table(rows: Sequence[Row], title: str) -> Table:
    """Tasks down, methods across; measured ± deviation, and the paper's figure in brackets. Best of a row in bold."""
    methods = list(dict.fromkeys(row.method for row in rows))
    tasks = list(dict.fromkeys(row.task for row in rows))
    by_cell = {(row.task, row.method): row for row in rows}
    table = Table(title=title, title_justify="left", box=None, header_style="bold")
    table.add_column("task", no_wrap=True)
    for method in methods:
        table.add_column(method, justify="right")
    for task in tasks:
        cells = [by_cell.get((task, method)) for method in methods]
        best = _best([cell for cell in cells if cell is not None])
        table.add_row(task, *(_cell(cell, cell is not None and cell.mean == best) for cell in cells))
    if len(tasks) > 1:
        table.add_section()
        table.add_row("mean", *(_mean([by_cell[t, m] for t in tasks if (t, m) in by_cell]) for m in methods))
    return table


def _best(cells: Sequence[Row]) -> float:
    means = [cell.mean for cell in cells]
    return max(means) if HIGHER_IS_BETTER[cells[0].metric] else min(means)


def _cell(row: Row | None, best: bool) -> str:
    if row is None:
        return ""
    text = _figure(row.mean, row.metric) + (f" ± {_figure(row.std, row.metric)}" if row.repeats > 1 else "")
    published = f" [dim]({_figure(row.published, row.metric)})[/dim]" if row.published is not None else ""
    return (f"[bold]{text}[/bold]" if best else text) + published


def _mean(rows: Sequence[Row]) -> str:
    """Of the measured figures; of the published ones only if the paper has all of them."""
    metric = rows[0].metric
    text = _figure(sum(row.mean for row in rows) / len(rows), metric)
    published = [row.published for row in rows if row.published is not None]
    if len(published) == len(rows):
        text += f" [dim]({_figure(sum(published) / len(published), metric)})[/dim]"
    return text


def _figure(value: float, metric: str) -> str:
    return f"{value:.2f}" if metric == "accuracy_percent" else f"{value:.4f}"
