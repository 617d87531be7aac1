"""A local Dask cluster whose workers are killed in mid-fit, at random moments: are the labels those of one machine?"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib import import_module
from threading import Timer
from typing import Any

import numpy as np

import isthmus
from isthmus.core.cluster import on_cluster
from speed.measure import generated

WORKERS = 4


def killed_workers(documents: int, kills: int) -> Iterator[str]:
    """Lines of a table: one fit for each kill."""
    yield f"\n### A local cluster of {WORKERS} processes ({documents:,} documents)\n"
    yield "| fits | workers killed | fits with every bit the same |"
    yield "|---|---|---|"
    task, rng = generated(documents, 5_000), np.random.default_rng(0)
    expected = task.fit(isthmus.TCL(random_state=0, tol=0, max_iter=15)).label_distributions_
    same = died = 0
    distributed: Any = import_module("distributed")
    with (
        distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        for _ in range(kills):
            pids = list(client.run(os.getpid).values())
            timer = Timer(float(rng.uniform(0, 2)), os.kill, (pids[rng.integers(len(pids))], signal.SIGKILL))
            timer.start()
            with on_cluster(client):
                found = task.fit(isthmus.TCL(random_state=0, tol=0, max_iter=15)).label_distributions_
            died += timer.finished.is_set()
            timer.join()
            same += np.array_equal(found, expected)
    yield f"| {kills} | {died} | {same} |"
