"""Whether outputs can be written where they shall be."""

from __future__ import annotations

import os
from pathlib import Path

from isthmus.exceptions import DataError

PAGES = (".html", ".htm")


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
        if option == "--report" and path.suffix.lower() not in PAGES:
            raise DataError(f"{option} names {path}, and a report is a page in HTML: give a name that ends in .html.")
        taken[final] = option


def _same(final: Path, read: str) -> bool:
    return Path(read).resolve() == final
