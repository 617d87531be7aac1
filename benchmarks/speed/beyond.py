"""A file larger than the memory that it may take: `isthmus fit` and `isthmus predict`, and how much each took.

python -m speed.beyond PEAK COMMAND... runs a command, and writes the peak of its resident memory to the file PEAK.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from isthmus.datasets import make_domains
from speed.peak import peak_bytes

LABELED, PIECE = 2_000, 20_000
"""Documents of the source, and of a piece of the target."""
LIMIT = 500_000_000
"""Bytes of resident memory that a file of 1 GB may take."""
COMPARED = 20
"""Megabytes of the file that is labeled in memory as well."""


def write_texts(folder: Path, megabytes: int) -> None:
    """source.csv, and target.csv of about so much text, in pieces of documents with the same words."""
    made = make_domains([LABELED, PIECE], n_words=30_000, mean_length=150, random_state=0)
    texts = list(made.texts())
    with (folder / "source.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "label"])
        rows.writerows(zip(texts[:LABELED], made.y[:LABELED].tolist(), strict=True))
    number = 0
    with (folder / "target.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "truth"])
        while file.tell() < megabytes * 1_000_000:
            for text, label in zip(texts[LABELED:], made.y[LABELED:].tolist(), strict=True):
                rows.writerow([f"d{number}", text, label])
                number += 1


def beyond_memory(megabytes: int, methods: tuple[str, ...] = ("TCL", "Auto")) -> Iterator[str]:
    """Lines of a table."""
    yield f"\n### A file of {megabytes:,} MB on the command line, in blocks\n"
    yield f"At most {LIMIT // 10**6} MB of resident memory are meant to do for 1 GB.\n"
    yield "| command | file, MB | documents | peak resident memory, MB | seconds | accuracy, % | labels as in memory |"
    yield "|---|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as name:
        folder, small = Path(name), Path(name) / "small"
        small.mkdir()
        write_texts(small, min(COMPARED, megabytes))
        write_texts(folder, megabytes)
        for method in methods:
            options = ["--method", method, *(["--set", "max_iter=20"] if method == "TCL" else [])]
            same = [_same(small, *command) for command in (("fit", *options), ("predict",))]
            for command, equal in zip((("fit", *options), ("predict",)), same, strict=True):
                peak, seconds = _run(folder, "labels.csv", *command, "--blocks", "--force")
                n, accuracy = _score(folder)
                yield (
                    f"| {command[0]}, {method} | {(folder / 'target.csv').stat().st_size // 10**6:,} | {n:,} "
                    f"| {peak // 10**6} | {seconds:.0f} | {100 * accuracy:.1f} | {equal} |"
                )


def _same(folder: Path, *command: str) -> str:
    """Whether a small file has the same labels in blocks and in memory."""
    for name, blocks in (("labels.csv", "--no-blocks"), ("blocks.csv", "--blocks")):
        _run(folder, name, *command, blocks, "--force")
    one, other = ((folder / name).read_bytes() for name in ("labels.csv", "blocks.csv"))
    return "yes" if one == other else "no"


def _run(folder: Path, labels: str, command: str, *options: str) -> tuple[int, float]:
    """Bytes and seconds of a command."""
    model, target, output = (str(folder / name) for name in ("model.isthmus", "target.csv", labels))
    files = ["--source", str(folder / "source.csv"), "--target", target, "-o", model, "--predictions", output]
    arguments = ["fit", *files] if command == "fit" else ["predict", model, target, "-o", output]
    began, peak = perf_counter(), folder / "peak"
    done = [sys.executable, "-m", "speed.beyond", str(peak), *arguments, *options]
    subprocess.run(done, capture_output=True, check=True)
    return int(peak.read_text(encoding="ascii")), perf_counter() - began


def _score(folder: Path) -> tuple[int, float]:
    right = n = 0
    with (
        (folder / "labels.csv").open(encoding="utf-8") as found,
        (folder / "target.csv").open(encoding="utf-8") as true,
    ):
        for label, truth in zip(csv.DictReader(found), csv.DictReader(true), strict=True):
            right += label["label"] == truth["truth"]
            n += 1
    return n, right / n


def main() -> None:
    """In the process of its own."""
    from isthmus_command import main as command

    peak = Path(sys.argv.pop(1))
    try:
        command()
    finally:
        peak.write_text(str(peak_bytes()), encoding="ascii")


if __name__ == "__main__":
    main()
