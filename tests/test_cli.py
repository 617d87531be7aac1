"""Commands as a user runs them, reading what they print; a few of them in a process of their own."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import typer

import command
from isthmus.bench import Bench
from isthmus.bench.tasks import TABLES, Library, load_table
from isthmus.cli import app
from isthmus.cli.bench import _split
from test_data import write_tar


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def without_data(cache: Path, environment: dict[str, str]) -> dict[str, str]:
    """An environment in which data sets are looked for in `cache` alone."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ISTHMUS")}
    return clean | {"XDG_CACHE_HOME": str(cache), **environment}


def run(*arguments: str, cache: Path, **environment: str) -> Ended:
    """In this process, which takes a tenth of the time."""
    with mock.patch.dict(os.environ, without_data(cache, environment), clear=True):
        done = command.run(*arguments)
    return Ended(done.code, done.stdout, done.err)


def test_demo_prints_figures_topics_and_documents(tmp_path: Path) -> None:
    report = tmp_path / "demo.html"
    done = run("demo", "--report", str(report), cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "</html>" in report.read_text(encoding="utf-8")
    assert str(report) in done.stdout
    assert "isthmus fit --source" in done.stdout.splitlines()[-1]
    for text in (
        "LR, the source-only baseline",
        "TCL, domain adaptation",
        "common words",
        "words of target",
        "true label",
    ):
        assert text in done.stdout
    lines = {line.split(",")[0]: line for line in done.stdout.splitlines() if "%" in line}
    for method in ("LR", "TCL"):
        percent = float(lines[method].split("%")[0].split()[-1])
        assert 50 < percent < 100


def test_the_demo_looks_first_where_its_report_goes(tmp_path: Path) -> None:
    done = run("demo", "--report", str(tmp_path / "nowhere" / "d.html"), cache=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "--report names" in done.stderr
    assert "whose folder does not exist: make it first." in done.stderr


def test_the_demo_opens_its_report(tmp_path: Path) -> None:
    report = tmp_path / "demo.html"
    report.write_text("an older one")
    with mock.patch("webbrowser.open") as opened:
        done = run("demo", "--open", "--report", str(report), cache=tmp_path)
    assert done.returncode == 0, done.stderr
    opened.assert_called_once_with(report.as_uri())
    assert report.stat().st_size > 10_000


def test_a_shell_can_complete_commands(tmp_path: Path) -> None:
    words = {"_ISTHMUS_COMPLETE": "complete_bash", "COMP_WORDS": "isthmus ev", "COMP_CWORD": "1"}
    assert run(cache=tmp_path, **words).stdout.split() == ["evaluate"]


def make_corpus(folder: Path, *more: str) -> None:
    """The newsgroups of one task, ten posts each."""
    groups = {"comp": ("graphics os.ms-windows.misc", "sys.ibm.pc.hardware sys.mac.hardware"),
              "sci": ("crypt electronics", "med space")}  # fmt: skip
    posts = {}
    for top, parts in groups.items():
        for number, part in enumerate(parts):
            for group in part.split():
                for i in range(10):
                    text = f"{top} shared{i % 3} {top}word{i % 4} own{top}{number} side{number}"
                    posts[f"train/{top}.{group}/{i}"] = text.encode()
    posts |= {f"train/sci.med/more{number}": text.encode() for number, text in enumerate(more)}
    write_tar(folder / "20news-bydate.tar.gz", posts)


def test_bench_writes_the_json_that_scripts_read(tmp_path: Path) -> None:
    make_corpus(tmp_path / "data")
    out = tmp_path / "rows.json"
    options = ["--tasks", "comp vs sci", "--tasks", "real vs sim", "--methods", "TCL,LR,in-domain", "--repeats", "2"]
    done = run("bench", "tcl", "--data", str(tmp_path / "data"), "--json", str(out), *options, cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "comp vs sci" in done.stdout
    assert "(97.34)" in done.stdout
    assert done.stdout.startswith(
        "tcl: accuracy on the target (%), measured (published), best with *, up to 2 runs each"
    )
    assert done.stderr == ""  # no bar where there is no terminal, nor what is left of one
    content = json.loads(out.read_text())
    assert content["table"] == "tcl"
    rows = {row["method"]: row for row in content["rows"]}
    assert rows["TCL"].keys() >= {
        "task", "method", "metric", "mean", "std", "repeats", "published", "seconds", "params",
        "protocol", "gap_recovered", "estimated", "low", "high", "chosen", "warning",
    }  # fmt: skip
    assert rows["TCL"]["repeats"] == 2
    ends = rows["LR"]["mean"], rows["in-domain"]["mean"]
    expected = (rows["TCL"]["mean"] - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else None
    assert rows["TCL"]["gap_recovered"] == expected
    assert rows["TCL"]["published"] == 97.34
    assert rows["TCL"]["metric"] == "accuracy_percent"
    assert content["missing"][0]["task"] == "real vs sim"
    assert "sraa.tar.gz not found" in content["missing"][0]["reason"]

    again = run("bench", "tcl", "--data", str(tmp_path / "data"), "--json", str(out), *options, cache=tmp_path)
    assert again.returncode == 0
    assert json.loads(out.read_text())["rows"] == content["rows"]  # stored: the very same seconds


def test_a_table_of_which_nothing_could_be_run_is_a_failure(tmp_path: Path) -> None:
    done = run("bench", "tcl", "--tasks", "comp vs sci", "--data", str(tmp_path), cache=tmp_path)
    assert done.returncode == 1
    assert "comp vs sci: " in done.stdout
    assert done.stderr == "isthmus: Nothing of table tcl could be run.\n"


def test_names_that_hold_commas_can_be_asked_for(tmp_path: Path) -> None:
    make_corpus(tmp_path / "data")
    out, asked = tmp_path / "rows.json", ["comp 24 vs sci 12, 75% comp", "comp 13 vs sci 23"]
    for options in (["--tasks", asked[0], "--tasks", asked[1]], ["--tasks", asked[0]]):
        options += ["--methods", "LR", "--data", str(tmp_path / "data"), "--json", str(out)]
        done = run("bench", "auto", *options, cache=tmp_path)
        assert done.returncode == 0, done.stderr
        assert {row["task"] for row in json.loads(out.read_text())["rows"]} == set(asked[: options.count("--tasks")])


@pytest.mark.parametrize("name", TABLES)
def test_every_name_that_is_listed_can_be_given(name: str) -> None:
    done = command.run("bench", name, "--list")
    assert (done.code, done.err) == (0, "")
    table = load_table(name)
    tasks, methods = [task.name for task in table.tasks], [*table.columns, *table.variants]
    assert [line[2:] for line in done.stdout.splitlines() if line.startswith("  ")] == tasks + methods
    for known in (tasks, methods):
        assert all(_split([one], known) == [one] for one in known)
        plain = [one for one in known if "," not in one]
        assert _split([", ".join(plain), *known], known) == [*plain, *known]


def test_warnings_are_sentences(tmp_path: Path) -> None:
    """A post of stop words alone has no known word: the command says so in a line of its own."""
    make_corpus(tmp_path / "data", "the and of")
    options = ["--tasks", "comp vs sci", "--methods", "LR", "--data", str(tmp_path / "data")]
    done = run("bench", "tcl", *options, cache=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("isthmus: 1 of 81 documents holds no known word")
    assert len(done.stderr.strip().splitlines()) == 1


def test_data_says_what_is_here_and_what_is_not(tmp_path: Path) -> None:
    make_corpus(tmp_path / "data")
    done = run("data", cache=tmp_path, ISTHMUS_DATA=str(tmp_path / "data"))
    assert done.returncode == 0
    assert "here    20news" in done.stdout
    assert "missing sraa" in done.stdout
    assert "McCallum" in done.stdout


def test_names_in_brackets_are_names(tmp_path: Path) -> None:
    """Rich takes [bold] for a wish."""
    folder = tmp_path / "da[bold]ta"
    make_corpus(folder)
    done = run("data", "--data", str(folder), cache=tmp_path)
    assert done.stdout.count(str(folder)) == 2  # where it looked, and what it found
    assert str(folder / "20news-bydate.tar.gz") in done.stdout


PAGES = [README := Path(__file__).parents[1] / "README.md", *sorted((README.parent / "docs").glob("*.md"))]


def test_benchmarks_in_the_documentation_can_be_asked_for() -> None:
    """Every table, task, method and option that a command there names."""
    pattern = re.compile(r"^ {4}isthmus bench (?!TABLE)(.+)$|`isthmus bench (?!TABLE)(.+?)`", re.MULTILINE)
    found = [pair for page in PAGES for pair in pattern.findall(page.read_text(encoding="utf-8"))]
    commands = [shlex.split(block or inline) for block, inline in found]
    assert len(commands) > 15
    bench: Any = typer.main.get_command(app)
    for arguments in commands:
        given = bench.commands["bench"].make_context("bench", arguments).params
        if given["table"] == "papers":  # all of them, from stored results
            continue
        table = load_table(given["table"])
        tasks = _split(given["tasks"], [task.name for task in table.tasks])
        Bench(table, Library(), tasks=tasks, methods=_split(given["methods"], [*table.columns, *table.variants]))


BAD = {
    "unknown table": (["bench", "nope"], 1, "There is no table 'nope': choose from tcl, cci"),
    "unknown method": (["bench", "tcl", "--methods", "nope"], 1, "has no method 'nope': choose from SVM, LR"),
    "unknown task": (["bench", "tcl", "--tasks", "nope"], 1, "has no task 'nope'"),
    "task misspelt": (["bench", "auto", "--tasks", "comp 12 vs rec 31"], 1, "nearest are 'comp 12 vs rec 13', "),
    "one of two": (["bench", "tcl", "--tasks", "comp vs sci,nope"], 1, "has no task 'nope'"),
    "zero repeats": (["bench", "tcl", "--repeats", "0"], 2, "repeats"),
    "no such folder": (["bench", "tcl", "--json", "nowhere/x.json"], 1, "folder does not exist: make it first"),
    "a folder for a file": (["bench", "tcl", "--json", "."], 1, "--json names ., which is not a file"),
    "a file for a folder": (["bench", "tcl", "--figures", __file__], 1, "which is not a folder: choose another name"),
    "a folder in a file": (["bench", "tcl", "--figures", f"{__file__}/x"], 1, "which is not a folder: choose another"),
    "unknown figure": (["bench", "cci", "--figures", "x", "--figure", "nope"], 1, "choose from target-weight, corr"),
    "a figure and no folder": (["bench", "cci", "--figure", "iterations"], 1, "name a folder with --figures"),
    "unknown command": (["nope"], 2, "No such command"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_usage_gets_a_sentence_and_no_traceback(case: str, tmp_path: Path) -> None:
    arguments, code, message = BAD[case]
    done = run(*arguments, cache=tmp_path)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    if code == 1:
        assert len(done.stderr.strip().splitlines()) == 1


def test_broken_archive_gets_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "20news-bydate.tar.gz").write_bytes(b"\x1f\x8bjunk")
    done = run("bench", "tcl", "--data", str(tmp_path), "--tasks", "comp vs sci", cache=tmp_path)
    assert done.returncode == 1
    assert "cannot be read" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("module", ["numpy", "sklearn", "rich", "platformdirs"])
def test_an_interrupt_ends_the_command_quietly(module: str, tmp_path: Path) -> None:
    """Ctrl-C while this is imported: the package, the command line, or what a command needs."""
    (tmp_path / f"{module}.py").write_text("raise KeyboardInterrupt")
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    home, _, function = project["project"]["scripts"]["isthmus"].partition(":")
    command = [sys.executable, "-c", f"from {home} import {function}; {function}()", "bench", "tcl"]
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_the_shell_completes_commands_and_options() -> None:
    for words, number, completed in (("isthmus ev", 1, "evaluate"), ("isthmus evaluate --tr", 2, "--truth")):
        asked = {"_ISTHMUS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(number)}
        with mock.patch.dict(os.environ, asked):
            done = command.run()
        assert (done.code, done.stdout.split()) == (0, [completed])
