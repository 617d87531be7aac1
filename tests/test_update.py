"""isthmus update: what came later is learned, at its own cost, and the rest of the model stays."""

from __future__ import annotations

import csv
import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import log_softmax
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import isthmus
from command import run
from isthmus.auto.estimate import Estimate, updated
from isthmus.auto.update import LEAST, UpdatedSolution, _correction
from isthmus.drift import profile_target
from isthmus.text import UnicodeCounts, grown_vectorizer, preset_vectorizer, text_vectorizer
from test_quality import make, put, unlabeled

SOURCE, ROWS, LATER = make(60, 0), make(120, 1, "t"), make(300, 2, "u")


def texts(rows: list[dict[str, str]]) -> list[str]:
    return [row["text"] for row in rows]


@pytest.fixture(scope="module", params=["LR", "Auto", "TCL"])
def result(request: pytest.FixtureRequest) -> isthmus.Result:
    labels = [row["label"] for row in SOURCE]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", isthmus.exceptions.TransferWarning)
        found = isthmus.transfer(texts(SOURCE), labels, texts(ROWS), method=request.param, encoder=None)
    return replace(found, profile=profile_target(found))


def test_a_correction_of_nothing_is_logistic_regression() -> None:
    """Where the model before knows nothing, and all labels are known: scikit-learn's, without an intercept."""
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.random((40, 6)) * (rng.random((40, 6)) < 0.5))
    y = rng.integers(0, 3, 40)
    found = _correction(np.zeros((40, 3)), X, np.eye(3)[y], np.ones(40))
    other = LogisticRegression(C=1, fit_intercept=False, tol=1e-10, max_iter=1000).fit(X, y).coef_.T
    assert log_softmax(X @ found, axis=1) == pytest.approx(log_softmax(X @ other, axis=1), abs=1e-3)


def test_a_new_word_is_weighed_by_all_texts_that_came_before(result: isthmus.Result) -> None:
    """One that three texts hold counts as ln(n / 3), whether in the first update or in the second."""
    for n_updates in (1, 2):
        word = "unheard" * n_updates
        result = result.update([f"{word} {text}" for text in texts(LATER[:3])])
        weights = dict(zip(result.vectorizer.get_feature_names_out(), result.vectorizer[-1].idf_, strict=False))
        assert weights[word] == pytest.approx(np.log((len(ROWS) + 3 * n_updates) / 3))


def test_known_labels_are_learned_and_everything_else_stays(result: isthmus.Result) -> None:
    before = result.estimator.predict_proba(result.vectorizer.transform(texts(ROWS)))
    wrong = [str(result.classes[1 - list(result.classes).index(row["label"])]) for row in LATER]
    after = result.update(texts(LATER), wrong)
    assert after.labels.tolist() == wrong
    assert (after.predict(texts(LATER)) == wrong).mean() > (result.predict(texts(LATER)) == wrong).mean() + 0.1
    assert (result.estimator.predict_proba(result.vectorizer.transform(texts(ROWS))) == before).all()
    estimate = getattr(result.estimator, "estimated_accuracy_", None)
    if estimate is not None:
        assert after.estimator.estimated_accuracy_.value < estimate.value
    if hasattr(result.estimator, "topics"):
        assert after.topics()


def test_many_labels_measure_whatever_the_fit_had_claimed(result: isthmus.Result) -> None:
    if getattr(result.estimator, "estimated_accuracy_", None) is None:
        return
    rng, found = np.random.default_rng(0), result.predict(texts(LATER))
    others = np.where(found == result.classes[0], result.classes[1], result.classes[0])
    for share in (0.6, 0.9):
        known = np.where(rng.random(len(found)) < share, found, others)
        right = (known == found).mean()
        estimate = result.update(texts(LATER), known.tolist()).estimator.estimated_accuracy_
        assert estimate.value == pytest.approx(right, abs=0.02)
        assert estimate.low < right < estimate.high < estimate.low + 0.2


def test_documents_without_labels_do_not_make_it_surer(result: isthmus.Result) -> None:
    claimed = result.predict_proba(texts(LATER)).max(axis=1).mean()
    after = result.update(texts(LATER))
    assert isinstance(after.estimator.solution_, UpdatedSolution)
    assert after.probabilities.max(axis=1).mean() == pytest.approx(claimed, abs=0.02)
    assert (after.labels == result.predict(texts(LATER))).mean() > 0.9


