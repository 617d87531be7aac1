"""make fuzz: hostile model files, documents, matrices and command lines, each within bounds of time and memory.

Prints what was tried and what was found. A finding has a seed, which makes the same case again: --seed SEED --CASES 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from fuzz import inputs, matrices, models
from fuzz.isolation import Case, Found, Limits, elsewhere, try_all, write_findings


def main(arguments: list[str] | None = None) -> list[Found]:
    """All kinds of cases, one after the other."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    for name, number in (("models", 1000), ("forgeries", 1000), ("inputs", 500), ("commands", 100), ("matrices", 300)):
        parser.add_argument(f"--{name}", type=int, default=number, metavar="N", help=f"cases; {number} by default")
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--seconds", type=float, default=600, help="end after about so long")
    parser.add_argument("--json", type=Path, help="write what was found to this file")
    asked = parser.parse_args(arguments)
    deadline = time.monotonic() + asked.seconds
    files = elsewhere(models.corpus) if asked.models or asked.forgeries else []
    cases: dict[str, tuple[int, Case, Limits]] = {
        "damaged model files": (asked.models, models.damaging(files), Limits()),
        "forged model files with right checksums": (asked.forgeries, models.forging(files), Limits()),
        "files of documents": (asked.inputs, inputs.reading(), Limits()),
        "command lines": (asked.commands, inputs.commanding(), Limits(seconds=20)),
        "matrices": (asked.matrices, matrices.fitting(), Limits(seconds=20)),
    }
    found = []
    for name, (number, case, limits) in cases.items():
        if number:
            found.append(try_all(name, case, range(asked.seed, asked.seed + number), deadline, limits))
            print(found[-1], flush=True)
    if asked.json is not None:
        write_findings(asked.json, found)
    return found


if __name__ == "__main__":
    sys.exit(1 if any(each.findings for each in main()) else 0)
