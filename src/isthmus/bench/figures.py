"""The figures of a table that goes by folds: ROC and precision-recall curves and box plots, and their numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_curve

from isthmus.bench.folds import Fold
from isthmus.exceptions import DataError
from isthmus.typing import Array

GRID = np.linspace(0, 1, 101)
"""Where curves are read off: false positive rates, or recalls."""

Folds = Mapping[tuple[str, str], Sequence[Fold]]
"""By task and method."""


def require_matplotlib() -> Any:
    """The library that draws, or a sentence about how to get it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise DataError("--figures needs matplotlib: install it with pip install 'isthmus[figures]'.") from error
    return Figure


def mean_roc(folds: Sequence[Fold]) -> Array:
    """True positive rate at each false positive rate of `GRID`, averaged over folds.

    Averaged, not pooled: the probabilities of two fits are not on one scale.
    """
    rates = []
    for fold in folds:
        false, true, _ = roc_curve(fold.positive, fold.scores, drop_intermediate=False)
        rates.append(np.interp(GRID, false, true))
    mean = np.mean(rates, axis=0)
    mean[0] = 0
    return np.asarray(mean)


def mean_precision(folds: Sequence[Fold]) -> Array:
    """Precision at each recall of `GRID`, averaged over folds: the best that reaches at least this recall."""
    levels = []
    for fold in folds:
        precision, recall, _ = precision_recall_curve(fold.positive, fold.scores)
        best = np.maximum.accumulate(precision)  # recall falls along the curve
        reached = np.searchsorted(-recall, -GRID, side="right") - 1
        levels.append(best[reached])
    return np.asarray(np.mean(levels, axis=0))


def write_figures(folds: Folds, folder: Path) -> list[Path]:
    """For each task three figures (PNG) and what they show (CSV); returns the files."""
    figure_of = require_matplotlib()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for task in dict.fromkeys(task for task, _ in folds):
        methods = {method: found for (name, method), found in folds.items() if name == task}
        stem = folder / task.replace(" ", "-")
        for kind, across, up, curve in (
            ("roc", "false positive rate", "true positive rate", mean_roc),
            ("precision-recall", "recall", "precision", mean_precision),
        ):
            curves = {method: curve(found) for method, found in methods.items()}
            figure = figure_of(figsize=(5, 4.5), layout="constrained")
            axes = figure.subplots()
            for method, values in curves.items():
                axes.plot(GRID, values, label=method)
            axes.set(title=task, xlabel=across, ylabel=up, xlim=(0, 1), ylim=(0, 1.02))
            axes.legend(loc="lower right" if kind == "roc" else "lower left")
            points = ([m, x, y] for m, values in curves.items() for x, y in zip(GRID, values, strict=True))
            written += _write(figure, f"{stem}-{kind}", ["method", across, up], points)
        areas = {method: [fold.auc for fold in found] for method, found in methods.items()}
        figure = figure_of(figsize=(5, 4.5), layout="constrained")
        axes = figure.subplots()
        axes.boxplot(list(areas.values()))
        axes.set_xticks(range(1, len(areas) + 1), list(areas))
        axes.set(title=task, ylabel="ROC AUC of a fold")
        rows = ([m, fold.seed, auc] for m in methods for fold, auc in zip(methods[m], areas[m], strict=True))
        written += _write(figure, f"{stem}-auc", ["method", "seed", "ROC AUC"], rows)
    return written


def _write(figure: Any, stem: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Path]:
    picture, numbers = Path(f"{stem}.png"), Path(f"{stem}.csv")
    figure.savefig(picture, dpi=150)
    with numbers.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([header, *rows])
    return [picture, numbers]
