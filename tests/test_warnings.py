"""Warnings name the line of the user who caused them, whoever calls whom in between."""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import isthmus
from conftest import Toy, unrelated_toy
from isthmus import exceptions
from isthmus.exceptions import (
    EmptyDocumentWarning,
    GuessedEncodingWarning,
    SmallClassWarning,
    TransferWarning,
    collected,
    silenced,
    unheard,
    warn,
    warn_deprecated,
)
from isthmus.io.documents import open_documents
from isthmus.selection.scorers import InformationMaximization


def check_line(call: Callable[[], Any], kind: type[Warning]) -> None:
    """`call` is written on one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    lines = {(one.filename, one.lineno) for one in caught if one.category is kind}
    assert lines == {(__file__, call.__code__.co_firstlineno)}


@dataclass
class Rows:
    """A vectorizer of texts that are the numbers of rows."""

    X: Any

    def transform(self, texts: list[str]) -> Any:
        return self.X[[int(text) for text in texts]]

    fit_transform = transform


def test_what_is_deprecated_says_what_to_use_and_until_when() -> None:
    check_line(lambda: warn_deprecated("fit(shares=)", "target_prior=", goes_in="0.4"), FutureWarning)
    with pytest.warns(
        FutureWarning, match=r"^fit\(shares=\) is deprecated, and goes in isthmus 0\.4: use target_prior=\.$"
    ):
        warn_deprecated("fit(shares=)", "target_prior=", goes_in="0.4")


def test_silence_is_of_one_thread_and_of_the_kinds_named() -> None:
    begun, heard, filters = threading.Event(), threading.Event(), list(warnings.filters)

    def silent() -> None:
        with silenced(EmptyDocumentWarning):
            begun.set()
            heard.wait(10)
            warn("nothing is said", EmptyDocumentWarning)
            with silenced(SmallClassWarning):
                warn("nor of both", EmptyDocumentWarning)
                warn("nor of both", SmallClassWarning)

    with ThreadPoolExecutor(1) as pool, silenced(SmallClassWarning):
        other = pool.submit(silent)
        begun.wait(10)
        with pytest.warns(EmptyDocumentWarning, match="this is said"):
            warn("this is said", EmptyDocumentWarning)
        heard.set()
        other.result()  # whatever it warns of is an error
    with pytest.warns(SmallClassWarning):
        warn("afterwards", SmallClassWarning)
    assert warnings.filters == filters


def test_what_is_collected_is_heard_by_nobody_else() -> None:
    begun, done = threading.Event(), threading.Event()

    def collecting() -> list[str]:
        with collected() as heard:
            begun.set()
            done.wait(10)
            warn("for the page", EmptyDocumentWarning)
            with silenced(SmallClassWarning):
                warn("for nobody", SmallClassWarning)
            return heard

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(collecting)
        begun.wait(10)
        with pytest.warns(EmptyDocumentWarning, match="for this thread"):
            warn("for this thread", EmptyDocumentWarning)
        done.set()
        assert other.result() == ["for the page"]
    with pytest.warns(SmallClassWarning):
        warn("afterwards", SmallClassWarning)


def test_two_silences_that_overlap_end_both() -> None:
    """With `warnings.catch_warnings` alone, the filters that the first one found would come back last."""
    filters, begun, other, over = list(warnings.filters), threading.Event(), threading.Event(), threading.Event()

    def first() -> None:
        with unheard(SmallClassWarning):
            begun.set()
            other.wait(0.2)  # in vain: the other one waits, too
        over.set()

    def second() -> None:
        begun.wait(10)
        with unheard():
            other.set()
            over.wait(10)

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(first), pool.submit(second)]:
            each.result()
    assert warnings.filters == filters


def test_nothing_of_ours_is_silenced_for_all_threads() -> None:
    """`warnings.simplefilter` is for what other libraries say."""
    package = Path(isthmus.__file__).parent
    found = []
    for file in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.simplefilter":
                kind = ast.unparse(node.args[-1])
                found += [f"{file.relative_to(package)}:{node.lineno}"] if hasattr(exceptions, kind) else []
    assert found == []


def test_transfer_warnings() -> None:
    toy = unrelated_toy()
    numbers = np.arange(len(toy.y)).astype(str)
    source, target = list(numbers[~toy.in_target]), list(numbers[toy.in_target])
    y, auto, rows = toy.y[~toy.in_target], isthmus.Auto(random_state=0), Rows(toy.X)
    params: dict[str, Any] = {"sample_domain": toy.domain, "target_domain": "target"}
    check_line(lambda: auto.fit(toy.X, toy.y, **params), TransferWarning)
    check_line(lambda: isthmus.transfer(source, y, target, vectorizer=rows), TransferWarning)
    with sklearn.config_context(enable_metadata_routing=True):
        piped = make_pipeline(FunctionTransformer(), auto)
        check_line(lambda: piped.fit(toy.X, toy.y, **params), TransferWarning)


def test_empty_documents_and_small_classes(toy: Toy) -> None:
    X, y = sp.csr_array(sp.vstack([toy.X[:-1], sp.csr_array((1, toy.X.shape[1]))])), toy.y.copy()
    y[np.flatnonzero(~toy.in_target)[0]] = "only one"
    params: dict[str, Any] = {"sample_domain": toy.domain, "target_domain": "target"}
    model = isthmus.LR()
    for kind in (EmptyDocumentWarning, SmallClassWarning):
        check_line(lambda: model.fit(X, y, **params), kind)
    with pytest.warns(EmptyDocumentWarning):
        model.fit(X, toy.y, **params)
    check_line(lambda: model.predict(X), EmptyDocumentWarning)
    check_line(lambda: model.predict_proba(X), EmptyDocumentWarning)
    check_line(lambda: model.score(X, toy.y), EmptyDocumentWarning)
    scorer = InformationMaximization()
    check_line(lambda: scorer(model, X, sample_domain=toy.domain), EmptyDocumentWarning)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=isthmus.source_folds(toy.y, toy.domain, "target"))
        check_line(lambda: search.fit(X, toy.y, **params), EmptyDocumentWarning)
        check_line(lambda: cross_validate(model, X, toy.y, params=params, cv=search.cv), EmptyDocumentWarning)


def test_guessed_encodings(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_bytes("text\ncafé\n".encode("latin-1"))
    with open_documents(str(tmp_path / "odd.csv")) as documents:
        check_line(lambda: list(documents), GuessedEncodingWarning)
