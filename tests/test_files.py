"""Model files: what is loaded predicts what was saved, and what is not a model file is refused."""

from __future__ import annotations

import json
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder
from sklearn.svm import SVC

import isthmus
from alone import alone
from conftest import Toy, build, make_toy, quick
from file_values import assert_same, through_a_file
from isthmus.drift import profile_target
from isthmus.exceptions import EncoderNotSavedWarning, LibraryVersionWarning
from isthmus.io.models import container
from isthmus.io.models.registry import CLASSES, class_named
from isthmus.solvers.spectral import Embedding

SOURCE = ["my card was charged twice", "refund the charge please", "the upload crashes", "photos crash the app"]
LABELS = ["billing", "billing", "fault", "fault"]
TARGET = ["charged twice for one ride, refund please", "the app crashes at the dock"]
LATER = ["please refund my ride", "it crashes", "", "nothing known"]


# What is saved


def test_a_large_model_takes_little_memory_beside_itself(tmp_path: Path) -> None:
    """The bytes of the file, and its arrays as they are read back to see that they can be."""
    X = np.random.default_rng(0).random((4, 200_000))
    model = isthmus.LR().fit(X, [0, 0, 1, 1])
    model.large_ = np.zeros((20, X.shape[1]))
    tracemalloc.start()
    isthmus.save(model, tmp_path / "model.isthmus")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.5 * (tmp_path / "model.isthmus").stat().st_size


SMALL_TOY = make_toy(seed=1, n_classes=3, n_documents=60)


