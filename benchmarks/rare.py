"""A class that is rare in the source, in the target or in both: what do labels gain, by accuracy and by macro-F1?

python benchmarks/rare.py DATA_FOLDER

Tasks with two classes of newsgroups, reviews, sentences, Chinese reviews, intents, mail, headlines and comments,
thinned out on both sides until the first class has these shares.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score

from isthmus import LR, Auto
from isthmus.bench.families import newsgroup_splits, review_pairs
from isthmus.bench.real import real_tasks
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, load_table
from isthmus.typing import Mask, Positions

SHARES = ((0.1, 0.1), (0.9, 0.9), (0.3, 0.1), (0.1, 0.3), (0.9, 0.7), (0.1, 0.5))
"""Of the first class in source and target."""
OTHERS = ("banking and travel", "enron1 to enron4", "enron4 to enron1", "dose to clickhole", "eminem to psy")


def tasks() -> Iterator[Task]:
    """Some of each kind."""
    real = real_tasks()
    yield from newsgroup_splits()[::6]
    yield from review_pairs()[::5]
    yield from (task for task in real if task.family == "sentences" and not task.target_prior)
    yield from [task for task in real if task.family == "chinese"][::6]
    yield from (task for task in real if task.name in OTHERS)


@cache
def library(data: Path) -> Library:
    """One to a process."""
    return Library(data)


def thinned(is_first: Mask, rows: Positions, share: float, rng: np.random.Generator) -> Positions:
    """So many of these rows that the first class has this share."""
    own, other = rng.permutation(rows[is_first[rows]]), rng.permutation(rows[~is_first[rows]])
    n = min(len(own) / share, len(other) / (1 - share))
    return np.concatenate([own[: round(n * share)], other[: round(n * (1 - share))]])


def observe(data: Path, trial: tuple[Task, tuple[float, float]]) -> tuple[float, ...]:
    """Accuracy and macro-F1 of LR and of the automatic choice; how far its estimate is off, and whether it holds."""
    warnings.simplefilter("ignore")
    task, shares = trial
    loaded = library(data).load(load_table("auto"), task)
    rng, is_first = np.random.default_rng(0), loaded.y == np.unique(loaded.y)[0]
    sides = [np.flatnonzero(loaded.in_target == own) for own in (False, True)]
    rows = np.sort(
        np.concatenate([thinned(is_first, side, share, rng) for side, share in zip(sides, shares, strict=True)])
    )
    some = replace(loaded, X=loaded.X[rows], y=loaded.y[rows], sample_domain=loaded.sample_domain[rows])
    drawn, truth, found = some.drawn({}, 0), some.y[some.in_target], []
    for method in (LR(), Auto(random_state=0)):
        method.fit(drawn.X, drawn.y, sample_domain=drawn.in_target, target_domain=True)
        labels = method.transduction_[drawn.in_target]
        found += [float(np.mean(labels == truth)), float(f1_score(truth, labels, average="macro"))]
    estimate = method.estimated_accuracy_
    return (*found, abs(estimate.value - found[2]), estimate.low <= found[2] <= estimate.high)


def main() -> None:
    """Print a table."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    every = list(tasks())
    trials = list(product(every, SHARES))
    with ProcessPoolExecutor(2) as pool:
        seen = list(pool.map(partial(observe, Path(sys.argv[1])), trials, chunksize=len(SHARES)))
    print("| in the source | in the target | LR | Auto | harmed | LR, macro-F1 | Auto, macro-F1 | off by | held |")
    print("|---" * 9 + "|")
    for shares in SHARES:
        rows = [found for (_, own), found in zip(trials, seen, strict=True) if own == shares]
        lr, lr_f1, auto, auto_f1, off, held = np.mean(rows, axis=0)
        harmed = sum(row[2] < row[0] - 0.01 for row in rows)
        cells = [*(f"{share:.0%}" for share in shares), f"{100 * lr:.1f}", f"{100 * auto:.1f}"]
        cells += [f"{harmed} of {len(rows)}", *(f"{100 * mean:.1f}" for mean in (lr_f1, auto_f1, off)), f"{held:.0%}"]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
