"""Texts to a matrix in files: what `fit_transform` makes of them, however few are held at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isthmus
from isthmus.datasets import load_messages
from isthmus.exceptions import DataError
from isthmus.text import preset_vectorizer, streaming, texts_to_matrix

TEXTS = [*load_messages().texts, "很好吃 😀", "很好 😀 www.example.org", ""]


@pytest.mark.parametrize("preset", ["default", "short", "opinions", "cci", "cdsc"])
def test_it_is_what_the_vectorizer_makes(preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "BLOCK", 17)
    expected = preset_vectorizer(preset)
    X = expected.fit_transform(TEXTS)
    found = texts_to_matrix(TEXTS, tmp_path, preset)
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert np.array_equal(isthmus.open_matrix(tmp_path).toarray(), X.toarray())
    assert np.array_equal(found.transform(TEXTS[:5]).toarray(), expected.transform(TEXTS[:5]).toarray())


class Failing:
    """Texts that break off in the second time through them."""

    def __init__(self, at: int) -> None:
        self.at, self.times = at, 0

    def __iter__(self) -> Any:
        self.times += 1
        yield from TEXTS if self.times == 1 else TEXTS[: self.at]
        if self.times > 1:
            raise KeyboardInterrupt


def test_interrupted_it_goes_on_after_the_last_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "BLOCK", 10)
    with pytest.raises(KeyboardInterrupt):
        texts_to_matrix(Failing(25), tmp_path)
    with pytest.raises(DataError, match="of 20 rows so far"):
        isthmus.open_matrix(tmp_path)
    texts_to_matrix(TEXTS, tmp_path)
    expected = preset_vectorizer("default").fit_transform(TEXTS)
    assert np.array_equal(isthmus.open_matrix(tmp_path).toarray(), expected.toarray())


def test_words_that_are_counted_stay_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "BLOCK", 10)
    monkeypatch.setattr(streaming, "MOST_WORDS", 200)
    common = [f"always here w{number}a w{number}b w{number}c" for number in range(300)]
    assert texts_to_matrix(common, tmp_path).get_feature_names_out().tolist() == ["always", "here"]


def test_texts_that_can_be_read_once_only_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="once only"):
        texts_to_matrix(iter(TEXTS), tmp_path)
    with pytest.raises(DataError, match="No word stands"):
        texts_to_matrix(["alone"], tmp_path)
