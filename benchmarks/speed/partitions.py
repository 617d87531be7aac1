"""Files of documents labeled by the workers of a local cluster: what the driver needs, and what kills change.

python -m speed.partitions ANSWER MODEL FOLDER OUTPUT KILLS labels the files of a folder, kills workers meanwhile, and
writes the peak of the driver's resident memory and the number of those that died to the file ANSWER.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import Any

import numpy as np

import isthmus
from isthmus.datasets import make_domains
from speed.peak import peak_bytes

WORKERS, FILES, LABELED = 4, 20, 1_000


def labeled_partitions(documents: int, kills: int) -> Iterator[str]:
    """Lines of a table."""
    yield f"\n### Files labeled by a local cluster of {WORKERS} processes (`isthmus predict --cluster`)\n"
    yield "| documents | files | workers killed | seconds | driver's peak, MB | files as without kills |"
    yield "|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = _write_model(folder, documents // FILES)
        for size in (documents, 10 * documents):
            _write_parts(folder / f"{size}", texts, size // documents)
            expected = _run(folder, size, 0)
            for found in (expected, _run(folder, size, kills)):
                same = "" if found is expected else f"{sum(map(bytes.__eq__, expected['labels'], found['labels']))}"
                yield (
                    f"| {size:,} | {FILES} | {found['died']} | {found['seconds']:.0f} | {found['peak'] / 1e6:.0f} "
                    f"| {same} |"
                )


def _write_model(folder: Path, n: int) -> list[str]:
    """model.isthmus, and texts of the target."""
    made = make_domains([LABELED, n], n_words=10_000, mean_length=15, random_state=0)
    texts = list(made.texts())
    labels = made.y[:LABELED].tolist()
    result = isthmus.transfer(texts[:LABELED], labels, texts[LABELED:][:5000], method="TCL", encoder=None)
    isthmus.save(result, folder / "model.isthmus")
    return texts[LABELED:]


def _write_parts(folder: Path, texts: list[str], times: int) -> None:
    folder.mkdir()
    for number in range(FILES):
        with (folder / f"part-{number:02}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "text"])
            rows.writerows((f"{number}-{row}", text) for row, text in enumerate(texts * times))


def _run(folder: Path, size: int, kills: int) -> dict[str, Any]:
    output, answer, began = folder / f"{size}-{kills}", folder / "answer.json", perf_counter()
    given = [answer, folder / "model.isthmus", folder / f"{size}", output, kills]
    subprocess.run([sys.executable, "-m", "speed.partitions", *map(str, given)], capture_output=True, check=True)
    labels = [path.read_bytes() for path in sorted(output.iterdir())]
    assert len(labels) == FILES, "nothing is left behind"
    return {**json.loads(answer.read_text()), "seconds": perf_counter() - began, "labels": labels}


def main() -> None:
    """The driver."""
    from isthmus.cli.partitions import Asked, files_of, label_files
    from isthmus.core.cluster import local_cluster

    distributed: Any = import_module("distributed")
    answer, model, folder, output, kills = sys.argv[1:]
    done, died, rng = Event(), list[int](), np.random.default_rng(0)
    with (
        local_cluster(WORKERS) as cluster,
        distributed.Client(cluster) as client,
    ):

        def kill() -> None:
            while len(died) < int(kills) and not done.wait(float(rng.uniform(2, 6))):
                pids = list(client.run(os.getpid, on_error="ignore").values())
                if pids:
                    died.append(pids[rng.integers(len(pids))])
                    os.kill(died[-1], signal.SIGKILL)

        killer = Thread(target=kill)
        killer.start()
        label_files(client, Asked(model, None, {}, True), files_of(folder), Path(output), force=False)
        done.set()
        killer.join()
    Path(answer).write_text(json.dumps({"peak": peak_bytes(), "died": len(died)}))


if __name__ == "__main__":
    main()
