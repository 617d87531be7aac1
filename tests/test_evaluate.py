"""How right labels are: figures against scikit-learn's, and the command from files to a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import f1_score, precision_recall_fscore_support

from command import run
from isthmus.cli.console import output
from isthmus.cli.evaluate import _by_class
from isthmus.core.proportions import wilson
from isthmus.evaluation import compare, evaluate_labels
from test_quality import make, put, unlabeled

CLASSES = ["a", "b", "c"]


@given(st.lists(st.tuples(st.sampled_from(CLASSES), st.integers(0, 2), st.floats(0.34, 1)), min_size=1, max_size=40))
def test_figures_are_those_of_scikit_learn(rows: list[tuple[str, int, float]]) -> None:
    truth = [true for true, _, _ in rows]
    probabilities = np.array([[sure if k == found else (1 - sure) / 2 for k in range(3)] for _, found, sure in rows])
    labels = [CLASSES[found] for _, found, _ in rows]
    evaluation = evaluate_labels(truth, probabilities, CLASSES)
    precision, recall, f1, support = precision_recall_fscore_support(truth, labels, labels=CLASSES, zero_division=0)
    for number, one in enumerate(evaluation.classes):
        assert one.f1 == pytest.approx(f1[number])
        assert one.n_true == support[number]
        assert (one.precision.value if one.precision else 0) == pytest.approx(precision[number])
        assert (one.recall.value if one.recall else 0) == pytest.approx(recall[number])
        for interval in (one.precision, one.recall):
            assert interval is None or 0 <= interval.low <= interval.value + 1e-12 <= interval.high + 2e-12 <= 1 + 2e-12
    met = sorted(set(truth) | set(labels))
    assert evaluation.macro_f1 == pytest.approx(f1_score(truth, labels, labels=met, average="macro", zero_division=0))
    assert sum(map(sum, evaluation.confusion)) == len(rows) == sum(one.n for one in evaluation.reliability)
    assert sum(evaluation.confusion[k][k] for k in range(3)) == evaluation.n_right
    assert json.loads(json.dumps(evaluation.as_dict()))["right"] == evaluation.n_right


def test_calibration_is_the_gap_between_claims_and_truth() -> None:
    probabilities = np.tile([0.75, 0.25], (100, 1))
    right = evaluate_labels(["a"] * 75 + ["b"] * 25, probabilities, ["a", "b"])
    assert right.calibration_error == pytest.approx(0)
    modest = evaluate_labels(["a"] * 95 + ["b"] * 5, probabilities, ["a", "b"])
    assert modest.calibration_error == pytest.approx(0.2)
    assert len(modest.reliability) == 1
    assert (modest.reliability[0].low, modest.reliability[0].high) == (0.7, 0.8)


def test_figures_of_numbers_are_json() -> None:
    """Labels are spelled alike in all three columns."""
    found = evaluate_labels(np.array([1, 0]), np.array([[0.2, 0.8], [0.3, 0.7]]), np.array([0, 1]))
    assert json.loads(json.dumps(found.as_dict()))["confusion"]["labels"] == [0, 1]
    other = compare(["1", "0"], np.array([1, 1]), [0.0, 0.0], "LR")
    assert json.loads(json.dumps(other.as_dict()))["right"] == 1
    assert (other.n_gained, other.n_lost) == (1, 1)


def test_comparisons_count_who_is_right_where_the_other_is_wrong() -> None:
    truth = ["a"] * 20
    found = compare(truth, ["a"] * 15 + ["b"] * 5, ["b"] * 10 + ["a"] * 9 + ["b"], "LR")
    assert (found.n_right, found.n_gained, found.n_lost) == (9, 10, 4)
    assert found.p_value == pytest.approx(binomtest(10, 14).pvalue)
    assert "the difference may be chance" in str(found)
    assert "LR is better" in str(compare(truth, ["b"] * 20, truth, "LR"))
    assert "the model is better (McNemar, p < 0.001)" in str(compare(truth, truth, ["b"] * 20, "LR"))
    assert compare(truth, truth, truth, "LR").p_value == 1


@pytest.mark.parametrize(
    ("right", "n", "shares"),
    [
        (89, 100, ("89%", "81%", "94%")),  # a bound near one says nothing about tenths
        (5_004, 10_000, ("50.0%", "49.1%", "51.0%")),
        (9_997, 10_000, (">99.9%", "99.9%", ">99.9%")),  # which is not all of them
        (1, 10_000, ("<0.1%", "<0.1%", "0.1%")),
        (10_000, 10_000, ("100.0%", ">99.9%", "100.0%")),
    ],
)
def test_tenths_are_told_where_the_interval_is_narrow(right: int, n: int, shares: tuple[str, str, str]) -> None:
    interval = wilson(right, n)
    assert interval.percents() == shares
    assert str(interval) == "{} (95% interval {} to {})".format(*shares)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fitted")
    put(folder / "s.csv", make(40, 0))
    put(folder / "t.csv", unlabeled(make(30, 1, "t")))
    files = ["--source", folder / "s.csv", "--target", folder / "t.csv"]
    assert run("fit", *files, "--method", "LR", "-o", folder / "m.isthmus").code == 0
    return folder


def measure(folder: Path, rows: list[dict[str, str]], *more: object) -> Any:
    put(folder / "later.csv", rows)
    return run("evaluate", folder / "m.isthmus", folder / "later.csv", *more)


def test_the_command_measures_and_names_labels_that_it_does_not_know(fitted: Path) -> None:
    rows = make(30, 2, "u")
    rows[3]["label"], rows[4]["label"], rows[6]["label"] = "Bug", "praise", "?"
    found = json.loads(measure(fitted, rows, "--json").stdout)
    assert found["documents"] == 27
    assert found["right"] == found["accuracy"]["value"] * 27 == 27  # LR has no trouble with these
    assert [one["count"] for one in found["unknown_labels"]] == [1, 1]
    assert "did you mean 'bug'?" in found["unknown_labels"][0]["message"]
    assert "the source has no such label" in found["unknown_labels"][1]["message"]
    rows[0]["label"] = "bug"  # it is pay
    printed = measure(fitted, rows, "--source", fitted / "s.csv", "--report", fitted / "e.html")
    assert printed.code == 0, printed.err
    assert "26 of 27 labels are right: 96% (95% interval 82% to 99%)." in printed.stdout
    assert "LR without transfer has 26 of 27 right" in printed.stdout
    assert "Not counted: " in printed.err
    assert "1 row with the label '?', which stands for none (line 8)." in printed.err
    page = (fitted / "e.html").read_text(encoding="utf-8")
    assert "96% of the labels are right" in page
    assert "expect 82% to 99% (95% interval)" in page
    assert "did you mean &#39;bug&#39;?" in page


def test_of_what_was_suggested_the_random_sample_alone_is_counted(fitted: Path) -> None:
    """The others were chosen for being hard: with them, the interval would hold for no target."""
    wrong = {"pay": "bug", "bug": "pay"}
    rows = [
        {**row, "id": str(n), "label": wrong[row["label"]] if n % 2 else row["label"], "guess": row["label"],
         "kind": "teaching" if n % 2 else "random"}
        for n, row in enumerate(make(30, 2, "u"))
    ]  # fmt: skip
    found = json.loads(measure(fitted, rows, "--json").stdout)
    assert (found["documents"], found["right"], found["not_drawn_at_random"]) == (15, 15, 15)
    done = measure(fitted, rows, "--report", fitted / "random.html")
    assert "15 of 15 labels are right" in done.stdout
    said = (
        "later.csv: 15 documents count, drawn at random by isthmus suggest. Not counted: 15 documents chosen to teach"
    )
    assert said in done.stdout
    assert said in (fitted / "random.html").read_text(encoding="utf-8")
    teaching = [{**row, "kind": "teaching"} for row in rows]
    assert "has no labeled document that was drawn at random" in measure(fitted, teaching).sentence
    own = [{**row, "kind": "mail"} for row in rows]  # a column of somebody else
    found = json.loads(measure(fitted, own, "--json").stdout)
    assert (found["documents"], found["not_drawn_at_random"]) == (30, 0)
    assert measure(fitted, [{**row, "kind": row["label"]} for row in rows], "--label", "kind").code == 0


def test_nothing_of_a_label_is_markup(fitted: Path) -> None:
    evil = "<script>alert(1)</script>"
    rows = [{**row, "label": evil if n == 2 else row["label"]} for n, row in enumerate(make(30, 2, "u"))]
    assert measure(fitted, rows, "--report", fitted / "x.html", "--force").code == 0
    page = (fitted / "x.html").read_text(encoding="utf-8")
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_what_cannot_be_measured_is_said(fitted: Path) -> None:
    strange = [{**row, "label": f"other {row['label']}"} for row in make(6, 2, "u")]
    assert "has no true label that the model knows, but 'other" in measure(fitted, strange).sentence
    refused = measure(fitted, unlabeled(make(6, 2, "u"))).sentence
    assert "no column that is clearly the label: choose --label from" in refused
    empty = measure(fitted, [{**row, "label": ""} for row in make(6, 2, "u")]).last
    assert empty.endswith("Correct these rows.")  # there is no option that leaves them out, since they are anyway


def test_columns_have_the_names_that_fit_gives_them(fitted: Path, tmp_path: Path) -> None:
    rows = [{"words": row["text"], "kind": row["label"]} for row in make(30, 2, "u")]
    put(tmp_path / "s.csv", [*rows[:20], {"words": "a text without a label", "kind": ""}])
    measured = measure(fitted, rows, "--text", "words", "--label", "kind", "--source", tmp_path / "s.csv")
    assert measured.code == 0, measured.err
    assert "LR without transfer has 30 of 30 right" in measured.stdout
    assert "Left out" in measured.err  # of the source
    truth = [{"words": row["words"], "truth": row["kind"]} for row in rows]
    same = measure(
        fitted, truth, "--text", "words", "--label", "kind", "--truth", "truth", "--source", tmp_path / "s.csv"
    )
    assert "LR without transfer has 30 of 30 right" in same.stdout


def test_many_classes_are_told_by_what_they_are_taken_for(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"a class of customers number {number:02d}" for number in range(40)]
    probabilities = np.eye(40)
    probabilities[7] = probabilities[8]
    for shown, told in ((names, "a class of customers number 08 (1)"), (names[:3], "→ a class of customers number 02")):
        n = len(shown)
        console = output()
        console.print(_by_class(evaluate_labels(shown, probabilities[:n, :n], shown), console))
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == n + 1  # no name is folded
        assert told in lines[8 if n == 40 else 0]


def test_a_class_of_the_model_is_no_placeholder(tmp_path: Path) -> None:
    rows = [{**row, "label": {"pay": "None"}.get(row["label"], "bug")} for row in make(40, 0)]
    put(tmp_path / "s.csv", rows)
    new = put(tmp_path / "t.csv", [{**row, "label": rows[n]["label"]} for n, row in enumerate(make(40, 1, "t"))])
    model, files = tmp_path / "m.isthmus", ["--source", tmp_path / "s.csv", "--target", new]
    assert run("fit", *files, "--method", "LR", "--allow-label", "None", "-o", model).code == 0
    assert json.loads(run("evaluate", model, new, "--json").stdout)["documents"] == 40
    for more in (["--use-target-labels"], ["--labels", new]):
        done = run("update", model, new, *more, "-o", tmp_path / "n.isthmus", "--force")
        assert "40 with a label" in done.stdout, done.err
    rest = run("suggest", model, new, "--labels", new, "-o", tmp_path / "more.csv")
    assert "all are labeled or empty" in rest.sentence
