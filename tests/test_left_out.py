"""Rows that cannot be read: they are told all at once, left out if asked for, and kept whole in a file."""

from __future__ import annotations

import csv
import io
import json
from importlib import import_module
from pathlib import Path
from unittest.mock import Mock

import pytest

from command import run
from test_quality import SOURCE, TARGET, look, put


def test_all_bad_rows_are_told_at_once_and_can_be_left_out(tmp_path: Path) -> None:
    source = [{**row, "label": {3: "", 5: "N/A", 9: ""}.get(n, row["label"])} for n, row in enumerate(SOURCE)]
    target = [{**row, "id": "" if n == 2 else "same" if n in (4, 6) else row["id"]} for n, row in enumerate(TARGET)]
    done = look(tmp_path, source, target)
    assert done.code == 1
    for says in (
        "s.csv: 2 rows without a label (lines 5, 11).",
        "s.csv: 1 row with the label 'N/A', which stands for none (line 7).",
        "t.csv: 1 row without an id (line 4).",
        "t.csv: 1 row with the id of an earlier document (line 8).",
    ):
        assert says in done.stdout
    files = ["--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv", "--method", "LR"]
    refused = run("fit", *files, "--predictions", tmp_path / "out.csv").sentence
    assert "2 rows without a label (lines 5, 11)" in refused
    assert refused.endswith("Correct these rows, or leave them out with --on-bad-rows skip.")
    assert not (tmp_path / "out.csv").exists()
    done = run("fit", *files, "--predictions", tmp_path / "out.csv", "--on-bad-rows", "skip", "--json")
    assert done.code == 0, done.err
    summary = json.loads(done.stdout)
    assert summary["sources"][0]["documents"] == 27
    assert summary["target"]["documents"] == 18
    assert summary["classes"] == ["bug", "pay"]
    assert sum(row["count"] for row in summary["skipped"]["rows"]) == 5
    with (tmp_path / "out.skipped.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(Path(row["file"]).name, row["place"]) for row in rows] == [
        ("s.csv", "line 5"),
        ("s.csv", "line 7"),
        ("s.csv", "line 11"),
        ("t.csv", "line 4"),
        ("t.csv", "line 8"),
    ]
    assert rows[0]["why"].startswith("has no label (column 'label')")
    assert rows[1]["why"].endswith("or take it for a class with --allow-label.")
    assert json.loads(rows[0]["content"]) == list(source[3].values())
    kept = [row["id"] for row in csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text()))]
    assert kept == [row["id"] for n, row in enumerate(target) if n not in (2, 6)]


@pytest.mark.parametrize("form", ["jsonl", "json", "csv"])
def test_a_row_that_is_left_out_is_kept_whole(tmp_path: Path, form: str) -> None:
    """With what stands in columns that nobody reads."""
    put(tmp_path / "s.csv", SOURCE)
    bad = {"id": "", "text": "refund", "note": "keep me"}
    rows = [*({**row, "note": ""} for row in TARGET), bad]
    path = tmp_path / f"t.{form}"
    if form == "csv":
        put(path, rows)
    else:
        lines = [json.dumps(row) for row in rows]
        path.write_text("\n".join(lines) if form == "jsonl" else f"[{','.join(lines)}]")
    files = ["--source", tmp_path / "s.csv", "--target", path, "--method", "LR"]
    done = run("fit", *files, "--predictions", tmp_path / "out.csv", "--on-bad-rows", "skip")
    assert done.code == 0, done.err
    with (tmp_path / "out.skipped.csv").open(newline="") as file:
        [row] = csv.DictReader(file)
    assert json.loads(row["content"]) == (list(bad.values()) if form == "csv" else [bad])


def test_a_bad_row_may_hold_half_a_character(tmp_path: Path) -> None:
    put(tmp_path / "s.csv", SOURCE)
    rows = [*TARGET, {"id": None, "text": "refund \ud83d"}]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = ["--source", tmp_path / "s.csv", "--target", tmp_path / "t.jsonl", "--method", "LR"]
    done = run("fit", *files, "--predictions", tmp_path / "out.csv", "--on-bad-rows", "skip")
    assert done.code == 0, done.err
    assert "\\ud83d" in (tmp_path / "out.skipped.csv").read_text()


