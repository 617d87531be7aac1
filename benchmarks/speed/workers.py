"""An iteration on 1, 2 and 4 workers of a local cluster, beside what the cost model of docs/large.md says it takes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

import isthmus
from isthmus.core.cluster import local_cluster, on_cluster
from isthmus.core.numerics import n_cores
from isthmus.core.parts import row_parts
from speed.measure import generated, iteration_spent

WORDS, ITERATIONS = 30_000, 12
LOOPBACK = 1e9
"""Bytes a second between processes of one machine: a round number, not a measured one."""


def iterations_by_workers(documents: int) -> Iterator[str]:
    """Lines of a table."""
    task = generated(documents, WORDS, dtype=np.float32)
    here = iteration_spent(task, _tcl()).cpu
    parts, classes = len(row_parts(task.target)), len(np.unique(task.y))
    back, width = parts * WORDS * classes * 4, WORDS * classes * 4
    yield f"\n### TCL's iteration on workers ({documents:,} documents, {task.target.nnz:,} non-zeros, {parts} parts)\n"
    yield "| workers | compute, ms | sent, MB | model, ms | measured, ms | measured / model |"
    yield "|---|---|---|---|---|---|"
    distributed: Any = import_module("distributed")
    for n in (1, 2, 4):
        with (
            local_cluster(n, silence_logs="CRITICAL") as cluster,
            distributed.Client(cluster) as client,
            on_cluster(client),
        ):
            iteration_spent(task, _tcl())  # which has workers import what they need
            measured = iteration_spent(task, _tcl()).wall
        compute, sent = here / min(n, n_cores()), back + n * width
        model = compute + sent / LOOPBACK
        yield (
            f"| {n} | {1e3 * compute:.0f} | {sent / 1e6:.1f} | {1e3 * model:.0f} | {1e3 * measured:.0f} "
            f"| {measured / model:.1f} |"
        )


def _tcl() -> isthmus.TCL:
    return isthmus.TCL(random_state=0, tol=0, max_iter=ITERATIONS)
