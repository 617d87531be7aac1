"""What commands print, in the pages that show it: run them again, and put it there.

python benchmarks/printed.py

A page is followed from top to bottom in an empty folder, as its reader would. An indented block with prompts holds
commands and all that they print; one without them shows lines of what the commands above it printed.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("start.md", "command-line.md")
PART = re.compile(
    r"(?P<marked><!-- not run.*?-->\n)?```(?P<language>python|sh)\n(?P<code>.*?)^```$"
    r"|(?P<shown>(?:^ {4}[^\n]+\n(?:\n(?= {4}))?)+)",
    re.DOTALL | re.MULTILINE,
)
PROMPT = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n", re.MULTILINE)


def printed_by(command: str) -> list[str]:
    """The lines of its standard output."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, shell=True, check=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    return [line.rstrip() for line in done.stdout.splitlines()]


def shown_again(page: str) -> str:
    """The page, with what its commands print today."""
    names: dict[str, Any] = {}
    before: list[str] = []
    parts = list(PART.finditer(page))
    last = max(part.start() for part in parts if part["shown"])

    def again(part: re.Match[str]) -> str:
        if part["marked"] or part.start() > last:
            return part[0]
        if part["language"] == "python":
            exec(part["code"], names)
        elif part["language"] == "sh":
            before[:] = [line for command in part["code"].splitlines() for line in printed_by(command)]
        else:
            lines = re.sub(r"^ {4}", "", part["shown"], flags=re.MULTILINE)
            found = list(_with_outputs(lines)) if PROMPT.search(lines) else list(_as_printed(lines, before))
            return "".join(f"    {line}".rstrip() + "\n" for line in found)
        return part[0]

    return PART.sub(again, page)


def _with_outputs(lines: str) -> Iterator[str]:
    """Each command, and what it prints."""
    for number, found in enumerate(PROMPT.finditer(lines)):
        if number:
            yield ""
        yield from found[0].splitlines()
        yield from printed_by(found["command"])


def _as_printed(lines: str, before: list[str]) -> Iterator[str]:
    """Of the lines that were printed, those that are most like the ones here; overviews stay as they are."""
    for line in lines.splitlines():
        yield next(iter(get_close_matches(line, before, n=1)), line)


def main() -> None:
    """Both pages."""
    for name in PAGES:
        page = DOCS / name
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            found = shown_again(page.read_text(encoding="utf-8"))
        print(f"{name}: {'as it was' if found == page.read_text(encoding='utf-8') else 'written anew'}")
        page.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
