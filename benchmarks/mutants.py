"""Does a test notice when the code is wrong? Each mutant of mutants.toml changes one place, and some test should fail.

python benchmarks/mutants.py [--jobs 2] [--only WORD]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter

HERE = Path(__file__).parent
ROOT = HERE.parent
COPIED = ("src", "tests", "benchmarks", "pyproject.toml")
ENOUGH = 0.95
"""Of the mutants must be killed."""
LONGEST = 300.0
"""Seconds of a run of tests: a mutant that does not end is noticed."""
FAILURE = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)


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

    def applied(self, text: str) -> str:
        return text.replace(self.old, self.new)


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


class Copies:
    """Folders with a copy of everything, one for each test run at a time."""

    def __init__(self, folder: Path, n: int) -> None:
        self._free: SimpleQueue[Path] = SimpleQueue()
        for number in range(n):
            copy = folder / str(number)
            for name in COPIED:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / name, copy / name)
            self._free.put(copy)

    def failures(self, tests: Iterable[str], mutant: Mutant | None, left_out: Iterable[str] = ()) -> list[str] | None:
        """Names of tests that fail, of a mutant the first one alone; None if they do not come to an end."""
        copy = self._free.get()
        try:
            if mutant is None:
                return run_tests(copy, tests, left_out, stop_at_first=False)
            source = copy / "src" / "isthmus" / mutant.file
            text = source.read_text(encoding="utf-8")
            try:
                rewrite(source, mutant.applied(text))
                return run_tests(copy, tests, left_out, stop_at_first=True)
            finally:
                rewrite(source, text)
        finally:
            self._free.put(copy)


def rewrite(source: Path, text: str) -> None:
    """Without the bytecode of before: it goes by the second and by the size of the file, which may be the same."""
    source.write_text(text, encoding="utf-8")
    Path(cache_from_source(str(source))).unlink(missing_ok=True)


def run_tests(copy: Path, tests: Iterable[str], left_out: Iterable[str], *, stop_at_first: bool) -> list[str] | None:
    """One process of pytest in a copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfE", "--tb=no", "--no-header"]
    command += ["-x"] if stop_at_first else []
    command += [f"--deselect={name}" for name in left_out]
    command += [f"tests/{name}" for name in tests]
    # One thread each: several run at a time.
    more = {"PYTHONPATH": str(copy / "src"), "OMP_NUM_THREADS": "1", "COLUMNS": "1000"}
    with subprocess.Popen(
        command,
        cwd=copy,
        env={**os.environ, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None
    found = FAILURE.findall(said)
    if process.returncode not in (0, 1) and not found:
        found = [f"pytest ends with {process.returncode}"]
    return found


def broken_tests(copies: Copies, files: list[str], jobs: int) -> list[str]:
    """Tests that fail as things are: they would kill every mutant."""
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda name: copies.failures([name], None), files)
        return sorted(name for names in found for name in names or ())


def try_all(copies: Copies, mutants: list[Mutant], left_out: list[str], jobs: int) -> list[Mutant]:
    """The mutants that survive; says of each what became of it."""

    def attempt(mutant: Mutant) -> tuple[Mutant, list[str] | None, float]:
        began = perf_counter()
        own = [name for name in left_out if name.startswith(tuple(f"tests/{file}" for file in mutant.tests))]
        return mutant, copies.failures(mutant.tests, mutant, own), perf_counter() - began

    survivors = []
    with ThreadPoolExecutor(jobs) as pool:
        for mutant, failed, seconds in pool.map(attempt, mutants):
            if failed is None:
                fate = "killed    (does not end)"
            else:
                fate = f"killed    ({failed[0].removeprefix('tests/')})" if failed else "SURVIVED "
            if failed == []:
                survivors.append(mutant)
            print(f"{seconds:5.0f} s  {mutant.file}: {mutant.name}: {fate}", flush=True)
    return survivors


def main() -> None:
    """Exit code 1 if too many survive, 2 if the table does not fit the source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--only", default="", help="mutants with this word in their file or name")
    options = parser.parse_args()
    began = perf_counter()
    mutants = [m for m in read_mutants(HERE / "mutants.toml") if options.only in f"{m.file} {m.name}"]
    files = list(dict.fromkeys(name for mutant in mutants for name in mutant.tests))
    with tempfile.TemporaryDirectory() as folder:
        copies = Copies(Path(folder), options.jobs)
        left_out = broken_tests(copies, files, options.jobs)
        for name in left_out:
            print(f"left out, as it fails without any change: {name}")
        survivors = try_all(copies, mutants, left_out, options.jobs)
    killed = len(mutants) - len(survivors)
    print()
    for mutant in survivors:
        print(f"survived: {mutant.file}: {mutant.name}" + (f" (it may: {mutant.reason})" if mutant.reason else ""))
    share, minutes = killed / max(len(mutants), 1), (perf_counter() - began) / 60
    print(f"{len(mutants)} mutants, {killed} killed ({share:.0%}), {len(survivors)} survived; {minutes:.1f} minutes")
    sys.exit(share < ENOUGH)


if __name__ == "__main__":
    main()
