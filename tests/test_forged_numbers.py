"""Numbers of a model file that its classes never have: refused before anything is computed with them."""

from __future__ import annotations

import copy
import tracemalloc
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import GaussianNB

import isthmus
from command import run
from conftest import make_toy
from forging import forge, load_bytes, setting
from isthmus.core.estimator import TransferClassifier
from isthmus.core.solution import LinearSolution
from isthmus.exceptions import ModelFileError
from isthmus.io.models.declared import METHOD, NUMBERS, Numbers
from isthmus.io.models.fields import check_fields
from isthmus.io.models.registry import CLASSES, class_named, names_of_classes
from isthmus.methods import METHODS
from isthmus.methods.spectral.incremental import IncrementalCDSC
from isthmus.solvers.linear.denoising import Layer
from isthmus.solvers.spectral import nearest

MODELS: dict[str, Any] = {
    **{name: getattr(isthmus, name) for name in [*METHODS, "Auto"]},
    "SC of all links": lambda: isthmus.SC(n_neighbors="all"),
    "CDSC with a classifier": lambda: isthmus.CDSC(classifier=GaussianNB()),
    "IncrementalCDSC": IncrementalCDSC,
    "TransductiveLR of directions": lambda: isthmus.TransductiveLR("lsa"),
}
KNOWN = ("features", "classes", "domains")
"""Axes whose lengths do not depend on the array in question."""
TOY = make_toy(n_documents=12, n_classes=3)


def fitted(name: str) -> Any:
    return TOY.fit(MODELS[name]())


