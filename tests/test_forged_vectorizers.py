"""Vectorizers in model files that do not read texts, or would not come to an end with them, are refused at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline

import isthmus
from forging import forge, load_bytes, setting
from isthmus.exceptions import EncoderNotSavedWarning, ModelFileError
from isthmus.io.models import checks
from isthmus.text import PRESETS, preset_vectorizer

SOURCE = ["my card was charged twice", "refund the charge please", "the upload crashes", "photos crash the app"]
LABELS = ["billing", "billing", "fault", "fault"]
TARGET = ["charged twice for one ride, refund please", "the app crashes at the dock"]

Change = Callable[[Any, dict[str, Any]], Any]
COUNTS = ("vectorizer", "steps", 0, "items", 1)
WEIGHTS = ("vectorizer", "steps", 1, "items", 1)


def saved(model: Any, folder: Path) -> bytes:
    isthmus.save(model, folder / "honest.isthmus")
    return (folder / "honest.isthmus").read_bytes()


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return saved(
        isthmus.transfer(SOURCE, LABELS, TARGET, method="TCL", preset="default"), tmp_path_factory.mktemp("honest")
    )


def weights(values: Any) -> Change:
    def change(tree: Any, tensors: dict[str, Any]) -> None:
        tensors["idf"] = np.array(values)
        old = tree["attributes"]["vectorizer"]["attributes"]["steps"][1]["items"][1]["attributes"]["idf_"]
        del tensors[old["tensor"]]
        old["tensor"] = "idf"

    return change


def one_more_word(tree: Any, tensors: Any) -> None:
    words = tree["attributes"]["vectorizer"]["attributes"]["steps"][0]["items"][1]["attributes"]["vocabulary_"]
    words["keys"].append("zebra")
    words["values"].append(len(words["values"]))


def without_accents(tree: Any, tensors: Any) -> None:
    del tree["attributes"]["vectorizer"]["attributes"]["steps"][0]["items"][1]["attributes"]["strip_accents"]


def objects(*items: Any) -> dict[str, Any]:
    return {"is": "objects", "shape": [len(items)], "items": list(items)}


def lists_everywhere(tree: Any, tensors: Any) -> None:
    for path in [("classes",), ("estimator", "classes_")]:
        setting(*path, to=objects(["a"], ["b"]))(tree, tensors)


UNREADABLE = "its vectorizer does not read texts"
FORGED: dict[str, tuple[Change, str]] = {
    "few weights": (weights(np.ones(3)), "the weights of its LogTfidf do not fit the number of features"),
    "flat weights": (weights(np.ones((5, 7))), "the weights of its LogTfidf do not fit"),
    "one more word": (one_more_word, f"{UNREADABLE} .ValueError: X has 8 features, but LogTfidf is expecting 7"),
    "runs": (setting(*COUNTS, "ngram_range", to="x"), "its vectorizer counts runs of 'x' words"),
    "long runs": (
        setting(*COUNTS, "ngram_range", to={"is": "tuple", "items": [1, 10**9]}),
        r"its vectorizer counts runs of \(1, 1000000000\) words",
    ),
    "letters": (setting(*COUNTS, "letters", to=-(10**6)), "its vectorizer counts runs of -1000000 letters"),
    "many letters": (setting(*COUNTS, "letters", to=10**9), "its vectorizer counts runs of 1000000000 letters"),
    "stop words": (setting(*COUNTS, "stop_words", to=5), "stop_words of its vectorizer are not strings"),
    "analyzer": (setting(*COUNTS, "analyzer", to="nope"), "The 'analyzer' parameter of UnicodeCounts must be"),
    "range": (setting(*COUNTS, "token_pattern", to="[z-a]"), f"{UNREADABLE} .*bad character range z-a"),
    "tokenizer": (setting(*COUNTS, "tokenizer", to={"is": "type", "name": "float64"}), UNREADABLE),
    "dtype": (setting(*COUNTS, "dtype", to="object"), "its (vectorizer|TCL) does not"),
    "no accents": (without_accents, f"{UNREADABLE} .AttributeError"),
    "number as step": (setting("vectorizer", "steps", 0, "items", 1, to=5), UNREADABLE),
    "number as last step": (setting("vectorizer", "steps", 1, "items", 1, to=5), "its result has no vectorizer"),
    "no weights": (setting("vectorizer", "steps", 1, "items", 1, to="passthrough"), "no part of the model uses"),
    "other classes": (setting("classes", to=objects("a", "b")), "the classes of its result are not those of its TCL"),
    "lists as classes": (setting("classes", to=objects(["a"], ["b"])), "the classes of its result are not those"),
    "list of classes": (setting("classes", to=["billing", "fault"]), "classes of its Result is a list"),
    "lists as all classes": (lists_everywhere, "a class of its TCL is neither a word nor a number"),
}


@pytest.mark.parametrize("case", FORGED)
def test_vectorizers_that_do_not_fit(case: str, honest: bytes, tmp_path: Path) -> None:
    change, message = FORGED[case]
    with pytest.raises(ModelFileError, match=f"model.isthmus cannot be loaded: .*({message})") as refusal:
        load_bytes(forge(honest, change), tmp_path)
    assert "\n" not in str(refusal.value)


def test_pipelines_of_texts_are_tried_as_well(tmp_path: Path) -> None:
    pipeline = make_pipeline(TfidfVectorizer(), isthmus.LR())
    pipeline.fit(SOURCE + TARGET, [*LABELS, "?", "?"], lr__sample_domain=[1, 1, 1, 1, -1, -1])
    content = saved(pipeline, tmp_path)
    with pytest.raises(ModelFileError, match="stop_words of its vectorizer are not strings"):
        load_bytes(forge(content, setting("steps", 0, "items", 1, "stop_words", to=[5])), tmp_path)


class Lengths:
    def encode(self, texts: list[str]) -> np.ndarray:
        assert texts in (SOURCE + TARGET, TARGET), "an encoder reads nothing that nobody asked for"
        return np.array([[len(text), text.count("z") - 1, 1] for text in texts], dtype=float)


def test_encoders_are_not_called_by_a_file(tmp_path: Path) -> None:
    with pytest.warns(EncoderNotSavedWarning):
        content = saved(isthmus.transfer(SOURCE, LABELS, TARGET, encoder=Lengths(), method="LR"), tmp_path)
    (tmp_path / "forged.isthmus").write_bytes(forge(content, setting(*WEIGHTS, "n_features_in_", to=2)))
    with pytest.raises(ModelFileError, match="its vectorizer makes 4 features, and its "):
        isthmus.load(tmp_path / "forged.isthmus", encoder=Lengths())
    isthmus.load(tmp_path / "honest.isthmus", encoder=Lengths())


@pytest.mark.parametrize(
    "vectorizer",
    [
        *map(preset_vectorizer, PRESETS),
        FeatureUnion([("words", CountVectorizer()), ("letters", TfidfVectorizer(analyzer="char_wb"))], n_jobs=2),
        make_pipeline("passthrough", CountVectorizer(ngram_range=(1, 3), stop_words=["the"])),
    ],
)
@pytest.mark.parametrize("times", [1, 20])  # some presets want words of many documents
def test_honest_vectorizers_load(vectorizer: Any, times: int, tmp_path: Path) -> None:
    with joblib.parallel_config(backend="threading"):  # the two processes would import scikit-learn first
        try:
            result = isthmus.transfer(
                SOURCE * times, LABELS * times, TARGET * times, method="LR", vectorizer=vectorizer
            )
        except ValueError:
            assert times == 1
            return
        loaded = load_bytes(saved(result, tmp_path), tmp_path)
        assert loaded.predict(TARGET).tolist() == result.predict(TARGET).tolist()


# Patterns of words


@pytest.mark.parametrize(
    "pattern",
    [
        *[r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\w+", r"\S+", r"\d", r"[#@]?\w+", r"(?u)\b[a-zA-Z]{3,}\b", "[^\\W\\d_]+"],
        *[r"\b\w[\w'-]+\b", r"\$\d+", r"[a-z\]\-]+", r"[^\s.,;!?]+", "x", None],
    ],
)
def test_usual_patterns_of_words_are_taken(pattern: str | None) -> None:
    assert checks._ends_soon(pattern)
    if pattern is not None:
        re.compile(pattern)


ENDLESS = [
    *[r"(\w+\s?)+$", r"\w*\w*\w*!", r"\w?" * 30 + r"\w" * 30 + "!", "(?x)#[\n(?:\\w+\\w*)*!#]", r"\w+\w+!"],
    *[r"[^\0]*\0", r"\s+\b", r"\w+?!", r"\w++", r"\w{1,99}\w{1,99}!", r"(?i)\w+", r"(\w)\1+", r"\w+|\d+"],
    *[r"(?=\w+)x", r".+x"],
    *[r"[[]\w+\w+", r"[]\w+\w*x]", r"\\w+\w+", "\\w" * 1000, r"\w+(?u)", r"\w??" * 3, "\\", "[", 5, ["x"], "x\n*y*"],
]


@pytest.mark.parametrize("pattern", ENDLESS)
def test_other_patterns_are_refused(pattern: Any, honest: bytes, tmp_path: Path) -> None:
    with pytest.raises(
        ModelFileError, match=r"which might take for ever: .*; give any other to isthmus\.transfer, in Pyt"
    ):
        load_bytes(forge(honest, setting(*COUNTS, "token_pattern", to=pattern)), tmp_path)


@pytest.mark.parametrize("numbers", [(0, 2), (1, 2), (0, 0), (-1, 0), (0, 10**12)])
def test_numbers_of_words_are_those_of_columns(numbers: tuple[int, int]) -> None:
    """A matrix is made of them, and nobody looks at them again."""
    vectorizer = CountVectorizer().fit(["card refund"])
    checks.check(vectorizer)
    vectorizer.vocabulary_ = dict(zip(("card", "refund"), numbers, strict=True))
    with pytest.raises(ModelFileError, match="the vocabulary of its vectorizer has gaps"):
        checks.check(vectorizer)
