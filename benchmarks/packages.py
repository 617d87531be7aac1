"""A kind of tasks that no estimate was fitted to: what a program is for, told by the description of its package.

python benchmarks/packages.py    on a machine with Debian's lists (apt-get -o Acquire::Languages=en update)

Classes are sections of Debian, and domains are programs with windows, programs for a terminal, and packages that have
been tagged or not; or one line in the place of a whole description. Priors are as they are: in the terminal there are
few games. Six sections in each way, then pairs of them; in further tasks a section is left out of one side; and
unrelated ones tell a pair of sections by another pair.
"""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import isthmus
from isthmus import Auto

LISTS = Path("/var/lib/apt/lists")
SIX = ("admin", "games", "graphics", "net", "science", "sound")
PAIRS = (("games", "science"), ("sound", "graphics"), ("net", "admin"), ("text", "math"), ("mail", "web"))
MOST = 1500
"""Documents of a side."""
FEWEST = 60
TENTH = 0.1
"""So much label shift, and documents of a new class, should be noticed; a warning of less label shift is wrong."""

Side = list[tuple[str, str]]
"""Texts with their labels."""


class Package(NamedTuple):
    """One of each source, as others have almost the same description."""

    section: str
    tags: str
    text: str


class Task(NamedTuple):
    """What a classifier of the source is asked about the target."""

    kind: str
    source: Side
    target: Side


class Seen(NamedTuple):
    """What became of a task."""

    kind: str
    source_only: float
    accuracy: float
    off: float
    held: bool
    said: set[str]
    shift: float
    """True label shift."""
    gone: bool
    """Whether the target lacks a class."""
    new: float
    """Share of documents of a class that the source lacks."""


def stanzas(pattern: str) -> Iterator[dict[str, str]]:
    """Of the lists with such names."""
    for path in sorted(LISTS.glob(pattern)):
        read = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], capture_output=True, check=True).stdout
        for stanza in read.decode("utf-8", "replace").split("\n\n"):
            fields: dict[str, str] = {}
            for line in stanza.splitlines():
                if line.startswith(" ") and fields:
                    fields[next(reversed(fields))] += "\n" + line[1:]
                elif ":" in line:
                    name, value = line.split(":", 1)
                    fields[name] = value.strip()
            yield fields


def packages() -> list[Package]:
    """In the order of their names."""
    texts = {
        each["Package"]: each["Description-en"] for each in stanzas("*Translation-en*") if "Description-en" in each
    }
    found: dict[str, Package] = {}
    for fields in sorted(stanzas("*_Packages*"), key=lambda each: each.get("Package", "")):
        name = fields.get("Package", "")
        if name in texts:
            source = fields.get("Source", name).split()[0]
            found.setdefault(source, Package(fields.get("Section", ""), fields.get("Tag", ""), texts[name]))
    return list(found.values())


def has_windows(package: Package) -> bool:
    """By its tags."""
    return "interface::x11" in package.tags or "interface::graphical" in package.tags


DOMAINS: dict[str, Callable[[Package], bool]] = {
    "windows": has_windows,
    "terminal": lambda own: "interface::" in own.tags and "daemon" not in own.tags and not has_windows(own),
    "tagged": lambda own: bool(own.tags),
    "untagged": lambda own: not own.tags,
}
PARTS: dict[str, Callable[[str], str]] = {
    "whole": lambda text: text,
    "first line": lambda text: text.partition("\n")[0],
    "rest": lambda text: text.partition("\n")[2],
}
WAYS = (
    (("windows", "whole"), ("terminal", "whole")),
    (("terminal", "whole"), ("windows", "whole")),
    (("tagged", "first line"), ("untagged", "rest")),
    (("tagged", "rest"), ("untagged", "first line")),
)
WAYS_OF_PAIRS = (*WAYS[:2], (("tagged", "whole"), ("untagged", "whole")))


