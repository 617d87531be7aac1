"""Does a test notice when the code is wrong? Each mutant of mutants.toml changes one place, and some test should fail.

python benchmarks/mutants.py [--jobs 2] [--only WORD]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).parent
ROOT = HERE.parent
COPIED = ("src", "tests", "benchmarks", "pyproject.toml")
ENOUGH = 0.95
"""Of the mutants must be killed."""
LONGEST = 180.0
"""Seconds of a run of tests: a mutant that does not end is noticed."""
OUTPUT = "output.txt"
FAILURE = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
PASSED, FAILED, NONE_LEFT = 0, 1, 5
"""What pytest ends with; the last if all its tests are left out."""
LIBRARIES = (
    *("numpy", "scipy.stats", "sklearn.linear_model", "sklearn.svm", "sklearn.cluster", "sklearn.decomposition"),
    *("sklearn.utils.estimator_checks", "sparse_dot_topn", "pandas", "hypothesis.extra.numpy", "rich", "pytest"),
)
"""Imported once, and then there in every forked process: they take longer than most tests."""


@dataclass(frozen=True)
class Mutant:
    """One change of the source, and the test files that should notice it."""

    name: str
    file: str
    """Below src/isthmus."""
    old: str
    new: str
    tests: tuple[str, ...]
    """Below tests."""
    reason: str = ""
    """Why it does not matter if it survives."""


def read_mutants(path: Path) -> list[Mutant]:
    """The table, each of whose rows must fit the source as it is."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    mutants = [Mutant(**{**row, "tests": tuple(row["tests"])}) for row in rows]
    stale = [mutant for mutant in mutants if not is_fresh(mutant)]
    for mutant in stale:
        print(f"stale: {mutant.name!r} must find its text exactly once in {mutant.file}, and its tests must exist")
    if stale:
        sys.exit(2)
    return mutants


def is_fresh(mutant: Mutant) -> bool:
    """Whether it changes exactly one place of a file that there is, and its tests are there."""
    source = ROOT / "src" / "isthmus" / mutant.file
    once = source.is_file() and source.read_text(encoding="utf-8").count(mutant.old) == 1
    return once and mutant.old != mutant.new and all((ROOT / "tests" / name).is_file() for name in mutant.tests)


