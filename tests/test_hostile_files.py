"""Files that mean harm, or were harmed: always a ModelFileError, with little memory, and never anything else."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import pickle
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save as save_tensors
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

import isthmus
from command import run
from conftest import make_toy
from forging import array, claim, deep, dropping, forge, load_bytes, mentioning, poke, setting
from isthmus.bench import Row
from isthmus.exceptions import ModelFileError
from isthmus.io.models import _read, container
from isthmus.io.models.encoding import TreeEncoder

SOURCE = ["my card was charged twice", "refund the charge please", "the upload crashes", "photos crash the app"]
LABELS = ["billing", "billing", "fault", "fault"]
TARGET = ["charged twice for one ride, refund please", "the app crashes at the dock"]


@pytest.fixture(scope="session")
def honest(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with a bit of everything: a result, whose estimator also holds what other methods might."""
    result = isthmus.transfer(
        SOURCE, LABELS, TARGET, method="TCL", preset="default", random_state=np.random.RandomState(0)
    )
    toy = make_toy(n_documents=20)
    result.estimator.sparse_ = toy.X
    result.estimator.mask_ = toy.in_target
    result.estimator.strings_ = toy.y
    result.estimator.numbers_ = {3: np.float32(1), (4,): {5}}
    result.estimator.clusters_ = KMeans(2, random_state=0).fit(toy.X)
    result.estimator.linear_ = LogisticRegression().fit(toy.X, toy.y)
    path = tmp_path_factory.mktemp("honest") / "model.isthmus"
    isthmus.save(result, path)
    return path.read_bytes()


# Files that are not what they should be, before anything in them is looked at


def _pickled(content: bytes) -> bytes:
    class Harm:
        def __reduce__(self) -> Any:
            return os.mkdir, ("harmed",)

    return pickle.dumps(Harm())


def _zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("../../escaped", content)
    return file.getvalue()


def _tarred(content: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("../../escaped")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


def _array_of_objects(content: bytes) -> bytes:
    file = io.BytesIO()
    np.save(file, np.array([{}], dtype=object))
    return file.getvalue()


def with_header(change: Callable[[dict[str, Any]], Any]) -> Callable[[bytes], bytes]:
    """Another header, with everything behind it as it was."""

    def changed(content: bytes) -> bytes:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        replaced = json.dumps(change(header) or header).encode()
        return len(replaced).to_bytes(8, "little") + replaced + content[8 + length :]

    return changed


def with_about(**changes: Any) -> Callable[[bytes], bytes]:
    def change(header: dict[str, Any]) -> None:
        about = json.loads(header["__metadata__"]["isthmus"]) | changes
        header["__metadata__"]["isthmus"] = json.dumps(about)

    return with_header(change)


def with_first_array(**changes: Any) -> Callable[[bytes], bytes]:
    return with_header(lambda header: header["a0"].update(changes))


HUGE = 2**50
RAW: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda c: b"", "it is empty"),
    "five bytes": (lambda c: c[:5], "isthmus.save did not write it"),
    "half": (lambda c: c[: len(c) // 2], "it is incomplete or damaged"),
    "one byte short": (lambda c: c[:-1], "it is incomplete or damaged"),
    "one byte long": (lambda c: c + b"\0", "it is incomplete or damaged"),
    "a flipped bit": (lambda c: c[:-9] + bytes([c[-9] ^ 4]) + c[-8:], "its checksum is wrong"),
    "pickle": (_pickled, "it is a pickle, which can run any code"),
    "zip": (_zipped, "it is a zip archive"),
    "tar": (_tarred, "isthmus.save did not write it"),
    "gzip": (gzip.compress, "it is a compressed file"),
    "array of objects": (_array_of_objects, "it is an array that numpy saved"),
    "text": (lambda c: b"label,text\nbilling,refund please\n" * 9, "isthmus.save did not write it"),
    "huge header": (lambda c: (2**63).to_bytes(8, "little") + c[8:], "isthmus.save did not write it"),
    "deep header": (lambda c: (200_000).to_bytes(8, "little") + b"[" * 200_000, "isthmus.save did not write it"),
    "other safetensors": (lambda c: save_tensors({"a": np.ones(3)}), "isthmus.save did not write it"),
    "list as header": (with_header(lambda header: [header]), "isthmus.save did not write it"),
    "newer": (with_about(schema=3), "it has schema 3, and this version of isthmus knows 2: upgrade isthmus"),
    "older": (with_about(schema=0), "its schema is 0, which isthmus never wrote"),
    "odd schema": (with_about(schema=True), "its schema is True"),
    "no checksum": (with_about(sha256=None), "it has no checksum"),
    "checksum of nothing": (with_about(sha256="0" * 64), "its checksum is wrong"),
    "other settings": (with_about(settings={}), "its checksum is wrong"),
    "huge array": (with_first_array(shape=[HUGE], data_offsets=[0, HUGE * 8]), "bytes and .* are there"),
    "huge shape": (with_first_array(shape=[HUGE, HUGE]), "has another size than its shape says"),
    "negative": (with_first_array(shape=[-1]), "has no proper shape"),
    "many axes": (with_first_array(shape=[1] * 100), "has no proper shape"),
    "objects": (with_first_array(dtype="O"), "it holds an array of 'O'"),
    "no tree": (with_header(lambda header: header.pop("tree") and None), "it has no tree"),
    "no arrays": (with_header(lambda header: {"__metadata__": header["__metadata__"]}), "it has no tree"),
    "array is a word": (with_header(lambda header: header.update(a0="x")), "its array 'a0' is malformed"),
}


@pytest.mark.parametrize("case", RAW)
def test_files_that_are_no_model_files(case: str, honest: bytes, tmp_path: Path) -> None:
    change, message = RAW[case]
    with pytest.raises(ModelFileError, match=f"model.isthmus cannot be loaded: .*{message}"):
        load_bytes(change(honest), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["model.isthmus"]
    assert not Path("harmed").exists()


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (with_first_array(shape=["x", HUGE]), "model.isthmus is no model file"),  # a string, so often
        (with_about(learned={"classes": [], "n_classes": 10**400}), None),
        (with_about(settings={"C": float("nan")}), "model.isthmus is no model file"),
    ],
)
def test_headers_are_looked_at_without_harm(change: Any, names: str | None, honest: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.isthmus").write_bytes(change(honest))
    done = run("info", tmp_path / "model.isthmus", "--json")
    if names is None:
        assert done.code == 0
    else:
        assert names in done.sentence


def test_an_estimate_that_no_float_can_hold_is_not_shown(honest: bytes, tmp_path: Path) -> None:
    learned = {"classes": ["a"], "n_classes": 1, "members": ["LR"], "estimated_accuracy": [10**400, 0, 1]}
    (tmp_path / "model.isthmus").write_bytes(with_about(learned=learned)(honest))
    done = run("info", tmp_path / "model.isthmus")
    assert done.code == 0
    assert "Estimated" not in done.stdout


def test_folders_and_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for a writer
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ModelFileError, match="cannot be loaded: it is not a file"):
            isthmus.load(path)


