"""What users get wrong in Python: each mistake has a sentence that names it, and none passes for something else."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import isthmus
from isthmus import transfer
from isthmus.datasets import load_messages
from isthmus.drift import compare_batch, describe_documents
from isthmus.evaluation import compare, evaluate_labels
from isthmus.exceptions import SimilarLabelWarning, SmallClassWarning
from isthmus.quality import Part, look_at
from isthmus.text import text_vectorizer

MESSAGES = load_messages()
IN_SOURCE = MESSAGES.groups == "photos"
SOURCE = [text for text, own in zip(MESSAGES.texts, IN_SOURCE, strict=True) if own]
TARGET = [text for text, own in zip(MESSAGES.texts, IN_SOURCE, strict=True) if not own]
LABELS, TRUTH = MESSAGES.labels[IN_SOURCE].tolist(), MESSAGES.labels[~IN_SOURCE].tolist()
HALF = [label if row % 2 else None for row, label in enumerate(TRUTH)]
"""Labels of the target that are known."""
quick: dict[str, Any] = {"method": "LR", "encoder": None}


@pytest.fixture(scope="module")
def result() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return transfer(SOURCE, LABELS, TARGET, target_labels=HALF, encoder=None)


def any_of(wrong: Any) -> Any:
    """What mypy would refuse, too."""
    return wrong


MISTAKES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "labels of several parts": (
        lambda _: transfer(SOURCE, [(label, 1) for label in LABELS], TARGET, **quick),
        r"source_labels holds \('.*', 1\): a label is a string, a number or a boolean",
    ),
    "and in a list": (
        lambda _: isthmus.LR().fit(np.eye(2), [("a", 1), ("b", 2)]),
        r"y holds \('a', 1\): a label is a string",
    ),
    "an object for a label": (
        lambda _: transfer(SOURCE, [Decimal(n) for n in range(len(SOURCE))], TARGET, **quick),
        r"source_labels holds Decimal\('0'\), a Decimal: give its name, as a string",
    ),
    "a day for a label": (
        lambda _: isthmus.LR().fit(np.eye(2), [date(2026, 1, 1), date(2026, 1, 2)]),
        "y holds .*, a date: give its name",
    ),
    "a number beyond all arrays": (
        lambda _: transfer(SOURCE, [10**30 * (n % 2) for n in range(len(SOURCE))], TARGET, **quick),
        "source_labels holds 10*, which is too large for a class",
    ),
    "a table of domains": (
        lambda _: isthmus.LR().fit(np.eye(2), ["a", "b"], sample_domain=pd.DataFrame({"d": [1, -2]})),
        "sample_domain is a DataFrame, and no list of domain names: give one column of it",
    ),
    "domains without an order": (
        lambda _: isthmus.LR().fit(np.eye(2), ["a", "b"], sample_domain=any_of({1, -2})),
        "sample_domain is a set, whose order is any",
    ),
    "a set of texts for a folder": (
        lambda _: transfer(SOURCE, LABELS, set(TARGET), folder="rows", **quick),
        "target_texts is a set, whose order is any",
    ),
    "a table of texts for a folder": (
        lambda _: transfer(SOURCE, LABELS, pd.DataFrame({"text": TARGET}), folder="rows", **quick),
        "target_texts is a DataFrame, and no list of texts",
    ),
    "a target's label of another type": (
        lambda _: transfer(
            SOURCE,
            [len(set(LABELS[:n])) for n in range(len(LABELS))],
            TARGET,
            target_labels=["new", *[None] * (len(TARGET) - 1)],
            **quick,
        ),
        "target_labels holds 'new', and source_labels 0: use labels of one type for all",
    ),
    "weights that are whole numbers": (
        lambda _: transfer(SOURCE, LABELS, TARGET, vectorizer=text_vectorizer(dtype="int32"), **quick),
        "dtype is 'int32': choose float64 or float32",
    ),
    "probabilities that are none": (
        lambda _: evaluate_labels(["a", "b"], np.full((2, 2), np.nan), ["a", "b"]),
        "probabilities holds NaN",
    ),
    "and more than all": (
        lambda _: evaluate_labels(["a", "b"], np.array([[1.0, 9.0], [0.5, 0.5]]), ["a", "b"]),
        "probabilities holds NaN, or numbers that are not between 0 and 1",
    ),
    "a class twice": (lambda _: evaluate_labels(["a"], np.ones((1, 2)), ["a", "a"]), "classes names one twice"),
    "a truth that is missing": (
        lambda _: compare(any_of([None, "a"]), ["a"] * 2, ["a"] * 2, "LR"),
        r"truth\[0\] is missing",
    ),
    "doubt about nothing": (
        lambda _: isthmus.suggest_labels(np.full((5, 2), np.nan), 2),
        "result holds probabilities that are NaN",
    ),
    "labels for fewer texts": (
        lambda _: look_at([Part("s", ["one", "two"], ["a"])], None),
        "s has 2 texts and 1 labels: give one label for each text",
    ),
    "no text in a part": (
        lambda _: look_at([Part("s", any_of([None, "two"]))], None),
        r"texts of s\[0\] is None, not a string",
    ),
    "texts for rows": (lambda _: isthmus.LR().fit(SOURCE, LABELS), "X holds texts: .* isthmus.transfer"),
    "a vectorizer's name": (
        lambda _: transfer(SOURCE, LABELS, TARGET, vectorizer="tfidf"),
        "vectorizer is 'tfidf', which has no fit_transform",
    ),
    "scikit-learn's mark of what has no label": (
        lambda _: transfer(SOURCE, [ord(label[0]) for label in LABELS], TARGET, target_labels=[-1.0] * 276, **quick),
        "target_labels holds -1.0, and -1 is no source label: give None for texts without a label",
    ),
    "and among labels that are words": (
        lambda _: transfer(SOURCE, LABELS, TARGET, target_labels=[-1] * 276, **quick),
        "target_labels holds -1, and -1 is no source label",
    ),
    "a share of what is no class": (
        lambda _: transfer(SOURCE, LABELS, TARGET, target_prior={"billing": 0.5, "faults": 0.5}),
        r"target_prior names \['billing', 'faults'\] and the classes are .*: give a probability to these alone",
    ),
    "too few ids": (lambda result: result.to_frame(ids=["x"]), "ids has 1 entries, and there are 276 texts"),
    "a true label that is missing": (
        lambda result: evaluate_labels(["", *TRUTH[1:]], result.probabilities, result.classes.tolist()),
        r"truth\[0\] is missing",
    ),
    "true labels that are no classes": (
        lambda result: evaluate_labels(["Yes", "No"] * 138, result.probabilities, result.classes.tolist()),
        "truth holds no class of the model but 'No', 'Yes': spell labels alike",
    ),
    "and in a report": (
        lambda result: result.report("never.html", truth=[None, *range(275)]),
        "truth holds no class of the model but '0', '1', '10', '100', '101' and others: spell labels alike",
    ),
    "probabilities of fewer classes": (
        lambda result: evaluate_labels(TRUTH, result.probabilities[:, :2], result.classes.tolist()),
        r"shape \(276, 2\), and there are 276 true labels and 3 classes",
    ),
    "labels of fewer documents": (
        lambda result: compare(TRUTH, result.labels.tolist()[:4], result.labels.tolist(), "LR"),
        "have 276, 4 and 276 entries",
    ),
    "a report without texts": (
        lambda result: dataclasses.replace(result, target_texts=()).report("never.html"),
        r"replace\(result, target_texts=\.\.\.\)",
    ),
    "a report after an update": (
        lambda result: result.update(TARGET[:7]).report("never.html"),
        r"replace\(result, source_texts=\.\.\., source_labels=\.\.\., X=None, target_texts=\.\.\.\)",
    ),
    "no profile": (lambda result: compare_batch(None, {}), "profile is None"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name: str, result: Any) -> None:
    call, sentence = MISTAKES[name]
    with pytest.raises((TypeError, ValueError), match=sentence):
        call(result)


def test_what_the_sentence_says_helps(result: Any, tmp_path: Path) -> None:
    given = {"source_texts": SOURCE, "source_labels": LABELS, "X": None, "target_texts": TARGET[:7]}
    later = dataclasses.replace(result.update(TARGET[:7]), **given)
    assert later.report(tmp_path / "page.html").stat().st_size > 10_000


def test_what_is_no_text_is_named_in_a_folder_too(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"target_texts\[50\] is None, not a string"):
        transfer(SOURCE, LABELS, [*TARGET[:50], None], folder=tmp_path / "rows", **quick)  # type: ignore[list-item]


def test_a_folder_of_other_texts_gives_no_labels(tmp_path: Path) -> None:
    """They would be those of the texts before."""
    transfer(SOURCE, LABELS, TARGET, folder=tmp_path / "rows", **quick)
    with pytest.raises(ValueError, match="holds the rows of other texts"):
        transfer(SOURCE, LABELS, TARGET[::-1], folder=tmp_path / "rows", **quick)


def test_a_label_that_looks_like_another_is_told_of() -> None:
    def told(label: str) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            transfer(SOURCE, LABELS, TARGET, target_labels=[label, *[None] * 275], **quick)
        return [str(each.message) for each in caught if each.category is SimilarLabelWarning]

    (sentence,) = told("BILLING")
    assert "holds 'BILLING', which no source document has" in sentence
    assert "Did you mean 'billing'?" in sentence
    assert told("praise") == []  # new, and like no other
    assert told("billing") == []


def test_a_true_label_that_looks_like_a_class_is_told_of(result: Any, tmp_path: Path) -> None:
    def told(label: str) -> list[str]:
        truth = [label, None, None, label, *TRUTH[4:]]
        known = np.array([given is not None for given in truth])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result.report(tmp_path / "page.html", truth=truth, force=True)
            in_report = [str(each.message) for each in caught]
            evaluate_labels([own for own in truth if own], result.probabilities[known], result.classes.tolist())
        assert [str(each.message) for each in caught] == in_report * 2
        return in_report

    (sentence,) = told("BILLING")
    assert "truth holds 'BILLING', which the model does not know: it counts as wrong" in sentence
    assert "Did you mean 'billing'?" in sentence
    assert told("praise") == []  # a class that the model lacks
    assert told("billing") == []


def test_the_seed_is_for_estimators_without_one() -> None:
    first, again = (transfer(SOURCE, LABELS, TARGET, method=isthmus.NMTF(max_iter=3), random_state=7) for _ in "ab")
    assert np.array_equal(first.probabilities, again.probabilities)
    assert first.estimator.random_state == 7
    own = transfer(SOURCE, LABELS, TARGET, method=isthmus.NMTF(max_iter=3, random_state=3), random_state=7)
    assert own.estimator.random_state == 3


def test_many_small_classes_are_few_warnings() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        isthmus.LR().fit(np.eye(40), [f"class {number}" for number in range(40)])
    said = [str(each.message) for each in caught if each.category is SmallClassWarning]
    assert len(said) == 6
    assert "35 other classes" in said[-1]


def test_a_file_knows_what_was_labeled_and_what_the_target_was(result: Any, tmp_path: Path) -> None:
    isthmus.save(result, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    assert np.array_equal(loaded.given, result.given)
    assert not result.given[isthmus.suggest_labels(loaded, 20)].any()
    rows = loaded.vectorizer.transform(TARGET)
    described = describe_documents(loaded.vectorizer, TARGET, rows, loaded.predict_proba(TARGET), loaded.profile)
    assert not compare_batch(loaded.profile, described).drifted


def test_what_was_new_at_the_fit_says_nothing_of_later_documents(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = transfer(SOURCE, LABELS, TARGET, method=isthmus.Auto(novelty=True, random_state=0), encoder=None)
    assert first.novel is not None
    for labels in (None, TRUTH[:7]):
        later = first.update(TARGET[:7], labels)
        assert later.novel is None
        isthmus.save(later, tmp_path / "later.isthmus", force=True)
        assert isthmus.load(tmp_path / "later.isthmus").novel is None


def test_the_report_reads_words_where_there_are_embeddings(tmp_path: Path) -> None:
    class Encoder:
        def encode(self, texts: list[str]) -> Any:
            return np.array([[len(text), text.count("e"), -text.count("a")] for text in texts], dtype=float)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = transfer(SOURCE, LABELS, TARGET, encoder=Encoder())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = found.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "dimension 1" not in page


FOUR = ["my card was charged twice", "refund the charge please", "the upload crashes", "photos crash the app"]
OF_FOUR = ["billing", "billing", "fault", "fault"]
TWO = ["charged twice for one ride, refund please", "the app crashes at the dock"]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"source_texts": "one text"}, TypeError, "source_texts is one string: give a list"),
        (
            {"target_texts": pd.DataFrame({"refund": TWO})},
            TypeError,
            "target_texts is a DataFrame, and no list of texts",
        ),
        ({"source_texts": dict.fromkeys(FOUR)}, TypeError, "source_texts is a dict, .*: give one column of it"),
        ({"source_texts": set(FOUR)}, TypeError, "source_texts is a set, whose order is any: give a list of texts"),
        ({"source_texts": np.array([FOUR]).T}, TypeError, "source_texts is a ndarray, and no list of texts"),
        (
            {"source_labels": pd.DataFrame({"label": OF_FOUR})},
            TypeError,
            "source_labels is a DataFrame, and no list of",
        ),
        ({"source_labels": np.array([OF_FOUR]).T}, TypeError, "source_labels is a ndarray, and no list of labels"),
        ({"target_labels": {0: "fault"}}, TypeError, "target_labels is a dict, and no list of labels"),
        ({"source_labels": [*OF_FOUR[:3], ""]}, ValueError, r"source_labels\[3\] is missing"),
        ({"target_texts": []}, ValueError, "target_texts is empty"),
        ({"target_texts": ["a", None]}, TypeError, r"target_texts\[1\] is None, not a string"),
        ({"source_labels": ["a"]}, ValueError, "source_labels has 1 entries and source_texts 4"),
        (
            {"method": "magic"},
            ValueError,
            "method is 'magic': choose from Auto, TCL, CCI, .*, or give an estimator of isthmus",
        ),
        ({"method": "tlc"}, ValueError, r"method is 'tlc' \(did you mean 'TCL'\?\): choose from"),
        ({"source_labels": ["a"] * 4}, ValueError, "source_labels has one class only, 'a'"),
        ({"source_labels": [1, *OF_FOUR[1:]]}, TypeError, "source_labels mixes labels of the types int, str"),
        (
            {"source_labels": [0.5, 1.0, 2.0, 2.0]},
            ValueError,
            r"source_labels\[0\] is 0.5: classes are strings",
        ),
        ({"source_labels": [["a"], *OF_FOUR[1:]]}, TypeError, r"source_labels holds \['a'\]: a label is a string"),
        ({"source_labels": None}, TypeError, "source_labels is None: give a list of labels"),
        ({"source_texts": None}, TypeError, "source_texts is None: give a list of texts"),
        ({"target_texts": 3}, TypeError, "target_texts is 3: give a list of texts"),
        ({"target_labels": [{"a": 1}, None]}, TypeError, "target_labels holds {'a': 1}: a label is a string"),
        ({"source_domains": "news"}, TypeError, "source_domains is one string: give a list of names"),
        ({"source_domains": [None] * 4}, ValueError, r"source_domains\[0\] is None: every row needs a domain name"),
        ({"client": "local"}, TypeError, r"client is 'local': give a dask\.distributed\.Client"),
        ({"vectorizer": CountVectorizer}, TypeError, r"vectorizer is the class CountVectorizer: give an object"),
        ({"folder": __file__}, ValueError, "folder is '.*', which is a file: name a folder"),
    ],
)
def test_arguments_of_transfer_are_named(change: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments = {"source_texts": FOUR, "source_labels": OF_FOUR, "target_texts": TWO} | change
    with pytest.raises(error, match=message):
        transfer(**arguments)