def tasks(known: list[Package]) -> Iterator[Task]:
    """All of them."""

    def side(domain: tuple[str, str], names: Sequence[str], seed: int) -> Side:
        belongs, part = DOMAINS[domain[0]], PARTS[domain[1]]
        found = [(part(own.text), own.section) for own in known if own.section in names and belongs(own)]
        random.Random(seed).shuffle(found)
        return [own for own in found if own[0].strip()][:MOST]

    for source, target in WAYS:
        there, here = side(source, SIX, 0), side(target, SIX, 1)
        yield Task("six sections", there, here)
        for name in SIX:
            yield Task("one is missing", there, [own for own in here if own[1] != name])
            yield Task("one is new", [own for own in there if own[1] != name], here)
    for pair in PAIRS:
        for source, target in WAYS_OF_PAIRS:
            yield Task("pairs", side(source, pair, 0), side(target, pair, 1))
    tagged = ("tagged", "whole")
    for number, pair in enumerate(PAIRS):
        for other in (PAIRS[(number + 1) % len(PAIRS)], PAIRS[(number + 2) % len(PAIRS)]):
            names = dict(zip(other, pair, strict=True))
            strange = [(text, names[section]) for text, section in side(tagged, other, 1)]
            yield Task("unrelated", side(tagged, pair, 0), strange)


def observe(task: Task) -> Seen:
    """One run of the default, and of LR."""
    (source, labels), (target, truth) = (list(zip(*own, strict=True)) for own in (task.source, task.target))
    result = isthmus.transfer(source, labels, target)
    plain = isthmus.transfer(source, labels, target, method="LR")
    auto = result.estimator
    assert isinstance(auto, Auto)
    estimate, names = auto.estimated_accuracy_, sorted({*labels, *truth})
    right = float(np.mean(result.labels == np.array(truth)))
    priors = [np.array([side.count(name) for name in names]) / len(side) for side in (labels, truth)]
    return Seen(
        task.kind,
        float(np.mean(plain.labels == np.array(truth))),
        right,
        abs(estimate.value - right),
        estimate.low <= right <= estimate.high,
        {caution.kind for caution in auto.warnings_},
        float(np.abs(priors[0] - priors[1]).sum() / 2),
        bool((priors[1] == 0).any()),
        float(priors[1][priors[0] == 0].sum()),
    )


def main() -> None:
    """Print a table, and which warnings are right."""
    if len(sys.argv) > 1 or not list(LISTS.glob("*Translation-en*")):
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    seen = [observe(task) for task in tasks(packages()) if min(len(task.source), len(task.target)) >= FEWEST]
    print("| kind | tasks | LR | Auto | harmed | estimate off by | in its interval |")
    print("|---" * 7 + "|")
    for kind in dict.fromkeys(own.kind for own in seen if own.kind != "unrelated"):
        rows = [own for own in seen if own.kind == kind]
        plain, right, off, held = (float(np.mean([own[field] for own in rows])) for field in range(1, 5))
        harmed = sum(own.accuracy < own.source_only - 0.01 for own in rows)
        print(f"| {kind} | {len(rows)} | {plain:.1%} | {right:.1%} | {harmed} | {off:.1%} | {held:.0%} |")
    related = [own for own in seen if own.kind != "unrelated"]
    print()
    for kind, among, amounts, least in (
        ("unrelated", seen, [own.kind == "unrelated" for own in seen], 0.0),
        ("prior", related, [own.shift for own in related], TENTH),
        ("missing class", related, [own.gone for own in related], 0.0),
        ("new class", related, [own.new for own in related], 0.0),
    ):
        given = np.array([kind in own.said for own in among])
        true, large = np.array(amounts, dtype=float) > least, np.array(amounts, dtype=float) >= TENTH
        print(
            f"{kind}: {sum(given & true)} of {sum(given)} warnings are right, "
            f"and {sum(given & large)} of {sum(large)} were given that should be."
        )


if __name__ == "__main__":
    main()
