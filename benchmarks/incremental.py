"""CDSC whose documents arrive in batches, beside a fit from scratch after each batch.

    python benchmarks/incremental.py DATA [TASK ...]

Agreement is the share of all target documents so far that have the same label; seconds are of nine batches after the
first, each of a tenth of the target.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from isthmus.bench import Library, load_table
from isthmus.methods.spectral.cdsc import CDSC
from isthmus.methods.spectral.incremental import IncrementalCDSC

N_BATCHES = 10


def main(folder: str, *names: str) -> None:
    """A line for each task."""
    table, library = load_table("tcl"), Library(Path(folder))
    tasks = [task for task in table.tasks if task.corpus == "20news" and (not names or task.name in names)]
    print(f"{'task':<14}{'agreement, lowest':>18}{'at the end':>12}{'seconds, all':>14}{'from scratch':>14}")
    for task in tasks:
        data = library.load(table, task)
        source, target = np.flatnonzero(~data.in_target), np.flatnonzero(data.in_target)
        first, *later = np.array_split(np.random.default_rng(0).permutation(target), N_BATCHES)
        rows = np.concatenate([source, first])
        about: dict[str, Any] = {"sample_domain": data.sample_domain[rows], "target_domain": "target"}
        model = IncrementalCDSC(random_state=0).fit(data.X[rows], data.y[rows], **about)
        agreement, moved, anew = [], 0.0, 0.0
        for batch in later:
            rows = np.append(rows, batch)
            began = perf_counter()
            model.partial_fit(data.X[batch])
            moved += perf_counter() - began
            about = {"sample_domain": data.sample_domain[rows], "target_domain": "target"}
            began = perf_counter()
            fresh = CDSC(random_state=0).fit(data.X[rows], data.y[rows], **about)
            anew += perf_counter() - began
            agreement.append(np.mean((model.transduction_ == fresh.transduction_)[len(source) :]))
        print(
            f"{task.name:<14}{min(agreement):>18.4f}{agreement[-1]:>12.4f}{moved:>14.2f}{anew:>14.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
