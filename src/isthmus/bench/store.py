"""Results that were computed once are not computed again."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from isthmus.io.atomic import write_atomically

_DECISIVE = (
    "core",
    "solvers",
    "methods",
    "auto",
    "text",
    "datasets",
    "bench/families.py",
    "bench/plan.py",
    "bench/protocols.py",
    "bench/recordings.py",
    "bench/runner.py",
    "bench/task.py",
    "bench/tasks.py",
)
"""What a result depends on, within the package. What tables and tasks consist of stands in the key of a result."""


@cache
def fingerprint() -> str:
    """Changes when the code that produces results changes, the fitted numbers beside it, or a library under it."""
    digest = hashlib.sha256()
    root = Path(str(resources.files("isthmus")))
    for part in _DECISIVE:
        found = [root / part] if part.endswith(".py") else sorted((root / part).rglob("*"))
        for file in (file for file in found if file.suffix in (".py", ".json")):
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    for library in ("numpy", "scipy", "scikit-learn", "sparse-dot-topn"):
        digest.update(f"{library}=={metadata.version(library)}".encode())
    return digest.hexdigest()


class Store:
    """A folder of results, each under a digest of everything that it depends on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: dict[str, Any]) -> dict[str, Any] | None:
        try:
            content = json.loads(self._file(key).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):  # not there, not JSON, or not even text
            return None
        return content if isinstance(content, dict) else None

    def put(self, key: dict[str, Any], result: dict[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._file(key), json.dumps(result))

    def _file(self, key: dict[str, Any]) -> Path:
        text = json.dumps({**key, "code": fingerprint()}, sort_keys=True)
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()}.json"
