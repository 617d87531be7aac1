"""What twenty labels of the target are worth: those that are suggested, and a refit with them, as Markdown.

python benchmarks/few_labels.py DATA_FOLDER [LABELS]

Some tasks of each kind of the table "auto", with at most 1,000 documents a side, in two draws. "harmed" are those where
the other documents are right less often with the labels than without, by more than a point. LR has learned the same
labels. How an assumed shift and the members were chosen: on the first draw of these tasks, and looked at on the second.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from isthmus import LR, Auto
from isthmus.bench.families import is_for_development
from isthmus.bench.real import real_tasks
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, load_table
from isthmus.selection import pick_batch

N_LABELS = 20
AT_MOST = {"source": 1000, "target": 1000}
DRAWS = (0, 1)
OF_A_KIND = 8
N_JOBS = 2


def tasks() -> Iterator[Task]:
    """Some of each kind whose domains have something to do with each other."""
    real, by_kind = {task.name for task in real_tasks()}, defaultdict(list)
    for task in load_table("auto").tasks:
        if (task.name in real or is_for_development(task)) and task.family != "unrelated":
            by_kind[task.family].append(task)
    for own in by_kind.values():
        yield from own[:: max(1, len(own) // OF_A_KIND)][:OF_A_KIND]


@cache
def library(data: Path) -> Library:
    """One to a process."""
    return Library(data)


def observe(data: Path, n_labels: int, trial: tuple[Task, int]) -> tuple[float, ...]:
    """Of documents that were not asked about: right without and with the labels, and LR; the estimate with them."""
    warnings.simplefilter("ignore")
    task, draw = trial
    drawn = library(data).load(load_table("auto"), task).drawn(AT_MOST, draw)
    given: dict[str, Any] = {"sample_domain": drawn.sample_domain, "target_domain": drawn.target_domain}
    rows, labeled = np.flatnonzero(drawn.in_target), ~drawn.in_target
    before = Auto(random_state=0).fit(drawn.X, drawn.y, **given)
    texts = [str(row) for row in rows]  # none is a copy of another
    picks = pick_batch(before.label_distributions_[rows], drawn.X[rows], texts, n_labels)
    labeled[rows[[pick.row for pick in picks]]] = True
    after = Auto(random_state=0).fit(drawn.X, drawn.y, sample_labeled=labeled, **given)
    plain = LR(C=10).fit(drawn.X, drawn.y, sample_labeled=labeled, **given)
    left, estimate = drawn.in_target & ~labeled, after.estimated_accuracy_
    found = [float(np.mean((model.transduction_ == drawn.y)[left])) for model in (before, after, plain)]
    return *found, abs(estimate.value - found[1]), float(estimate.low <= found[1] <= estimate.high)


def main() -> None:
    """A line for each kind."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    n_labels = int(sys.argv[2]) if len(sys.argv) == 3 else N_LABELS
    trials = [(task, draw) for task in sorted(tasks(), key=lambda task: task.corpus) for draw in DRAWS]
    with ProcessPoolExecutor(N_JOBS) as pool:
        seen = list(pool.map(partial(observe, Path(sys.argv[1]), n_labels), trials, chunksize=4))
    by_kind = defaultdict(list)
    for (task, _), row in zip(trials, seen, strict=True):
        by_kind[task.family].append(row)
    print(
        f"| kind | trials | Auto | with {n_labels} labels | LR with them | harmed | estimate off by | in its interval |"
    )
    print("|---" * 8 + "|")
    lines = [(kind, len(rows), np.mean(rows, axis=0), harmed(rows)) for kind, rows in by_kind.items()]
    lines.append(("mean of kinds", len(seen), np.mean([line[2] for line in lines], axis=0), harmed(seen)))
    for kind, n, means, n_harmed in lines:
        before, after, plain, off, held = means
        print(f"| {kind} | {n} | {before:.1%} | {after:.1%} | {plain:.1%} | {n_harmed} | {off:.1%} | {held:.0%} |")


def harmed(rows: list[tuple[float, ...]]) -> int:
    """In how many the labels cost more than a point."""
    return sum(after < before - 0.01 for before, after, *_ in rows)


if __name__ == "__main__":
    main()