def declared(value: Any, seen: set[int]) -> Iterator[tuple[Any, str, Numbers]]:
    """Every attribute in a model with numbers that are declared: of what, under which name, and how."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if type(value) in names_of_classes():
        rules = METHOD if isinstance(value, TransferClassifier) else NUMBERS.get(names_of_classes()[type(value)], {})
        yield from ((value, name, rule) for name, rule in rules.items() if getattr(value, name, None) is not None)
        value = list(vars(value).values())
    for part in value if isinstance(value, list | tuple) else []:
        yield from declared(part, seen)


def spoilt(value: Any, rule: Numbers) -> list[Any]:
    """What must not stand where the rule holds."""
    bad = [np.nan, np.inf] if rule.finite and rule.kinds == "f" else []
    bad += [rule.low - 1] if np.isfinite(rule.low) else []
    if not rule.axes:
        return [*bad, "1", None, [1.0]]
    values = value.data if sp.issparse(value) else value
    found: list[Any] = ["1", np.zeros((1, *value.shape)), *([] if rule.optional else [None])]
    found += [np.take(value, [0], axis) for axis, name in enumerate(rule.axes) if name in KNOWN and not rule.sparse]
    for number in bad if values.size else []:
        spoiled = value.copy()
        (spoiled.data if sp.issparse(value) else spoiled).flat[-1] = number
        found.append(spoiled)
    if not sp.issparse(value):
        found.append(value.astype(complex))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_numbers_that_a_class_never_has_are_refused(name: str) -> None:
    model, n_tried = fitted(name), 0
    check_fields(model)
    for part, attribute, rule in list(declared(model, set())):
        value = getattr(part, attribute)
        for bad in spoilt(value, rule):
            object.__setattr__(part, attribute, bad)
            with pytest.raises(ModelFileError, match=f"^{attribute} of its"):
                check_fields(model)
            n_tried += 1
        object.__setattr__(part, attribute, value)
    assert n_tried > 10
    check_fields(model)


def test_every_array_of_a_solution_is_declared() -> None:
    for name in CLASSES:
        kind = class_named(name)
        arrays = [f.name for f in fields(kind) if str(f.type) in ARRAYS] if is_dataclass(kind) else []
        missing = set(arrays) - {"distributions", "X"} - set(NUMBERS.get(name, {}))
        assert not missing, f"{name}: declare {missing} in isthmus/io/models/declared.py"


ARRAYS = ("Array", "Array | None", "Positions", "Mask", "Matrix", "Matrix | None")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["SGT", "SC", "DTLM"])
def test_parameters_are_in_their_ranges(name: str) -> None:
    model = fitted(name)
    for parameter, rules in model._parameter_constraints.items():
        if "n_" in parameter or parameter in ("c", "max_iter"):
            changed = copy.copy(model)
            setattr(changed, parameter, -1)
            with pytest.raises(ModelFileError, match=f"out of range .The '{parameter}' parameter of {name} must be"):
                check_fields(changed)
            assert rules


@pytest.fixture
def files(tmp_path: Path) -> Any:
    def make(name: str) -> bytes:
        isthmus.save(fitted(name), tmp_path / "honest.isthmus", force=True)
        return (tmp_path / "honest.isthmus").read_bytes()

    return make


LINKS = ("solution_", "_embedding", "_links")
SAME_HASH = [(2**61 - 1) * number for number in range(20_000)]
FORGED: dict[str, tuple[str, tuple[Any, ...], Any, str]] = {
    "no neighbors": ("SGT", ("solution_", "_n_neighbors"), 0, "_n_neighbors of its SGTSolution .* out of their range"),
    "no neighbors asked for": ("SGT", ("n_neighbors",), 0, "a parameter in it is out of range"),
    "no linked neighbors": ("SC", (*LINKS, "_n_neighbors"), 0, "_n_neighbors of its NeighborLinks"),
    "many columns": ("SGT", ("solution_", "_rows", "shape"), [24, 500_000_000], "has 500000000 rows or columns, most"),
    "colliding domains": ("LR", ("domains_",), SAME_HASH, "more than 2000 domains whose names are not strings"),
    "colliding targets": ("LR", ("target_domains_",), SAME_HASH, "a target of its LR is not one of its domains"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", FORGED)
def test_forged_files_are_refused_in_little_memory(case: str, files: Any, tmp_path: Path) -> None:
    name, path, value, message = FORGED[case]
    content = forge(files(name), setting(*path, to=value))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=message):
            load_bytes(content, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 20 * len(content) + 2e7
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore")
def test_wide_sparse_weights_are_refused(files: Any, tmp_path: Path) -> None:
    def change(tree: Any, tensors: dict[str, Any]) -> None:
        width = 300_000_000
        classifier = tree["attributes"]["solution_"]["attributes"]["classifier"]["attributes"]
        del tensors[classifier["coef_"]["tensor"]]
        tensors |= {"d": np.zeros(0), "i": np.zeros(0, np.int32), "p": np.zeros(4, np.int32)}
        parts = {part: {"is": "array", "tensor": part[0] if part != "indptr" else "p"} for part in PARTS}
        classifier["coef_"] = {"is": "sparse", "format": "csr", "matrix": False, "shape": [3, width], **parts}
        classifier["n_features_in_"] = tree["attributes"]["n_features_in_"] = width

    with pytest.raises(ModelFileError, match="a sparse matrix in it has 300000000 rows or columns"):
        load_bytes(forge(files("LR"), change), tmp_path)


PARTS = ("data", "indices", "indptr")


@pytest.mark.filterwarnings("ignore")
def test_many_topics_of_few_words_are_refused() -> None:
    """Each would be multiplied with each."""
    model = fitted("DomTransNMF")
    n = 50_000
    for name, shape in {"bases": (3, model.n_features_in_, n), "coefficients": (3, n)}.items():
        object.__setattr__(model.solution_, name, np.broadcast_to(0.5, shape))
    with pytest.raises(ModelFileError, match="has 50000 topics, which are too many for so few features"):
        check_fields(model)


@pytest.mark.parametrize("part", [LinearSolution(None), Layer(np.ones((2, 2)), np.ones(2))])
def test_parts_in_parts_are_few(part: Any) -> None:
    """A few bytes each in a file that names one array many times, and each takes its time."""
    model = fitted("LR")
    object.__setattr__(model, "more_", [copy.copy(part) for _ in range(300)])
    with pytest.raises(ModelFileError, match="more than 256 parts or 32 solutions in one another"):
        check_fields(model)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["_parameter_constraints", "_TransferClassifier__metadata_request__fit", "fit"])
def test_a_file_does_not_say_what_a_class_says(name: str, files: Any, tmp_path: Path) -> None:
    """Such as which numbers it takes."""
    content = forge(files("SGT"), setting(name, to={"is": "dict", "keys": [], "values": []}))
    with pytest.raises(ModelFileError, match=f"gives SGT the attribute '{name}', which is not its to give"):
        load_bytes(content, tmp_path)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_probabilities_that_are_none_are_not_handed_out() -> None:
    model = fitted("LR")
    model.classifier_.coef_ *= 1e300
    with pytest.raises(ValueError, match="LR has no probabilities for row 1 of X: some numbers are too far"):
        model.predict_proba(np.array([[1.0], [1e14]]) * np.ones(model.n_features_in_))


def test_a_model_that_fails_later_gets_a_sentence(tmp_path: Path) -> None:
    texts = ["refund the card", "card refund", "photos crash", "crash of photos"]
    result = isthmus.transfer(texts, ["a", "a", "b", "b"], texts, method="LR")
    isthmus.save(result, tmp_path / "model.isthmus")
    (tmp_path / "new.csv").write_text("text\nrefund\n")
    failing = mock.patch.object(result.estimator.__class__, "predict_proba", side_effect=IndexError("far out\nof all"))
    with mock.patch("isthmus.load", return_value=result), failing:
        done = run("predict", tmp_path / "model.isthmus", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert "The model cannot label these documents (IndexError: far out): is it whole" in done.sentence
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("n", [0, -3])
def test_neighbors_are_counted_before_compiled_code_is_called(n: int) -> None:
    with pytest.raises(ValueError, match=f"n_neighbors is {n}: there must be one at least"):
        nearest(TOY.X, TOY.X, n)
    with pytest.raises(ValueError, match="X has 1 columns, and the rows to find neighbors among have"):
        nearest(TOY.X[:, :1], TOY.X, 1)
    assert nearest(TOY.X[:0], TOY.X, 1).shape == (0, 24)
    assert nearest(TOY.X, TOY.X[:0], 1).shape == (24, 0)
    assert nearest(TOY.X, TOY.X, 10**9).shape == (24, 24)
