"""How far a long command is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, Self

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from isthmus.cli.console import errors


class Advance(Protocol):
    """Takes what is done, all that there is to do, if known, and perhaps what is being done."""

    def __call__(self, done: float, total: float | None = None, what: str | None = None) -> None: ...


class Stages:
    """A bar for each stage, on standard error; nothing at all where that is not a terminal."""

    def __init__(self) -> None:
        console = errors()
        description = TextColumn("{task.description}", markup=False)
        columns = (description, BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        self._bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

    @contextmanager
    def stage(self, description: str) -> Iterator[Advance]:
        """One stage; what it yields moves its bar."""
        task = self._bars.add_task(description, total=None)

        def advance(done: float, total: float | None = None, what: str | None = None) -> None:
            self._bars.update(task, completed=done, total=total, description=what or description)

        yield advance
        self._bars.update(task, completed=1, total=1)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()
