"""What a release needs: one version everywhere, metadata that installers read, papers that can be cited."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import isthmus
from isthmus.methods import METHODS

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_one_version_everywhere() -> None:
    sections = re.findall(r"^## (\S+)", CHANGELOG, re.MULTILINE)
    assert next(name for name in sections if name != "Unreleased") == isthmus.__version__
    assert re.findall(r"^version: (.+)$", CITATION, re.MULTILINE) == [isthmus.__version__]


def test_the_newest_section_is_ready_to_be_tagged() -> None:
    newest = CHANGELOG.split(f"\n## {isthmus.__version__}")[1].split("\n## ")[0]
    assert re.match(r" \(\d{4}-\d{2}-\d{2}\)\n", newest)
    assert re.findall(r"^### (.+)$", newest, re.MULTILINE) == ["Added", "Changed", "Fixed"]


def test_one_address_everywhere() -> None:
    repository = PROJECT["urls"]["Repository"]
    assert all(address.startswith(repository) for address in PROJECT["urls"].values())
    assert f'repository-code: "{repository}"' in CITATION
    assert f"repository: {repository}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_pythons_are_those_that_are_tested() -> None:
    said = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    tested = re.findall(r'"(3\.\d+)"', workflow.split("matrix:")[1].split("steps:")[0])
    assert said == tested
    assert PROJECT["requires-python"] == f">={said[0]}"


def test_the_workflow_calls_targets_that_exist() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = {name for line in re.findall(r"run: make (.+)", workflow) for name in line.split() if "=" not in name}
    assert {"test", "test-oldest", "dist-check", "docs", "gallery"} <= called <= targets


@pytest.mark.parametrize("method", ["TCL", "DTLM", "CCI", "CDSC", "DomTransNMF"])
def test_the_paper_of_a_method_can_be_cited(method: str) -> None:
    module = __import__(METHODS[method].__module__, fromlist=["x"]).__doc__ or ""
    title, place = re.findall(r'"(.+)",\s+(\S+ \d{4})\.', module)[0]
    [entry] = [part for part in CITATION.split("\n  - type: ") if f"title: {title}\n" in part]
    assert f"notes: {method}\n" in entry
    assert f"name: {place}\n" in entry


def test_mutants_change_what_the_code_says() -> None:
    """Each names a text that stands in its file once."""
    mutants = tomllib.loads((ROOT / "benchmarks" / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    assert len(mutants) >= 60
    for one in mutants:
        text = (ROOT / "src" / "isthmus" / one["file"]).read_text(encoding="utf-8")
        assert text.count(one["old"]) == 1, one["name"]


def test_modules_of_the_reference_are_there_after_the_import_alone() -> None:
    """Whatever else has been imported before."""
    names = "isthmus.exceptions.DataError.__name__, isthmus.io.documents.FileColumn.__name__"
    asked = [sys.executable, "-c", f"import isthmus\nprint({names})"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["DataError", "FileColumn"], done.stderr