def test_predict_leaves_out_bad_rows_unless_told_to_stop(tmp_path: Path) -> None:
    put(tmp_path / "s.csv", SOURCE)
    put(tmp_path / "t.csv", TARGET)
    model = tmp_path / "m.isthmus"
    files = ("--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv")
    run("fit", *files, "--method", "LR", "-o", model)
    later = put(tmp_path / "later.csv", [{**row, "id": "" if n == 3 else row["id"]} for n, row in enumerate(TARGET)])
    with later.open("a") as file:
        file.write("only one field\n")
    done = run("predict", model, later, "-o", tmp_path / "labels.csv", "--json")
    summary = json.loads(done.stdout)
    assert summary["documents"] == sum(summary["labels"].values()) == 19
    assert sum(row["count"] for row in summary["skipped"]["rows"]) == 2
    assert summary["skipped"]["file"] == str(tmp_path / "labels.skipped.csv")
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 20
    assert len((tmp_path / "labels.skipped.csv").read_text().splitlines()) == 3
    stopped = run("predict", model, later, "-o", tmp_path / "other.csv", "--on-bad-rows", "stop")
    assert "line 5, has no id" in stopped.sentence
    formed = run("predict", model, later, "-o", tmp_path / "other.csv", "--output-format", "jsonl")
    assert (formed.code, "--output-format" in formed.err) == (2, True)
    assert run("predict", model, later, "--json").code == 2  # where would the labels go?
    left = ("--skipped", tmp_path / "left.csv")
    stopping = ("-o", tmp_path / "other.csv", "--on-bad-rows", "stop")
    assert run("predict", model, later, *left, *stopping).code == 2
    assert run("fit", *files, *left, "--method", "LR").code == 2
    (tmp_path / "bad.csv").write_text("id,text\n,a\n,b\n")
    assert (
        "2 rows without an id (lines 2, 3)"
        in run("predict", model, tmp_path / "bad.csv", "-o", tmp_path / "o.csv").sentence
    )
    (tmp_path / "none.csv").write_text("id,text\n")
    nothing = run("predict", model, tmp_path / "none.csv")
    assert (nothing.code, nothing.stdout) == (1, "")
    good = run("predict", model, tmp_path / "t.csv", "-o", tmp_path / "labels.csv", "--force")
    assert good.code == 0
    assert (tmp_path / "labels.skipped.csv").read_text() == "file,place,why,content\n"  # nothing of the run before
    for day in ("monday", "tuesday"):  # one does not stand in the way of the other
        assert run("predict", model, later, "-o", tmp_path / f"labels.{day}.csv").code == 0
        assert len((tmp_path / f"labels.{day}.skipped.csv").read_text().splitlines()) == 3
    (tmp_path / "labels.tuesday.csv").unlink()
    assert run("predict", model, tmp_path / "t.csv", "-o", tmp_path / "labels.tuesday.csv").code == 0
    (tmp_path / "labels.skipped.csv").write_text("of somebody else")
    again = run("predict", model, later, "-o", tmp_path / "labels.jsonl", "--json")  # which would have the same name
    numbered = tmp_path / "labels.skipped-2.csv"
    assert json.loads(again.stdout)["skipped"]["file"] == str(numbered)
    assert len(numbered.read_text().splitlines()) == 3
    assert (tmp_path / "labels.skipped.csv").read_text() == "of somebody else"
    assert run("predict", model, tmp_path / "t.csv", "-o", tmp_path / "labels.tsv").code == 0  # nothing is left out
    assert not (tmp_path / "labels.skipped-3.csv").exists()
    named = ("--skipped", tmp_path / "labels.monday.skipped.csv")
    refused = run("predict", model, later, "-o", tmp_path / "new.csv", *named)
    assert "--skipped names" in refused.sentence  # what somebody has named is not written over
    assert (
        "both name" in run("predict", model, later, "-o", tmp_path / "x.csv", "--skipped", tmp_path / "x.csv").sentence
    )


def test_an_interrupted_fit_is_not_stopped_by_what_it_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "s.csv", SOURCE)
    put(tmp_path / "t.csv", [{**row, "id": "" if n == 3 else row["id"]} for n, row in enumerate(TARGET)])
    outputs = ("-o", tmp_path / "m.isthmus", "--skipped", tmp_path / "left.csv")
    files = ("--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv")
    asked = ("fit", *files, *outputs, "--method", "LR", "--on-bad-rows", "skip", "--blocks")
    with monkeypatch.context() as patch:
        patch.setattr(import_module("isthmus.cli.fit"), "_fit_and_write", Mock(side_effect=KeyboardInterrupt))
        assert run(*asked).code != 0
    left = (tmp_path / "left.csv").read_text()
    (tmp_path / "left.csv").write_text("of somebody else")
    assert "--skipped names" in run(*asked).sentence
    (tmp_path / "left.csv").write_text(left)
    done = run(*asked)
    assert done.code == 0, done.err
    assert "--skipped names" in run(*asked[:5], "-o", tmp_path / "other.isthmus", *asked[7:]).sentence
