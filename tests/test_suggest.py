"""From a model to documents to label, and from their labels to a fit: the loop without a browser."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from command import run
from isthmus import load
from isthmus.io.documents import read_given
from isthmus.selection import RANDOM, TEACHING, pick_batch, suggest_labels
from test_quality import make, put, unlabeled

SOURCE, ROWS = make(40, 0), make(60, 1, "t")
TRUTH = {row["id"]: row["label"] for row in ROWS}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fitted")
    put(folder / "s.csv", SOURCE)
    put(folder / "t.csv", unlabeled(ROWS))
    done = run("fit", *files(folder), "--method", "LR", "-o", folder / "m.isthmus")
    assert done.code == 0, done.err
    return folder


def files(folder: Path) -> list[object]:
    return ["--source", folder / "s.csv", "--target", folder / "t.csv"]


def suggest(folder: Path, name: str, *more: object) -> Path:
    done = run("suggest", folder / "m.isthmus", folder / "t.csv", "-o", folder / name, "--force", *more)
    assert done.code == 0, done.err
    return folder / name


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_half_of_a_batch_measures_and_half_teaches(fitted: Path) -> None:
    rows = rows_of(suggest(fitted, "a.csv", "-n", 11))
    assert list(rows[0]) == ["id", "text", "label", "guess", "kind", "confidence"]
    assert [row["kind"] for row in rows] == [RANDOM] * 6 + [TEACHING] * 5
    assert len({row["id"] for row in rows}) == 11
    texts = {row["id"]: row["text"] for row in ROWS}
    assert all(row["text"] == texts[row["id"]] for row in rows)
    assert {row["kind"] for row in rows_of(suggest(fitted, "b.csv", "--kind", "teaching", "-n", 5))} == {TEACHING}
    assert len(rows_of(suggest(fitted, "c.csv", "--kind", "random", "-n", 500))) == len(ROWS)  # no more are there


def test_a_second_batch_continues_the_sample(fitted: Path) -> None:
    both = [row["id"] for row in rows_of(suggest(fitted, "both.csv", "--kind", "random", "-n", 12))]
    first = rows_of(suggest(fitted, "first.csv", "--kind", "random", "-n", 6))
    assert [row["id"] for row in first] == both[:6]
    labeled = put(fitted / "labeled.csv", [{**row, "label": TRUTH[row["id"]]} for row in first])
    second = rows_of(suggest(fitted, "second.csv", "--kind", "random", "-n", 6, "--labels", labeled))
    assert [row["id"] for row in second] == both[6:]


def test_labels_come_back_by_id_and_measure(fitted: Path) -> None:
    rows = rows_of(suggest(fitted, "to_label.csv", "-n", 20))
    wrong = {row["id"] for row in rows[:2]}  # let the guesses of two random ones be wrong
    other = {"pay": "bug", "bug": "pay"}
    filled = [{**row, "label": other[row["guess"]] if row["id"] in wrong else row["guess"]} for row in rows]
    filled[-1]["label"] = "?"  # nobody knows
    labeled = put(fitted / "labeled.csv", reversed(filled))  # in any order
    done = run("fit", *files(fitted), "--labels", labeled, "--method", "LR", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.stdout)
    assert found["target"]["known_labels"] == 19
    assert found["target"]["known_labels_used"]
    assert found["measured_before"]["right"] == 8
    assert found["measured_before"]["documents"] == 10
    assert found["measured_before"]["low"] == pytest.approx(0.490, abs=1e-3)
    report = fitted / "measured.html"
    printed = run("fit", *files(fitted), "--labels", labeled, "--method", "LR", "--report", report).stdout
    said = "Of 10 documents drawn at random, the labels that were suggested before are right in 8: 80%"
    assert said in printed
    assert said in report.read_text(encoding="utf-8")
    assert "19 documents of the target have a label: these are learned from." in printed


def test_a_second_round_joins_the_first(fitted: Path) -> None:
    first = [{**row, "label": TRUTH[row["id"]]} for row in rows_of(suggest(fitted, "first.csv", "-n", 8))]
    given = ["--labels", put(fitted / "first.csv", first)]
    second = rows_of(suggest(fitted, "second.csv", "-n", 4, *given))
    other = {"pay": "bug", "bug": "pay"}
    wrong = [{**row, "label": other[row["guess"]]} for row in second]
    given += ["--labels", put(fitted / "second.csv", [*wrong, {**first[0], "label": other[first[0]["label"]]}])]
    third = rows_of(suggest(fitted, "third.csv", "--kind", "random", "-n", 500, *given))
    assert len(third) == len(ROWS) - 12
    done = run("fit", *files(fitted), *given, "--method", "LR", "--json", "-o", fitted / "both.isthmus", "--force")
    found = json.loads(done.stdout)
    assert found["target"]["known_labels"] == 12
    measured = found["measured_before"]  # the first document of all is no news
    assert (measured["right"], measured["documents"], measured["file"]) == (0, 2, str(fitted / "second.csv"))
    labels = dict(zip([row["id"] for row in ROWS], load(fitted / "both.isthmus").target_labels, strict=True))
    assert labels[first[0]["id"]] == other[first[0]["label"]]
    printed = run("fit", *files(fitted), *given, "--method", "LR").stdout
    assert f"Of 2 documents drawn at random in {fitted / 'second.csv'}, the labels" in printed


def test_documents_that_a_model_has_learned_the_labels_of_are_not_drawn_again(fitted: Path, tmp_path: Path) -> None:
    """It would be right in all of them, and that would be called its accuracy."""
    filled = [{**row, "label": TRUTH[row["id"]]} for row in rows_of(suggest(fitted, "learned.csv", "-n", 10))]
    labeled, model = put(fitted / "learned.csv", filled), tmp_path / "m.isthmus"
    assert run("fit", *files(fitted), "--labels", labeled, "--method", "LR", "-o", model).code == 0
    asked = ("-n", 500, "--kind", "random", "-o", tmp_path / "more.csv", "--force")
    done = run("suggest", model, fitted / "t.csv", *asked)
    assert "has learned the labels of 10 documents of" in done.last
    assert {row["id"] for row in rows_of(tmp_path / "more.csv")} == set(TRUTH) - {row["id"] for row in filled}
    assert run("suggest", model, fitted / "t.csv", *asked, "--labels", labeled).err == ""
    longer = put(tmp_path / "longer.csv", [{"id": "new", "text": "one more"}, *rows_of(fitted / "t.csv")])
    later = tmp_path / "later.isthmus"
    assert run("update", model, longer, "-o", later).code == 0  # which knows of no label itself
    for known in (model, later):
        assert "has learned the labels of 10 documents of" in run("suggest", known, longer, *asked).last
        chosen = {row["id"] for row in rows_of(tmp_path / "more.csv")}
        assert chosen == {"new", *TRUTH} - {row["id"] for row in filled}


def test_labels_that_were_learned_measure_nothing(fitted: Path, tmp_path: Path) -> None:
    filled = [{**row, "label": TRUTH[row["id"]]} for row in rows_of(suggest(fitted, "measured.csv", "-n", 10))]
    labeled, model = put(fitted / "measured.csv", filled), tmp_path / "m.isthmus"
    assert run("fit", *files(fitted), "--labels", labeled, "--method", "LR", "-o", model).code == 0
    assert "has learned the labels of all documents in" in run("evaluate", model, labeled).sentence
    truth = [{**row, "label": TRUTH[row["id"]]} for row in rows_of(fitted / "t.csv")]
    done = run("evaluate", model, put(tmp_path / "truth.csv", truth), "--json")
    found = json.loads(done.stdout)
    assert (found["documents"], found["learned"]) == (len(truth) - 10, 10)
    assert (
        "not counted are 10 documents whose label the model has learned"
        in run("evaluate", model, tmp_path / "truth.csv").err + run("evaluate", model, tmp_path / "truth.csv").stdout
    )


def test_what_a_model_predicted_is_not_taken_for_labels(fitted: Path, tmp_path: Path) -> None:
    predicted = tmp_path / "predictions.csv"
    assert run("predict", fitted / "m.isthmus", fitted / "t.csv", "-o", predicted).code == 0
    for command in (
        ("fit", *files(fitted), "--method", "LR", "-o", tmp_path / "n.isthmus"),
        ("update", fitted / "m.isthmus", fitted / "t.csv", "-o", tmp_path / "n.isthmus"),
        ("suggest", fitted / "m.isthmus", fitted / "t.csv", "-o", tmp_path / "n.csv"),
    ):
        assert "holds labels that a model predicted" in run(*command, "--labels", predicted).sentence
    people = [{"id": row["id"], "label": row["label"]} for row in rows_of(predicted)]
    put(tmp_path / "people.csv", people)
    assert (
        run(
            "suggest",
            fitted / "m.isthmus",
            fitted / "t.csv",
            "-o",
            tmp_path / "n.csv",
            "--labels",
            tmp_path / "people.csv",
        ).code
        == 1
    )


@pytest.fixture
def documents() -> tuple[Any, Any, list[str]]:
    """Unit rows of ten words: 0 to 19 are alike and uncertain, 20 to 39 alike and sure, the last ones empty."""
    rng = np.random.default_rng(0)
    X = rng.random((44, 10)) * (rng.random((44, 10)) < 0.5)
    X[:, 0] += 0.1
    X[40:] = 0
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    probabilities = np.where(np.arange(44)[:, None] < 20, [[0.5, 0.5]], [[0.95, 0.05]])
    texts = [f"alpha{n} beta{n} gamma{n} delta{n} common word here" for n in range(44)]
    return probabilities, sp.csr_array(X / np.where(norms, norms, 1)), texts


def test_those_that_teach_are_uncertain_dense_and_unlike_one_another(documents: Any) -> None:
    probabilities, X, texts = documents
    picks = pick_batch(probabilities, X, texts, 6, kinds=[TEACHING])
    rows = [pick.row for pick in picks]
    assert max(rows) < 20
    chosen = (X[rows] @ X[rows].T).toarray()
    typical = (X[:20] @ X[:20].T).toarray()
    assert chosen[np.triu_indices(6, 1)].mean() < typical[np.triu_indices(20, 1)].mean()
    first = int((X[:20] @ np.asarray(X.mean(axis=0)).ravel()).argmax())
    assert rows[0] == first  # all are as uncertain: the densest


def test_copies_and_empty_documents_do_not_teach(documents: Any) -> None:
    probabilities, X, texts = documents
    texts[1:20] = [texts[0]] * 19
    rows = [pick.row for pick in pick_batch(probabilities, X, texts, 30, kinds=[TEACHING])]
    assert sum(row < 20 for row in rows) == 1
    assert max(rows) < 40  # those after it hold no word
    rows = [pick.row for pick in pick_batch(probabilities, X, texts, 30, known=[3], kinds=[TEACHING])]
    assert sum(row < 20 for row in rows) == 0  # a copy of what is labeled


def test_masks_and_positions_say_the_same(documents: Any) -> None:
    probabilities, X, texts = documents
    rows = np.array([3, 7, 11, 30, 40])
    mask = np.isin(np.arange(44), rows)
    ways: list[Any] = [rows, rows.tolist(), mask, mask.tolist(), pd.Series(mask), pd.Series(mask, dtype="boolean")]
    for way in ways:
        assert sorted(suggest_labels(probabilities, 9, among=way)) == rows.tolist()
        assert not set(rows) & {pick.row for pick in pick_batch(probabilities, X, texts, 44, known=way)}
    nobody: list[Any] = [[], (), np.zeros(44, dtype=bool)]
    for none in nobody:
        assert suggest_labels(probabilities, 9, among=none).tolist() == []
        assert pick_batch(probabilities, X, texts, 9, known=none) == pick_batch(probabilities, X, texts, 9)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([True, False], "has 2 entries and there are 44 documents: give True or False for each, or positions"),
        ([0.5, 1.7], r"is \[0.5, 1.7\]: give positions of documents, or True or False for each"),
        ([[1, 2]], r"is \[\[1, 2\]\]: give positions"),
        ([[1], [1, 2]], r"is .*: give positions"),
        ([True, None], r"is .*: give positions"),
        ("12", "is '12': give positions"),
        (3, "is 3: give positions"),
        ([2, 5000], "holds 5000, and there are 44 documents: give positions from 0 to 43"),
        ([-1], "holds -1, and there are 44 documents"),
    ],
)
def test_what_names_no_documents_is_refused(documents: Any, rows: Any, sentence: str) -> None:
    probabilities, X, texts = documents
    with pytest.raises(ValueError, match=f"^among {sentence}"):
        suggest_labels(probabilities, 9, among=rows)
    with pytest.raises(ValueError, match=f"^known {sentence}"):
        pick_batch(probabilities, X, texts, 9, known=rows)


def test_a_batch_of_what_there_is_not_is_refused(documents: Any) -> None:
    probabilities, X, texts = documents
    kinds: list[Any] = ["random", ["Random"], [], [RANDOM, "hard"], None]
    for wrong in kinds:
        with pytest.raises(ValueError, match=re.escape(f"kinds is {wrong!r}: give ['random'], ['teaching'] or both.")):
            pick_batch(probabilities, X, texts, 4, kinds=wrong)
    assert {pick.kind for pick in pick_batch(probabilities, X, texts, 4, kinds=[RANDOM, RANDOM])} == {RANDOM}
    sizes: list[Any] = [-3, 0, 2.5, "4"]
    for n in sizes:
        with pytest.raises(ValueError, match=f"^n is {n!r}: ask for a whole number of documents, one at least"):
            pick_batch(probabilities, X, texts, n)
    for wrong in ((probabilities[:9], X, texts), (probabilities, X[:9], texts), (probabilities, X, texts[:9])):
        with pytest.raises(ValueError, match=r"probabilities have .*, X .* rows and texts .*: give one of each"):
            pick_batch(*wrong, 4)


def test_random_ones_are_drawn_alike_whatever_the_model_thinks(documents: Any) -> None:
    probabilities, X, texts = documents
    texts[5] = "  "
    drawn = np.zeros(44)
    for seed in range(400):
        picks = pick_batch(probabilities, X, texts, 10, kinds=[RANDOM], random_state=seed)
        drawn[[pick.row for pick in picks]] += 1
    assert drawn[5] == 0  # nobody could label it
    expected = 400 * 10 / 43
    assert np.abs(np.delete(drawn, 5) - expected).max() < 5 * np.sqrt(expected)


def test_a_column_of_ones_own_that_is_called_kind_is_not_taken_for_labels(tmp_path: Path) -> None:
    """What `suggest` wrote has its labels in `label`, whatever the column of the source is called."""
    path = tmp_path / "to_label.csv"
    path.write_text("id,text,label,guess,kind,confidence\n7,a text,spam,ham,random,0.9\n", encoding="utf-8")
    [given] = read_given(str(path), label="kind")
    assert (given.id, given.label, given.guess, given.kind) == ("7", "spam", "ham", "random")


def test_the_random_sample_of_many_batches_is_that_of_one() -> None:
    """Those that teach are in doubt: were they taken out of it, it would measure the easier ones."""
    rng = np.random.default_rng(0)
    sure, X = rng.uniform(0.5, 1, 400), sp.csr_array(rng.random((400, 12)))
    probabilities, texts = np.column_stack([sure, 1 - sure]), [f"text number {row}" for row in range(400)]
    known, drawn = np.zeros(400, dtype=bool), list[int]()
    for _ in range(10):
        picks = pick_batch(probabilities, X, texts, 20, known=known)
        assert [pick.kind for pick in picks] == [RANDOM] * 10 + [TEACHING] * 10
        drawn += [pick.row for pick in picks if pick.kind == RANDOM]
        known[[pick.row for pick in picks]] = True
    at_once = pick_batch(probabilities, X, texts, 100, kinds=[RANDOM])
    assert drawn == [pick.row for pick in at_once]
    assert len(pick_batch(probabilities, X, texts, 400, known=known)) == 200  # in the end, all are asked about
