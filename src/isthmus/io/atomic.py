"""Files that are either as they were or as they are meant to be, never in between."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Self


class Staging:
    """Files are written under other names in the same folder; `commit` renames them all, one after the other.

    A crash before that leaves what was there before. What was not committed is removed at the end.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from isthmus.io.atomic import Staging
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


def write_beside(path: Path, content: str | bytes) -> None:
    """One file, whole or not at all. Text is written in UTF-8."""
    with Staging() as staging:
        staging.place(path).write_bytes(content.encode() if isinstance(content, str) else content)
        staging.commit()


def _synchronise(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # Windows has no handle of a folder
        return
    number = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)
