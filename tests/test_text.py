"""Presets: the papers' ways from text to words."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import Stemmer
from sklearn.base import clone
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

import isthmus
from isthmus.datasets import load_messages
from isthmus.text import PRESETS, StemCounts, UnicodeCounts, preset_vectorizer, text_vectorizer


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return load_messages().texts


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_presets_do_what_the_papers_say(preset: str, texts: list[str]) -> None:
    settings = {"min_df": 2, "stop_words": None, "stemmer": None, "longest": 1} | PRESETS[preset]
    vectorizer = preset_vectorizer(preset)
    X = vectorizer.fit_transform(texts)
    words = [word for word in vectorizer.get_feature_names_out() if word[0] != "~"]  # which begins a run of letters
    counts = CountVectorizer(stop_words=settings["stop_words"], ngram_range=(1, settings["longest"])).fit(texts)
    by_hand: dict[str, set[int]] = {word: set() for word in counts.get_feature_names_out()}
    analyze = counts.build_analyzer()
    for number, text in enumerate(texts):
        for word in analyze(text):
            by_hand[word].add(number)
    if settings["stemmer"]:
        stem = Stemmer.Stemmer("porter")
        stemmed: dict[str, set[int]] = {}
        for word, where in by_hand.items():
            stemmed.setdefault(stem.stemWord(word), set()).update(where)
        by_hand = stemmed
    assert set(words) == {word for word, where in by_hand.items() if len(where) >= settings["min_df"]}
    norms = np.sqrt(X.multiply(X).sum(axis=1))
    assert np.all(np.isclose(norms, 1) | (norms == 0))
    if settings["stop_words"]:
        assert not set(words) & {"the", "and"}


def test_stems_go_across_forms_and_stop_words_before_stems() -> None:
    vectorizer = StemCounts(stop_words="english").fit(["crashes crashing", "crashed everyone"])
    assert vectorizer.get_feature_names_out().tolist() == ["crash"]
    assert "everyone" in ENGLISH_STOP_WORDS  # whose stem, everyon, no list has
    assert vectorizer.transform(["crash crashes"]).toarray().tolist() == [[2]]
    with pytest.raises(ValueError, match="stemmer is 'nope': choose from"):
        StemCounts("nope").fit(["a text"])
    with pytest.raises(ValueError, match="preset is 'nope': choose from default, opinions, short, tcl"):
        preset_vectorizer("nope")


def test_a_fitted_stemmer_is_settings_and_words(texts: list[str]) -> None:
    vectorizer = preset_vectorizer("cdsc").fit(texts)
    again = pickle.loads(pickle.dumps(vectorizer))
    assert (again.transform(texts[:9]) != vectorizer.transform(texts[:9])).nnz == 0
    assert clone(vectorizer)[0].get_params() == vectorizer[0].get_params()


def test_transfer_takes_presets_domains_and_a_few_labels() -> None:
    source, labels = ["red car", "fast car", "blue boat", "slow boat"], ["road", "road", "sea", "sea"]
    target = ["car cars", "boats boat", "plane planes", "a plane", "plane"]
    few = [None, None, "air", "air", None]
    result = isthmus.transfer(
        source,
        labels,
        target,
        vectorizer=text_vectorizer(min_df=1, stemmer="porter"),
        method="LR",
        source_domains=["a", "a", "b", "b"],
        target_labels=few,
    )
    assert result.labels.tolist() == ["road", "sea", "air", "air", "air"]
    assert result.estimator.domains_ == ["a", "b", "target"]
    assert set(isthmus.transfer(target * 3, ["x"] * 7 + ["y"] * 8, target, preset="cdsc").labels) <= {"x", "y"}
    for change, message in (
        ({"source_domains": ["a"]}, "source_domains has 1 entries and source_texts 4"),
        ({"source_domains": ["a", "b", "c", "target"]}, "source_domains holds 'target'"),
        ({"target_labels": ["air"]}, "target_labels has 1 entries and target_texts 5"),
        ({"preset": "tcl", "vectorizer": text_vectorizer()}, "vectorizer and preset are both given"),
    ):
        with pytest.raises(ValueError, match=message):
            isthmus.transfer(source, labels, target, **change)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"stemmer": "porter", "any_script": True},
            "stemmer is 'porter' and any_script is True, which counts no stems",
        ),
        ({"letters": 4}, "letters is 4, which any_script=True counts"),
    ],
)
def test_settings_that_would_not_be_heeded_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        text_vectorizer(**settings)


@pytest.mark.parametrize("wrong", [{"letters": -1}, {"letters": 1.5}, {"ngram_range": (2, 1)}, {"min_df": -1}])
def test_parameters_are_checked_as_scikit_learn_does(wrong: dict[str, Any], texts: list[str]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        UnicodeCounts(**wrong).fit_transform(texts)