def test_texts_without_a_word_teach_nothing(result: isthmus.Result) -> None:
    with pytest.warns(isthmus.exceptions.EmptyDocumentWarning, match="2 of 2 documents"):
        after = result.update(["", " "], [None, result.labels[0]])
    assert after.probabilities[0] == pytest.approx(result.estimator.class_prior_)
    assert after.labels[1] == result.labels[0]
    assert after.predict_proba(texts(ROWS)) == pytest.approx(result.predict_proba(texts(ROWS)), abs=LEAST)


def test_again_and_again_is_one_layer_and_a_file_holds_it(result: isthmus.Result, tmp_path: Path) -> None:
    once = result.update(texts(LATER[:100]), [row["label"] for row in LATER[:100]])
    twice = once.update([f"{text} novelty" for text in texts(LATER[100:])])
    assert "novelty" in twice.vectorizer[0].vocabulary_
    solution = twice.estimator.solution_
    assert isinstance(solution, UpdatedSolution)
    assert solution.shown is once.estimator.solution_.shown
    isthmus.save(twice, tmp_path / "m.isthmus")
    loaded = isthmus.load(tmp_path / "m.isthmus")
    assert loaded.predict_proba(texts(ROWS)) == pytest.approx(twice.predict_proba(texts(ROWS)))
    assert repr(getattr(loaded.estimator, "estimated_accuracy_", 0)) == repr(
        getattr(twice.estimator, "estimated_accuracy_", 0)
    )


def test_the_profile_is_of_what_came_later_if_that_is_enough(result: isthmus.Result) -> None:
    assert result.profile is not None
    few, many = (result.update(texts(LATER[:n])).profile for n in (50, 300))
    assert few is not None
    assert many is not None
    assert (few.unknown == result.profile.unknown).all()
    assert len(few.center) >= len(result.profile.center)
    assert len(many.unknown) == 300


def test_labels_must_be_classes(result: isthmus.Result) -> None:
    with pytest.raises(ValueError, match="labels holds 'other', which the model does not know"):
        result.update(["a text"], ["other"])
    with pytest.raises(ValueError, match="labels has 2 entries and texts 1"):
        result.update(["a text"], [None, None])


def test_words_are_added_at_the_right_with_the_weight_of_rare_ones() -> None:
    vectorizer = preset_vectorizer("default").fit(["old words here", "old words there", "old times"])
    grown = grown_vectorizer(vectorizer, ["old novelty", "novelty once"], 3)
    assert list(vectorizer[0].vocabulary_) == [*vectorizer.get_feature_names_out()]
    assert grown.get_feature_names_out().tolist() == [*vectorizer.get_feature_names_out(), "novelty"]
    assert grown[1].idf_[-1] == pytest.approx(np.log(5 / 2))
    assert grown_vectorizer(vectorizer, ["old words"], 3) is vectorizer
    assert grown_vectorizer(str, ["old words"], 3) is str


@pytest.mark.parametrize(("least", "added"), [(2, {"both", "most"}), (1.0, {"both"}), (0.6, {"both", "most"})])
def test_new_words_stand_in_as_many_texts_as_min_df_asks_for(least: float, added: set[str]) -> None:
    """A number of texts, or a share of them."""
    vectorizer = text_vectorizer(min_df=least).fit(["old"] * 4)
    grown = grown_vectorizer(vectorizer, ["old both most one", "both most", "both"], 4)
    assert grown[0].vocabulary_.keys() == {"old"} | added


def test_one_label_counts_little_beside_what_the_model_claims(result: isthmus.Result) -> None:
    claimed = result.update(texts(LATER)).probabilities.max(axis=1).mean()
    wrong = str(result.classes[result.classes != result.predict(texts(LATER[:1]))[0]][0])
    after = result.update(texts(LATER), [wrong, *[None] * (len(LATER) - 1)])
    assert after.probabilities[1:].max(axis=1).mean() == pytest.approx(claimed, abs=0.05)


