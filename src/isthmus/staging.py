"""Files that are either as they were or as they are meant to be, never in between."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Self

from isthmus.exceptions import DataError


class Staging:
    """Files are written under other names in the same folder; `commit` renames them all, one after the other.

    A crash before that leaves what was there before. What was not committed is removed at the end.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from isthmus.staging import Staging
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "out.txt")
    >>> with Staging() as staging:
    ...     _ = staging.place(path).write_text("done")
    ...     before = path.exists()
    ...     staging.commit()
    >>> before, path.read_text()
    (False, 'done')
    >>> folder.cleanup()
    """

    def __init__(self) -> None:
        self._files: list[tuple[Path, Path]] = []

    def place(self, path: Path) -> Path:
        """Where to write what `path` shall hold. The name ends as `path` does."""
        final = path.resolve()  # a link stays a link, and what it points at changes
        temporary = final.with_name(f".isthmus-{secrets.token_hex(8)}{final.suffix}")
        self._files.append((temporary, final))
        return temporary

    def commit(self) -> None:
        """Put every file in its place. Bytes reach the disk before names do."""
        for temporary, _ in self._files:
            _synchronise(temporary)
        for temporary, final in self._files:
            temporary.replace(final)
        for folder in {final.parent for _, final in self._files}:
            _synchronise(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for temporary, _final in self._files:
            temporary.unlink(missing_ok=True)


def check_outputs(outputs: dict[str, Path], force: bool, inputs: list[str]) -> None:
    """Before any work is done: each output, by the option that names it, can be written where it shall be."""
    taken: dict[Path, str] = {}
    for option, path in outputs.items():
        final = path.resolve()
        if not final.parent.is_dir():
            raise DataError(f"{option} names {path}, whose folder does not exist: make it first.")
        if final.exists() and not final.is_file():
            raise DataError(f"{option} names {path}, which is not a file: choose another name.")
        if any(_same(final, read) for read in inputs):
            raise DataError(f"{option} names {path}, which is also read: choose another name.")
        if final.exists() and not force:
            raise DataError(f"{option} names {path}, which exists: choose another name, or add --force to replace it.")
        if final in taken:
            raise DataError(f"{option} and {taken[final]} both name {path}: choose two names.")
        if not os.access(final.parent, os.W_OK):
            raise DataError(f"{option} names {path}, in a folder that may not be written to: choose another one.")
        taken[final] = option


def write_beside(path: Path, content: str | bytes) -> None:
    """One file, whole or not at all. Text is written in UTF-8."""
    with Staging() as staging:
        staging.place(path).write_bytes(content.encode() if isinstance(content, str) else content)
        staging.commit()


def _same(final: Path, read: str) -> bool:
    return Path(read).resolve() == final


def _synchronise(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # Windows has no handle of a folder
        return
    number = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)
