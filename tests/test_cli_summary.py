"""What `isthmus fit` says at the end, and how commands end that nobody listens to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import isthmus
from alone import CLOSED, command
from command import run
from isthmus.auto import Caution, Estimate
from isthmus.auto.warnings import emit
from test_cli_fit import SOURCE, TARGET, files, fit, labels_in
from test_reading import write

__all__ = ["files"]  # a fixture


def test_json_is_one_object_and_nothing_else(files: Path) -> None:
    done = fit(files, "--json", "--truth", "truth", "--predictions", files / "out.csv")
    assert all(line.startswith("isthmus: ") for line in done.err.splitlines())  # warnings, as sentences
    found = json.loads(done.stdout)
    assert found["method"] == "Auto"
    assert found["classes"] == ["billing", "fault"]
    assert found["sources"][0]["labels"] == {"billing": 20, "fault": 20}
    assert found["target"]["documents"] == sum(found["target"]["labels"].values()) == 30
    assert found["truth"]["documents"] == 30
    assert found["written"] == {"predictions": str(files / "out.csv")}
    assert len(found["warnings"]) == len(done.err.splitlines())
    assert 0 <= found["estimated_accuracy"]["low"] <= found["estimated_accuracy"]["value"] <= 1


def test_estimates_and_warnings_of_an_estimator_are_shown(files: Path) -> None:
    class Cautious(isthmus.LR):
        def fit(self, *arguments: Any, **options: Any) -> Any:
            self.estimated_accuracy_ = Estimate(0.81, 0.7, 0.9)
            self.warnings_ = [Caution("odd", "The target has [odd] words.")]
            emit(self.warnings_)
            return super().fit(*arguments, **options)

    with mock.patch.dict("isthmus.methods.METHODS", {"Cautious": Cautious}):
        printed = fit(files, "--method", "cautious")
        as_json = fit(files, "--method", "cautious", "--json")
    found = json.loads(as_json.stdout)
    assert "Estimated accuracy in the target: 81% (90% interval 70% to 90%)." in printed.stdout
    assert "odd" not in printed.stdout  # once is enough
    assert printed.err == as_json.err
    assert [line for line in printed.err.splitlines() if "No file will be written" not in line] == [
        "isthmus: Warning: The target has [odd] words."
    ]
    assert found["estimated_accuracy"] == {"value": 0.81, "low": 0.7, "high": 0.9}
    assert found["warnings"] == [{"kind": "odd", "message": "The target has [odd] words."}]


def test_target_labels_are_read_only_when_asked(files: Path) -> None:
    """Every label of the target is wrong here, so that it shows whether they were read."""
    wrong = {"billing": "fault", "fault": "billing"}
    rows = [{**row, "label": wrong[row["label"]] if n < 10 else ""} for n, row in enumerate(TARGET)]
    write(files / "partly.csv", rows)
    fit(files, "--method", "LR", "--predictions", files / "1.csv")
    ignored = fit(files, "--method", "LR", "--predictions", files / "2.csv", target=files / "partly.csv")
    assert "10 documents of the target have a label: these are not learned from; --use-target-labels" in ignored.stdout
    assert (files / "1.csv").read_bytes() == (files / "2.csv").read_bytes()
    used = fit(
        files,
        "--method",
        "LR",
        "--use-target-labels",
        "--predictions",
        files / "3.csv",
        "--truth",
        "label",
        target=files / "partly.csv",
    )
    assert "10 documents of the target have a label: these are learned from." in used.stdout
    assert "Right by" not in used.stdout
    assert "Nothing to score: every document with an entry in column 'label' was learned from." in used.stdout
    found = labels_in(files / "3.csv")
    assert [found[row["id"]] for row in rows[:10]] == [row["label"] for row in rows[:10]]


@pytest.mark.parametrize(("ours", "theirs"), [(("1", "-1"), ("1.0", "-1.0")), (("1.0", "0.0"), ("1", "0"))])
def test_a_whole_number_is_the_same_label_however_it_is_spelled(
    files: Path, ours: tuple[str, str], theirs: tuple[str, str]
) -> None:
    """Programs make 1.0 of 1 in a column with gaps."""
    here, there = (dict(zip(("billing", "fault"), labels, strict=True)) for labels in (ours, theirs))
    write(files / "s.csv", [{**row, "label": here[row["label"]]} for row in SOURCE])
    rows = [
        {**row, "label": there[row["label"]] if n < 10 else "", "truth": there[row["label"]]}
        for n, row in enumerate(TARGET)
    ]
    write(files / "t.csv", rows)
    options = ["--method", "LR", "--truth", "truth", "--use-target-labels", "--json"]
    found = json.loads(fit(files, *options, source=files / "s.csv", target=files / "t.csv").stdout)
    assert found["classes"] == sorted(here.values())
    assert found["truth"] == {"column": "truth", "documents": 20, "accuracy": 1.0}


def test_labels_that_one_file_tells_apart_stay_apart(files: Path) -> None:
    versions = {"billing": "1.0", "fault": "1"}
    write(files / "s.csv", [{**row, "label": versions[row["label"]]} for row in SOURCE])
    write(files / "t.csv", [{**row, "label": versions[row["label"]]} for row in TARGET])
    options = ["--method", "LR", "--truth", "label", "--json"]
    found = json.loads(fit(files, *options, source=files / "s.csv", target=files / "t.csv").stdout)
    assert found["classes"] == ["1", "1.0"]
    assert found["truth"]["accuracy"] == 1.0


def test_true_labels_that_no_class_has_are_a_mistake(files: Path) -> None:
    write(files / "t.csv", [{**row, "label": row["label"].upper()} for row in TARGET])
    bad = run("fit", "--source", files / "source.csv", "--target", files / "t.csv", "--truth", "label")
    assert "in column 'label', which --truth names, but 'BILLING', 'FAULT': spell labels alike" in bad.sentence


def test_target_labels_that_are_not_there_are_missed(files: Path) -> None:
    bare = write(files / "bare.csv", [{"text": row["text"]} for row in TARGET])
    bad = run("fit", "--source", files / "source.csv", "--target", bare, "--use-target-labels", "--method", "LR")
    assert "has no entry in column 'label': leave --use-target-labels out" in bad.sentence


def test_target_labels_that_come_late_are_learned_from(files: Path) -> None:
    rows = [{"text": row["text"]} for row in TARGET] * 5 + [{"text": row["text"], "label": "fault"} for row in TARGET]
    target = write(files / "t.jsonl", rows)
    used = fit(files, "--method", "LR", "--use-target-labels", target=target).stdout
    assert "30 documents of the target have a label: these are learned from." in used


def test_scripts_learn_that_there_was_nothing_to_score(files: Path) -> None:
    write(files / "known.csv", TARGET)
    told = ["--method", "LR", "--truth", "label", "--json"]
    scored, learned = (
        json.loads(fit(files, *told, *more, target=files / "known.csv").stdout)["truth"]
        for more in ([], ["--use-target-labels"])
    )
    assert (scored["documents"], learned) == (30, {"column": "label", "documents": 0, "accuracy": None})
    assert json.loads(fit(files, "--method", "LR", "--json").stdout)["truth"] is None


def alone(*arguments: object, stdout: str) -> tuple[int, str]:
    """In a process of its own: how it ends, and what it says on standard error."""
    done = command(*arguments, stdout=stdout)
    return done.code, done.stderr


def test_nobody_reads_the_output(files: Path) -> None:
    given = ["fit", "--source", files / "source.csv", "--target", files / "target.csv", "--method", "LR"]
    for name, more in {"1": [], "2": ["--json"]}.items():
        assert alone(*given, "-o", files / name, *more, stdout=CLOSED) == (141, "")
        assert isthmus.load(files / name).predict(["refund"]).tolist() == ["billing"]
    assert alone("predict", files / "1", files / "target.csv", stdout=CLOSED) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_the_output_cannot_be_printed(files: Path) -> None:
    given = ["fit", "--source", files / "source.csv", "--target", files / "target.csv", "--method", "LR"]
    for name, more in {"1": [], "2": ["--json"]}.items():
        code, said = alone(*given, "-o", files / name, *more, stdout="/dev/full")
        reason = "The summary cannot be printed: No space left on device."
        assert (code, said) == (1, f"isthmus: {reason} Wrote {files / name}.\n")
        assert (files / name).exists()
    for arguments in (["predict", files / "1", files / "target.csv"], ["--help"]):
        code, said = alone(*arguments, stdout="/dev/full")
        assert (code, said) == (1, "isthmus: Standard output cannot be read or written: No space left on device.\n")
