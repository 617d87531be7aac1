"""The five papers, claim by claim, from stored results."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from command import run
from isthmus.bench import load_published, load_table
from isthmus.bench.metrics import METRICS
from isthmus.bench.papers import load_papers, load_stored
from isthmus.bench.rules import RULES, above, close_to, flat, gain, order, peak, reaches, widest, wins
from isthmus.bench.stored import VERDICTS, StoredResults
from isthmus.exceptions import DataError

STORED = StoredResults.of(
    {
        "means": [
            ["tcl", task, column, mean]
            for task, column, mean in [("one", "A", 90.0), ("one", "B", 80.0), ("two", "A", 70.0), ("two", "B", 75.0)]
        ],
        "sweeps": [
            ["tcl", "k", [["one", "A", "1", 50.0], ["one", "A", "10", 90.0], ["one", "A", "100", 89.0]]],
            ["tcl", "w", [[task, column, str(value), mean] for task, column, means in [
                ("one", "A", (9, 8, 7, 1)), ("one", "B", (8, 7, 6, 5)), ("two", "A", (1, 2, 4, 4)),
            ] for value, mean in enumerate(means)]],
        ],
    }
)  # fmt: skip


def test_numbers_come_back_within_a_point_in_either_direction_of_better() -> None:
    assert close_to([89.2], 90.0, METRICS["accuracy_percent"]) == "comes back"
    assert close_to([86.0, 80.0], 90.0, METRICS["accuracy_percent"]) == "partly"
    assert close_to([84.0], 90.0, METRICS["accuracy_percent"]) == "does not"
    assert close_to([0.05], 0.07, METRICS["error_rate"]) == "comes back"
    assert close_to([0.13], 0.07, METRICS["error_rate"]) == "does not"
    assert close_to([0.93], 0.97, METRICS["roc_auc"]) == "partly"


def test_each_rule_tells_what_comes_back_from_what_does_not() -> None:
    assert reaches(STORED, "tcl", columns=["A"], published=80.0).verdict == "comes back"
    assert reaches(STORED, "tcl", columns=["A"], published=88.0).verdict == "does not"
    tasks = ["one", "two"]
    assert wins(STORED, "tcl", column="A", others=["B"], tasks=["one"]).verdict == "comes back"
    assert wins(STORED, "tcl", column="A", others=["B"], tasks=tasks).verdict == "partly"
    assert wins(STORED, "tcl", column="A", others=["B"], tasks=tasks, may_lose=1).verdict == "comes back"
    assert wins(STORED, "tcl", column="A", others=["B"], tasks=["two"]).measured == "best on 0 of 1"
    assert order(STORED, "tcl", columns=["A", "B"]).verdict == "comes back"
    assert order(STORED, "tcl", columns=["B", "A"]).verdict == "does not"
    assert flat(STORED, "tcl", figure="k", low=10, high=100).verdict == "comes back"
    assert flat(STORED, "tcl", figure="k", low=1, high=100).verdict == "does not"
    assert peak(STORED, "tcl", figure="k", low=10, high=10).verdict == "comes back"
    assert peak(STORED, "tcl", figure="k", low=100, high=100).verdict == "partly"
    assert gain(STORED, "tcl", figure="k", start=10, end=100, at_most=2).verdict == "comes back"
    assert gain(STORED, "tcl", figure="k", start=1, end=10, at_most=2).verdict == "does not"
    assert gain(STORED, "tcl", figure="k", start=1, end=10, at_least=2).verdict == "comes back"
    best = above(STORED, "tcl", figure="w", method="A", others=["B"], low=0, high=3, tasks=["one"])
    assert (best.measured, best.verdict) == ("best at 3 of 4 values", "comes back")
    worse = above(STORED, "tcl", figure="w", method="B", others=["A"], low=0, high=3, tasks=["one"])
    assert (worse.measured, worse.verdict) == ("best at 1 of 4 values", "does not")
    spread = widest(STORED, "tcl", figure="w", task="one", others=["two"], low=0, high=2)
    assert (spread.measured, spread.verdict) == ("one by 2.0 points, two by 3.0 points", "partly")
    assert widest(STORED, "tcl", figure="w", task="two", others=["one"], low=0, high=2).verdict == "comes back"


def test_what_was_not_measured_is_not_run() -> None:
    nothing = StoredResults()
    for paper in load_papers(nothing):
        for entry in paper.entries:
            assert entry.verdict in VERDICTS
    assert reaches(STORED, "tcl", columns=["C"], published=1.0).verdict == "not run"
    assert reaches(STORED, "tcl", columns=["A"], published=1.0, tasks=["one", "three"]).verdict == "not run"
    assert flat(STORED, "tcl", figure="none", low=0, high=1).verdict == "not run"
    assert above(STORED, "tcl", figure="none", method="A", others=["B"], low=0, high=1).verdict == "not run"
    assert widest(STORED, "tcl", figure="k", task="one", others=["two"], low=0, high=100).verdict == "not run"


def test_every_row_that_the_papers_print_has_an_entry_and_every_claim_is_real() -> None:
    papers = load_papers()
    assert [paper.name for paper in papers] == ["tcl", "cdsc", "cci", "dtlm", "domtrans-nmf"]
    stored = load_stored()
    for paper in papers:
        printed = {task for task, method in load_published(paper.name) if method == paper.method}
        places = [entry.place for entry in paper.entries]
        assert all(any(place.endswith(f", {task}") for place in places) for task in printed)
        table = load_table(paper.name)
        names = {task.name for task in table.tasks}
        measured = [(task, column) for own, task, column in stored.means if own == paper.name]
        assert {task for task, _ in measured} <= names
        assert {column for _, column in measured} <= {*table.columns, *table.variants}
        for entry in paper.entries:
            assert entry.command
            assert entry.measured
            lacking = "SRAA" in entry.measured or "BCI Competition" in entry.measured
            assert lacking or entry.verdict != "not run", entry


def test_a_rule_or_verdict_that_there_is_not_is_refused() -> None:
    with pytest.raises(DataError, match="the verdict 'surely'"):
        RULES["said"](StoredResults(), "tcl", measured="", verdict="surely")


def test_the_command_prints_and_writes_all_entries(tmp_path: Path) -> None:
    done = run("bench", "papers", "--json", tmp_path / "papers.json")
    assert done.code == 0, done.err
    entries = json.loads((tmp_path / "papers.json").read_text())["entries"]
    assert len(entries) == sum(len(paper.entries) for paper in load_papers())
    assert "IJCAI 2013" in done.stdout
    assert {entry["verdict"] for entry in entries} <= set(VERDICTS)


def test_the_page_is_what_the_stored_results_say() -> None:
    root = Path(__file__).parent.parent
    script = runpy.run_path(str(root / "benchmarks" / "papers.py"))
    said = "run python benchmarks/papers.py page"
    assert (root / "docs" / "papers.md").read_text(encoding="utf-8") == script["page_text"](), said