def test_the_command(tmp_path: Path) -> None:
    put(tmp_path / "s.csv", SOURCE)
    put(tmp_path / "t.csv", unlabeled(ROWS))
    put(tmp_path / "new.csv", LATER)
    model, new = tmp_path / "m.isthmus", tmp_path / "m2.isthmus"
    files = ["--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv"]
    assert run("fit", *files, "--method", "LR", "-o", model).code == 0

    def update(*more: object) -> Any:
        return run("update", model, tmp_path / "new.csv", "-o", new, "--force", "--json", *more)

    assert json.loads(update().stdout)["labels"] == 0
    told = json.loads(update("--use-target-labels").stdout)
    assert told["documents"] == told["labels"] == 300
    counts = [UnicodeCounts(min_df=n) for n in (2, 1)]  # of the fit, and of what came later
    known, met = (
        set(own.fit([row["text"] for row in rows]).vocabulary_)
        for own, rows in zip(counts, (SOURCE + ROWS, LATER), strict=True)
    )
    assert 0 < told["new_words"] <= len(met - known)  # words, and no runs of their letters
    with (tmp_path / "labels.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["id", "label"], [LATER[0]["id"], LATER[0]["label"]]])
    assert json.loads(update("--labels", tmp_path / "labels.csv").stdout)["labels"] == 1
    assert run("predict", new, tmp_path / "t.csv", "-o", tmp_path / "out.csv").code == 0
    assert "--output" in run("update", model, tmp_path / "new.csv", "-o", new).sentence  # it exists
    (tmp_path / "labels.csv").write_text(f"id,label\n{LATER[0]['id']},Pay\n")
    refused = update("--labels", tmp_path / "labels.csv").sentence
    assert "labels that the model spells otherwise: 'Pay' (did you mean 'pay'?)" in refused
    assert refused.endswith("Correct them, or fit a model that has them as classes.")  # update has no --allow-label
    put(tmp_path / "own.csv", [{**row, "label": "Pay"} for row in LATER])
    own = run("update", model, tmp_path / "own.csv", "-o", new, "--force", "--use-target-labels").sentence
    assert "the model spells otherwise" in own
    (tmp_path / "labels.csv").write_text(f"id,label\n{LATER[0]['id']},unheard of\n")
    assert "does not know: 'unheard of'" in update("--labels", tmp_path / "labels.csv").sentence


def test_the_random_sample_measures_the_model_before(tmp_path: Path) -> None:
    put(tmp_path / "s.csv", SOURCE)
    put(tmp_path / "new.csv", unlabeled(ROWS))
    model, new, labels = tmp_path / "m.isthmus", tmp_path / "new.csv", tmp_path / "labels.csv"
    assert run("fit", "--source", tmp_path / "s.csv", "--target", new, "--method", "LR", "-o", model).code == 0
    assert run("suggest", model, new, "-n", 8, "-o", labels).code == 0
    with labels.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    other = {"pay": "bug", "bug": "pay"}
    put(labels, [{**row, "label": row["guess"] if n else other[row["guess"]]} for n, row in enumerate(rows)])
    updating = ["update", model, new, "--labels", labels, "-o", tmp_path / "n.isthmus", "--force"]
    assert (
        "Of 4 documents drawn at random, the labels that were suggested before are right in 3" in run(*updating).stdout
    )
    measured = json.loads(run(*updating, "--json").stdout)["measured_before"]
    assert (measured["right"], measured["documents"]) == (3, 4)
    put(labels, [{"id": row["id"], "label": row["guess"]} for row in rows])
    assert json.loads(run(*updating, "--json").stdout)["measured_before"] is None


def test_own_labels_that_are_not_there_are_missed(tmp_path: Path) -> None:
    put(tmp_path / "s.csv", make(20, 0))
    put(tmp_path / "t.csv", [{"text": row["text"], "mood": row["label"]} for row in make(20, 1, "t")])
    model, new, files = tmp_path / "m.isthmus", tmp_path / "t.csv", ["--source", tmp_path / "s.csv"]
    assert run("fit", *files, "--target", new, "--method", "LR", "-o", model).code == 0
    updating = ["update", model, new, "--use-target-labels", "-o", tmp_path / "n.isthmus"]
    assert "has no label: name their column with --label" in run(*updating).sentence
    assert "20 with a label" in run(*updating, "--label", "mood").stdout


def test_the_command_counts_no_words_of_a_vectorizer_without_names(tmp_path: Path) -> None:
    texts = [row["text"] for row in ROWS]
    vectorizer = make_pipeline(HashingVectorizer(n_features=64, alternate_sign=False), TfidfTransformer())
    labels = [row["label"] for row in SOURCE]
    result = isthmus.transfer([row["text"] for row in SOURCE], labels, texts, vectorizer=vectorizer, method="LR")
    isthmus.save(result, tmp_path / "m.isthmus")
    put(tmp_path / "new.csv", unlabeled(LATER))
    done = run("update", tmp_path / "m.isthmus", tmp_path / "new.csv", "-o", tmp_path / "m2.isthmus", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.stdout)["new_words"] == 0


@pytest.mark.parametrize("size", [60, 20, 5, 1])
def test_labels_in_small_batches_reach_the_estimate(size: int) -> None:
    """A batch has no draw in the interval before it, whatever its size."""
    estimate, claimed = Estimate(0.85, 0.75, 0.95), np.full(60, 0.85)
    for first in range(0, 60, size):
        batch = claimed[first : first + size]
        estimate = updated(estimate, batch, np.zeros(len(batch), dtype=bool), 2, None)
    assert estimate.high < 0.6
