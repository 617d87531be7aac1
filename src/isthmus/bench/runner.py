"""Running methods on tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from isthmus.bench.families import is_for_development
from isthmus.bench.metrics import METRICS
from isthmus.bench.plan import BY_FOLDS, Plan
from isthmus.bench.protocols import PROTOCOLS, Fold, SelfReport, attempt
from isthmus.bench.published import load_published
from isthmus.bench.store import Store
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, Table, TaskData
from isthmus.exceptions import DataError, MissingDataError

FEW = 20
"""Names that one sentence can list."""


@dataclass(frozen=True)
class Row:
    """A method on a task: what was measured, and what the paper printed."""

    task: str
    method: str
    metric: str
    mean: float
    std: float
    repeats: int
    published: float | None
    seconds: float
    params: dict[str, Any]
    protocol: str = "transfer"
    gap_recovered: float | None = None
    """See `isthmus.bench.summary`."""
    family: str = ""
    half: str = ""
    """Of the tasks of the automatic choice: "development", or "report"."""
    estimated: float | None = None
    """What the method itself expects to reach, in the metric's units, and the interval that it states."""
    low: float | None = None
    high: float | None = None
    chosen: str | None = None
    warning: str | None = None
    calibration_error: float | None = None


@dataclass(frozen=True)
class Missing:
    """A task whose data are not here."""

    task: str
    reason: str


@dataclass(frozen=True)
class Measured:
    """One repeat."""

    score: float
    seconds: float
    """Of a fit."""
    folds: list[Fold]
    """Kept where the table goes by folds."""
    report: SelfReport | None = None
    parts: list[float] = field(default_factory=list)
    """The scores of the folds, where there are several."""


