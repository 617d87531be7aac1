"""Files that are either as they were or as they are meant to be, never in between."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Self

from isthmus.exceptions import DataError

try:
    import fcntl
except ImportError:  # Windows: what a process leaves behind that was killed stays there
    fcntl = None  # type: ignore[assignment]

ASIDE = re.compile(r"\.isthmus-[0-9a-f]{16}")
"""Names of folders that files are written to before they get their own names."""


class Staging:
    """Files are written in a hidden folder beside their places; `commit` renames them all, one after the other.

    A crash before that leaves what was there before. What was not committed is removed at the end; what a process left
    that was killed, by the next one that writes to the same place.

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

    def __init__(self, *, replacing: bool = True) -> None:
        """Without `replacing`, a file that another process has written meanwhile stays, and `commit` fails."""
        self._replacing = replacing
        self._files: list[tuple[Path, Path]] = []
        self._asides: dict[Path, _Aside] = {}

    def place(self, path: Path) -> Path:
        """Where to write what `path` shall hold. The name ends as `path` does."""
        final = path.resolve()  # a link stays a link, and what it points at changes
        if final.parent not in self._asides:
            self._asides[final.parent] = _Aside(
                final.parent
            )  # known before it is made, so that a signal leaves nothing
            self._asides[final.parent].make()
        temporary = self._asides[final.parent].path / f"{len(self._files)}{final.suffix}"
        self._files.append((temporary, final))
        return temporary

    def commit(self) -> None:
        """Put every file in its place. Bytes reach the disk before names do."""
        for temporary, _ in self._files:
            _synchronise(temporary)
        for temporary, final in self._files:
            if self._replacing:
                _replace(temporary, final)
            else:
                _put_anew(temporary, final)
        for folder in self._asides:
            _synchronise(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            self._clear()
        except BaseException:  # a signal
            self._clear()
            raise
        if self._files and isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            self._name(error)

    def _clear(self) -> None:
        for aside in self._asides.values():
            aside.remove()

    def _name(self, error: OSError) -> None:
        """A full disk does not say which file it has no room for: the one that was begun last."""
        finals = {str(temporary): final for temporary, final in self._files}
        named = None if error.filename is None else os.fsdecode(error.filename)
        if named is None or named in finals:
            final = finals.get(named or "", self._files[-1][1])
            raise OSError(error.errno, error.strerror or str(error), str(final)) from error


class _Aside:
    """A folder that a process writes to, and holds locked while it does."""

    def __init__(self, parent: Path) -> None:
        self.path = parent / f".isthmus-{secrets.token_hex(8)}"
        self._lock: int | None = None

    def make(self) -> None:
        _sweep(self.path.parent)
        while True:
            self.path.mkdir(mode=0o700)
            # Another process may sweep it away before it is locked, or be about to.
            with suppress(BlockingIOError):
                self._lock = locked(self.path)
                if self.path.is_dir():
                    return
            self.path = self.path.with_name(f".isthmus-{secrets.token_hex(8)}")

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        lock, self._lock = self._lock, None  # first, so that a signal cannot have it closed twice
        if lock is not None:
            os.close(lock)


def locked(folder: Path) -> int | None:
    """A lock that ends with this process, however that ends; a BlockingIOError if another process has it.

    None where there is nothing to lock: the folder is gone, or in a file system without locks.
    """
    if fcntl is None:
        return None
    number = None
    try:
        number = os.open(folder, os.O_RDONLY)
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if number is not None:
            os.close(number)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return number


def _sweep(parent: Path) -> None:
    """Remove what no process holds any more."""
    for folder in parent.glob(".isthmus-*"):
        if ASIDE.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
            with suppress(BlockingIOError):
                lock = locked(folder)
                if lock is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    os.close(lock)


def write_atomically(path: Path, content: str | bytes, *, replacing: bool = True) -> None:
    """One file, whole or not at all. Text is written in UTF-8."""
    with Staging(replacing=replacing) as staging:
        staging.place(path).write_bytes(content.encode() if isinstance(content, str) else content)
        staging.commit()


def _replace(temporary: Path, final: Path) -> None:
    if final.exists():
        shutil.copymode(final, temporary)  # what only its owner may read stays so
    temporary.replace(final)


def _put_anew(temporary: Path, final: Path) -> None:
    try:
        os.link(temporary, final)
    except FileExistsError:
        sentence = f"{final} was written by another process meanwhile, and stays as it is: choose another name."
        raise DataError(sentence) from None
    except OSError:  # a file system without links
        _replace(temporary, final)


def _synchronise(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # Windows has no handle of a folder
        return
    number = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)
