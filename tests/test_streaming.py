"""Texts to a matrix in files: what `fit_transform` makes of them, however few are held at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isthmus
from isthmus.datasets import load_messages
from isthmus.exceptions import DataError, NoWordError
from isthmus.text import preset_vectorizer, streaming, texts_to_matrix, word_counts

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
    """Texts that break off when rows are made of them: after a look at the first, and after counting."""

    def __init__(self, at: int) -> None:
        self.at, self.times = at, 0

    def __iter__(self) -> Any:
        self.times += 1
        yield from TEXTS if self.times < 3 else TEXTS[: self.at]
        if self.times == 3:
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


class Broken:
    """Texts that break off, whenever one goes through them."""

    def __init__(self, texts: list[str], most: int) -> None:
        self.texts, self.most = texts, most

    def __iter__(self) -> Any:
        for number, text in enumerate(self.texts):
            if number == self.most:
                raise KeyboardInterrupt
            yield text


def test_counts_lie_in_files_and_no_word_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "BLOCK", 10)
    monkeypatch.setattr(word_counts, "MOST_WORDS", 50)
    with pytest.raises(KeyboardInterrupt):
        texts_to_matrix(Broken(TEXTS, 45), tmp_path)
    interrupted = word_counts.WordCounts(tmp_path)
    assert interrupted.n_texts == 40
    assert not interrupted.finished
    assert len(list(tmp_path.glob("counts-*.jsonl"))) > 1
    found = texts_to_matrix(TEXTS, tmp_path)
    expected = preset_vectorizer("default").fit(TEXTS)
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert np.array_equal(found[1].idf_, expected[1].idf_)


def test_called_again_at_the_end_it_writes_nothing(tmp_path: Path) -> None:
    first = texts_to_matrix(TEXTS, tmp_path)
    written = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    again = texts_to_matrix(TEXTS, tmp_path)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == written
    assert again[0].vocabulary_ == first[0].vocabulary_


def test_what_another_preset_has_left_is_refused(tmp_path: Path) -> None:
    texts = ["one red boat", "one red engine"]
    texts_to_matrix(texts, tmp_path, "default")
    with pytest.raises(DataError, match="as the preset 'default' reads them, and this is 'short': choose another"):
        texts_to_matrix(texts, tmp_path, "short")
    assert texts_to_matrix(texts, tmp_path, "default")[0].vocabulary_.keys() == {"one", "red"}


def test_texts_that_can_be_read_once_only_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="once only"):
        texts_to_matrix(iter(TEXTS), tmp_path)
    with pytest.raises(NoWordError, match="No word stands"):
        texts_to_matrix(["alone"], tmp_path / "new")


@pytest.mark.parametrize(
    "others",
    [
        ["the red boat", "the red engine", "a boat"],
        ["the red engine", "the red boat", "a boat", "a red boat"],
        ["the red engine", "the red boat"],
        ["the red engine", "the red boata boat", ""],
    ],
    ids=["another order", "more", "fewer", "divided otherwise"],
)
def test_rows_of_other_texts_are_refused(others: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their labels would be those of the texts that were there before."""
    texts_to_matrix(["the red engine", "the red boat", "a boat"], tmp_path / "matrix")
    with pytest.raises(DataError, match="holds the rows of other texts: choose another folder"):
        texts_to_matrix(others, tmp_path / "matrix")
    monkeypatch.setattr("isthmus.text.streaming.BLOCK", 1)
    texts_to_matrix(["the red engine", "the red boat", "a boat"], tmp_path / "by one")
    with pytest.raises(DataError, match="holds the rows of other texts"):
        texts_to_matrix(others, tmp_path / "by one")


def test_what_is_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="One of the texts is None, not a string"):
        texts_to_matrix(["the red engine", None, "a boat"], tmp_path / "matrix")  # type: ignore[list-item]
