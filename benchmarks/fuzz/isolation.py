"""Cases run in a process of their own, which may crash, hang, or take more memory than it should."""

from __future__ import annotations

import gc
import json
import multiprocessing
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isthmus import exceptions

HANGS = 60.0
"""Seconds after which a case is ended."""
MEGABYTE = 2**20


@dataclass(frozen=True)
class Limits:
    """Of one case: seconds of CPU, and bytes besides so many times those of its input."""

    seconds: float = 2.0
    n_bytes: int = 200 * MEGABYTE
    times: int = 20


@dataclass
class Found:
    """What a number of cases led to."""

    name: str
    n_cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    slowest: float = 0.0
    largest: int = 0

    def __str__(self) -> str:
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in self.outcomes.most_common())
        figures = f"at most {self.slowest:.2f} s of CPU and {self.largest / MEGABYTE:.0f} MB more"
        head = f"{self.name}: {self.n_cases:,} tried; {outcomes or 'nothing'}; {figures}; {len(self.findings)} found"
        return "\n".join([head, *(f"  {finding}" for finding in self.findings[:40])])


OWN_WARNINGS = tuple(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Warning))
"""Which isthmus may give."""


class FindingError(Exception):
    """A case that led to something that must not be."""


Case = Callable[[int], tuple[str, int]]
"""From a seed to an outcome in a word, and the size of the input in bytes."""


def try_all(name: str, case: Case, seeds: Iterable[int], deadline: float, limits: Limits | None = None) -> Found:
    """Run the case for each seed until the deadline, a time of `time.monotonic`."""
    found, limits = Found(name), limits or Limits()
    worker = _Worker(case)
    for seed in seeds:
        if time.monotonic() > deadline:
            break
        answer = worker.ask(seed)
        found.n_cases += 1
        if isinstance(answer, str):  # it is dead
            found.outcomes["ended"] += 1
            found.findings.append(f"seed {seed}: {answer}")
            worker = _Worker(case)
            continue
        outcome, finding, size, seconds, peak = answer
        found.outcomes[outcome] += 1
        found.slowest, found.largest = max(found.slowest, seconds), max(found.largest, peak)
        if seconds > limits.seconds:
            finding = f"{seconds:.1f} s of CPU for {size:,} bytes ({outcome})"
        if peak > limits.n_bytes + limits.times * size:
            finding = f"{peak / MEGABYTE:.0f} MB for {size:,} bytes ({outcome})"
        if finding:
            found.findings.append(f"seed {seed}: {finding}")
    worker.end()
    return found


def elsewhere(function: Callable[[], Any]) -> Any:
    """What a function returns, from a process of its own: threads that it starts would hang in those forked later."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function)


class _Worker:
    def __init__(self, case: Case) -> None:
        context = multiprocessing.get_context("fork")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, case), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, seed: int) -> Any:
        """What the case led to, or a sentence about how the process ended."""
        self._connection.send(seed)
        try:
            if self._connection.poll(HANGS):
                return self._connection.recv()
        except EOFError:
            self._process.join()
            return f"the process ended with {self._process.exitcode}"
        self._process.kill()
        self._process.join()
        return f"no answer within {HANGS:.0f} s"

    def end(self) -> None:
        self._connection.send(None)
        self._process.join()


def _work(connection: Any, case: Case) -> None:
    gc.freeze()  # what was there before need not be looked through for each case
    for seed in iter(connection.recv, None):
        gc.collect()
        before, began = _reset_peak(), time.process_time()
        finding, size = "", 0
        try:
            with warnings.catch_warnings():
                outcome, size = case(seed)
        except FindingError as error:
            outcome, finding = "found", str(error)
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            outcome = "found"
            finding = f"{type(error).__name__}: {str(error)[:200]!r} ({Path(where.filename).name}:{where.lineno})"
        seconds = time.process_time() - began
        connection.send((outcome, finding, size, seconds, max(_status("VmHWM") - before, 0)))


def _status(key: str) -> int:
    """Bytes, from what Linux says of this process; zero elsewhere."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(key)), 0)


def _reset_peak() -> int:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _status("VmHWM")  # the peak so far: what is below it does not show
    return _status("VmRSS")


def write_findings(path: Path, found: list[Found]) -> None:
    """For scripts."""
    path.write_text(json.dumps([vars(each) | {"outcomes": dict(each.outcomes)} for each in found], indent=1) + "\n")
