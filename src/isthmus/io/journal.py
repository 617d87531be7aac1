"""What a long command has done so far, beside its output: killed and started again, it goes on from there."""

from __future__ import annotations

import io
import json
import os
import shutil
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import numpy as np

from isthmus.exceptions import DataError
from isthmus.io.atomic import locked, write_atomically

ABOUT = "about.json"
"""The file that says what the work depends on. Work that depends on anything else is begun anew."""
ENDING = ".unfinished"


class Journal:
    """A folder of blocks, each whole or not there, that is removed when all is done.

    `about` is what the blocks depend on, as JSON can hold it: files, options, versions. A folder that another run left
    is taken over if it is about the same, and emptied if not.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np
    >>> from isthmus.io.journal import Journal
    >>> folder = tempfile.TemporaryDirectory()
    >>> output = pathlib.Path(folder.name, "labels.csv")
    >>> with Journal.beside(output, {"rows": 2}) as journal:
    ...     journal.write(0, scores=np.array([0.5, 1.0]))
    >>> with Journal.beside(output, {"rows": 2}) as journal:
    ...     journal.read(0)["scores"].tolist(), journal.read(1)
    ([0.5, 1.0], None)
    >>> folder.cleanup()
    """

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        self.folder, self._about = folder, json.dumps(about, sort_keys=True)
        self._lock: int | None = None
        self.resumed = False
        """Whether another run's work is gone on with."""

    @classmethod
    def beside(cls, output: Path, about: dict[str, Any]) -> Self:
        """In a folder that is named after the output."""
        return cls(cls._folder_of(output), about)

    @classmethod
    def is_beside(cls, output: Path) -> bool:
        """Whether another run has left its work there."""
        return cls._folder_of(output).exists()

    @classmethod
    def _folder_of(cls, output: Path) -> Path:
        return output.with_name(f"{output.name}{ENDING}")

    def read(self, number: int) -> dict[str, Any] | None:
        """The arrays of a block; None if it is not there."""
        path = self._block(number)
        if not path.exists():
            return None
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)

    def write(self, number: int, **arrays: Any) -> None:
        """Keep a block."""
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        write_atomically(self._block(number), stream.getvalue())

    def remove(self) -> None:
        """All is done."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        self.folder.mkdir(exist_ok=True)
        try:
            self._lock = locked(self.folder)
        except BlockingIOError:
            sentence = f"{self.folder} is in use by another process: wait for it, or choose another output."
            raise DataError(sentence) from None
        try:
            self._go_on_or_start_over()
        except BaseException:  # a full disk: nobody will leave what was not entered
            self.__exit__()
            raise
        return self

    def _go_on_or_start_over(self) -> None:
        about = self.folder / ABOUT
        self.resumed = about.exists() and about.read_text(encoding="utf-8") == self._about
        if not self.resumed:
            for each in self.folder.iterdir():
                shutil.rmtree(each) if each.is_dir() else each.unlink()
            write_atomically(about, self._about)

    def __exit__(self, *_: object) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def _block(self, number: int) -> Path:
        return self.folder / f"block-{number:06}.npz"


def identity(path: str | Path) -> list[Any]:
    """What tells a file that was changed from one that was not: its place, its size and its time.

    Of a folder, those of all files in it: its own time stays when one of them changes.
    """
    found = Path(path).resolve()
    if found.is_dir():
        inside = [identity(file) for file in sorted(found.rglob("*")) if file.is_file()]
        return [str(found), len(inside), blake2b(json.dumps(inside).encode(), digest_size=16).hexdigest()]
    status = found.stat()
    return [str(found), status.st_size, status.st_mtime_ns]
