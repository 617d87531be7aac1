"""Texts in, labels out."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import isthmus
from isthmus import Auto
from isthmus.auto.candidates import TRANSDUCTIVE_DCI
from isthmus.core.features import is_word
from isthmus.core.labels import spelled_unlike
from isthmus.datasets import load_messages
from isthmus.exceptions import EncoderNotSavedWarning, NoWordError, SimilarLabelWarning
from isthmus.methods import METHODS
from isthmus.text import LogTfidf, UnicodeCounts, text_vectorizer

SOURCE = ["my card was charged twice", "refund the charge please", "the upload crashes", "photos crash the app"]
LABELS = ["billing", "billing", "fault", "fault"]
TARGET = ["charged twice for one ride, refund please", "the app crashes at the dock"]


@pytest.mark.parametrize("method", ["tcl", "TCL", "nmtf", "LR", "svm", isthmus.TCL(n_topics=3, random_state=1)])
def test_labels_probabilities_and_later_texts(method: Any) -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method=method)
    assert result.labels.tolist() == ["billing", "fault"]
    assert result.classes.tolist() == ["billing", "fault"]
    assert result.probabilities.shape == (2, 2)
    assert result.probabilities.sum(axis=1) == pytest.approx(np.ones(2))
    assert result.predict(["refund please", "crashes"]).tolist() == ["billing", "fault"]
    assert np.argmax(result.predict_proba(["refund please"])) == 0


@pytest.mark.parametrize("method", ["Auto", *METHODS])
def test_scikit_learns_output_setting_is_for_its_own_transformers(method: str) -> None:
    found = []
    for output in ("default", "pandas"):
        with config_context(transform_output=output):
            result = isthmus.transfer(SOURCE, LABELS, TARGET, method=method)
            found.append((result.probabilities, result.predict_proba(["refund please"])))
    assert found[0][0] == pytest.approx(found[1][0])
    assert found[0][1] == pytest.approx(found[1][1])


def test_a_result_stays_as_it_was_when_its_method_learns_again() -> None:
    """And what one call was told is not said to the next."""
    auto = Auto(warm_start=True, random_state=0)
    first = isthmus.transfer(SOURCE, LABELS, TARGET, method=auto, target_prior="source", encoder=FirstLetters())
    before = first.predict_proba(TARGET)
    second = isthmus.transfer(SOURCE, LABELS, TARGET, method=auto, target_labels=["fault", None])
    assert np.array_equal(first.predict_proba(TARGET), before)
    assert first.estimator.target_prior == "source"
    assert second.estimator.target_prior == auto.target_prior == "auto"
    told = auto.get_params()
    for change in ({"target_prior": {"none": 1.0}}, {"max_time": -1}, {"target_labels": ["fault"]}):
        asked: dict[str, Any] = {"max_time": 50, **change}
        with pytest.raises(ValueError, match=next(iter(change))):
            isthmus.transfer(SOURCE, LABELS, TARGET, method=auto, **asked)
        assert auto.get_params() == told
    assert first.estimator.n_embedding_features == 26
    assert second.estimator.n_embedding_features == 0


def test_a_seed_is_of_one_call_and_an_estimators_own_comes_first() -> None:
    warm = Auto(warm_start=True)
    for seed in (3, 7):
        assert isthmus.transfer(SOURCE, LABELS, TARGET, method=warm, random_state=seed).estimator.random_state == seed
        assert warm.random_state is None
    own = isthmus.transfer(SOURCE, LABELS, TARGET, method=Auto(random_state=5), random_state=3)
    assert own.estimator.random_state == 5


class FirstLetters:
    """An encoder."""

    def encode(self, texts: list[str]) -> Any:
        return np.array([[text.count(chr(97 + letter)) for letter in range(26)] for text in texts], dtype=float)


def test_texts_and_labels_are_anything_that_can_be_gone_through() -> None:
    """mypy reads this file, too: what it refuses, it refuses its users."""
    arrays = np.array(SOURCE), np.array(LABELS), np.array(TARGET)
    few = pd.Series(["billing", None])
    result = isthmus.transfer(*arrays, source_domains=np.array(["a", "b"] * 2), target_labels=few, method="LR")
    once = isthmus.transfer(
        (text for text in SOURCE),
        (label for label in LABELS),
        (text for text in TARGET),
        source_domains=(name for name in "abab"),
        target_labels=(label for label in few),
        method="LR",
    )
    assert once.probabilities.tolist() == result.probabilities.tolist()
    assert once.predict(text for text in TARGET).tolist() == result.predict(arrays[2]).tolist()
    assert once.predict_proba(text for text in TARGET).tolist() == result.predict_proba(arrays[2]).tolist()
    updated = once.update(iter(TARGET), iter(few)), result.update(arrays[2], few)
    assert updated[0].probabilities.tolist() == updated[1].probabilities.tolist()
    assert result.to_frame(ids=arrays[2]).index.tolist() == TARGET


def test_texts_that_can_be_gone_through_once_do_not_go_into_a_folder(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="target_texts is a generator, which has no length: give a list"):
        isthmus.transfer(SOURCE, LABELS, (text for text in TARGET), folder=tmp_path / "rows", method="LR")


def test_topics_of_a_result() -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method="TCL")
    words = {word for topic in result.topics() for word, _ in topic.common}
    assert {"refund", "crashes"} <= words
    with pytest.raises(TypeError, match="LR has no topics here"):
        isthmus.transfer(SOURCE, LABELS, TARGET, method="LR").topics()


def test_other_vectorizers_and_labels() -> None:
    vectorizer = TfidfVectorizer()
    result = isthmus.transfer(SOURCE, [1, 1, -1, -1], TARGET, vectorizer=vectorizer)
    assert result.labels.tolist() == [1, -1]
    assert not hasattr(vectorizer, "vocabulary_")  # the user's own stays unfitted


class LetterCounts:
    """An encoder of the simplest kind: how often each letter occurs, about its mean."""

    def encode(self, texts: list[str]) -> np.ndarray:
        counts = np.array([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts], float)
        return counts - 0.7


class Lengths:
    """Has what is asked for, and nothing else."""

    def fit_transform(self, texts: Any) -> Any:
        return self.transform(texts)

    def transform(self, texts: Any) -> Any:
        return np.array([[len(text), text.count("e") + 1.0] for text in texts])


def test_plain_vectorizers_and_labels_of_any_kind() -> None:
    texts = ["refund the charge", "crash", "charge", "the upload crashes"]
    plain = isthmus.transfer(texts, ["a", "b", "a", "b"], texts, vectorizer=Lengths(), method="LR")
    assert plain.predict(texts).shape == (4,)
    words: dict[str, Any] = {"source_texts": texts * 2, "target_texts": texts, "method": "LR"}
    few = {
        "numpy": (np.array(["a", "b"] * 4), ["a", None, None, "b"]),
        "numbers": (np.array([1, 2] * 4), [1, None, np.nan, 2]),
        "pandas": (pd.Series(["a", "b"] * 4), pd.Series(["a", None, pd.NA, "b"], dtype="string")),
    }
    for source_labels, target_labels in few.values():
        result = isthmus.transfer(**words, source_labels=source_labels, target_labels=target_labels)
        assert result.given.tolist() == [True, False, False, True]
        assert result.labels[[0, 3]].tolist() == [source_labels[0], source_labels[1]]


@pytest.mark.parametrize("source_labels", [[1, 2] * 4, np.array([1, 2] * 4, dtype=np.int8), pd.Series([1, 2] * 4)])
@pytest.mark.parametrize("kind", ["float64", "float32", "object"])
def test_whole_floats_are_ints_where_the_sources_labels_are(source_labels: Any, kind: str) -> None:
    """What pandas makes of ints with gaps."""
    texts = ["refund the charge", "crash", "charge", "the upload crashes"]
    few = pd.Series([2, None, None, 1], dtype=kind)
    result = isthmus.transfer(texts * 2, source_labels, texts, target_labels=few, method="LR")
    assert result.classes.dtype.kind == "i"
    assert result.labels[[0, 3]].tolist() == [2, 1]
    assert list(result.target_labels) == [2, None, None, 1]
    with pytest.raises(TypeError, match="use labels of one type for all"):
        isthmus.transfer(texts * 2, source_labels, texts, target_labels=[2.5, None, None, 1.0], method="LR")


@pytest.mark.parametrize("gap", [None, float("nan"), "", pd.NA])
def test_gaps_among_target_labels_are_no_class(gap: Any) -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, target_labels=["billing", gap], method="LR")
    assert result.classes.tolist() == ["billing", "fault"]
    assert result.given.tolist() == [True, False]


def test_labels_of_the_target_are_spelled_as_those_of_the_source() -> None:
    texts = ["refund the charge", "crash", "charge", "the upload crashes"]
    for given in (2.0, 2, "2", "2.0"):
        result = isthmus.transfer(texts, [1.0, 2.0] * 2, texts[:2], target_labels=[given, None], method="LR")
        assert result.classes.tolist() == [1.0, 2.0]
        assert result.classes.dtype.kind == "f"
        assert result.labels[0] == 2.0
    with pytest.raises(
        TypeError, match=r"target_labels holds .*, and source_labels 1\.0: use labels of one type for all"
    ):
        isthmus.transfer(texts, [1.0, 2.0] * 2, texts[:2], target_labels=["two", None], method="LR")


@pytest.mark.parametrize(
    "vectorizer",
    [CountVectorizer(min_df=9, max_df=9), CountVectorizer(stop_words=["refund", "crash"]), UnicodeCounts(min_df=9)],
    ids=["rare", "stop words", "our own"],
)
def test_a_vectorizer_that_keeps_no_word_is_told_of(vectorizer: Any) -> None:
    """By what scikit-learn says, which has no class of error for it: here one sees if it says something else."""
    source = ["refund", "refund refund", "crash", "crash crash"]
    with pytest.raises(ValueError, match="No word stands in as many texts as the vectorizer asks for"):
        isthmus.transfer(source, ["a", "a", "b", "b"], ["refund crash"], vectorizer=vectorizer, method="LR")


def test_our_own_vectorizer_says_by_its_error_that_no_word_is_kept() -> None:
    with pytest.raises(NoWordError, match="none of them stands in as many texts as min_df=9 asks for"):
        UnicodeCounts(min_df=9).fit(["refund", "crash"])


def test_an_encoder_takes_the_place_of_the_vectorizer() -> None:
    source, target = ["aaa bb", "ab aa", "zzz yy", "zy yy"], ["bab a", "yyz zz"]
    labels = ["first", "first", "last", "last"]
    result = isthmus.transfer(source, labels, target, encoder=LetterCounts(), method="SelfTraining")
    assert result.labels.tolist() == ["first", "last"]
    assert result.predict(["b a a a", "y z"]).tolist() == ["first", "last"]
    words = result.vectorizer.get_feature_names_out()
    assert (len(words), words[0], words[-1]) == (52, "<dimension 0>+", "<dimension 25>-")
    assert not any(map(is_word, words))
    with pytest.raises(TypeError, match="encoder is 3: give an object with a method encode"):
        isthmus.transfer(source, [1, 1, 2, 2], target, encoder=3)
    with pytest.raises(ValueError, match="encoder and vectorizer are both given, which Auto alone takes"):
        isthmus.transfer(source, labels, target, encoder=LetterCounts(), vectorizer=TfidfVectorizer(), method="LR")

    class Broken:
        def encode(self, texts: list[str]) -> np.ndarray:
            return np.zeros(3)

    with pytest.raises(ValueError, match=r"returned an array of shape \(3,\) for 6 texts"):
        isthmus.transfer(source, [1, 1, 2, 2], target, encoder=Broken(), method="LR")
    with pytest.raises(TypeError, match=r"encoder is the class Broken: give an object, Broken\("):
        isthmus.transfer(source, [1, 1, 2, 2], target, encoder=Broken, method="LR")

    class Gaps(LetterCounts):
        def encode(self, texts: list[str]) -> np.ndarray:
            return super().encode(texts) / 0

    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"encoder\.encode returned NaN or infinity"):
        isthmus.transfer(source, [1, 1, 2, 2], target, encoder=Gaps(), method="LR")


def test_auto_takes_an_encoder_beside_words(tmp_path: Path) -> None:
    """Which read the left features alone; later documents, and those of a file, are read the same way."""
    messages = load_messages()
    texts, labels = np.array(messages.texts, dtype=object), np.asarray(messages.labels)
    in_source = np.asarray(messages.groups) == messages.groups[0]
    target = list(texts[~in_source])
    given = list(texts[in_source]), list(labels[in_source]), target
    plain = isthmus.transfer(*given, encoder=None)
    both = isthmus.transfer(*given, encoder=LetterCounts())
    words_alone, X = plain.X, both.X
    assert words_alone is not None
    assert X is not None
    n_words = words_alone.shape[1]
    assert X.shape[1] == n_words + 26
    assert np.array_equal(X[:, :n_words].toarray(), words_alone.toarray())
    lengths = np.linalg.norm(X[:, n_words:].toarray(), axis=1)
    assert lengths[np.diff(words_alone.indptr) > 0] == pytest.approx(1)
    assert both.vectorizer.transform(["xqz"]).nnz == 0  # letters of no known word
    regression: Any = both.estimator.solution_.member(TRANSDUCTIVE_DCI)  # type: ignore[attr-defined]
    profiles = regression.feature_map
    assert profiles.words[:n_words].any()
    assert not profiles.words[n_words:].any()  # embeddings stand beside words, and have no profile
    assert regression.classifier.n_features_in_ == X.shape[1] + 100
    sides = both.estimator.diagnostics_, plain.estimator.diagnostics_
    assert sides[0].neighbor_skill == sides[1].neighbor_skill  # which goes by words
    words = both.vectorizer.get_feature_names_out()
    assert (len(words), words[-1]) == (n_words + 26, "<dimension 25>")
    with pytest.warns(EncoderNotSavedWarning):
        isthmus.save(both, tmp_path / "both.isthmus")
    loaded = isthmus.load(tmp_path / "both.isthmus", encoder=LetterCounts())
    assert loaded.predict_proba(target[:9]).tobytes() == both.predict_proba(target[:9]).tobytes()
    with pytest.raises(ValueError, match=f"n_embedding_features is {n_words} and X has {n_words} features"):
        Auto(n_embedding_features=n_words).fit(words_alone[:99], labels[in_source][:99])


def test_sign_split_loses_nothing() -> None:
    X = np.random.default_rng(0).normal(size=(6, 4))
    dense, sparse = isthmus.SignSplit().fit_transform(X), isthmus.SignSplit().fit_transform(sp.csr_array(X))
    assert dense.min() >= 0
    assert dense[:, :4] - dense[:, 4:] == pytest.approx(X)
    assert sparse.toarray() == pytest.approx(dense)
    assert np.linalg.norm(dense, axis=1) == pytest.approx(np.linalg.norm(X, axis=1))


def test_signed_features_lead_to_sign_split() -> None:
    X = np.random.default_rng(0).normal(size=(6, 4))
    with pytest.raises(ValueError, match=r"first in row 0\. .* or split embeddings with isthmus\.SignSplit\(\)"):
        isthmus.TCL().fit(X, [0, 1] * 3)
    assert isthmus.TCL(random_state=0).fit(isthmus.SignSplit().fit_transform(X), [0, 1] * 3).n_features_in_ == 8


def test_weights_are_the_formula() -> None:
    counts = np.array([[3, 1, 0], [0, 2, 5], [1, 1, 0], [0, 1, 0]])
    expected = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * np.log(4 / (counts > 0).sum(axis=0))
    norms = np.linalg.norm(expected, axis=1, keepdims=True)
    expected = np.divide(expected, norms, out=np.zeros_like(expected), where=norms > 0)
    assert LogTfidf().fit_transform(counts).toarray() == pytest.approx(expected)


def test_embedded_corpus_is_what_the_demo_needs() -> None:
    messages = load_messages()
    assert len(messages) >= 480
    assert len(set(messages.texts)) == len(messages)
    assert set(messages.labels) == {"billing", "fault", "suggestion"}
    for domain in ("photos", "bicycles"):
        for label in set(messages.labels):
            assert np.sum((messages.groups == domain) & (messages.labels == label)) >= 80
    # No filled-in templates: no two messages share most of their words.
    X = text_vectorizer(min_df=1).fit_transform(messages.texts)
    alike = (X @ X.T).toarray() - np.eye(len(messages))
    assert alike.max() < 0.6


def test_a_target_prior_is_passed_on() -> None:
    texts = ["refund the charge", "crash", "charge", "the upload crashes"]
    prior = {"billing": 0.25, "fault": 0.75}
    result = isthmus.transfer(texts, ["billing", "fault"] * 2, texts, target_prior=prior, method="SelfTraining")
    assert result.estimator.get_params()["target_prior"] == prior
    assert (result.labels == "billing").sum() <= 2
    with pytest.raises(ValueError, match=r"target_prior is 'unknown', and TCL goes by none: leave it out, or choose"):
        isthmus.transfer(texts, ["billing", "fault"] * 2, texts, target_prior="unknown", method="TCL")


def test_results_as_tables_and_in_one_line() -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method="TCL")
    frame = result.to_frame(ids=["x", "y"])
    assert frame.index.tolist() == ["x", "y"]
    assert list(frame) == ["label", "confidence", "p_billing", "p_fault", "text"]
    assert frame["label"].tolist() == result.labels.tolist()
    assert frame["text"].tolist() == TARGET
    assert frame["confidence"].tolist() == result.probabilities.max(axis=1).tolist()
    assert repr(result) == "<Result of TCL: 2 texts (billing: 1, fault: 1)>"
    topics = result.topics(3).to_frame()
    assert list(topics) == ["topic", "label", "domain", "word", "weight"]
    assert {"common", "source", "target"} == set(topics["domain"])
    assert topics.groupby(["topic", "domain"]).size().max() == 3
    with pytest.raises(TypeError, match="TCL compared no candidates; Auto does"):
        result.leaderboard()


@pytest.mark.filterwarnings("ignore::isthmus.exceptions.TransferWarning")
def test_the_leaderboard_is_a_table_and_the_estimate_in_the_line() -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, max_time=0)
    board = result.leaderboard()
    assert board["name"].tolist() == [row["name"] for row in result.estimator.leaderboard_.rows]
    assert str(result.estimator.estimated_accuracy_) in repr(result)
    assert str(result.estimator.estimated_accuracy_) in result._repr_html_()


def test_time_stops_methods_and_leaves_nothing_behind() -> None:
    steps: list[Any] = []
    method = isthmus.TCL(max_iter=50, tol=0, callback=steps.append, random_state=0)
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method=method, max_time=0)
    assert len(steps) == result.estimator.n_iter_ == 1
    assert result.estimator.callback == steps.append
    assert isthmus.transfer(SOURCE, LABELS, TARGET, max_time=3).estimator.max_time == 3
    with pytest.raises(ValueError, match="LR cannot be stopped: leave it out"):
        isthmus.transfer(SOURCE, LABELS, TARGET, method="LR", max_time=1)
    for wrong in (-1, "soon", float("nan")):
        with pytest.raises(ValueError, match=r"max_time is .*: give a number of seconds"):
            isthmus.transfer(SOURCE, LABELS, TARGET, method="TCL", max_time=wrong)  # type: ignore[arg-type]


def test_verbose_reaches_methods_that_tell(capsys: pytest.CaptureFixture[str]) -> None:
    isthmus.transfer(SOURCE, LABELS, TARGET, method="TCL", verbose=1)
    assert "objective" in capsys.readouterr().err
    isthmus.transfer(SOURCE, LABELS, TARGET, method="LR", verbose=1)  # which has nothing to tell
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("method", ["LR", "LSA", "TCL"])
def test_a_seed_may_be_none_whether_the_method_has_one_or_not(method: str) -> None:
    assert isthmus.transfer(SOURCE, LABELS, TARGET, method=method, random_state=None).labels.shape == (len(TARGET),)


def test_the_callback_of_an_estimator_is_called_itself() -> None:
    """What it gathers is for its owner; and what holds a lock cannot be copied."""
    steps: queue.Queue[Any] = queue.Queue()
    given = isthmus.TCL(n_topics=2, max_iter=3, callback=steps.put)
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method=given)
    assert steps.qsize() == 3
    assert result.estimator is not given
    assert given.callback == steps.put


def test_labels_that_differ_by_case_and_spaces_are_told_of() -> None:
    labels = ["billing", "Billing ", "fault", "fault"]
    with pytest.warns(SimilarLabelWarning, match="source_labels holds 'Billing ' and, oftener, 'billing'") as heard:
        isthmus.transfer(SOURCE * 3, labels * 2 + ["billing", "fault"] * 2, TARGET, method="LR")
    assert len([one for one in heard if one.category is SimilarLabelWarning]) == 1
    assert spelled_unlike(["c+", "c-", "c", "-", "_", 1, 2]) == {}