# Files with a right checksum, forged by somebody who knows the format

E = "estimator"
SOLUTION = (E, "solution_")
ZZ = {"is": "array", "tensor": "zz"}
TURNED = [{**ZZ, "axes": list(axes)} for axes in itertools.islice(itertools.permutations(range(8)), 200)]
NONE = {"is": "array", "tensor": "none"}
EMPTY = {"is": "sparse", "format": "csr", "matrix": False, "data": NONE, "indices": NONE, "indptr": ZZ}
ROW = f"{Row.__module__}.{Row.__qualname__}"
COUNTS = ("vectorizer", "steps", 0, "items", 1)
SAME_HASH = [(2**61 - 1) * number for number in range(30_000)]
FORGED: dict[str, tuple[Callable[[Any, dict[str, Any]], Any], str]] = {
    "system": (lambda tree, _: tree.update({"class": "os.system"}), "names the class 'os.system', which this version"),
    "jobs": (setting(*COUNTS, "n_jobs", to=100_000), "asks for 100000 jobs"),
    "forest": (lambda tree, _: tree.update({"class": "sklearn.RandomForestClassifier"}), "names the class 'sklearn.R"),
    "path": (lambda tree, _: tree.update({"class": "../../isthmus.TCL"}), r"names the class '\.\./\.\./isthmus\.TCL'"),
    "many scalars": (
        mentioning(np.zeros(10**6, np.uint8), [{"is": "scalars", "of": ZZ}] * 60),
        "it would take many times as much memory as its arrays do",
    ),
    "long strings": (
        mentioning(np.full(250_000, 65, np.uint32), [{"is": "scalar", "of": {**ZZ, "letters": "U"}}] * 1000),
        "it would take many times as much memory",
    ),
    "many sparse": (
        mentioning(np.zeros(10**5, np.int32), [{**EMPTY, "shape": [10**5 - 1, 1]}] * 1000),
        "it would take many times as much memory",
    ),
    "many turns": (mentioning(np.zeros((8, 8, 8, 8, 8, 4, 1, 1)), TURNED), "it reads its array 'zz' in two ways"),
    "no class": (lambda tree, _: tree.update({"class": ["a"]}), "a class in it has no name"),
    "bench": (setting(E, "odd_", to={"is": "object", "class": ROW, "attributes": {}}), f"names the class '{ROW}'"),
    "dunder": (setting(E, "__class__", to=1), "gives TCL an attribute named '__class__'"),
    "escape": (setting(E, "../odd", to=1), "gives TCL an attribute named '../odd'"),
    "method": (setting(E, "predict_proba", to=1), "gives TCL the attribute 'predict_proba', which is not its to give"),
    "field": (setting("odd", to=1), "gives Result the attribute 'odd', which is not its to give"),
    "no classes": (dropping(E, "classes_"), "its TCL lacks the attribute 'classes_'"),
    "no prior": (dropping(E, "class_prior_"), "its TCL lacks the attribute 'class_prior_'"),
    "no profile": (dropping(*SOLUTION, "_default_profile"), "its TopicSolution lacks the attribute '_default_profile'"),
    "no vectorizer": (dropping("vectorizer"), "its Result lacks the attribute 'vectorizer'"),
    "kind": (setting(E, "odd_", to={"is": "pickle"}), "something of the unknown kind 'pickle'"),
    "no kind": (setting(E, "odd_", to={}), "something of the unknown kind None"),
    "encoder elsewhere": (setting(E, "odd_", to={"is": "encoder"}), "something of the unknown kind 'encoder'"),
    "many features": (
        setting(E, "n_features_in_", to=10**15),
        "has 7 features, and there are 1000000000000000",
    ),
    "features of text": (setting(E, "n_features_in_", to="7"), "expects '7' features"),
    "other features": (setting(E, "n_features_in_", to=82), "has 7 features, and there are 82"),
    "few classes": (array("label_distributions_", edit=lambda a: a[:, :1]), "label_distributions_ of its TCL"),
    "few rows": (array("label_distributions_", edit=lambda a: a[:2]), "label_distributions_ of its TCL"),
    "flat profile": (
        array("solution_", "_default_profile", edit=np.ravel),
        "axes of an array in it do not fit",
    ),
    "short profile": (
        array("solution_", "_default_profile", edit=lambda a: a[:, :3]),
        "_default_profile of its TopicSolution has 3 features, and there are 7",
    ),
    "no domains": (setting(E, "domains_", to=[]), "its TCL knows no domains"),
    "other target": (setting(E, "target_domains_", to=["moon"]), "a target of its TCL is not one of its domains"),
    "huge object array": (setting(E, "odd_", to=claim([2**31 - 1] * 3)), "has another size than it says"),
    "odd shape": (setting(E, "odd_", to=claim([2**70])), "an array of the shape"),
    "deep": (deep, "nested more than 40 levels deep"),
    "deeper": (lambda tree, _: json.loads("[" * 900 + "]" * 900), "nested more than 40"),
    "same hash": (setting(E, "odd_", to={"is": "set", "items": SAME_HASH}), "more than 5000 keys"),
    "bytes": (setting(E, "odd_", to={"is": "bytes", "hex": "zz"}), "not put together as a model .ValueError"),
    "key twice": (setting(E, "odd_", to={"is": "dict", "keys": ["a", "a"], "values": [1, 2]}), "has a key twice"),
    "unhashable": (setting(E, "odd_", to={"is": "dict", "keys": [[1]], "values": [2]}), "not put together as a model"),
    "no array": (setting(E, "odd_", to={"is": "array", "tensor": "../a0"}), "it has no array '../a0'"),
    "axes": (setting(*SOLUTION, "profiles", "axes", to=[0, 0, 1]), "the axes of an array in it do not fit"),
    "stray array": (lambda tree, tensors: tensors.update(stray=np.ones(3)), "arrays that no part of the model uses"),
    "column outside": (array("sparse_", "indices", edit=poke(3, 10_000)), "entries outside of its shape"),
    "column below": (array("sparse_", "indices", edit=poke(3, -1)), "entries outside of its shape"),
    "falling rows": (array("sparse_", "indptr", edit=poke(3, 10_000)), "the rows of a sparse matrix in it do not fit"),
    "few rows in sparse": (array("sparse_", "indptr", edit=lambda a: a[:-1]), "the rows of a sparse matrix"),
    "long rows": (array("sparse_", "data", edit=lambda a: a[:-1]), "the rows of a sparse matrix"),
    "real columns": (array("sparse_", "indices", edit=lambda a: a.astype(float)), "has indices of float64"),
    "random position": (setting(E, "random_state", "position", to=10**6), "a random state in it has a wrong position"),
    "random key": (array("random_state", "key", edit=lambda a: a[:9]), "a random state in it has a wrong key"),
    "letters": (array("strings_", edit=poke((0, 0), 0x110000)), "a string in it is malformed"),
    "truth": (array("mask_", edit=lambda a: np.full(len(a), 7, np.uint8).view(bool)), "array of booleans"),
    "vocabulary": (setting(*COUNTS, "vocabulary_", "values", to=[0, 1, 2, 3, 4, 5, 10**6]), "vocabulary .* has gaps"),
    "words": (setting(*COUNTS, "vocabulary_", "values", to=["0", 1, 2, 3, 4, 5, 6]), "the vocabulary .* is malformed"),
    "file names": (setting(*COUNTS, "input", to="filename"), "its vectorizer reads files instead of texts"),
    "memory": (setting("vectorizer", "memory", to="cache"), "a pipeline in it has a memory"),
    "steps": (setting("vectorizer", "steps", to=[1]), "a pipeline in it has no steps"),
    "centers": (
        array("clusters_", "cluster_centers_", edit=lambda a: a[:, :5]),
        "the centers of its KMeans do not fit",
    ),
    "threads": (setting(E, "clusters_", "_n_threads", to=10**9), "its KMeans asks for 1000000000 threads"),
    "coefficients": (array("linear_", "coef_", edit=lambda a: a[:, :5]), "the coefficients of its LogisticRegression"),
    "labels": (setting("labels", to=3), "labels and probabilities of its result do not fit"),
    "no model": (lambda tree, _: {"is": "tuple", "items": [1]}, "it holds a tuple, which is no model"),
    "vectorizer alone": (lambda tree, _: tree["attributes"]["vectorizer"], "it holds a Pipeline, which is no model"),
    "many lists": (lambda tree, _: [[[]] * 2000] * 600, "it has more than 1000000 parts"),
    "many numbers": (setting(E, "odd_", to=[1000] * 4_000_000), "it has more than 4000000 values beside its arrays"),
    "nothing": (lambda tree, _: {"is": "object"}, "not put together as a model"),
}


