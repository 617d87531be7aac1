"""A file of texts larger than the memory it may take: to a matrix in files, fitted and predicted, in a process.

python -m speed.beyond FILE FOLDER prints the peak of resident memory and the share of labels that are right.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

import isthmus
from isthmus.datasets import make_domains
from isthmus.text import texts_to_matrix
from speed.peak import peak_bytes

LABELED = 2_000
"""Documents of the source, which come first."""


class Lines:
    """The texts of a file, a line each, of `label<tab>text`; begins anew each time."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __iter__(self) -> Iterator[str]:
        with Path(self.path).open(encoding="utf-8") as lines:
            for line in lines:
                yield line.split("\t", 1)[1]

    def labels(self) -> np.ndarray:
        with Path(self.path).open(encoding="utf-8") as lines:
            return np.array([int(line.split("\t", 1)[0]) for line in lines], dtype=np.int8)


def write_texts(path: Path, megabytes: int) -> None:
    """About so much text, in pieces of 20,000 documents with the same words."""
    made = make_domains([LABELED, 20_000], n_words=30_000, mean_length=150, random_state=0)
    texts = [f"{label}\t{text}\n" for label, text in zip(made.y, made.texts(), strict=True)]
    with path.open("w", encoding="utf-8") as file:
        file.writelines(texts[:LABELED])
        while file.tell() < megabytes << 20:
            file.writelines(texts[LABELED:])


def beyond_memory(megabytes: int) -> Iterator[str]:
    """Lines of a table."""
    yield f"\n### A file of {megabytes} MB: texts to a matrix in files, TCL, and a prediction of all of them\n"
    yield "| file, MB | documents | matrix, MB | peak resident memory, MB | seconds | accuracy, % |"
    yield "|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.tsv"
        write_texts(path, megabytes)
        command = [sys.executable, "-m", "speed.beyond", str(path), str(Path(folder) / "matrix")]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        yield (
            f"| {path.stat().st_size >> 20} | {found['documents']:,} | {found['matrix'] >> 20} "
            f"| {found['peak'] >> 20} | {found['seconds']:.0f} | {100 * found['accuracy']:.1f} |"
        )


def main() -> None:
    """In the process of its own."""
    began, texts = perf_counter(), Lines(sys.argv[1])
    texts_to_matrix(texts, sys.argv[2], dtype=np.float32)
    X, y = isthmus.open_matrix(sys.argv[2]), texts.labels()
    domain = np.arange(len(y)) >= LABELED
    model = isthmus.TCL(random_state=0, max_iter=20).fit(X, y, sample_domain=domain, target_domain=True)
    predicted = model.predict(X)
    found = {
        "documents": len(y),
        "matrix": sum(file.stat().st_size for file in Path(sys.argv[2]).iterdir()),
        "peak": peak_bytes(),
        "seconds": perf_counter() - began,
        "accuracy": float(np.mean(predicted[domain] == y[domain])),
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
