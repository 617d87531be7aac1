"""Texts of many files to a matrix, by the workers of a cluster: each file where it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from isthmus.core.cluster import answer, on_workers
from isthmus.core.remote import Partition, RemoteMatrix, described
from isthmus.exceptions import DataError
from isthmus.io.atomic import Staging
from isthmus.io.documents import FileColumn
from isthmus.text.streaming import BLOCK, NO_WORD, count_words, learn_words, write_rows
from isthmus.text.vectorizer import preset_for, preset_vectorizer
from isthmus.text.word_counts import WordCounts, merge_counts

OPENED = 200
"""Files of counts that are open at a time."""


def partitions_to_matrix(
    client: Any,
    files: Sequence[Path],
    reading: dict[str, Any],
    others: Sequence[str],
    folder: Path,
    preset: str | None = None,
    advance: Callable[[float, float], None] = lambda *_: None,
) -> tuple[Pipeline, RemoteMatrix]:
    """A vectorizer, and the rows that it made of the texts of files, which stay in folders beside one another.

    Counts of words and numbers of rows come back. Called again with the same files, it goes on with those that are not
    done.

    Parameters
    ----------
    client : dask.distributed.Client
    files
        Of documents; workers can open them, and the folder.
    reading
        Options of `isthmus.io.documents.open_documents`.
    others
        Texts that are here, and whose words are learned as well.
    folder
        Where it is kept.
    preset
        As for `isthmus.transfer`.
    advance
        Called with files that are done, each twice, and all of them.
    """
    texts = (text for file in files for text in FileColumn(file, **reading))
    vectorizer = preset_vectorizer(preset or preset_for(others, texts))
    texts.close()

    def asked(function: Any, kind: str, given: Any, done: int) -> Iterable[Any]:
        sent = [
            client.submit(function, given, str(file), reading, str(folder / f"{kind}-{number:05}"), pure=False)
            for number, file in enumerate(files)
        ]
        for number, file in enumerate(files):
            yield answer(client, sent[number], f"the file {file}")
            advance(done + number + 1, 2 * len(files))

    here = count_words(vectorizer, others, folder / "counts")
    found = list(asked(_count_file, "counts", vectorizer, 0))
    counted = _few_files(client, [*here.files, *(file for _, files in found for file in files)], folder)
    some = [*islice(FileColumn(files[0], **reading), BLOCK // 2), *others[: BLOCK // 2]]
    learn_words(vectorizer, some, counted, here.n_texts + sum(n for n, _ in found))
    partitions = list(asked(_write_file, "rows", on_workers(client, vectorizer), len(files)))
    matrix = RemoteMatrix(client, partitions, len(vectorizer[0].vocabulary_), vectorizer.transform([""]).dtype)
    if not matrix.nnz:
        raise ValueError(NO_WORD)
    return vectorizer, matrix


def leave_out(row: Any) -> None:
    """A bad row is left out; whoever writes the labels tells of it."""


def _count_file(vectorizer: Pipeline, file: str, reading: dict[str, Any], folder: str) -> tuple[int, list[Path]]:
    _once(Path(folder), lambda place: count_words(vectorizer, FileColumn(file, **reading), place))
    found = WordCounts(folder)
    if not found.n_texts:
        raise DataError(f"{file} has no row that can be read.")
    return found.n_texts, found.files


def _write_file(vectorizer: Pipeline, file: str, reading: dict[str, Any], folder: str) -> Partition:
    _once(Path(folder), lambda place: write_rows(vectorizer, FileColumn(file, **reading), place))
    return described(folder)


def _once(folder: Path, make: Callable[[Path], Any]) -> None:
    """Make a folder, whole or not at all, unless it is there; another worker may be at it, too."""
    if folder.exists():
        return
    try:
        with Staging() as staging:
            make(staging.place(folder))
            staging.commit()
    except OSError:
        if not folder.exists():
            raise


def _few_files(client: Any, files: list[Path], folder: Path) -> list[Path]:
    """The same counts, in as many files as can be open; workers add them up."""
    level = 0
    while len(files) > OPENED:
        level += 1
        groups = [files[first : first + OPENED] for first in range(0, len(files), OPENED)]
        merged = [folder / f"counts-{level}-{number:05}.jsonl" for number in range(len(groups))]
        sent = [client.submit(merge_counts, *each, pure=False) for each in zip(groups, merged, strict=True)]
        for each in sent:
            answer(client, each)
        files = merged
    return files
