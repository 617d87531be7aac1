"""A folder of text files, with one folder for each label in it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from isthmus.exceptions import DataError, UnreadFilesWarning, warn
from isthmus.io.documents.lines import LONGEST, read_lines, too_long, warn_of_encoding
from isthmus.io.documents.streams import bare_suffix, open_bytes

COLUMNS = ["id", "label", "text"]
"""The path of a file within the folder, the folder that it lies in, and what it says."""
ENDINGS = "end in .txt or .text, or have no ending"


def read_folder(
    path: str, encoding: str | None, longest: int = LONGEST
) -> tuple[list[str], Callable[[Sequence[str]], Iterator[tuple[str, list[Any]]]]]:
    """Its three columns, and a row for each file, in the order of their names."""
    found = list(_files(Path(path)))
    files = [file for file in found if _is_text(file)]
    if not files:
        raise DataError(f"{path} is a folder without text files: they {ENDINGS}.")
    if others := [file for file in found if not _is_text(file)]:
        what = "1 file that is" if len(others) == 1 else f"{len(others):,} files that are"
        message = f"{path} holds {what} not read, such as {others[0].relative_to(path)}: text files {ENDINGS}."
        warn(message, UnreadFilesWarning)

    def rows(wanted: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
        odd: list[str] = []
        for file in files:
            within = file.relative_to(path)
            with (
                open_bytes(str(file)) as (stream, _),
                closing(read_lines(stream, str(file), encoding, odd.append, longest)) as lines,
            ):
                text = _whole(lines, str(file), longest)
            label = within.parts[0] if len(within.parts) > 1 else None
            values = {"id": within.as_posix(), "label": label, "text": text}
            yield str(file), [values[column] for column in wanted]
        if odd:  # one warning for all
            warn_of_encoding(odd[0] if len(odd) == 1 else f"{odd[0]}, and text in {len(odd) - 1} more files")

    return list(COLUMNS), rows


def _files(folder: Path) -> Iterator[Path]:
    """All that are not hidden."""
    for place, folders, names in os.walk(folder, onerror=_complain):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _is_text(file: Path) -> bool:
    """Newsgroup posts are called 53068 or post.53068. A pipe or a device could be waited for without end."""
    suffix = bare_suffix(file.name)
    return (suffix in ("", ".txt", ".text") or suffix[1:].isdigit()) and file.is_file()


def _whole(lines: Iterator[str], name: str, longest: int) -> str:
    """All lines together, without holding each by itself."""
    text = io.StringIO(newline="")
    for line in lines:
        text.write(line)
        if text.tell() > longest:
            raise DataError(too_long(name, longest))
    return text.getvalue()


def _complain(error: OSError) -> None:
    raise DataError(f"{error.filename} cannot be read: {error.strerror or error}.")
