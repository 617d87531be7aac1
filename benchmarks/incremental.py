"""CDSC whose documents arrive in batches, beside a fit from scratch after each batch.

    python benchmarks/incremental.py DATA [TASK ...]

Agreement is the share of all target documents so far that have the same label, the lowest after any batch. Milliseconds
of the processor are of a batch, a tenth of the target: the second and the last, and beside them fits of all documents
so far. The labels of all documents are read after each batch, which is counted apart. The last table has a stream that
goes on: the tasks' targets, one after the other, all with the source of the first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.bench import Library, load_table
from isthmus.methods.spectral.cdsc import CDSC
from isthmus.methods.spectral.incremental import IncrementalCDSC

N_BATCHES = 10
LONG = 500
"""Documents to a batch of the stream."""
COLUMNS = ("agreement", "batch 2, ms", "batch 10, ms", "labels, ms", "anew 2, ms", "anew 10, ms")


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and milliseconds of the processor."""
    began = process_time()
    found = call()
    return found, 1000 * (process_time() - began)


def measured(data: Any) -> list[float]:
    """A task's line of the table."""
    source, target = np.flatnonzero(~data.in_target), np.flatnonzero(data.in_target)
    first, *later = np.array_split(np.random.default_rng(0).permutation(target), N_BATCHES)
    rows = np.concatenate([source, first])

    def fitted(model: CDSC) -> Any:
        return model.fit(data.X[rows], data.y[rows], sample_domain=data.sample_domain[rows], target_domain="target")

    model = fitted(IncrementalCDSC(random_state=0))
    agreement, lines = [], []
    for batch in later:
        rows = np.append(rows, batch)
        _, joined = timed(partial(model.partial_fit, data.X[batch]))
        labels, read = timed(lambda: model.transduction_)
        fresh, anew = timed(lambda: fitted(CDSC(random_state=0)))
        agreement.append(np.mean((labels == fresh.transduction_)[len(source) :]))
        lines.append((joined, read, anew))
    (second, _, anew_second), (last, read, anew_last) = lines[0], lines[-1]
    return [min(agreement), second, last, read, anew_second, anew_last]


def stream(tasks: list[Any]) -> None:
    """The cost of a batch as documents go on arriving."""
    start = tasks[0]
    X = sp.vstack([data.X[data.in_target] for data in tasks], format="csr")
    order = np.random.default_rng(0).permutation(X.shape[0])
    rows = np.flatnonzero(~start.in_target)
    first = X[order[:LONG]]
    domains = np.append(np.full(len(rows), "source"), np.full(LONG, "target"))
    labels = np.append(start.y[rows], np.full(LONG, start.y[0]))
    model = IncrementalCDSC(random_state=0)
    model.fit(sp.vstack([start.X[rows], first]), labels, sample_domain=domains, target_domain="target")
    print(f"\n{'documents before':>18}{'a batch of ' + str(LONG) + ', ms':>22}{'labels of all, ms':>20}")
    for number, begin in enumerate(range(LONG, len(order) - LONG + 1, LONG)):
        _, joined = timed(partial(model.partial_fit, X[order[begin : begin + LONG]]))
        _, read = timed(lambda: model.transduction_)
        if (number & (number + 1)) == 0:  # after 1, 2, 4, 8, ... batches
            print(f"{begin:>18}{joined:>22.0f}{read:>20.0f}", flush=True)


def main(folder: str, *names: str) -> None:
    """A line for each task, and the stream."""
    table, library = load_table("tcl"), Library(Path(folder))
    tasks = [task for task in table.tasks if task.corpus == "20news" and (not names or task.name in names)]
    print(f"{'task':<14}" + "".join(f"{column:>14}" for column in COLUMNS))
    loaded = []
    for task in tasks:
        loaded.append(library.load(table, task))
        agreement, *costs = measured(loaded[-1])
        print(f"{task.name:<14}{agreement:>14.4f}" + "".join(f"{cost:>14.0f}" for cost in costs), flush=True)
    stream(loaded)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
