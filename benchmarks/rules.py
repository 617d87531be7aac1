"""What the numbers in isthmus/choice/rules.py were fitted to: evidence and outcome on half of the tasks.

python benchmarks/rules.py DATA_FOLDER FILE.jsonl [source | unknown]

One line of JSON per task and size: the evidence and the skill that was reached, by the automatic choice and by what it
does without time. At the end, where topics and other classes stand on each indicator; least squares of the skill, with
the error that its interval needs; and of unrelatedness on the alarm's indicators, with how often it would ring. First
for class shares like the source's, then for unknown ones; or for those that are named.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import norm

from isthmus import Auto
from isthmus.auto import rules
from isthmus.auto.diagnostics import skill
from isthmus.bench.families import is_for_development, more_label_shifted, more_unrelated
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, TaskData, load_table

FEW: list[dict[str, int]] = [{"source": 300, "target": 300}, {"source": 300, "target": 2000}]
"""Draws on which the estimate and the alarm have to hold as well."""


def main() -> None:
    """Fit Auto to every development task, and print the rules."""
    warnings.simplefilter("ignore")
    library = Library(Path(sys.argv[1]))
    with Path(sys.argv[2]).open("w", encoding="utf-8") as out:
        for shares in sys.argv[3:] or ("source", "unknown"):
            rows: list[dict[str, Any]] = []
            for task, sample, max_time in trials(shares):
                data = library.load(load_table("auto"), task).drawn(sample, 0)
                found = outcome(data, Auto(target_prior=shares, max_time=max_time, random_state=0))
                rows.append({"task": task.name, "family": task.family, "sample": sample, **found})
                out.write(json.dumps(rows[-1], default=float) + "\n")
                out.flush()
            print(f"Class shares: {shares}")
            (show if shares == "source" else show_at_unknown_shares)(rows)


def trials(shares: str) -> Iterator[tuple[Task, dict[str, int], float | None]]:
    """Tasks, how much is drawn of them, and the time that there is."""
    related = [task for task in load_table("auto").tasks if is_for_development(task)]
    if shares == "unknown":
        related = [task for task in related if task.family in ("label shift", "unrelated")]
        related += [task for task in more_label_shifted() if is_for_development(task)]
        yield from ((task, {}, None) for task in (*related, *more_unrelated()))
        return
    for task in (*(task for task in related if task.family != "label shift"), *more_unrelated()):
        for sample in [{}] if task.family == "four classes" else [{}, *FEW]:
            yield from ((task, sample, max_time) for max_time in (None, 0.0))


def show(rows: list[dict[str, Any]]) -> None:
    """What the rows with the source's shares say."""
    alone = [row for row in rows if row["max_time"] == 0 and row["family"] != "unrelated"]
    rows = [row for row in rows if row["max_time"] is None]
    related = [row for row in rows if row["family"] != "unrelated"]
    print_indicators([row for row in related if not row["sample"]])
    print_estimate("skill", related, ("confidence", "confidence_of_few", "modesty_of_few", "likeness"))
    print_estimate("skill without time", alone, ("confidence",))
    print_alarm(rows, rules.UNRELATED.threshold)


def show_at_unknown_shares(rows: list[dict[str, Any]]) -> None:
    """What the others say."""
    print_estimate("skill", [row for row in rows if row["family"] != "unrelated"], ("confidence",))
    print_alarm(rows, rules.UNRELATED_AT_UNKNOWN_PRIOR.threshold)


def outcome(data: TaskData, auto: Auto) -> dict[str, Any]:
    """The evidence on one task, and what was reached."""
    auto.fit(data.X, data.y, sample_domain=data.sample_domain, target_domain="target")
    right = float(np.mean(auto.transduction_[data.in_target] == data.y[data.in_target]))
    evidence, few = asdict(auto.diagnostics_), auto.diagnostics_.smallness
    of_few = {f"{name}_of_few": evidence[name] * few for name in ("confidence", "modesty")}
    reached = {"right": right, "skill": skill(right, len(auto.classes_))}
    return {"max_time": auto.max_time, **evidence, **of_few, "chance": 1 / len(auto.classes_), **reached}


def print_alarm(rows: list[dict[str, Any]], threshold: float) -> None:
    """Both kinds count alike, and tasks with all their documents as much as those with few of both draws."""
    sizes = np.array([sum(row["sample"].values()) for row in rows])
    strange = np.array([row["family"] == "unrelated" for row in rows])
    weights = np.zeros(len(rows))
    for size in np.unique(sizes):
        for kind in (strange, ~strange):
            weights[kind & (sizes == size)] = (1 if size else 2) / np.sum(kind & (sizes == size))
    names = ("likeness", "following")
    rings = fit_line("unrelated", names, rows, np.where(strange, 1.0, -1.0), weights) > threshold
    for size in np.unique(sizes):
        of_size = sizes == size
        shares = [float(np.mean(rings[kind & of_size])) for kind in (strange, ~strange)]
        print(f"  {size or 'all'} documents: rings in {shares[0]:.0%} of unrelated tasks, {shares[1]:.0%} of related")


def print_indicators(rows: list[dict[str, Any]]) -> None:
    """The middle between the two kinds of tasks, and how far each is from it."""
    for name in rules.TOPIC:
        topics, others = (
            fmean(row[name] for row in rows if (row["family"] == "reviews") == is_other) for is_other in (False, True)
        )
        print(f"{name}: middle {(topics + others) / 2:.3f}, reach {(topics - others) / 2:.3f}")


def print_estimate(what: str, rows: list[dict[str, Any]], names: tuple[str, ...]) -> None:
    """A line for the skill, and the error for which its interval holds nine in ten."""
    reached = np.array([row["skill"] for row in rows])
    chance = np.array([row["chance"] for row in rows])
    expected = np.clip(chance + (1 - chance) * fit_line(what, names, rows, reached), chance, 0.99)
    missed = np.abs((expected - chance) / (1 - chance) - reached)
    room = np.maximum(2 * np.sqrt(expected * (1 - expected)), rules.LEAST_ROOM)
    errors = missed / room / norm.ppf(0.95)
    print(f"error of the estimate: {np.quantile(errors, 0.9):.3f}")


def fit_line(what: str, names: tuple[str, ...], rows: list[dict[str, Any]], y: Any, weights: Any = None) -> Any:
    """Print the line of least squares, and return what it says of each row."""
    A = np.array([[*(row[name] for name in names), 1.0] for row in rows])
    root = np.sqrt(np.ones(len(y)) if weights is None else weights)
    line = np.linalg.lstsq(A * root[:, None], y * root, rcond=None)[0]
    parts = " + ".join(f"{weight:.3f} {name}" for weight, name in zip(line, (*names, "1"), strict=True))
    print(f"{what} = {parts}; mean error {np.abs(A @ line - y).mean():.3f}")
    return A @ line


if __name__ == "__main__":
    main()
