"""The numbers of a table's figures. What a figure is made of stands in its table's toml file; `drawing` draws it.

Kinds, and what their numbers are:

- `sweep`: the table's metric against one setting of a method or of the protocol; the settings of the table otherwise.
- `roc`, `precision-recall`, `boxes`: curves and areas of the folds of a table that goes by folds.
- `eigen-space`: documents in the first two eigenvectors after the constant one.
- `factors`: documents in the factors that a factorization has learned, one for each of two classes.
- `correspondence`: how much each word cluster of the source has to do with each of the target, in percent of all.
- `similarity`: mean cosines between blocks of documents, by class and domain: of their words, and in eigen-space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isthmus.bench.blocks import block_cosines
from isthmus.bench.curves import GRID, mean_precision, mean_roc
from isthmus.bench.eigen import eigen_space
from isthmus.bench.latent import document_factors
from isthmus.bench.plan import BY_FOLDS
from isthmus.bench.protocols import Fold, options_of
from isthmus.bench.runner import Bench
from isthmus.bench.task import Task
from isthmus.bench.tasks import Figure, TaskData
from isthmus.exceptions import DataError, MissingDataError
from isthmus.typing import Array

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Picture:
    """What a figure shows: the table that its CSV holds, and nothing that is not in it but the words around it."""

    figure: Figure
    stem: str
    """The name of its files."""
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    metric: str
    usual: Any = None
    """The setting of the table, among those that a sweep goes through."""


def pictures(bench: Bench, figure: Figure, on_step: Progress = lambda text: None) -> Iterator[Picture]:
    """Compute a figure on those of its tasks that were asked for and are here: one picture, or one for each task."""
    if figure.kind not in KINDS:
        raise DataError(f"The figure {figure.name} has no kind {figure.kind!r}: choose from {', '.join(KINDS)}.")
    yield from KINDS[figure.kind](bench, figure, on_step)


def n_steps(bench: Bench, figure: Figure) -> int:
    """How often `pictures` will report that it has moved on."""
    if figure.kind == "sweep":
        return len(_tasks(bench, figure)) * len(figure.methods) * len(figure.values)
    return len(_tasks(bench, figure))


def _tasks(bench: Bench, figure: Figure) -> list[Task]:
    return [task for task in bench.tasks if not figure.tasks or task.name in figure.tasks]


def _loaded(bench: Bench, figure: Figure) -> Iterator[tuple[Task, TaskData]]:
    for task in _tasks(bench, figure):
        try:
            yield task, bench.load(task)
        except MissingDataError:
            continue  # the table has said so


def _sweep(bench: Bench, figure: Figure, on_step: Progress) -> Iterator[Picture]:
    rows, usual = [], set()
    for task, data in _loaded(bench, figure):
        for method in figure.methods:
            plan = bench.plan(task, method, figure.settings)
            usual.add({**options_of(plan.protocol), **plan.shown()}.get(figure.parameter))
            for value in figure.values:
                row = bench.row(task, method, data, {**figure.settings, figure.parameter: value})
                rows.append((_line(figure, task, method), method, task.name, value, row.mean, row.std, row.repeats))
                on_step(f"{figure.name}: {task.name}")
    if rows:
        header = ("line", "method", "task", figure.parameter, bench.table.metric, "std", "repeats")
        mark = usual.pop() if len(usual) == 1 else None
        yield Picture(figure, figure.name, figure.title, header, rows, bench.table.metric, mark)


def _line(figure: Figure, task: Task, method: str) -> str:
    """What a row of a sweep belongs to; rows of one line are averaged in the drawing."""
    group = {"task": task.name, "corpus": f"{task.corpus}, mean", "all": "mean over tasks"}[figure.lines]
    if len(figure.methods) == 1:
        return group
    return method if figure.lines == "all" or len(figure.tasks) == 1 else f"{method}, {group}"


def _eigen_space(bench: Bench, figure: Figure, on_step: Progress) -> Iterator[Picture]:
    header = ("domain", "class", "second eigenvector", "third eigenvector")
    for task, data in _loaded(bench, figure):
        drawn = data.drawn(bench.sample, 0)
        places = eigen_space(drawn, **figure.settings)
        rows = [
            (domain, label, float(x), float(y))
            for domain, label, (x, y) in zip(drawn.sample_domain, drawn.y, places[:, 1:3], strict=True)
            if np.isfinite(x)
        ]
        on_step(f"{figure.name}: {task.name}")
        yield _of_task(bench, figure, task, header, rows)


def _factors(bench: Bench, figure: Figure, on_step: Progress) -> Iterator[Picture]:
    for task, data in _loaded(bench, figure):
        first, second = np.unique(data.y).tolist()
        header = ("domain", "class", f"factor of {first}", f"factor of {second}")
        (method,) = figure.methods
        places = document_factors(bench.plan(task, method, figure.settings).estimator(0), data)
        labels = zip(data.sample_domain.tolist(), data.y.tolist(), places[:, :2], strict=True)
        # The source's factors are its labels.
        rows = [(domain, label, float(x), float(y)) for domain, label, (x, y) in labels if domain != "source"]
        on_step(f"{figure.name}: {task.name}")
        yield _of_task(bench, figure, task, header, rows)


def _correspondence(bench: Bench, figure: Figure, on_step: Progress) -> Iterator[Picture]:
    header = ("source cluster", "its class", "target cluster", "its class", "percent")
    for task, data in _loaded(bench, figure):
        drawn = data.drawn(bench.sample, 0)
        (method,) = figure.methods
        model = bench.plan(task, method, figure.settings).estimator(0)
        model.fit(drawn.X, drawn.y, sample_domain=drawn.sample_domain, target_domain=drawn.target_domain)
        (pair,) = model.correspondence(np.arange(drawn.X.shape[1]).astype(str))
        rows = [
            (i, pair.source_clusters[i].label, j, pair.target_clusters[j].label, float(share))
            for (i, j), share in np.ndenumerate(pair.shares)
        ]
        on_step(f"{figure.name}: {task.name}")
        yield _of_task(bench, figure, task, header, rows)


def _similarity(bench: Bench, figure: Figure, on_step: Progress) -> Iterator[Picture]:
    header = ("space", "row", "documents of the row", "column", "documents of the column", "mean cosine")
    for task, data in _loaded(bench, figure):
        drawn = data.drawn(bench.sample, 0)
        spaces = {"words": drawn.X}
        for space, settings in figure.settings.items():
            spaces[space] = np.nan_to_num(eigen_space(drawn, **settings))
        rows = []
        for space, X in spaces.items():
            groups, cosines = block_cosines(X, drawn)
            for (i, j), cosine in np.ndenumerate(cosines):
                rows.append((space, i, groups[i], j, groups[j], float(cosine)))
        on_step(f"{figure.name}: {task.name}")
        yield _of_task(bench, figure, task, header, rows)


def _curves(
    up: str, across: str, curve: Callable[[Sequence[Fold]], Array]
) -> Callable[[Bench, Figure, Progress], Iterator[Picture]]:
    def of_each_task(bench: Bench, figure: Figure, on_step: Progress) -> Iterator[Picture]:
        for task, methods in _folds(bench, figure):
            rows = [
                (method, float(x), float(y))
                for method, found in methods.items()
                for x, y in zip(GRID, curve(found), strict=True)
            ]
            on_step(f"{figure.name}: {task.name}")
            yield _of_task(bench, figure, task, ("method", across, up), rows)

    return of_each_task


def _boxes(bench: Bench, figure: Figure, on_step: Progress) -> Iterator[Picture]:
    for task in _tasks(bench, figure):
        found = {method: parts for (name, method), parts in bench.parts.items() if name == task.name and parts}
        rows = [(method, seed, score) for method, parts in found.items() for seed, score in parts]
        on_step(f"{figure.name}: {task.name}")
        if rows:
            yield _of_task(bench, figure, task, ("method", "seed", bench.table.metric_of(task)), rows)


def _folds(bench: Bench, figure: Figure) -> Iterator[tuple[Task, dict[str, list[Fold]]]]:
    if bench.table.metric != BY_FOLDS:
        raise DataError(f"The figure {figure.name} needs folds, and {bench.table.name} does not go by them.")
    for task in _tasks(bench, figure):
        found = {method: folds for (name, method), folds in bench.folds.items() if name == task.name}
        if found:
            yield task, found


def _of_task(
    bench: Bench, figure: Figure, task: Task, header: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> Picture:
    stem = f"{task.name}-{figure.name}".replace(" ", "-")
    return Picture(figure, stem, f"{figure.title}: {task.name}", header, rows, bench.table.metric_of(task))


KINDS: Mapping[str, Callable[[Bench, Figure, Progress], Iterator[Picture]]] = {
    "sweep": _sweep,
    "eigen-space": _eigen_space,
    "factors": _factors,
    "correspondence": _correspondence,
    "similarity": _similarity,
    "roc": _curves("true positive rate", "false positive rate", mean_roc),
    "precision-recall": _curves("precision", "recall", mean_precision),
    "boxes": _boxes,
}
