"""Texts, labels and rows in whatever their users hold them in."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import isthmus
from isthmus.drift import profile_target
from isthmus.text import embed_texts
from test_transfer import LABELS, SOURCE, TARGET


def test_columns_of_pyarrow_are_lists() -> None:
    arrow = pytest.importorskip("pyarrow")
    given = [arrow.array(column) for column in (SOURCE, LABELS, TARGET)]
    few = arrow.array(["billing", None])
    result = isthmus.transfer(*given, target_labels=few, source_domains=arrow.array(list("abab")), method="LR")
    plain = isthmus.transfer(SOURCE, LABELS, TARGET, target_labels=["billing", None], method="LR")
    assert result.probabilities == pytest.approx(plain.probabilities)


def test_members_of_an_enumeration_are_their_names(tmp_path: Path) -> None:
    kinds = StrEnum("kinds", {"billing": "billing", "fault": "fault"})
    result = isthmus.transfer(SOURCE, [kinds(label) for label in LABELS], TARGET, method="LR")
    assert result.labels.tolist() == ["billing", "fault"]
    isthmus.save(result, tmp_path / "m.isthmus")


@pytest.mark.parametrize("kind", ["csc", "coo", "bsr", "lil", "dok", "DataFrame", "sparse DataFrame"])
def test_rows_of_any_container_can_be_used_later(kind: str, tmp_path: Path) -> None:
    """A vectorizer may make what cannot be cut into rows, or what pandas would cut into columns."""

    def container(X: Any) -> Any:
        if kind == "DataFrame":
            return pd.DataFrame(X.toarray())
        return pd.DataFrame.sparse.from_spmatrix(X) if kind == "sparse DataFrame" else X.asformat(kind)

    plain = isthmus.transfer(SOURCE, LABELS, TARGET, method="LR", vectorizer=TfidfVectorizer())
    vectorizer = make_pipeline(TfidfVectorizer(), FunctionTransformer(container, accept_sparse=True))
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method="LR", vectorizer=vectorizer)
    assert result.probabilities == pytest.approx(plain.probabilities)
    assert result.predict_proba(TARGET) == pytest.approx(plain.predict_proba(TARGET))
    assert result.update(TARGET).probabilities == pytest.approx(plain.update(TARGET).probabilities)
    profiles = [profile_target(one) for one in (result, plain)]
    assert profiles[0] is not None
    assert profiles[1] is not None
    assert profiles[0].closeness == pytest.approx(profiles[1].closeness)
    assert len(isthmus.suggest_labels(result, 1)) == 1


def test_a_step_that_leaves_words_out_has_a_profile() -> None:
    vectorizer = make_pipeline(TfidfVectorizer(), VarianceThreshold(0.03))
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method="LR", vectorizer=vectorizer)
    assert result.X is not None
    assert result.X.shape[1] < len(result.vectorizer[0].vocabulary_)
    profile = profile_target(result)
    assert profile is not None
    assert len(profile.closeness) == len(TARGET)


def test_an_updated_result_is_shown_in_a_notebook() -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, method="LR")
    for shown in (result, result.update(TARGET[:1]), result.update(TARGET[:1]).update(TARGET)):
        assert "<" in shown._repr_html_()


def test_columns_of_a_pyarrow_table_name_domains() -> None:
    arrow = pytest.importorskip("pyarrow")
    domains = arrow.table({"domain": ["a"] * 4 + ["b"], "number": [1, 1, 1, 1, -1]})
    X, y = [[1.0, 0], [0, 1], [2, 0], [0, 3], [1, 1]], ["x", "y", "x", "y", "?"]
    model = isthmus.LR().fit(X, y, sample_domain=domains["number"])
    assert model.target_domains_ == [-1]
    model = isthmus.LR().fit(X, y, sample_domain=list("aaaab"), target_domain="b")
    again = isthmus.LR().fit(X, y, sample_domain=domains["domain"], target_domain="b")
    assert again.label_distributions_ == pytest.approx(model.label_distributions_)


def test_a_vectorizer_of_embeddings_takes_texts_alone() -> None:
    class Lengths:
        def encode(self, texts: list[str]) -> Any:
            return np.array([[len(text), 1.0] for text in texts])

    with pytest.raises(TypeError, match="texts is one string"):
        embed_texts("abc", Lengths())
    assert embed_texts((text for text in ("a", "bc")), Lengths()).shape == (2, 2)
