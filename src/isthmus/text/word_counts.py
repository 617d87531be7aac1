"""In how many texts each word stands, counted in bounded memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from isthmus.io.atomic import Staging, write_atomically

MOST_WORDS = 500_000
MOST_TEXTS = 200_000
"""Words and texts after which counts are written to a file, and counting begins anew."""
STATE = "counts.json"
"""The file that says how many texts are counted."""


class WordCounts:
    """Counts words into sorted files of a folder, which are added up at the end: no word is lost, however many.

    Opened on a folder that another left unfinished, it goes on after the last file: `n_texts` are counted already.

    Examples
    --------
    >>> import tempfile
    >>> from isthmus.text.word_counts import WordCounts, added_counts
    >>> folder = tempfile.TemporaryDirectory()
    >>> counts = WordCounts(folder.name)
    >>> counts.add([{"red", "boat"}, {"red"}])
    >>> counts.finish()
    >>> WordCounts(folder.name).n_texts, list(added_counts(WordCounts(folder.name).files))
    (2, [('boat', 1), ('red', 2)])
    >>> folder.cleanup()
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / STATE
        self._state: dict[str, Any] = {"texts": 0, "files": 0, "finished": False, "digest": ""}
        if path.exists():
            self._state |= json.loads(path.read_text(encoding="utf-8"))
        self._counts: Counter[str] = Counter()
        self._waiting = 0

    @property
    def n_texts(self) -> int:
        """Texts that are counted."""
        return int(self._state["texts"]) + self._waiting

    @property
    def finished(self) -> bool:
        return bool(self._state["finished"])

    @property
    def digest(self) -> str:
        """Of the texts that are counted, as whoever counted them has it."""
        return str(self._state["digest"])

    def add(self, texts: Iterable[Collection[str]], digest: str = "") -> None:
        """Count the words of each text, in which no word stands twice; `digest` is that of all texts so far."""
        self._state["digest"] = digest
        for words in texts:
            self._counts.update(words)
            self._waiting += 1
        if len(self._counts) > MOST_WORDS or self._waiting >= MOST_TEXTS:
            self._write()

    def finish(self) -> None:
        """Say that all texts are counted."""
        self._state["finished"] = True
        self._write()

    @property
    def files(self) -> list[Path]:
        """What is counted, in files for `added_counts`."""
        return [self._file(number) for number in range(self._n_files)]

    @property
    def _n_files(self) -> int:
        return int(self._state["files"])

    def _file(self, number: int) -> Path:
        return self.folder / f"counts-{number:05}.jsonl"

    def _write(self) -> None:
        """The file first: what is not told of is counted again, and written over."""
        rows = (_line(word, self._counts[word]) for word in sorted(self._counts))
        write_atomically(self._file(self._n_files), "".join(rows))
        self._state["files"] += 1
        self._state["texts"] += self._waiting
        self._counts, self._waiting = Counter(), 0
        write_atomically(self.folder / STATE, json.dumps(self._state))


def added_counts(files: Sequence[Path]) -> Iterator[tuple[str, int]]:
    """Words of files, in order, and in how many texts each stands."""
    with ExitStack() as opened:
        streams = [opened.enter_context(file.open(encoding="utf-8")) for file in files]
        rows = merge(*(map(json.loads, stream) for stream in streams), key=itemgetter(0))
        for word, found in groupby(rows, key=itemgetter(0)):
            yield word, sum(row[1] for row in found)


def merge_counts(files: Sequence[Path], path: Path) -> None:
    """One file of several."""
    with Staging() as staging:
        with staging.place(path).open("x", encoding="utf-8") as stream:
            stream.writelines(_line(*found) for found in added_counts(files))
        staging.commit()


def _line(word: str, times: int) -> str:
    return f"{json.dumps([word, times])}\n"
