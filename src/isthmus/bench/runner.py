"""Running methods on tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from time import perf_counter
from typing import Any

import numpy as np

from isthmus.base import TransferClassifier
from isthmus.bench.folds import Fold, crossvalidate
from isthmus.bench.published import load_published
from isthmus.bench.store import Store
from isthmus.data import Library, Table, Task, TaskData
from isthmus.exceptions import DataError, MissingDataError
from isthmus.methods import METHODS

METRICS: dict[str, Callable[[float], float]] = {
    "accuracy_percent": lambda accuracy: 100 * accuracy,
    "accuracy_fraction": lambda accuracy: accuracy,
    "error_rate": lambda accuracy: 1 - accuracy,
}


BY_FOLDS = "roc_auc"
"""The metric of tables that are measured by cross-validation on the target; the others look at `transduction_`."""


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


@dataclass(frozen=True)
class Missing:
    """A task whose data are not here."""

    task: str
    reason: str


class Bench:
    """A paper's table on the data of a library.

    `tasks` and `methods` select rows and columns by name; None means all. `whole` takes all documents where the paper
    draws a sample. A repeat is a seed: of the method's start, of the sample, of the folds.

    After `run`, `folds` holds what was measured on each fold, by task and method, if the table goes by folds.
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
        self._sample = {} if whole else table.sample
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

    def __len__(self) -> int:
        return len(self.tasks) * len(self.methods)

    def run(self) -> Iterator[Row | Missing]:
        """One row after the other: the methods on the first task, then on the next."""
        for task in self.tasks:
            try:
                data = self._library.load(self.table, task)
            except MissingDataError as error:
                yield Missing(task.name, str(error))
                continue
            for method in self.methods:
                yield self._row(task, method, data)

    def _row(self, task: Task, method: str, data: TaskData) -> Row:
        params = self.table.params(task, method)
        key = {
            "table": self.table.name,
            "task": task.name,
            "method": method,
            "params": params,
            "repeats": self.repeats,
            "sample": dict(self._sample),
            "text": self.table.text.get(task.corpus, {}),
            "shape": [*map(int, data.X.shape)],
            "least": data.least,
        }
        stored = self._store.get(key) if self._store else None
        if stored is not None:
            self._remember(task, method, [Fold(**fold) for fold in stored.pop("folds")])
            return Row(**stored)
        estimators, folds = self._estimators(method, params), []
        if self.table.metric == BY_FOLDS:
            rounds = [list(crossvalidate(e, data, seed)) for seed, e in enumerate(estimators)]
            scores = [float(np.mean([fold.auc for fold in one])) for one in rounds]
            folds = [fold for one in rounds for fold in one]
            seconds = [fold.seconds for fold in folds]
        else:
            measured = [self._measure(e, data, seed) for seed, e in enumerate(estimators)]
            scores, seconds = [score for score, _ in measured], [second for _, second in measured]
        row = Row(
            task=task.name,
            method=method,
            metric=self.table.metric,
            mean=float(np.mean(scores)),
            std=float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0,
            repeats=len(scores),
            published=self._published.get((task.name, method)),
            seconds=float(np.mean(seconds)),
            params=_shown(estimators[0]),
        )
        if self._store:
            self._store.put(key, {**asdict(row), "folds": [asdict(fold) for fold in folds]})
        self._remember(task, method, folds)
        return row

    def _remember(self, task: Task, method: str, folds: list[Fold]) -> None:
        if folds:
            self.folds[task.name, method] = folds

    def _estimators(self, method: str, params: dict[str, Any]) -> list[TransferClassifier]:
        """One per repeat; a single one where nothing is random."""
        settings = dict(params)
        build = METHODS[settings.pop("method", method)]
        if "random_state" in build().get_params():
            return [build(**settings, random_state=seed) for seed in range(self.repeats)]
        drawn = self._sample or self.table.metric == BY_FOLDS
        return [build(**settings) for _ in range(self.repeats if drawn else 1)]

    def _measure(self, estimator: TransferClassifier, data: TaskData, seed: int) -> tuple[float, float]:
        drawn = data.drawn(self._sample, seed)
        began = perf_counter()
        estimator.fit(drawn.X, drawn.y, sample_domain=drawn.sample_domain, target_domain=drawn.target_domain)
        seconds = perf_counter() - began
        right = estimator.transduction_[drawn.in_target] == drawn.y[drawn.in_target]
        return METRICS[self.table.metric](float(np.mean(right))), seconds


def _shown(estimator: TransferClassifier) -> dict[str, Any]:
    """The settings that decide a result, in words where JSON has no value for them."""
    quiet = ("random_state", "verbose", "callback")
    shown = {name: value for name, value in estimator.get_params(deep=False).items() if name not in quiet}
    plain = (str, bool, int, type(None))
    return {
        name: value if isinstance(value, plain) or (isinstance(value, float) and isfinite(value)) else str(value)
        for name, value in shown.items()
    }


def _chosen(asked: Sequence[str] | None, known: list[str], what: str, table: str) -> list[str]:
    if not known:
        raise DataError(f"The table {table} has no {what} yet.")
    for name in asked or []:
        if name not in known:
            raise DataError(f"The table {table} has no {what} {name!r}: choose from {', '.join(known)}.")
    return [name for name in known if asked is None or name in asked]
