"""Texts in partitions to a matrix, by the workers of a cluster: each partition where it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline

from isthmus.core.cluster import answer, on_workers, send
from isthmus.core.remote import Partition, RemoteMatrix, described
from isthmus.exceptions import DataError
from isthmus.io.atomic import Staging
from isthmus.text.streaming import BLOCK, NO_WORD, count_words, learn_words, write_rows
from isthmus.text.vectorizer import preset_for, preset_vectorizer
from isthmus.text.word_counts import WordCounts, merge_counts

OPENED = 200
"""Files of counts that are open at a time."""


class PartitionTexts(NamedTuple):
    """Texts that a worker goes through: those of a file (`FileColumn`), or a list that is the result of a task."""

    name: str
    texts: Any


def partitions_to_matrix(
    client: Any,
    partitions: Sequence[PartitionTexts],
    others: Sequence[str],
    folder: Path,
    preset: str | None = None,
    advance: Callable[[float, float], None] = lambda *_: None,
) -> tuple[Pipeline, RemoteMatrix]:
    """A vectorizer, and the rows that it made of the texts of partitions, which stay in folders beside one another.

    Counts of words and numbers of rows come back. Called again with the same partitions, it goes on with those that
    are not done.

    Parameters
    ----------
    client : dask.distributed.Client
    partitions
        None of them empty. Workers can open the folder, and their files.
    others
        Texts that are here, and whose words are learned as well.
    folder
        Where it is kept.
    preset
        As for `isthmus.transfer`.
    advance
        Called with the number of finished steps (two per partition) and their total.
    """
    first, *_ = partitions
    some = answer(client, send(client, _first_texts, first.texts, BLOCK // 2), first.name)
    vectorizer = preset_vectorizer(preset or preset_for(others, some))

    def asked(function: Any, kind: str, given: Any, done: int) -> Iterable[Any]:
        sent = [
            send(client, function, given, own, str(folder / f"{kind}-{number:05}"))
            for number, (_, own) in enumerate(partitions)
        ]
        for number, (name, _) in enumerate(partitions):
            found = answer(client, sent[number], name)
            if found is None:
                raise DataError(f"{name} has no text that can be read: leave it out.")
            yield found
            advance(done + number + 1, 2 * len(partitions))

    here = count_words(vectorizer, others, folder / "counts")
    found = list(asked(_count, "counts", vectorizer, 0))
    counted = _few_files(client, [*here.files, *(file for _, files in found for file in files)], folder)
    learn_words(vectorizer, [*some, *others[: BLOCK // 2]], counted, here.n_texts + sum(n for n, _ in found))
    rows = list(asked(_write, "rows", on_workers(client, vectorizer), len(partitions)))
    matrix = RemoteMatrix(client, rows, len(vectorizer[0].vocabulary_), vectorizer.transform([""]).dtype)
    if not matrix.nnz:
        raise ValueError(NO_WORD)
    return vectorizer, matrix


def leave_out(row: Any) -> None:
    """A bad row is left out; whoever writes the labels tells of it."""


def _first_texts(texts: Iterable[str], n: int) -> list[str]:
    return list(islice(texts, n))


def _count(vectorizer: Pipeline, texts: Iterable[str], folder: str) -> tuple[int, list[Path]] | None:
    """None if there is no text."""
    if not _once(Path(folder), lambda place: count_words(vectorizer, texts, place)):
        count_words(vectorizer, texts, Path(folder))  # which refuses other texts
    found = WordCounts(folder)
    return (found.n_texts, found.files) if found.n_texts else None


def _write(vectorizer: Pipeline, texts: Iterable[str], folder: str) -> Partition:
    _once(Path(folder), lambda place: write_rows(vectorizer, texts, place))
    return described(folder)


def _once(folder: Path, make: Callable[[Path], Any]) -> bool:
    """Make a folder, whole or not at all, unless it is there; another worker may be at it, too.

    Whether it was made.
    """
    if folder.exists():
        return False
    try:
        with Staging() as staging:
            make(staging.place(folder))
            staging.commit()
    except OSError:
        if not folder.exists():
            raise
    return True


def _few_files(client: Any, files: list[Path], folder: Path) -> list[Path]:
    """The same counts, in as many files as can be open; workers add them up."""
    level = 0
    while len(files) > OPENED:
        level += 1
        groups = [files[first : first + OPENED] for first in range(0, len(files), OPENED)]
        merged = [folder / f"counts-{level}-{number:05}.jsonl" for number in range(len(groups))]
        sent = [send(client, merge_counts, *each) for each in zip(groups, merged, strict=True)]
        for each in sent:
            answer(client, each)
        files = merged
    return files
