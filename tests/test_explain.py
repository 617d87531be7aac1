"""The words that decided a document's label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline

import isthmus
import isthmus.inspection.occlusion as explain
from command import run
from conftest import Toy, build, make_toy, quick
from isthmus.core.features import is_letter_run
from isthmus.exceptions import DataError
from isthmus.inspection import class_words
from isthmus.inspection.occlusion import deciding_words
from isthmus.report.material import read_material
from isthmus.report.words import changed_words
from isthmus.text import UnicodeCounts


def naive(model: Any, document: np.ndarray, label: Any) -> dict[int, float]:
    """One word at a time, one document at a time."""
    number = model.classes_.tolist().index(label)

    def log_odds(row: np.ndarray) -> float:
        p = model.predict_proba(row[np.newaxis])[0]
        own, others = np.maximum([p[number], np.delete(p, number).sum()], explain.SMALLEST)
        return float(np.log(own / others))

    whole = log_odds(document)
    return {
        int(word): whole - log_odds(np.where(np.arange(len(document)) == word, 0, document))
        for word in np.flatnonzero(document)
    }


@given(seed=st.integers(0, 1000), sparse=st.booleans())
def test_logistic_regression_decides_by_weight_times_value(seed: int, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, size=(20, 9)) * rng.uniform(0.5, 2, size=(20, 9))
    X[:, [0, 8]] += 0.1  # no document is empty without one of its words
    y = np.where(X[:, 1] + 0.1 * rng.normal(size=20) > np.median(X[:, 1]), "yes", "no")
    y[:2] = "yes", "no"
    model = isthmus.LR().fit(X, y)
    names = [f"word{i}" for i in range(9)]
    weights = model.classifier_.coef_[0]  # for "yes"
    found = deciding_words(model, sp.csr_array(X) if sparse else X, names, n_words=9, n_candidates=9)
    for row, label, words in zip(X, model.predict(X), found, strict=True):
        says = (1 if label == "yes" else -1) * weights * row
        expected = {names[i]: says[i] for i in np.flatnonzero(row) if says[i] > 1e-9}
        assert dict(words) == pytest.approx(expected, abs=1e-8)
        assert [say for _, say in words] == sorted((say for _, say in words), reverse=True)


@pytest.mark.parametrize("method", ["LR", "TCL", "KMeans", "SGT"])
def test_deciding_words_are_those_of_one_word_at_a_time(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = make_toy(seed=1, n_classes=3, n_documents=60)
    model = toy.fit(quick(method))
    X = toy.X[toy.in_target][:3]
    labels = model.classes_[[0, 1, 2]]  # right or wrong, they are explained
    names = [str(i) for i in range(X.shape[1])]
    found = deciding_words(model, X, names, n_words=3, n_candidates=100, labels=labels)
    for row, label, words in zip(X.toarray(), labels, found, strict=True):
        falls = naive(model, row, label)
        assert [falls[int(word)] for word, _ in words] == pytest.approx([say for _, say in words], rel=1e-6, abs=1e-6)
        best = sorted((fall for fall in falls.values() if fall > 0), reverse=True)[:3]
        assert [say for _, say in words] == pytest.approx(best, rel=1e-6, abs=1e-6)
    monkeypatch.setattr(explain, "ENTRIES_AT_ONCE", 50)  # in many pieces
    held: list[int] = []
    without = explain._without

    def measured(*given: Any) -> Any:
        occluded = without(*given)
        held.append(occluded.nnz)
        return occluded

    monkeypatch.setattr(explain, "_without", measured)
    pieces = deciding_words(model, X, names, n_words=3, n_candidates=100, labels=labels)
    assert [[word for word, _ in words] for words in pieces] == [[word for word, _ in words] for words in found]
    assert max(held) <= 50 + np.diff(X.indptr).max()  # of one document, too


def test_a_word_is_taken_out_with_the_runs_of_its_letters() -> None:
    """By hand: the text without the word; all that is named is words."""
    texts = ["refund me", "a refund", "refunds now", "it crashed", "crash again", "the crash"]
    counts = UnicodeCounts(letters=4).fit(texts)
    model = isthmus.LR().fit(counts.transform(texts), [*"bbbfff"])
    text = "refunds now the crash"
    words = dict(
        deciding_words(model, sp.csr_array(counts.transform([text])), counts.get_feature_names_out(), labels=["b"])[0]
    )
    assert words
    for word, say in words.items():
        rows = counts.transform([text, " ".join(other for other in text.split() if other != word)])
        before, after = (np.log(own / other) for own, other in model.predict_proba(rows))
        assert say == pytest.approx(before - after)


def test_people_are_shown_words_and_no_runs_of_letters() -> None:
    texts = ["refund me", "a refund", "refunds now", "it crashed", "crash again", "the crash"]
    result = isthmus.transfer(texts, [*"bbbfff"], ["one refund", "no crash"], method="TCL")
    names = result.vectorizer.get_feature_names_out()
    assert any(map(is_letter_run, names))
    shown = [word for words in class_words(result.estimator, names, 50).values() for word, _ in words]
    shown += [word for topic in result.topics(50) for words in topic.specific.values() for word, _ in words]
    changes = changed_words(read_material(result, None, None), 50)
    shown += [change.word for change in (*changes.fewer, *changes.more)]
    assert {"refund", "crash"} <= set(shown)
    assert not any(map(is_letter_run, shown))


def test_a_model_that_knows_no_whole_word(tmp_path: Path) -> None:
    source, target = ["refunding", "refunded", "crashing", "crashed"], ["refunder", "crasher"]
    result = isthmus.transfer(source, [*"bbff"], target, method="LR")
    names = result.vectorizer.get_feature_names_out()
    assert all(map(is_letter_run, names))
    assert class_words(result.estimator, names, 5) == {"b": [], "f": []}
    isthmus.save(result, tmp_path / "model.isthmus")
    found = run("explain", str(tmp_path / "model.isthmus"), "--document", "refundable")
    assert "No single word that the model knows decides it: the runs of letters of unknown ones may." in found.stdout


@pytest.mark.parametrize("method", ["LR", "TCL", "CCI"])
@pytest.mark.parametrize("as_pipeline", [False, True])
def test_a_vectorizer_that_names_no_words(tmp_path: Path, method: str, as_pipeline: bool) -> None:
    source, target = ["refund me", "a refund", "it crashed", "a crash"], ["one refund", "no crash"]
    hashing: Any = HashingVectorizer(n_features=64, alternate_sign=False)
    vectorizer = make_pipeline(hashing, TfidfTransformer()) if as_pipeline else hashing
    result = isthmus.transfer(source, [*"bbff"], target, vectorizer=vectorizer, method=method)
    isthmus.save(result, tmp_path / "model.isthmus")
    for more in ([], ["--document", "a refund"]):
        sentence = run("explain", tmp_path / "model.isthmus", *more).sentence
        assert "gives its columns no names, as hashing does" in sentence
    if method == "TCL":
        with pytest.raises(DataError, match="gives its columns no names"):
            result.topics()


def test_only_the_heaviest_words_are_tried() -> None:
    X = sp.csr_array(np.array([[1.0, 2, 3, 0], [0, 0, 0, 1], [0, 0, 0, 0], [4, 1, 1, 1]]))
    asked: list[Any] = []

    class Model:
        classes_ = np.array(["a", "b"])

        def predict_proba(self, X: Any) -> np.ndarray:
            asked.append(X)
            share = 1 / (1 + np.exp(-X.sum(axis=1)))
            return np.column_stack([share, 1 - share])

    found = deciding_words(Model(), X, ["w", "x", "y", "z"], n_candidates=2)
    assert [[word for word, _ in words] for words in found] == [["y", "x"], ["z"], [], ["w", "x"]]
    assert all(sp.issparse(matrix) for matrix in asked)
    assert asked[1].toarray().tolist() == [[1, 2, 0, 0], [1, 0, 3, 0], [0, 0, 0, 0], [0, 1, 1, 1], [4, 0, 1, 1]]


def test_sure_labels_are_explained_too() -> None:
    """Even if they would be sure without any one word."""

    class Model:
        classes_ = np.array(["a", "b"])

        def predict_proba(self, X: Any) -> np.ndarray:
            odds = np.exp(-40 * X.sum(axis=1))
            return np.column_stack([1 / (1 + odds), odds / (1 + odds)])

    (words,) = deciding_words(Model(), np.array([[1.0, 2, 0]]), ["brake", "bike", "none"])
    assert [word for word, _ in words] == ["bike", "brake"]
    assert [say for _, say in words] == pytest.approx([80, 40])


def test_the_command_tries_all_words_of_a_document(tmp_path: Path) -> None:
    kinds = {label: [f"{label}{number}" for number in range(30)] for label in ("yes", "no")}
    texts = {label: [" ".join((words * 2)[n : n + 8]) for n in range(30)] for label, words in kinds.items()}
    source = texts["yes"] + texts["no"]
    isthmus.save(isthmus.transfer(source, ["yes"] * 30 + ["no"] * 30, source, method="LR"), tmp_path / "m.isthmus")
    done = run("explain", tmp_path / "m.isthmus", "--document", " ".join(kinds["yes"]), "--words", "30", "--json")
    assert set(json.loads(done.stdout)["words"]) == set(kinds["yes"])


def test_wrong_names_and_labels_are_refused(toy: Toy) -> None:
    model = toy.fit(build("LR"))
    with pytest.raises(ValueError, match="feature_names has 1 entries and X 82 columns"):
        deciding_words(model, toy.X, ["one"])
    names = [str(i) for i in range(toy.X.shape[1])]
    with pytest.raises(ValueError, match="labels has 1 entries and X 240 rows"):
        deciding_words(model, toy.X, names, labels=["class 0"])
    with pytest.raises(ValueError, match="labels holds 'moon', which is not among the classes"):
        deciding_words(model, toy.X[:1], names, labels=["moon"])
