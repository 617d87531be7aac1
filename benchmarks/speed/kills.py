"""A local Dask cluster whose workers are killed in mid-fit, at random moments: are the labels those of one machine?"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib import import_module
from threading import Timer
from time import perf_counter
from typing import Any

import numpy as np

import isthmus
from isthmus.core.cluster import local_cluster, on_cluster
from speed.measure import generated

WORKERS = 4


def killed_workers(documents: int, kills: int) -> Iterator[str]:
    """Lines of a table: one fit for each kill."""
    yield f"\n### A local cluster of {WORKERS} processes ({documents:,} documents)\n"
    yield "| fits | workers killed | fits with every bit the same |"
    yield "|---|---|---|"
    task, rng = generated(documents, 5_000), np.random.default_rng(0)
    same = died = 0
    distributed: Any = import_module("distributed")
    with local_cluster(WORKERS, silence_logs="CRITICAL") as cluster, distributed.Client(cluster) as client:

        def fitted(where: Any) -> np.ndarray:
            with on_cluster(where):
                return task.fit(isthmus.TCL(random_state=0, tol=0, max_iter=15)).label_distributions_

        expected = fitted(None)
        fitted(client)  # which has workers import what they need
        began, fits = perf_counter(), 0
        fitted(client)
        seconds = perf_counter() - began
        while died < kills:
            pids = list(client.run(os.getpid, on_error="ignore").values())
            timer = Timer(float(rng.uniform(0, seconds)), os.kill, (pids[rng.integers(len(pids))], signal.SIGKILL))
            timer.start()
            same += np.array_equal(fitted(client), expected)
            fits += 1
            died += timer.finished.is_set()
            timer.cancel()
            timer.join()
    yield f"| {fits} | {died} | {same} |"
