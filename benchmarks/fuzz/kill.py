"""make kill: commands that are ended in the middle, or have no room to write. Outputs are the old ones or the new ones.

The package is imported once; each command runs in a fork of this process, which is then killed after a random time.
Prints what was tried and found, and ends with 1 if an output was broken or anything was left behind.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import isthmus
from isthmus.io.documents import open_documents
from isthmus_command import main as command

# What a fit imports, so that the forks need not.
for module in ("cli", "cli.gathering", "cli.estimating", "cli.models", "cli.summary", "report.page", "methods"):
    importlib.import_module(f"isthmus.{module}")
getattr(isthmus, "LR")  # noqa: B009  # a lazy name

TEXTS = ["refund my card", "my card was charged", "photos crash", "the upload will crash"] * 5
NOBODY = 65534
LONGEST = 60.0
"""Seconds that a command may take."""


class Place:
    """A folder with documents, and three outputs of an earlier run."""

    OUTPUTS = ("model.isthmus", "out.csv", "report.html")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        rows = [f"{text},{'a' if 'card' in text else 'b'}" for text in TEXTS]
        (folder / "source.csv").write_text("\n".join(["text,label", *rows]) + "\n")
        (folder / "target.csv").write_text("\n".join(["text", *(f"{text} {n}" for n, text in enumerate(TEXTS))]) + "\n")
        (folder / "more.csv").write_text("\n".join(["text", *(f"{text} now" for text in TEXTS * 2)]) + "\n")

    def arguments(self, target: str) -> list[str]:
        """Of a fit to one target or the other: their outputs differ in how many labels there are."""
        model, out, report = (str(self.folder / name) for name in self.OUTPUTS)
        read = ["--source", str(self.folder / "source.csv"), "--target", str(self.folder / target)]
        return ["fit", *read, "--method", "LR", "-o", model, "--predictions", out, "--report", report, "--force"]

    def broken(self) -> str:
        """What is wrong with the outputs, if anything is."""
        model, out, report = (self.folder / name for name in self.OUTPUTS)
        n_labels = {20, 40}
        try:
            if len(isthmus.load(model).labels) not in n_labels:
                return "the model is of no run"
            with open_documents(str(out), text="id", with_ids=False) as file:
                if sum(1 for _ in file) not in n_labels:
                    return "the labels are cut off"
        except (OSError, ValueError, isthmus.exceptions.DataError, isthmus.exceptions.ModelFileError) as error:
            return f"an output cannot be read: {error}"
        return "" if report.read_text().rstrip().endswith("</html>") else "the report is cut off"

    def left(self) -> list[str]:
        """What does not belong there."""
        known = {*self.OUTPUTS, "source.csv", "target.csv", "more.csv"}
        return [path.name for path in self.folder.iterdir() if path.name not in known]


def start(arguments: list[str], before: Callable[[], None] = lambda: None, stdout: int | None = None) -> int:
    """The command in a fork; its process id."""
    number = os.fork()
    if number:
        return number
    code = 70
    try:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null if stdout is None else stdout, 1)
        os.dup2(null, 2)
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, signal.SIG_DFL if each == signal.SIGTERM else signal.default_int_handler)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # it ends with the process
        before()
        sys.argv = ["isthmus", *arguments]
        try:
            command()
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BrokenPipeError:  # of the last flush, which Python itself would do
        code = 141
    finally:
        os._exit(code)


def end(number: int) -> int:
    """Wait for it: its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def killed(place: Place, rng: random.Random, seconds: float) -> str:
    """SIGKILL, SIGTERM or SIGINT at some time of a run."""
    before = place.left()  # by a SIGKILL, until a run comes as far as to sweep it away
    which = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    number = start(place.arguments(rng.choice(["target.csv", "more.csv"])))
    time.sleep(rng.uniform(0, 1.1 * seconds))
    os.kill(number, which)
    code = end(number)
    if which != signal.SIGKILL and (left := set(place.left()) - set(before)):
        return f"{which.name} left {sorted(left)}"
    return "" if code in (0, -which, 128 + which, 130) else f"{which.name} ended with {code}"


