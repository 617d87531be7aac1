"""Showing how far a long fit is, and letting the user look on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from isthmus.engine import Step

Callback = Callable[[Step], bool | None]


@contextmanager
def watched(description: str, verbose: bool, callback: Callback | None) -> Iterator[Callback]:
    """A function to call after each step: moves the bar, and asks the callback whether to stop."""
    if not verbose:
        yield callback or (lambda step: None)
        return

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("objective {task.fields[objective]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(description, total=None, objective="-")

        def advance(step: Step) -> bool | None:
            bar.update(task, completed=step.iteration, total=step.max_iter, objective=f"{step.objective:.6g}")
            return callback(step) if callback else None

        yield advance
