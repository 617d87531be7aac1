"""What the driver of a local Dask cluster needs for a fit of a folder of files, however many documents they hold.

python -m speed.driver ANSWER FOLDER METHOD fits source.csv and parts/ in FOLDER in a process of its own, and writes the
peak of its resident memory beyond what it had before the fit to the file ANSWER.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from isthmus.core.cluster import local_cluster
from isthmus.datasets import make_domains
from speed.peak import forget_peak, peak_bytes

WORKERS, FILES, LABELED, PIECE, WORDS = 4, 10, 1_000, 5_000, 10_000
METHODS = {
    "TCL": ["--set", "tol=0", "--set", "max_iter=20"],
    "MTrick": ["--set", "tol=0", "--set", "max_iter=5"],
    "NaiveBayesEM": [],
    "LR": [],
    "Auto": [],
}


def flat_driver(documents: int) -> Iterator[str]:
    """Lines of a table."""
    yield f"\n### The driver of a local cluster of {WORKERS} processes (`isthmus fit --cluster`, {FILES} files)\n"
    yield "| method | documents | seconds | resident before the fit, MB | more at its peak, MB |"
    yield "|---|---|---|---|---|"
    for size in (documents, 10 * documents):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            _write(folder, size // FILES)
            for method in METHODS:
                command = [sys.executable, "-m", "speed.driver", str(folder / "answer.json"), name, method]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    sys.exit(done.stderr)
                found = json.loads((folder / "answer.json").read_text())
                yield (
                    f"| {method} | {size:,} | {found['seconds']:.0f} | {found['before'] / 1e6:.0f} "
                    f"| {found['more'] / 1e6:.0f} |"
                )


def _write(folder: Path, n: int) -> None:
    """source.csv, and parts/ of so many documents each."""
    made = make_domains([LABELED, PIECE], n_words=WORDS, mean_length=15, random_state=0)
    texts = list(made.texts())
    _write_rows(folder / "source.csv", zip(range(LABELED), made.y, texts, strict=False))
    (folder / "parts").mkdir()
    for number in range(FILES):
        rows = ((f"{number}-{row}", "", texts[LABELED + (row + 7 * number) % PIECE]) for row in range(n))
        _write_rows(folder / "parts" / f"part-{number:02}.csv", rows)


def _write_rows(path: Path, rows: Any) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "label", "text"])
        writer.writerows(rows)


def main() -> None:
    """The driver."""
    from isthmus.cli import app

    import_module("isthmus.cli.fit_partitions")
    answer, folder, method = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    with local_cluster(WORKERS, silence_logs="CRITICAL") as cluster:
        before, began = forget_peak(), perf_counter()
        given = ["--source", folder / "source.csv", "--target", folder / "parts", "--method", method, *METHODS[method]]
        outputs = ["-o", folder / f"{method}.isthmus", "--predictions", folder / method]
        # Words alone, though texts are short: there are then as many as were made.
        command = ["fit", *given, *outputs, "--preset", "default", "--cluster", cluster.scheduler_address]
        app([str(each) for each in command], standalone_mode=False)
        found = {"before": before, "more": peak_bytes() - before, "seconds": perf_counter() - began}
    answer.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
