"""A folder of text files, with one folder for each label in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from isthmus.documents.lines import read_lines, warn_of_encoding
from isthmus.documents.streams import bare_suffix, open_bytes
from isthmus.exceptions import DataError

COLUMNS = ["id", "label", "text"]
"""The path of a file within the folder, the folder that it lies in, and what it says."""


def read_folder(
    path: str, encoding: str | None
) -> tuple[list[str], Callable[[Sequence[str]], Iterator[tuple[str, list[Any]]]]]:
    """Its three columns, and a row for each file, in the order of their names."""
    files = list(_text_files(Path(path)))
    if not files:
        raise DataError(f"{path} is a folder without text files: they end in .txt or .text, or have no ending.")

    def rows(wanted: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
        odd: list[str] = []
        for file in files:
            within = file.relative_to(path)
            with open_bytes(str(file)) as (stream, _):
                text = "".join(read_lines(stream, str(file), encoding, odd.append))
            label = within.parts[0] if len(within.parts) > 1 else None
            values = {"id": within.as_posix(), "label": label, "text": text}
            yield str(file), [values[column] for column in wanted]
        if odd:  # one warning for all
            warn_of_encoding(odd[0] if len(odd) == 1 else f"{odd[0]}, and text in {len(odd) - 1} more files")

    return list(COLUMNS), rows


def _text_files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder, onerror=_complain):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            # Newsgroup posts are called 53068 or post.53068.
            suffix = bare_suffix(name)
            if not name.startswith(".") and (suffix in ("", ".txt", ".text") or suffix[1:].isdigit()):
                yield Path(place) / name


def _complain(error: OSError) -> None:
    raise DataError(f"{error.filename} cannot be read: {error.strerror or error}.")