def full_disk(place: Place, rng: random.Random, seconds: float) -> str:
    """No file may be longer than some bytes."""
    most = int(10 ** rng.uniform(0, 5.5))
    code = end(start(place.arguments("more.csv"), lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))))
    return (f"left {place.left()}" if place.left() else "") if code in (0, 1) else f"ended with {code}"


def read_only(place: Place, rng: random.Random, seconds: float) -> str:
    """Another user, who may read the folder and not write to it."""
    if os.getuid() != 0:
        return ""

    def become_nobody() -> None:
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    code = end(start(place.arguments("more.csv"), become_nobody))
    return f"left {place.left()}" if place.left() else "" if code == 1 else f"ended with {code}"


def broken_pipe(place: Place, rng: random.Random, seconds: float) -> str:
    """Nobody reads on."""
    reading, writing = os.pipe()
    arguments = ["predict", str(place.folder / "model.isthmus"), str(place.folder / "more.csv"), "-o", "-"]
    number = start(arguments, stdout=writing)
    os.close(writing)
    os.read(reading, rng.choice([1, 100])) if rng.random() < 0.5 else None
    os.close(reading)
    code = end(number)
    return "" if code in (0, 141) else f"ended with {code}"


def two_writers(place: Place, rng: random.Random, seconds: float) -> str:
    """The same outputs at the same time; one of the two may be killed."""
    numbers = [start(place.arguments(target)) for target in ("target.csv", "more.csv")]
    if rng.random() < 0.5:
        time.sleep(rng.uniform(0, 2 * seconds))
        os.kill(numbers[0], signal.SIGKILL)
    codes = [end(number) for number in numbers]
    return "" if codes[1] == 0 and codes[0] in (0, -signal.SIGKILL) else f"ended with {codes}"


WAYS = {"kills": killed, "full disks": full_disk, "read-only folders": read_only, "broken pipes": broken_pipe}
WAYS["two writers"] = two_writers


def try_ways(counts: dict[str, int], seed: int, deadline: float) -> list[str]:
    """So many cases of each, one after the other in one folder; what was found, and prints what was tried."""
    findings: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)  # others may look
        place = Place(Path(name))
        if code := end(start(place.arguments("target.csv"))):
            return [f"a run that nobody disturbs ended with {code}"]
        began = time.monotonic()
        end(start(place.arguments("target.csv")))
        seconds, tried = time.monotonic() - began, Counter[str]()
        for way, count in counts.items():
            for case in range(seed, seed + count):
                if time.monotonic() > deadline:
                    break
                tried[way] += 1
                wrong = WAYS[way](place, random.Random(f"{way} {case}"), seconds) or place.broken()
                if wrong:
                    findings.append(f"{way}, seed {case}: {wrong}")
        end(start(place.arguments("target.csv")))
        if wrong := place.broken() or (f"left behind: {place.left()}" if place.left() else ""):
            findings.append(f"after the next run: {wrong}")
    listed = ", ".join(f"{count:,} {way}" for way, count in tried.items())
    print(f"tried {listed} (a run takes {seconds:.2f} s); {len(findings)} found")
    print(*(f"  {finding}" for finding in findings), sep="\n", end="")
    return findings


def main(arguments: list[str] | None = None) -> list[str]:
    """All ways to end, one after the other."""
    parser = argparse.ArgumentParser(prog="make kill", description=__doc__)
    for way, count in zip(WAYS, (100, 20, 3, 10, 10), strict=True):
        parser.add_argument(f"--{way.replace(' ', '-')}", type=int, default=count, metavar="N", help=f"{count}")
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--seconds", type=float, default=600, help="end after about so long")
    asked = vars(parser.parse_args(arguments))
    counts = {way: asked[way.replace(" ", "_").replace("-", "_")] for way in WAYS}
    return try_ways(counts, asked["seed"], time.monotonic() + asked["seconds"])


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