class Bench:
    """A paper's table on the data of a library.

    `tasks` and `methods` select rows and columns by name; None means all. `whole` takes all documents where the paper
    draws a sample. A repeat is a seed: of the method's start, of the sample, of the folds.

    After `run`, `folds` holds what was measured on each fold, by task and method, if the table goes by folds, and
    `parts` the seed and score of each, whatever is measured by folds.
    """

    def __init__(
        self,
        table: Table,
        library: Library,
        store: Store | None = None,
        *,
        repeats: int = 10,
        tasks: Sequence[str] | None = None,
        methods: Sequence[str] | None = None,
        whole: bool = False,
    ) -> None:
        self.sample = {} if whole else table.sample
        self.table = table
        self.repeats = repeats
        known = [*table.columns, *(table.variants if methods else [])]
        self.methods = _chosen(methods, known, "method", table.name)
        names = _chosen(tasks, [task.name for task in table.tasks], "task", table.name)
        self.tasks = [task for task in table.tasks if task.name in names]
        self._library = library
        self._store = store
        self._published = load_published(table.name)
        self.folds: dict[tuple[str, str], list[Fold]] = {}
        self.parts: dict[tuple[str, str], list[tuple[int, float]]] = {}

    def __len__(self) -> int:
        return len(self.tasks) * len(self.methods)

    def run(self) -> Iterator[Row | Missing]:
        """One row after the other: the methods on the first task, then on the next."""
        for task in self.tasks:
            try:
                data = self.load(task)
            except MissingDataError as error:
                yield Missing(task.name, str(error))
                continue
            for method in self.methods:
                yield self.row(task, method, data)

    def load(self, task: Task) -> TaskData:
        """A task's documents; raises `MissingDataError` if they are not here."""
        return self._library.load(self.table, task)

    def prepared(self, task: Task, plan: Plan, data: TaskData) -> TaskData:
        """A task's documents as a column reads them."""
        return self._library.load(self.table.prepared(plan.text), task) if plan.text else data

    def plan(self, task: Task, column: str, changes: Mapping[str, Any] | None = None) -> Plan:
        """A column's method on a task, with some settings changed."""
        return Plan.of(column, {**self.table.params(task, column), **(changes or {})}, self.table.metric_of(task))

    def row(self, task: Task, column: str, data: TaskData, changes: Mapping[str, Any] | None = None) -> Row:
        """Measure a column on a task; with `changes`, as if its settings were these."""
        plan = self.plan(task, column, changes)
        data = self.prepared(task, plan, data)
        varies = plan.random or plan.draws or bool(self.sample)
        repeats = [self._measured(task, plan, data, seed) for seed in range(self.repeats if varies else 1)]
        scores, found = [one.score for one in repeats], [fold for one in repeats for fold in one.folds]
        if found and not changes:
            self.folds[task.name, column] = found
        if not changes:
            self.parts[task.name, column] = [(seed, part) for seed, one in enumerate(repeats) for part in one.parts]
        return Row(
            task=task.name,
            method=column,
            metric=self.table.metric_of(task),
            mean=float(np.mean(scores)),
            std=float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0,
            repeats=len(scores),
            published=None if changes else self._published.get((task.name, column)),
            seconds=float(np.mean([one.seconds for one in repeats])),
            params=plan.shown(),
            protocol=plan.protocol,
            family=task.family,
            half=("development" if is_for_development(task) else "report") if task.family else "",
            **self._self_report(repeats),
        )

    def _self_report(self, repeats: list[Measured]) -> dict[str, Any]:
        """Means of what the method said of itself in each repeat; its words are those of the first."""
        said = [one.report for one in repeats if one.report is not None]
        if not said:
            return {}
        metric = METRICS[self.table.metric].of_accuracy
        ends = [metric(float(np.mean([getattr(one, name) for one in said]))) for name in ("estimated", "low", "high")]
        error = float(np.mean([one.calibration_error for one in said]))
        estimated, low, high = ends[0], min(ends), max(ends)
        words = {"chosen": said[0].chosen, "warning": said[0].warning}
        return {"estimated": estimated, "low": low, "high": high, "calibration_error": error, **words}

    def _measured(self, task: Task, plan: Plan, data: TaskData, seed: int) -> Measured:
        """From the store, if it is there. The key holds all that decides a result and nothing else, so that a point
        of a figure and a cell of the table that are the same run are run once."""
        key = {
            "task": asdict(task),
            "text": self.table.prepared(plan.text).text.get(task.corpus, {}),
            "sample": dict(self.sample),
            "data": data.digest,
            "least": data.least,
            "metric": self.table.metric_of(task),
            "method": plan.method,
            "protocol": plan.protocol,
            "settings": plan.shown(),
            "seed": seed,
        }
        stored = self._store.get(key) if self._store else None
        if stored is not None and (found := _restored(stored)) is not None:
            return found
        measured = self._measure(plan, data.drawn(self.sample, seed), seed, self.table.metric_of(task))
        if self._store:
            self._store.put(key, asdict(measured))
        return measured

    def _measure(self, plan: Plan, data: TaskData, seed: int, metric: str) -> Measured:
        trials = PROTOCOLS[plan.protocol](data, seed, **plan.options)
        outcomes = [attempt(plan.estimator(seed), data, trial) for trial in trials]
        seconds = float(np.mean([outcome.seconds for outcome in outcomes]))
        if metric == BY_FOLDS:
            found = [Fold.of(outcome, seed) for outcome in outcomes]
            parts = [fold.auc for fold in found]
            return Measured(float(np.mean(parts)), seconds, found, parts=parts)
        parts = [METRICS[metric].of_accuracy(outcome.accuracy) for outcome in outcomes]
        by_folds = parts if len(parts) > 1 else []
        return Measured(float(np.mean(parts)), seconds, [], outcomes[0].report, by_folds)


def _restored(stored: dict[str, Any]) -> Measured | None:
    """None if these are not the fields of a result: a damaged one is measured again."""
    try:
        report = SelfReport(**stored["report"]) if stored["report"] else None
        return Measured(**{**stored, "folds": [Fold(**fold) for fold in stored["folds"]], "report": report})
    except (KeyError, TypeError):
        return None


def _chosen(asked: Sequence[str] | None, known: list[str], what: str, table: str) -> list[str]:
    if not known:
        raise DataError(f"The table {table} has no {what} yet.")
    for name in asked or []:
        if name not in known:
            raise DataError(f"The table {table} has no {what} {name!r}: {_advice(name, known, table)}.")
    return [name for name in known if asked is None or name in asked]


def _advice(name: str, known: list[str], table: str) -> str:
    """What to choose from: the names, or of many the nearest and where all are."""
    if len(known) <= FEW:
        return f"choose from {', '.join(known)}"
    near = ", ".join(map(repr, get_close_matches(name, known, cutoff=0.4)))
    return f"{f'nearest are {near}; ' if near else ''}there are {len(known)}"
