"""Progress of a long fit: a bar, and the user's callback."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Step:
    """Where a fit stands after an iteration; what a callback is given."""

    iteration: int
    max_iter: int | None
    """None where nobody knows before the last one."""
    objective: float
    seconds: float


Callback = Callable[[Step], bool | None]


@dataclass(frozen=True)
class Stage:
    """What a fit that tries several methods works on."""

    name: str
    left: tuple[str, ...]
    """What is to come after it, as far as that is known."""


_listener: ContextVar[Callable[[Stage], None] | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Callable[[Stage], None]) -> Iterator[None]:
    """While this lasts, every stage of a fit in this thread is told to the listener as it begins."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def announce(name: str, left: Iterable[str]) -> None:
    """Tell whoever listens what begins."""
    listener = _listener.get()
    if listener is not None:
        listener(Stage(name, tuple(left)))


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


class Relay:
    """Passes the steps of several runs on as those of one, and stays stopped once it is told to stop."""

    def __init__(self, on_step: Callback, max_iter: int) -> None:
        self._on_step, self._max_iter = on_step, max_iter
        self._done, self._began = 0, perf_counter()
        self.stopped = False

    def __call__(self, step: Step) -> bool:
        self._done += 1
        whole = Step(self._done, self._max_iter, step.objective, perf_counter() - self._began)
        self.stopped = bool(self._on_step(whole))
        return self.stopped