@pytest.mark.parametrize("case", FORGED)
def test_forged_files(case: str, honest: bytes, tmp_path: Path) -> None:
    change, message = FORGED[case]
    content = forge(honest, change)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=f"model.isthmus cannot be loaded: .*({message})"):
            load_bytes(content, tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(content) + 2e7


def test_what_is_forged_loads_as_it_was(honest: bytes, tmp_path: Path) -> None:
    """So that the tests above fail for the reason that they name."""
    assert forge(honest, lambda tree, tensors: None) == honest
    assert load_bytes(honest, tmp_path).predict(["refund"]).tolist() == ["billing"]


@given(st.data())
def test_damaged_anywhere(honest: bytes, data: st.DataObject) -> None:
    """One byte changed, or cut off at some place."""
    place = data.draw(st.integers(0, len(honest) - 1))
    flip = data.draw(st.integers(0, 255))
    broken = honest[:place] + bytes([honest[place] ^ flip]) + honest[place + 1 :] if flip else honest[:place]
    with pytest.raises(ModelFileError):
        _read(io.BytesIO(broken), len(broken), None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["is", "items", "a"]), inner),
    max_leaves=5,
)


def _places(node: Any) -> list[tuple[Any, Any]]:
    """Every place in a tree: what holds it, and its key or position there."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [place for key, child in inside for place in [(node, key), *_places(child)]]


@given(st.data())
def test_forged_anywhere(honest: bytes, data: st.DataObject) -> None:
    """Any value in any place of the tree: a model, or a ModelFileError, and nothing else."""

    def change(tree: Any, tensors: Any) -> None:
        places = _places(tree)
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        other, place = places[data.draw(st.integers(0, len(places) - 1))]
        holder[key] = data.draw(st.one_of(JSON, st.just(json.loads(json.dumps(other[place])))))

    content = forge(honest, change)
    try:
        model, _ = _read(io.BytesIO(content), len(content), None)
    except ModelFileError:
        return
    assert isinstance(model, isthmus.Result)


def test_large_vocabularies_are_far_from_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MAX_VALUES", "MAX_TREE"):
        monkeypatch.setattr(container, limit, getattr(container, limit) // 3)
    tree = TreeEncoder().encode({f"some word{number}": number for number in range(500_000)}, "vocabulary")
    content = container.pack(tree, {}, {})
    assert container.unpack(io.BytesIO(content), len(content))[0] == tree


def test_trees_are_json_that_any_reader_takes() -> None:
    """No NaN, no infinity."""
    tree = TreeEncoder().encode([float("inf"), float("nan"), 1.5], "value")
    json.dumps(tree, allow_nan=False)
