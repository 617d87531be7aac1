"""Large files: worked through in blocks, each of which is kept until all is done."""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from isthmus.io.journal import Journal

LARGE = 200_000_000
"""Bytes of a file that is worked through in blocks if nobody says whether."""
TIMES_SMALLER = {".gz": 4, ".zst": 4, ".parquet": 4, ".pq": 4}
"""About what a compressed file is the fraction of."""

MMAP_THRESHOLD, ARENA_MAX = -3, -8
"""Names that malloc.h has for settings of malloc."""
RETURNED = 1 << 20
"""Bytes of an array from which on its memory is returned."""


def is_large(path: str) -> bool:
    """Whether a file is one for which blocks are kept."""
    file = Path(path)
    return file.is_file() and file.stat().st_size * TIMES_SMALLER.get(file.suffix.lower(), 1) >= LARGE


def wants_blocks(asked: bool | None, path: str, against: str | None) -> bool:
    """Whether blocks are kept: as asked, or by the file's size; `against` says why they cannot be, if so."""
    if asked and (against is not None or not Path(path).is_file()):
        raise typer.BadParameter(f"--blocks: {against or f'{path} is no file that can be read again'}.")
    wanted = is_large(path) and against is None if asked is None else asked
    if wanted:
        give_memory_back()
    return wanted


def give_memory_back() -> None:
    """Have memory that is let go of returned at once. glibc keeps some of it, in case that it is needed again.

    Libraries' code is dropped from memory, too, and read again when it next runs: most of it was needed once, to import
    or, in LLVM, to compile.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(MMAP_THRESHOLD, RETURNED)
        libc.mallopt(ARENA_MAX, 2)
        libc.malloc_trim(0)
        for begin, end in _code():
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), mmap.MADV_DONTNEED)


def _code() -> list[tuple[int, int]]:
    """Where code lies in memory just as it lies in files: nobody has changed it."""
    try:
        lines = Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # a container may hide it
        return []
    found, span = [], None
    for line in lines:
        first, *rest = line.split()
        if not first.endswith(":"):  # a new stretch, of which the lines after tell more
            span = first if rest[0] == "r-xp" and rest[-1].startswith("/") else None
        elif span is not None and (first, rest[0]) == ("Anonymous:", "0"):
            begin, end = span.split("-")
            found.append((int(begin, 16), int(end, 16)))
    return found


@contextmanager
def kept_blocks(output: Path | None, files: list[str], about: dict[str, Any]) -> Iterator[Journal | None]:
    """The journal beside an output, which stays where work breaks off; None for no output.

    The last of the files is the one that is read in blocks. All of them, and whatever else it is about, must be the
    same for work to go on.
    """
    if output is None:
        yield None
        return
    from isthmus import __version__
    from isthmus.cli.console import complain
    from isthmus.io.journal import Journal, identity

    known = {"files": [identity(path) for path in files], "isthmus": __version__}
    with Journal.beside(output, {**about, **known}) as journal:
        megabytes = f"{files[-1]} has {Path(files[-1]).stat().st_size / 1e6:,.0f} MB"
        if journal.resumed:
            complain(f"{megabytes}: going on with what {journal.folder} holds.", "")
        else:
            kept = f"what is done is kept in {journal.folder} until all is"
            complain(f"{megabytes} and is read in blocks; {kept}. Started again, the command goes on from there.", "")
        yield journal


@contextmanager
def matrix_folder(files: list[str], output: Path | None, about: dict[str, Any] | None) -> Iterator[Path | None]:
    """Where the rows of the last file are kept until the output is written; None, for in memory, if about nothing."""
    if about is None:
        yield None
        return
    with kept_blocks(output, files, about) as journal:
        if journal is not None:
            yield journal.folder / "matrix"
            journal.remove()
            return
        with TemporaryDirectory() as folder:
            yield Path(folder)