@pytest.mark.parametrize("dense", [False, True])
def test_loaded_models_predict_the_same_bits(method: str, dense: bool, tmp_path: Path) -> None:
    toy = SMALL_TOY
    X = toy.X.toarray().astype(np.float32) if dense else toy.X
    model = toy.fit(quick(method), X=X)
    isthmus.save(model, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    for names in (None, "source", toy.domain):
        expected = model.predict_proba(X, sample_domain=names)
        assert loaded.predict_proba(X, sample_domain=names).tobytes() == expected.tobytes()
    assert_same(loaded, model)  # parameters, classes_, domains_, transduction_, and everything else
    isthmus.save(loaded, tmp_path / "again.isthmus")
    assert (tmp_path / "again.isthmus").read_bytes() == (tmp_path / "model.isthmus").read_bytes()


def test_names_of_words_and_of_domains(toy: Toy, tmp_path: Path) -> None:
    X = pd.DataFrame(toy.X.toarray(), columns=[f"wörd {i}" for i in range(toy.X.shape[1])])
    names = {False: ("shop", 1, frozenset({2.5})), True: b"blog"}
    domains = [names[bool(there)] for there in toy.in_target]
    model = toy.fit(build("TCL"), X=X, sample_domain=domains, target_domain=b"blog")
    isthmus.save(model, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    assert set(loaded.domains_) == set(names.values())
    assert loaded.feature_names_in_.tolist() == list(X.columns)
    assert str(loaded.topics()) == str(model.topics())
    assert np.array_equal(loaded.predict(X, sample_domain=domains), model.predict(X, sample_domain=domains))


@pytest.mark.parametrize("vectorizer", [None, TfidfVectorizer(stop_words=["the"]), HashingVectorizer(norm="l1")])
@pytest.mark.parametrize("name", ["TCL", "SVM"])
@pytest.mark.filterwarnings("ignore::isthmus.exceptions.EmptyDocumentWarning")
def test_results_read_raw_texts(name: str, vectorizer: Any, tmp_path: Path) -> None:
    if isinstance(vectorizer, HashingVectorizer):
        vectorizer.set_params(n_features=64, alternate_sign=False)
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method=name, vectorizer=vectorizer)
    isthmus.save(result, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    assert loaded.predict_proba(LATER).tobytes() == result.predict_proba(LATER).tobytes()
    texts_left_out: dict[str, Any] = {"source_texts": (), "source_labels": (), "target_texts": (), "X": None}
    assert_same(loaded, replace(result, **texts_left_out, profile=profile_target(result)))
    isthmus.save(loaded, tmp_path / "again.isthmus")
    assert (tmp_path / "again.isthmus").read_bytes() == (tmp_path / "model.isthmus").read_bytes()


def test_pipelines_that_end_in_a_method(toy: Toy, tmp_path: Path) -> None:
    texts, labels = SOURCE + TARGET, [*LABELS, "?", "?"]
    pipeline = make_pipeline(TfidfVectorizer(), isthmus.LR())
    pipeline.fit(texts, labels, lr__sample_domain=[1, 1, 1, 1, -1, -1])
    isthmus.save(pipeline, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    assert loaded.predict_proba(TARGET).tobytes() == pipeline.predict_proba(TARGET).tobytes()


def test_methods_in_a_method(toy: Toy, tmp_path: Path) -> None:
    model = toy.fit(isthmus.LR())
    model.tried_ = {"LR": toy.fit(isthmus.LR(C=3)), ("CDSC", 1): toy.fit(isthmus.CDSC(random_state=0))}
    model.plain_ = [isthmus.TCL(), None]
    isthmus.save(model, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    for key, tried in model.tried_.items():
        assert loaded.tried_[key].predict_proba(toy.X).tobytes() == tried.predict_proba(toy.X).tobytes()
    assert_same(loaded, model)


def test_random_states_go_on_where_they_were(toy: Toy, tmp_path: Path) -> None:
    model = toy.fit(isthmus.SVM(random_state=np.random.RandomState(3)))
    model.random_state.normal()  # leaves the second of a pair behind
    isthmus.save(model, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    assert np.array_equal(loaded.random_state.normal(size=700), model.random_state.normal(size=700))


def test_callbacks_and_routing_are_left_out(toy: Toy, tmp_path: Path) -> None:
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        model = build("TCL", callback=lambda step: step.iteration > 2).set_fit_request(sample_domain=True)
        toy.fit(model)
        isthmus.save(model, tmp_path / "model.isthmus")
        loaded = isthmus.load(tmp_path / "model.isthmus")
        assert loaded.callback is None
        assert model.callback is not None
        assert np.array_equal(loaded.predict(toy.X), model.predict(toy.X))


class Lengths:
    """An encoder that no file can hold."""

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([[len(text), text.count("z") - 1, 1] for text in texts], dtype=float)


def test_encoders_are_given_again(tmp_path: Path) -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, encoder=Lengths(), method="SelfTraining")
    path = tmp_path / "model.isthmus"
    with pytest.warns(EncoderNotSavedWarning, match="does not hold the encoder, a Lengths: give it to isthmus.load"):
        isthmus.save(result, path)
    loaded = isthmus.load(path, encoder=Lengths())
    assert loaded.predict_proba(LATER).tobytes() == result.predict_proba(LATER).tobytes()
    with pytest.raises(
        isthmus.exceptions.EncoderNeededError, match=r"its encoder is not in it: give it, as load\(path"
    ):
        isthmus.load(path)
    with pytest.raises(TypeError, match="encoder is 3: give an object with a method encode"):
        isthmus.load(path, encoder=3)
    isthmus.save(isthmus.transfer(SOURCE, LABELS, TARGET), tmp_path / "plain.isthmus")
    with pytest.raises(isthmus.exceptions.EncoderUnneededError, match="it needs no encoder: leave encoder= out"):
        isthmus.load(tmp_path / "plain.isthmus", encoder=Lengths())


def _fitted(kind: type[Any], X: Any, y: np.ndarray) -> Any:
    if issubclass(kind, CountVectorizer | HashingVectorizer):
        return kind().fit(SOURCE)
    if kind is Pipeline:
        return make_pipeline(CountVectorizer(), LogisticRegression()).fit(SOURCE, LABELS)
    if kind is FeatureUnion:
        return FeatureUnion([("words", CountVectorizer()), ("letters", CountVectorizer(analyzer="char"))]).fit(SOURCE)
    if kind in (LabelBinarizer, LabelEncoder):
        return kind().fit(y)
    small = {name: 2 for name in ("n_clusters", "n_components") if name in kind().get_params()}
    return kind(**small).fit(X, y)


@pytest.mark.parametrize("kind", [class_named(name) for name in CLASSES if name.startswith("sklearn.")])
def test_classes_of_scikit_learn(kind: type[Any], toy: Toy) -> None:
    estimator = _fitted(kind, toy.X.toarray(), toy.y)
    loaded = through_a_file(estimator)
    assert_same(loaded, estimator)
    texts = hasattr(estimator, "build_analyzer") or kind in (Pipeline, FeatureUnion)
    given = SOURCE if texts else toy.y if kind in (LabelBinarizer, LabelEncoder) else toy.X.toarray()
    apply = "predict" if hasattr(estimator, "predict") else "transform"
    expected, found = (getattr(each, apply)(given) for each in (estimator, loaded))
    assert_same(found, expected)


def test_the_header_says_what_it_is(toy: Toy, tmp_path: Path) -> None:
    """To any tool that reads safetensors."""
    from safetensors import safe_open

    isthmus.save(toy.fit(build("CDSC", random_state=np.random.RandomState(0))), tmp_path / "model.isthmus")
    with safe_open(tmp_path / "model.isthmus", framework="np") as file:
        about = json.loads(file.metadata()["isthmus"])
        assert any(file.get_tensor(name).shape == (240, 2) for name in file.keys())  # noqa: SIM118
    assert about["schema"] == 2
    assert about["method"] == "CDSC"
    assert about["settings"]["beta"] == "inf"
    assert about["settings"]["lam"] == 0.025
    assert about["settings"]["random_state"] == "RandomState"
    assert set(about["versions"]) == {"isthmus", "numpy", "scipy", "scikit-learn"}


# What cannot be saved


def test_what_cannot_be_saved_is_named(toy: Toy, tmp_path: Path) -> None:
    path = tmp_path / "model.isthmus"
    with pytest.raises(TypeError, match=r"CDSC\.classifier is of the class sklearn\.svm\._classes\.SVC, which a model"):
        isthmus.save(toy.fit(isthmus.CDSC(classifier=SVC(), random_state=0)), path)
    with pytest.raises(TypeError, match=r"model is LogisticRegression.*: give an estimator of isthmus"):
        isthmus.save(LogisticRegression(), path)
    with pytest.raises(NotFittedError):
        isthmus.save(isthmus.TCL(), path)
    model = toy.fit(isthmus.LR())
    for odd, message in {
        "a function": (len, r"LR\.odd_\['a'\]\[1\] is of the class builtins\.builtin_function_or_method"),
        "dates": (np.array(["2020-01-01"], dtype="M8[D]"), r"LR\.odd_.* is an array of datetime64\[D\]"),
        "COO": (toy.X.tocoo(), r"LR\.odd_.* is a coo_array: a model file can hold CSR and CSC"),
        "a generator": (np.random.RandomState(np.random.PCG64(0)), "is a RandomState of PCG64"),
    }.values():
        model.odd_ = {"a": [0, odd]}
        with pytest.raises(TypeError, match=message):
            isthmus.save(model, path)
    model.odd_ = []
    model.odd_.append(model.odd_)
    with pytest.raises(ValueError, match="is nested more than 40 levels deep"):
        isthmus.save(model, path)
    model = toy.fit(isthmus.KMeans(random_state=0))
    solution: Any = model.solution_
    model.solution_ = replace(solution, _square=None)
    with pytest.raises(ValueError, match=r"model cannot be saved: in a file, _square of its KMeansSolution is a None"):
        isthmus.save(model, path)
    assert list(tmp_path.iterdir()) == []


def test_existing_files_stay(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, model = tmp_path / "model.isthmus", toy.fit(isthmus.LR())
    path.write_text("precious")
    with pytest.raises(FileExistsError, match="which exists: choose another name, or say force=True"):
        isthmus.save(model, path)
    with pytest.raises(IsADirectoryError, match="which is a folder"):
        isthmus.save(model, tmp_path, force=True)
    with pytest.raises(FileNotFoundError, match="whose folder does not exist: make it first"):
        isthmus.save(model, tmp_path / "none" / "model.isthmus")
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError("no space left")))
        with pytest.raises(OSError, match="no space left"):
            isthmus.save(model, path, force=True)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("model.isthmus", "precious")]
    isthmus.save(model, str(path), force=True)
    assert isthmus.load(str(path)).predict(toy.X).shape == (240,)
    with pytest.raises(FileNotFoundError, match="which does not exist"):
        isthmus.load(tmp_path / "nothing")


def test_another_scikit_learn_is_warned_of(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as past:
        past.setattr(container, "versions", lambda: {"scikit-learn": "0.24.1"})
        isthmus.save(toy.fit(isthmus.LR()), tmp_path / "model.isthmus")
    with pytest.warns(LibraryVersionWarning, match=r"saved with scikit-learn 0\.24\.1 and is loaded with") as caught:
        isthmus.load(tmp_path / "model.isthmus")
    assert caught[0].filename == __file__


# What is loaded in another session, and what that runs

SCRIPT = """
import sys, warnings
import isthmus
warnings.simplefilter("ignore")
paths = sys.argv[1:]
texts = ["please refund my ride", "it crashes", "", "nothing known"]
first = isthmus.load(paths[0]).predict_proba(texts)
seen = set()
sys.addaudithook(lambda event, arguments: seen.add(event))
second = isthmus.load(paths[0])
assert {"open"} <= seen, seen
harm = ("exec", "compile", "import", "marshal", "pickle", "subprocess", "os.", "socket", "ctypes", "code.")
assert not [event for event in seen if event.startswith(harm)], seen
print(first.tobytes().hex(), second.predict_proba(texts).tobytes().hex())
"""


@pytest.mark.filterwarnings("ignore::isthmus.exceptions.EmptyDocumentWarning")
def test_another_session_gets_the_same_bits_and_runs_nothing(tmp_path: Path) -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET)
    isthmus.save(result, tmp_path / "model.isthmus")
    done = alone(SCRIPT, tmp_path / "model.isthmus")
    assert done.code == 0, done.stderr
    assert done.stdout.split() == [result.predict_proba(LATER).tobytes().hex()] * 2


def test_short_names_are_of_estimators_and_dataclasses() -> None:
    known = {name: class_named(name) for name in CLASSES}
    assert {type(isthmus.TCL()), Embedding, isthmus.Result, isthmus.SignSplit} <= set(known.values())
    assert len(set(known.values())) == len(known)
    for name, kind in known.items():
        assert kind.__name__ == name.removeprefix("sklearn.")
        by_attributes = name in ("KernelFeatures", "AllLinks", "NeighborLinks")
        assert issubclass(kind, BaseEstimator) or hasattr(kind, "__dataclass_fields__") or by_attributes
