"""The layout shows the architecture: sizes, names, who calls whom, and pages that tell it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import isthmus
from alone import alone
from isthmus import methods
from isthmus.io.models.registry import CLASSES, class_named
from isthmus.methods import METHODS

PACKAGE = Path(isthmus.__file__).parent
ROOT = Path(__file__).parents[1]
FILES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE, LONGEST_FUNCTION = 400, 60
MOST_EDGES = 50
FOREIGN = {"_parameter_constraints", "_get_param_names", "_getframe", "_fields"}
"""Private names of scikit-learn and Python that have no public twin."""

TRACE = """
import sys, threading, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import isthmus
from isthmus.core.numerics import all_threads
from isthmus.datasets import load_messages
root = str(Path(isthmus.__file__).parent) + "/"
messages = load_messages()
in_source = messages.groups == messages.groups[0]
texts = [[text for text, own in zip(messages.texts, in_source) if own == side] for side in (True, False)]
labels = messages.labels[in_source].tolist()
isthmus.transfer(texts[0], labels, texts[1])  # imports
all_threads.cache_clear()  # those that there are would not be traced
edges = set()
def trace(frame, event, argument):
    caller, callee = frame.f_back, frame.f_code.co_filename
    caller = caller.f_back if caller and caller.f_code.co_name == "_shared" else caller  # who asked for threads
    caller = caller and caller.f_code.co_filename
    if event == "call" and caller and caller != callee and caller.startswith(root) and callee.startswith(root):
        edges.add((caller.removeprefix(root), callee.removeprefix(root)))
threading.setprofile(trace)
sys.setprofile(trace)
isthmus.transfer(texts[0], labels, texts[1])
sys.setprofile(None)
for edge in sorted(edges):
    print(*edge)
"""


@pytest.fixture(scope="module")
def edges() -> set[tuple[str, str]]:
    """Pairs of files of which the first calls the second, in a default `transfer`."""
    done = alone(TRACE)
    assert done.code == 0, done.stderr
    return {(line.split()[0], line.split()[1]) for line in done.stdout.splitlines()}


@cache
def tree(file: Path) -> ast.AST:
    return ast.parse(file.read_text(encoding="utf-8"))


def nodes(kind: type[ast.AST]) -> Iterator[tuple[Path, ast.AST]]:
    for file in FILES:
        for node in ast.walk(tree(file)):
            if isinstance(node, kind):
                yield file.relative_to(PACKAGE), node


def test_no_file_is_too_long() -> None:
    lengths = {file.relative_to(PACKAGE): len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert {file: length for file, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_too_long() -> None:
    """Its docstring left out, which may show examples."""
    long = {}
    for file, node in nodes(ast.FunctionDef):
        assert isinstance(node, ast.FunctionDef)
        said = ast.get_docstring(node, clean=False)
        length = (node.end_lineno or 0) - node.lineno + 1 - (len(said.splitlines()) if said else 0)
        if length > LONGEST_FUNCTION:
            long[f"{file}: {node.name}"] = length
    assert long == {}


def test_no_class_uses_what_is_private_to_another() -> None:
    used = []
    for file, node in nodes(ast.Attribute):
        assert isinstance(node, ast.Attribute)
        private = node.attr.startswith("_") and not node.attr.startswith("__") and node.attr not in FOREIGN
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        inherited = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "super"
        if private and not own and not inherited:
            used.append(f"{file}:{node.lineno}: {ast.unparse(node)}")
    assert used == []


def test_no_module_imports_what_is_private_to_another() -> None:
    imported = []
    for file, node in nodes(ast.ImportFrom):
        assert isinstance(node, ast.ImportFrom)
        if (node.module or "").startswith("isthmus"):
            imported += [
                f"{file}: {name.name}"
                for name in node.names
                if name.name.startswith("_") and name.name != "__version__"
            ]
    assert imported == []


def test_no_two_public_things_have_one_name() -> None:
    places = defaultdict(list)
    for file in FILES:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(file.relative_to(PACKAGE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_calls_between_files_are_few_and_go_one_way(edges: set[tuple[str, str]]) -> None:
    assert len(edges) > 20  # the trace saw something
    assert len(edges) <= MOST_EDGES
    assert {edge for edge in edges if edge[::-1] in edges} == set()


def test_the_architecture_page_names_every_file_on_the_way(edges: set[tuple[str, str]]) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert {file for edge in edges for file in edge if file not in page} == set()


def test_contributing_lists_every_room() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = {file.parent.relative_to(PACKAGE).as_posix() for file in FILES} - {"."}
    assert {room for room in rooms if f"{room}/" not in page} == set()


def test_importing_is_light() -> None:
    """`import isthmus` brings neither scikit-learn nor what commands, reports and tables need."""
    script = "import sys, isthmus; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"sklearn", "scipy", "rich", "jinja2", "typer", "pandas", "isthmus.cli"} & set(loaded)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_listed_wherever_it_has_to_be(name: str) -> None:
    page, reference = ((ROOT / "docs" / file).read_text(encoding="utf-8") for file in ("methods.md", "api-methods.md"))
    listed = {
        "isthmus/methods/__init__.py, __all__": methods.__all__,
        "isthmus/__init__.pyi": isthmus.__all__,
        "isthmus/io/models/registry.py, CLASSES": CLASSES,
        "docs/methods.md": re.findall(r"`(\w+)`", page),
        "docs/api-methods.md": re.findall(r"^::: isthmus\.(\w+)$", reference, re.MULTILINE),
    }
    assert [place for place, names in listed.items() if name not in names] == []
    assert class_named(name) is METHODS[name]


def test_every_public_name_is_there() -> None:
    for name in isthmus.__all__:
        assert getattr(isthmus, name) is not None
    assert set(isthmus.__all__) <= set(dir(isthmus))
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(isthmus, "nonsense")  # noqa: B009
