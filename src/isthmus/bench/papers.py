"""What the five papers claim, one entry to each claim, with a verdict from stored results.

The claims stand in papers.toml, what was measured in measured.json, which `benchmarks/papers.py` collects. A verdict is
computed by the claim's rule from the measured numbers; where a claim is no number, its verdict stands in the file, with
what was seen.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from isthmus.bench.metrics import METRICS
from isthmus.bench.published import load_published
from isthmus.bench.rules import RULES, close_to
from isthmus.bench.stored import NOT_RUN, Judgement, StoredResults
from isthmus.exceptions import DataError


@dataclass(frozen=True)
class Entry:
    """One claim: a row of a table, a figure, a theorem, or a finding that the text names."""

    paper: str
    place: str
    """Where it stands: a table and its row, a figure, a section."""
    claim: str
    published: str
    measured: str
    verdict: str
    """"comes back", "partly", "does not" or "not run"."""
    command: str
    picture: str = ""
    """A figure of `isthmus bench TABLE --figures`, where the claim is one."""


@dataclass(frozen=True)
class Paper:
    """One of the five."""

    name: str
    citation: str
    method: str
    note: str
    entries: tuple[Entry, ...]


def load_papers(stored: StoredResults | None = None) -> list[Paper]:
    """The five papers with all their claims; by default with the results that come with the package."""
    content = tomllib.loads((resources.files("isthmus.bench") / "papers.toml").read_text(encoding="utf-8"))
    found = stored or load_stored()
    return [
        Paper(
            name,
            paper["citation"],
            paper["method"],
            paper.get("note", ""),
            (*_rows(name, paper, found), *(_entry(name, claim, found) for claim in paper["claims"])),
        )
        for name, paper in content.items()
    ]


def load_stored() -> StoredResults:
    """What was measured, as it comes with the package."""
    text = (resources.files("isthmus.bench") / "measured.json").read_text(encoding="utf-8")
    return StoredResults.of(json.loads(text))


def _rows(name: str, paper: Mapping[str, Any], stored: StoredResults) -> Iterator[Entry]:
    """An entry for each row of the paper's table: the figure of its own method."""
    metric, columns = METRICS[paper["metric"]], paper["columns"]
    for (task, method), published in load_published(name).items():
        if method != paper["method"]:
            continue
        means = {column: mean for column in columns if (mean := stored.mean(name, task, column)) is not None}
        wanted = ",".join(columns)
        yield Entry(
            paper=name,
            place=f"{paper['table']}, {task}",
            claim=f"{paper['metric_name']} of {method}",
            published=metric.written(published),
            measured="; ".join(f"{metric.written(mean)} ({column})" for column, mean in means.items())
            or paper["missing"],
            verdict=close_to(means.values(), published, metric) if means else NOT_RUN,
            command=f'isthmus bench {name} --tasks "{task}" --methods "{wanted}" --repeats {paper["repeats"]}',
        )


def _entry(name: str, claim: Mapping[str, Any], stored: StoredResults) -> Entry:
    rule = claim.get("rule", "said")
    if rule not in RULES:
        raise DataError(f"The claim {claim['place']!r} of {name} has no rule {rule!r}: choose from {', '.join(RULES)}.")
    finding: Judgement = RULES[rule](stored, claim.get("table", name), **claim.get("of", {}))
    return Entry(
        paper=name,
        place=claim["place"],
        claim=claim["claim"],
        published=claim.get("published", ""),
        measured=finding.measured,
        verdict=finding.verdict,
        command=claim["command"],
        picture=claim.get("picture", ""),
    )