@dataclass(frozen=True)
class Trial:
    """A run of tests in a copy of the project: of a mutant up to the first failure, or of the source as it is."""

    tests: tuple[str, ...]
    mutant: Mutant | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of a trial."""

    trial: Trial
    failed: list[str]
    """Names of tests; what went wrong, where no test did."""
    seconds: float


def copy_project(folder: Path) -> Path:
    """Where a mutant can do no harm."""
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def write_source(copy: Path, mutant: Mutant | None, *, mutated: bool) -> None:
    """Without the bytecode of before: it goes by the second and by the size of the file, which may be the same."""
    if mutant is None:
        return
    text = (ROOT / "src" / "isthmus" / mutant.file).read_text(encoding="utf-8")
    source = copy / "src" / "isthmus" / mutant.file
    source.write_text(text.replace(mutant.old, mutant.new) if mutated else text, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(source))).unlink(missing_ok=True)


def run_tests(copy: Path, trial: Trial) -> None:
    """In a process of its own, which it ends."""
    import pytest
    from hypothesis import Phase, settings

    # As in conftest.py, but for the long search for the simplest failure.
    settings.register_profile("mutants", deadline=None, derandomize=True, max_examples=40, phases=[Phase.generate])
    os.setsid()
    os.chdir(copy)
    os.environ |= {"PYTHONPATH": str(copy / "src"), "COLUMNS": "1000"}
    sys.path.insert(0, str(copy / "src"))
    output = os.open(copy / OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    arguments = ["-q", "-p", "no:cacheprovider", "-rfE", "--tb=no", "--hypothesis-profile=mutants"]
    arguments += ["-x"] if trial.mutant else []
    arguments += [f"--deselect={name}" for name in trial.left_out]
    code = pytest.main(arguments + [f"tests/{name}" for name in trial.tests])
    sys.stdout.flush()
    os._exit(int(code))


def outcomes(trials: Iterable[Trial], copies: list[Path]) -> Iterator[Outcome]:
    """As many at a time as there are copies."""
    fork = multiprocessing.get_context("fork")
    waiting, free = list(reversed(list(trials))), list(copies)
    running: list[tuple[Trial, Path, multiprocessing.context.ForkProcess, float]] = []
    while waiting or running:
        while waiting and free:
            trial, copy = waiting.pop(), free.pop()
            write_source(copy, trial.mutant, mutated=True)
            process = fork.Process(target=run_tests, args=(copy, trial))
            process.start()
            running.append((trial, copy, process, perf_counter()))
        time.sleep(0.05)
        for own in list(running):
            trial, copy, process, began = own
            seconds = perf_counter() - began
            if process.exitcode is None and seconds < LONGEST:
                continue
            yield Outcome(trial, failures(copy, process), seconds)
            write_source(copy, trial.mutant, mutated=False)
            running.remove(own)
            free.append(copy)


def failures(copy: Path, process: multiprocessing.context.ForkProcess) -> list[str]:
    """Of a process that has ended, or has taken too long."""
    if process.exitcode is None:
        assert process.pid is not None
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        return ["does not end"]
    found = FAILURE.findall((copy / OUTPUT).read_text(encoding="utf-8", errors="replace"))
    ended = process.exitcode in (PASSED, FAILED, NONE_LEFT)
    return found if found or ended else [f"pytest ends with {process.exitcode}"]


def broken_tests(mutants: list[Mutant], copies: list[Path]) -> list[str]:
    """Tests that fail as things are: they would kill every mutant."""
    files = dict.fromkeys(name for mutant in mutants for name in mutant.tests)
    found = [name for one in outcomes([Trial((name,)) for name in files], copies) for name in one.failed]
    if strange := [name for name in found if not name.startswith("tests/")]:
        sys.exit(f"Without any change: {strange[0]}.")
    return sorted(found)


def try_all(mutants: list[Mutant], left_out: list[str], copies: list[Path]) -> list[Mutant]:
    """The mutants that survive; says of each what became of it."""

    def trial(mutant: Mutant) -> Trial:
        files = tuple(f"tests/{name}" for name in mutant.tests)
        return Trial(mutant.tests, mutant, tuple(name for name in left_out if name.startswith(files)))

    survivors = []
    for one in outcomes(map(trial, mutants), copies):
        mutant = one.trial.mutant
        assert mutant is not None
        fate = f"killed by {one.failed[0].removeprefix('tests/')}" if one.failed else "SURVIVED"
        print(f"{one.seconds:4.0f} s  {mutant.file}: {mutant.name}: {fate}", flush=True)
        if not one.failed:
            survivors.append(mutant)
    return survivors


def main() -> None:
    """Exit code 1 if too many survive, 2 if the table does not fit the source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--only", default="", help="mutants with this word in their file or name")
    options = parser.parse_args()
    began = perf_counter()
    mutants = [m for m in read_mutants(HERE / "mutants.toml") if options.only in f"{m.file} {m.name}"]
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # several run at a time
    for library in LIBRARIES:
        importlib.import_module(library)
    with tempfile.TemporaryDirectory() as folder:
        copies = [copy_project(Path(folder, str(number))) for number in range(options.jobs)]
        left_out = broken_tests(mutants, copies)
        for name in left_out:
            print(f"left out, as it fails without any change: {name}", flush=True)
        survivors = try_all(mutants, left_out, copies)
    killed = len(mutants) - len(survivors)
    print()
    for mutant in survivors:
        print(f"survived: {mutant.file}: {mutant.name}" + (f" (it may: {mutant.reason})" if mutant.reason else ""))
    share, minutes = killed / max(len(mutants), 1), (perf_counter() - began) / 60
    print(f"{len(mutants)} mutants, {killed} killed ({share:.0%}), {len(survivors)} survived; {minutes:.1f} minutes")
    sys.exit(share < ENOUGH)


if __name__ == "__main__":
    main()
