"""A slice of `make fuzz` and `make kill`: what they would find by the thousand, and that they find what there is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from alone import Ended, alone

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="cases run in forks")


def run(code: str, *arguments: object) -> Ended:
    """In a process without threads, which forks do not take along."""
    start = f"import sys, warnings; sys.path.insert(0, {str(BENCHMARKS)!r})"
    return alone(f"{start}; warnings.simplefilter('ignore', DeprecationWarning)\n{code}", *arguments)


def run_module(name: str, *arguments: object) -> Ended:
    return run(f"import runpy; runpy.run_module({name!r}, run_name='__main__', alter_sys=True)", *arguments)


def test_nothing_hostile_gets_in(tmp_path: Path) -> None:
    counts = {"models": 40, "forgeries": 40, "inputs": 30, "commands": 6, "matrices": 20}
    asked = [part for name, count in counts.items() for part in (f"--{name}", str(count))]
    done = run_module("fuzz", *asked, "--json", tmp_path / "found.json")
    found: list[dict[str, Any]] = json.loads((tmp_path / "found.json").read_text())
    assert done.code == 0, done.stdout + done.stderr
    assert [each["n_cases"] for each in found] == list(counts.values())
    assert [finding for each in found for finding in each["findings"]] == []
    damaged, forged, _, _, matrices = (each["outcomes"] for each in found)
    assert min(damaged["refused"], forged["refused"]) > 20
    assert matrices["fitted"] > 2


def test_nothing_is_lost() -> None:
    ways = {"kills": 2, "full-disks": 1, "read-only-folders": 1, "broken-pipes": 1, "two-writers": 1}
    done = run_module("fuzz.kill", *(part for way, count in ways.items() for part in (f"--{way}", str(count))))
    assert done.code == 0, done.stdout + done.stderr
    assert "tried 2 kills, 1 full disks, 1 read-only folders, 1 broken pipes, 1 two writers" in done.stdout


CRASHING = """
import os, time, numpy
from fuzz.isolation import MEGABYTE, try_all
def case(seed):
    if seed == 0:
        os.abort()
    if seed == 1:
        numpy.ones(60 * MEGABYTE)
    if seed == 2:
        raise KeyError("odd")
    return "well", 0
print(try_all("all", case, range(4), time.monotonic() + 60))
"""


def test_what_there_is_to_find_is_found() -> None:
    head, *findings = run(CRASHING).stdout.splitlines()
    assert head.startswith("all: 4 tried; 2 well, 1 ended, 1 found; ")
    starts = ["seed 0: the process ended with -6", "seed 1: 48", "seed 2: KeyError: \"'odd'\""]
    assert [finding.strip().startswith(start) for finding, start in zip(findings, starts, strict=True)] == [True] * 3
