"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_beside(path: Path, text: str) -> None:
    """Write to a temporary name and rename, so that the file is the old one or the new one, never half of one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
