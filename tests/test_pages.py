"""Every code block and command of README and docs: run as it stands, or marked with the reason why not."""

from __future__ import annotations

import csv
import importlib
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isthmus
from command import BUILT, run
from isthmus.datasets import load_messages

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
DATA = {"toml", "text", "json"}
"""Languages of blocks that are shown, and do nothing."""
BLOCK = re.compile(
    r"(?:<!-- not run: (?P<reason>.+?) -->\n)?```(?P<language>\S*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    code: str
    reason: str | None
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["language"], found["code"], found["reason"], text.count("\n", 0, found.start("code")) + 1)
        for found in BLOCK.finditer(text)
    ]


def commands(code: str) -> list[str]:
    """Lines of a shell, with those that go on joined, and without prompts and comments."""
    joined = code.replace("\\\n", " ").splitlines()
    return [line.strip() for line in joined if line.strip() and not line.lstrip().startswith("#")]


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What pages take for granted: texts of two domains as variables and as files, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    messages = load_messages()
    sides = {name: np.flatnonzero(messages.groups == name) for name in ("photos", "bicycles")}
    sides = {name: rows[::3] for name, rows in sides.items()}  # a third of them, for time
    texts = {name: [messages.texts[row] for row in rows] for name, rows in sides.items()}
    labels = {name: messages.labels[rows].tolist() for name, rows in sides.items()}
    for file, side, columns in (("labeled", "photos", 2), ("unlabeled", "bicycles", 1), ("checked", "bicycles", 2)):
        with Path(f"{file}.csv").open("w", encoding="utf-8", newline="") as opened:
            writer = csv.writer(opened)
            writer.writerow(("text", "label")[:columns])
            writer.writerows(row[:columns] for row in zip(texts[side], labels[side], strict=True))
    return {
        "__name__": "page",
        "source_texts": texts["photos"],
        "source_labels": labels["photos"],
        "target_texts": texts["bicycles"],
        "truth": labels["bicycles"],
    }


RUN = [page for page in PAGES if any(block.language in ("python", "sh") for block in blocks(page))]
ELSEWHERE = {"add-a-method.md", "architecture.md"}
"""test_tutorial.py runs the first as a module; the second shows a trace, which test_architecture.py makes."""


def without_digits(line: str) -> str:
    """Words of an output, whose figures may be others with other versions; `make printed` writes today's."""
    return re.sub(r"\d+", "#", line.rstrip())


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("page", [page for page in RUN if page.name not in ELSEWHERE], ids=lambda page: page.name)
def test_a_page_runs_from_top_to_bottom(page: Path, names: dict[str, Any]) -> None:
    printed: set[str] = set()
    for block in blocks(page):
        if block.reason is not None or block.language in DATA:
            continue
        place = f"{page.name}:{block.line}"
        if block.language == "python":
            exec(compile("\n" * block.line + block.code, str(page), "exec"), names)
        elif block.language == "sh":
            for command in commands(block.code):
                program, *arguments = shlex.split(command)
                assert program == "isthmus", f"{place}: {command!r} is not run, so say why above it"
                done = run(*arguments)
                assert done.code == 0, (place, command, done.err)
                printed |= {without_digits(line) for line in done.stdout.splitlines()}
        else:
            pytest.fail(f"{place}: a block of {block.language or 'no language'}")
    shown = re.findall(r"^ {4}(?!isthmus |\$ )(.+)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    if printed and page.name != "command-line.md":  # which shows commands with what they print: benchmarks/printed.py
        assert {line for line in shown if without_digits(line) not in printed} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_overviews_name_commands_that_there_are(page: Path) -> None:
    """Indented blocks show outputs, and commands with names for files: these are parsed, not run."""
    text = re.sub(r"\s*\\\n\s*", " ", BLOCK.sub("", page.read_text(encoding="utf-8")))
    for line in re.findall(r"^ {4}(?:\$ )?((?:isthmus|python|make) .+)$", text, re.MULTILINE):
        command = re.split(r" {2,}|\s#\s", line)[0]  # what stands further to the right explains it
        program, first, *rest = shlex.split(command)
        if program == "make":
            assert re.search(rf"^{first}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE), command
        elif program == "python":
            assert first == "-m" or (ROOT / first).exists(), command
        else:
            known: Any = BUILT
            assert first in known.commands, command
            options = {name for parameter in known.commands[first].params for name in parameter.opts}
            assert {word for word in rest if word.startswith("-") and word != "-"} <= options, command


def test_links_lead_somewhere() -> None:
    """To files that are there, and to headings that are in them."""
    wrong = []
    for page in [
        *PAGES,
        ROOT / "CHANGELOG.md",
        ROOT / "RELEASING.md",
        ROOT / "SECURITY.md",
        ROOT / "benchmarks" / "README.md",
    ]:
        text = re.sub(r"^```.*?^```$|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, heading = link.partition("#")
            there = page.parent / path if path else page
            if not link.startswith("https://") and (not there.exists() or (heading and heading not in headings(there))):
                wrong.append(f"{page.relative_to(ROOT)}: {link}")
    assert wrong == []


def headings(page: Path) -> set[str]:
    """As anchors: in small letters, spaces as hyphens, without marks."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in found}


def test_a_block_that_cannot_run_would_be_noticed(names: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: it costs money -->\n```sh\nbuy\n```\n\n```python\nx = 1 / 0\n```\n")
    marked, broken = blocks(page)
    assert (marked.reason, broken.reason, broken.line) == ("it costs money", None, 7)
    with pytest.raises(ZeroDivisionError):
        test_a_page_runs_from_top_to_bottom(page, names)


def test_the_headline_is_what_the_command_prints() -> None:
    """The table of docs/auto-figures.md, and the row of it that the README quotes."""
    printed = subprocess.run(
        [sys.executable, "-W", "ignore", ROOT / "benchmarks" / "fit_rules.py", "table"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    rows = [line for line in printed.splitlines() if line.startswith("|")]
    assert "\n".join(rows) in (ROOT / "docs" / "auto-figures.md").read_text(encoding="utf-8")
    [mean] = [row.strip("|").split("|") for row in rows if "mean of kinds" in row]
    _, n_rows, baseline, auto, harmed, off, *_ = (cell.strip() for cell in mean)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for said in (f"**{auto}%** right", f"**{baseline}%**", f"off by {off} points", f"{harmed} of {n_rows} trials"):
        assert said in readme


def test_the_glossary_names_what_there_is() -> None:
    rows = re.findall(
        r"^\| (.+?) \|.*\| (.+) \|$", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    terms = [term.lower() for term, _ in rows[1:]]
    assert terms == sorted(terms)
    for name in re.findall(r"`(isthmus(?:\.\w+)+)", " ".join(where for _, where in rows)):
        parent, _, last = name.rpartition(".")
        assert hasattr(importlib.import_module(parent), last) or importlib.import_module(name), name


def test_the_reference_has_every_public_name() -> None:
    pages = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("api.md", "api-methods.md"))
    entries = re.findall(r"^::: isthmus\.(\S+)(?:\n    options:\n      members: \[(.+)\])?", pages, re.MULTILINE)
    named = {name for name, _ in entries}
    assert set(isthmus.__all__) - {"__version__"} <= named
    for name, members in entries:
        parent, _, last = f"isthmus.{name}".rpartition(".")
        thing = getattr(importlib.import_module(parent), last, None) or importlib.import_module(f"isthmus.{name}")
        assert thing.__doc__, name
        assert [member for member in members.split(", ") if member and not hasattr(thing, member)] == []
