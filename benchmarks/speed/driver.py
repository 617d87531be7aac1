"""What the driver of a local Dask cluster needs for a fit of a matrix in files, however many documents it has.

python -m speed.driver FOLDER fits the matrix in FOLDER, whose first rows are labelled, in a process of its own,
and prints the peak of its resident memory beyond what it had before the fit.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import isthmus
from isthmus.core.cluster import local_cluster, on_cluster
from isthmus.datasets import make_domains
from isthmus.io.matrices import MatrixWriter
from isthmus.text import LogTfidf
from speed.peak import forget_peak, peak_bytes

WORKERS, LABELED, PIECE, WORDS, ITERATIONS = 4, 1_000, 10_000, 10_000, 20


def flat_driver(documents: int) -> Iterator[str]:
    """Lines of a table."""
    yield f"\n### The driver of a local cluster of {WORKERS} processes (TCL, a matrix in files)\n"
    yield "| documents | seconds | resident before the fit, MB | more at its peak, MB | bytes per document |"
    yield "|---|---|---|---|---|"
    for size in (documents, 10 * documents):
        with tempfile.TemporaryDirectory() as folder:
            _write(folder, size)
            command = [sys.executable, "-m", "speed.driver", folder]
            found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        yield (
            f"| {size:,} | {found['seconds']:.0f} | {found['before'] / 1e6:.0f} | {found['more'] / 1e6:.0f} "
            f"| {found['more'] / size:.0f} |"
        )


def _write(folder: str, documents: int) -> None:
    made = make_domains([LABELED, PIECE], n_words=WORDS, mean_length=15, random_state=0)
    X = LogTfidf().fit_transform(made.X).astype(np.float32)
    writer = MatrixWriter(f"{folder}/matrix", WORDS)
    writer.append(X[:LABELED])
    for _ in range(documents // PIECE):
        writer.append(X[LABELED:])
    writer.finish()
    np.save(f"{folder}/y.npy", made.y[:LABELED])


def main() -> None:
    """The driver."""
    distributed: Any = import_module("distributed")
    folder = Path(sys.argv[1])
    X, known = isthmus.open_matrix(folder / "matrix"), np.load(folder / "y.npy")
    with local_cluster(WORKERS, silence_logs="CRITICAL") as cluster, distributed.Client(cluster) as client:
        before, began = forget_peak(), perf_counter()
        y = np.zeros(X.shape[0], dtype=known.dtype)
        y[: len(known)] = known
        domains = np.ones(X.shape[0], dtype=np.int8)
        domains[: len(known)] = 0
        with on_cluster(client):
            model = isthmus.TCL(random_state=0, tol=0, max_iter=ITERATIONS)
            model.fit(X, y, sample_domain=domains, target_domain=1)
        found = {"before": before, "more": peak_bytes() - before, "seconds": perf_counter() - began}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
