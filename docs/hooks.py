"""For mkdocs: links that are right in the repository are right on the site, too."""

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")
EXAMPLE = re.compile(r"^\[(examples/\w+\.py)\]\(\S+\)$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Files outside of docs/ are shown where the repository is; the changelog and examples are shown whole."""
    folder = posixpath.dirname(f"docs/{page.file.src_uri}")
    if page.file.src_uri == "changelog.md":
        markdown, folder = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), ""

    def mend(found: re.Match[str]) -> str:
        path, heading = found[1], found[2] or ""
        whole = posixpath.normpath(posixpath.join(folder, path))
        if whole.startswith("docs/"):
            return found[0] if folder else f"]({whole.removeprefix('docs/')}{heading})"
        return f"]({config['extra']['repository']}/blob/main/{whole}{heading})"

    return LINK.sub(mend, EXAMPLE.sub(_code, markdown))


def _code(found: re.Match[str]) -> str:
    """The script, to be unfolded."""
    lines = (ROOT / found[1]).read_text(encoding="utf-8").splitlines()
    return "\n    ".join([f'??? example "{found[1]}"', "", "```python", *lines, "```"])
