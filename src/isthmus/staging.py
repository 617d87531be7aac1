"""Files that are either as they were or as they are meant to be, never in between."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_beside(path: Path, content: str | bytes) -> None:
    """Write to a temporary name and rename, so that the file is the old one or the new one, never half of one.

    Text is written in UTF-8. Bytes reach the disk before the name does. A link stays a link, and what it points at
    changes.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from isthmus.staging import write_beside
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_beside(pathlib.Path(folder, "out.txt"), "done")
    ...     [(path.name, path.read_text()) for path in pathlib.Path(folder).iterdir()]
    [('out.txt', 'done')]
    """
    final = path.resolve()
    temporary = final.with_name(f".isthmus-{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)
