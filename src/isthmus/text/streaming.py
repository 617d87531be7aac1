"""Texts to a matrix in files, a few at a time: neither the texts nor the matrix need fit into memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain, islice
from math import inf
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from isthmus.core.labels import read_texts
from isthmus.exceptions import DataError, NoWordError
from isthmus.io.atomic import write_atomically
from isthmus.io.matrices import MatrixWriter, is_finished, open_matrix
from isthmus.text.unicode_counts import UnicodeCounts, least_documents
from isthmus.text.vectorizer import inverse_frequency, preset_for, preset_vectorizer
from isthmus.text.word_counts import WordCounts, added_counts

BLOCK = 5_000
"""Texts that are held at a time."""
PRESET = "preset.txt"
"""The file of a folder that names how its texts are read."""
NO_WORD = "No target text holds a word that the vectorizer keeps: give more texts, or choose another preset."


class InTurn:
    """Texts of one collection after those of another, as often as one goes through them."""

    def __init__(self, *collections: Iterable[str]) -> None:
        self._collections = collections

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._collections)


def texts_to_matrix(texts: Iterable[str], path: str | Path, preset: str = "default", dtype: Any = None) -> Pipeline:
    """Vectorize texts into a folder for `isthmus.open_matrix`; returns the vectorizer, for texts that come later.

    The result is that of the preset's `fit_transform`. Interrupted and called again with the same texts, it goes on
    after the last block.

    Parameters
    ----------
    texts : iterable of str
        Gone through several times, such as a list, or an object that opens its file in `__iter__`.
    path
        A new folder, or one that another call with the same texts left, interrupted or not.
    preset : str
        As for `isthmus.transfer`.
    dtype
        Of the matrix, by default that of the preset: 32-bit numbers take two thirds of the room.

    Examples
    --------
    >>> import tempfile, isthmus
    >>> from isthmus.text import texts_to_matrix
    >>> folder = tempfile.TemporaryDirectory()
    >>> texts = ["the red engine", "the red boat", "a boat"]
    >>> vectorizer = texts_to_matrix(texts, folder.name)
    >>> isthmus.open_matrix(folder.name).shape, vectorizer.get_feature_names_out().tolist()
    ((3, 3), ['boat', 'red', 'the'])
    >>> folder.cleanup()
    """
    if iter(texts) is texts:
        raise TypeError("texts can be gone through once only: give a list, or an object that begins anew each time.")
    vectorizer, folder = preset_vectorizer(preset), Path(path)
    _claim(folder, preset)
    counted = count_words(vectorizer, texts, folder)
    learn_words(vectorizer, list(islice(texts, BLOCK)), counted.files, counted.n_texts)
    if not is_finished(folder):
        write_rows(vectorizer, texts, folder, dtype, counted.n_texts)
    return vectorizer


def _claim(folder: Path, preset: str) -> None:
    """Write down how texts are read there; what another preset has left would be taken for this one's."""
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / PRESET
    if not note.exists():
        write_atomically(note, preset)
    before = note.read_text(encoding="utf-8")
    if before != preset:
        raise DataError(
            f"{folder} holds texts as the preset {before!r} reads them, and this is {preset!r}: choose another folder."
        )


def rows_in_folder(source: list[str], target: Collection[str], folder: Any, preset: str | None, given: Any) -> Any:
    """A vectorizer, and the matrix in a folder that it made of all texts, for `isthmus.transfer`.

    `given` are the vectorizer and the encoder that were asked for: there is no room for either.
    """
    if given[0] is not None or given[1] not in (None, "auto"):
        raise ValueError(
            "folder is given, and so is a vectorizer or an encoder: leave one of them out, or give preset=."
        )
    if Path(folder).exists() and not Path(folder).is_dir():
        raise ValueError(
            f"folder is {str(folder)!r}, which is a file: name a folder, which is made if it is not there."
        )
    first = read_texts(islice(target, BLOCK), "target_texts")
    vectorizer = texts_to_matrix(InTurn(source, target), folder, preset or preset_for(source, first))
    X = open_matrix(folder)
    if X.indptr[-1] == X.indptr[len(source)]:
        raise ValueError(NO_WORD)
    return vectorizer, X


def count_words(vectorizer: Pipeline, texts: Iterable[str], folder: Path) -> WordCounts:
    """In how many texts each word stands, which is kept in a folder: the first of two passes over the texts.

    What is counted already is gone through, too: other texts than those are refused.
    """
    analyze, found = vectorizer[0].build_analyzer(), WordCounts(folder)
    n, digest, counted = 0, "", found.n_texts
    for block in _blocks(texts):
        n, digest = n + len(block), _chained(digest, block)
        if n == counted and digest != found.digest:
            break
        if n > counted:
            if found.finished:
                break
            found.add((set(analyze(text)) for text in block), digest)
    if n < counted or digest != found.digest:
        raise DataError(f"{folder} holds the rows of other texts: choose another folder.")
    if not found.finished:
        found.finish()
    return found


def _chained(digest: str, texts: list[str]) -> str:
    """Of texts after others, of which this is the digest; where one text ends is part of it."""
    found = blake2b(digest.encode(), digest_size=16)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"One of the texts is {text!r}, not a string: leave it out or make it text.")
        found.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def learn_words(vectorizer: Pipeline, some: list[str], counted: Sequence[Path], n_texts: int) -> None:
    """Set what `fit` sets, from files of counts; `some` of the texts show what there is beside words."""
    counts, weights = (step for _, step in vectorizer.steps)
    least = counts.min_df
    counts.set_params(min_df=1).fit(some)
    counts.set_params(min_df=least)
    words = [(word, times) for word, times in added_counts(counted) if times >= least_documents(least, n_texts)]
    if isinstance(counts, UnicodeCounts):  # which numbers the most frequent words first
        words.sort(key=lambda each: (-each[1], each[0]))
    if not words:
        raise NoWordError("No word stands in as many texts as the preset asks for: give more texts, or choose another.")
    counts.vocabulary_ = {word: number for number, (word, _) in enumerate(words)}
    weights.idf_ = inverse_frequency(n_texts, [times for _, times in words])
    weights.n_features_in_ = len(words)


def write_rows(
    vectorizer: Pipeline, texts: Iterable[str], folder: Path, dtype: Any = None, n_texts: float = inf
) -> None:
    """The matrix of texts, into a folder: the second pass, by a vectorizer that has learned words."""
    dtype = vectorizer.transform([""]).dtype if dtype is None else dtype
    writer = MatrixWriter(folder, len(vectorizer[0].vocabulary_), dtype)
    if writer.rows > n_texts:
        raise DataError(f"{folder} holds {writer.rows} rows, and there are {n_texts} texts: choose another folder.")
    for block in _blocks(islice(texts, writer.rows, None)):
        writer.append(vectorizer.transform(block))
    writer.finish()


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(texts)
    while block := list(islice(remaining, BLOCK)):
        yield block
