"""Tables: rows, stored results, and real figures."""

from __future__ import annotations

import json
import runpy
import shutil
import sys
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sklearn.neighbors import KNeighborsClassifier

import isthmus
from conftest import Toy, build
from isthmus.bench import (
    Bench,
    Missing,
    Row,
    Store,
    as_grids,
    load_published,
    share_recovered,
    with_gaps,
    with_settings,
)
from isthmus.bench import store as store_module
from isthmus.bench.plan import Plan
from isthmus.bench.task import Task
from isthmus.bench.tasks import TABLES, Library, Table, TaskData, load_table
from isthmus.exceptions import DataError, MissingDataError


class ToyLibrary(Library):
    """One task that is here and one that is not."""

    def __init__(self, data: TaskData) -> None:
        super().__init__()
        self._toy = data
        self.loaded = 0

    def load(self, table: Table, task: Task) -> TaskData:
        if task.name == "lost":
            raise MissingDataError("lost.tar.gz not found")
        self.loaded += 1
        return self._toy


@pytest.fixture
def library(toy: Toy) -> ToyLibrary:
    return ToyLibrary(TaskData(toy.X, toy.y, toy.domain))


VARIANTS = {"TCL, all words common": {"method": "TCL", "common_weight": 1.0}}


def table(sample: dict[str, int] | None = None, metric: str = "accuracy_percent") -> Table:
    tasks = (Task("here", "toy"), Task("lost", "toy"))
    return Table("tcl", metric, tasks, {"LR": {}, "TCL": {"n_topics": 3}}, VARIANTS, sample=sample or {})


def test_rows_and_missing(library: ToyLibrary) -> None:
    rows = list(Bench(table(), library, repeats=3).run())
    assert [type(row) for row in rows] == [Row, Row, Missing]
    lr, tcl, lost = rows
    assert isinstance(lr, Row)
    assert isinstance(tcl, Row)
    assert (lr.repeats, tcl.repeats) == (1, 3)
    assert 80 < tcl.mean <= 100
    assert tcl.seconds > 0
    assert tcl.params["n_topics"] == 3
    assert tcl.params["common_weight"] == 0.7
    assert lost == Missing("lost", "lost.tar.gz not found")


def test_measured_is_accuracy_on_the_target(library: ToyLibrary, toy: Toy) -> None:
    (row,) = Bench(table(), library, repeats=1, tasks=["here"], methods=["LR"]).run()
    assert isinstance(row, Row)
    model = toy.fit(build("LR"))
    assert row.mean == pytest.approx(100 * np.mean((model.transduction_ == toy.y)[toy.in_target]))
    (error,) = Bench(table(metric="error_rate"), library, repeats=1, tasks=["here"], methods=["LR"]).run()
    assert isinstance(error, Row)
    assert error.mean == pytest.approx(1 - row.mean / 100)


def test_results_are_stored_until_the_code_changes(
    library: ToyLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(repeats: int = 2) -> Row:
        (row,) = Bench(table(), library, Store(tmp_path), repeats=repeats, tasks=["here"], methods=["TCL"]).run()
        assert isinstance(row, Row)
        return row

    first = run()
    assert run() == first  # seconds included: it was not run again
    assert run(repeats=3).repeats == 3
    with monkeypatch.context() as other:
        other.setattr(store_module, "fingerprint", lambda: "other code")
        assert run() != first
    data = library._toy
    library._toy = replace(data, y=np.where(data.in_target, data.y[::-1], data.y))
    assert run().mean != first.mean  # other data, other results
    library._toy = data
    for damage in (b"{ half a fi", b"\xff\xfe", b"{}", b"[]", b'{"folds": [], "report": {"x": 1}}', b'{"folds": 1}'):
        for file in tmp_path.iterdir():
            file.write_bytes(damage)
        assert run().mean == first.mean


def test_variants_run_when_asked_for(library: ToyLibrary) -> None:
    assert len(Bench(table(), library).methods) == 2
    (row,) = Bench(table(), library, repeats=1, tasks=["here"], methods=list(VARIANTS)).run()
    assert isinstance(row, Row)
    assert row.params["common_weight"] == 1.0


def test_a_task_settles_before_its_corpus_and_a_column_before_both() -> None:
    settings = {
        "toy": {"TCL": {"n_topics": 5, "common_weight": 0.5, "start_C": 3}},
        "here": {"TCL": {"common_weight": 0.6, "start_C": 2}},
    }
    plan = replace(table(), settings=settings, columns={"TCL": {"start_C": 1}})
    here, lost = plan.tasks
    assert plan.params(here, "TCL") == {"n_topics": 5, "common_weight": 0.6, "start_C": 1}
    assert plan.params(lost, "TCL") == {"n_topics": 5, "common_weight": 0.5, "start_C": 1}
    assert plan.params(here, *VARIANTS) == {"method": "TCL", "n_topics": 5, "common_weight": 1.0, "start_C": 2}


def test_sampling_draws_anew_in_each_repeat(library: ToyLibrary) -> None:
    rows = list(Bench(table(sample={"source": 40, "target": 40}), library, repeats=4, tasks=["here"]).run())
    assert all(isinstance(row, Row) and row.repeats == 4 for row in rows)


def test_settings_are_plain_json(library: ToyLibrary) -> None:
    columns = {"CDSC": {}, "nearest": {"method": "CDSC", "classifier": KNeighborsClassifier(3), "beta": 2.0}}
    plan = replace(table(), columns=columns)
    first, second = (row for row in Bench(plan, library, repeats=1, tasks=["here"]).run() if isinstance(row, Row))
    assert first.params["beta"] == "inf"
    assert second.params["beta"] == 2.0
    assert "KNeighborsClassifier" in second.params["classifier"]
    json.dumps([first.params, second.params], allow_nan=False)


def test_cdsc_on_real_newsgroups(data_folder: Path) -> None:
    """Whole tasks, where the paper's own 500 documents would scatter more."""
    tasks, methods = ["comp vs sci", "rec vs talk"], ["CDSC", "CDSC weighted"]
    plan = Bench(load_table("cdsc"), real_library(data_folder), repeats=1, tasks=tasks, methods=methods, whole=True)
    rows = [row for row in plan.run() if isinstance(row, Row)]
    assert np.mean([row.mean for row in rows if row.method == "CDSC"]) < 0.075
    assert np.mean([row.mean for row in rows if row.method == "CDSC weighted"]) < 0.050


@cache
def real_library(folder: Path) -> Library:
    """Read once for all tests."""
    return Library(folder)


def test_unknown_names_are_refused(library: ToyLibrary) -> None:
    with pytest.raises(DataError, match="no method 'MAGIC': choose from LR, TCL"):
        Bench(table(), library, methods=["MAGIC"])
    with pytest.raises(DataError, match="no task 'x': choose from here, lost"):
        Bench(table(), library, tasks=["x"])
    names = [f"task {number}, of {letter}" for number in range(9) for letter in "abc"]
    many = replace(table(), tasks=tuple(Task(name, "toy") for name in names))
    with pytest.raises(DataError, match=r"'task 7 of b': nearest are 'task 7, of b', .*there are 27\.$") as far:
        Bench(many, library, tasks=["task 7 of b"])
    assert str(far.value).count("', '") == 2
    with pytest.raises(DataError, match="no task 'zzz': there are 27"):
        Bench(many, library, tasks=["zzz"])
    with pytest.raises(DataError, match="no table 'x': choose from tcl, cci"):
        load_table("x")


def row(task: str, method: str, mean: float, published: float | None = None, **changes: Any) -> Row:
    base = Row(task, method, "accuracy_percent", mean, 0.0, 1, published, 0.1, {})
    return replace(base, **changes)


ROWS = [
    row("a", "LR", 70.0, 71.5),
    row("a", "TCL", 90.123, std=0.5, repeats=10),
    row("a", "in-domain", 95.0, protocol="in-domain"),
    row("b", "LR", 80.0, 81.5),
    row("b", "TCL", 80.0),
    row("b", "in-domain", 85.0, protocol="in-domain"),
]


def printed(rows: list[Row], width: int = 100, **options: Any) -> str:
    console = Console(width=width, **options)
    with console.capture() as capture:
        for grid in as_grids(rows, table(), width):
            console.print(grid)
    return capture.get()


def test_table_marks_the_best_and_shows_the_published() -> None:
    colored = printed(ROWS, force_terminal=True, color_system="standard")
    assert "\x1b[1m90.12 ± 0.50*" in colored
    assert "\x1b[1m70.00" not in colored
    plain = printed(ROWS).splitlines()
    a, b, mean, gap = (next(line for line in plain if line.startswith(name)) for name in ("a", "b", "mean", "gap"))
    assert a.split() == ["a", "70.00", "(71.50)", "90.12", "±", "0.50*", "95.00"]  # in-domain does not compete
    assert b.split() == ["b", "80.00*", "(81.50)", "80.00*", "85.00"]
    assert mean.split() == ["mean", "75.00", "(76.50)", "85.06*", "90.00"]
    assert gap.split() == ["gap", "recovered", "0.0%", "67.1%", "100.0%"]
    assert "gap" not in printed(ROWS[:2])
    assert "mean" not in printed(ROWS[:2])


def test_a_wide_table_goes_on_below() -> None:
    rows = [row("a", f"method {number}", number) for number in range(30)]
    lines = printed(rows, width=60).splitlines()
    assert max(map(len, lines)) <= 60
    shown = [word for line in lines if line.startswith("a") for word in line.split()[1:]]
    assert shown == [f"{number}.00" for number in range(29)] + ["29.00*"]


def test_gap_recovered() -> None:
    plan = table()
    by_cell = {(r.task, r.method): r.gap_recovered for r in with_gaps(ROWS, plan)}
    assert by_cell["a", "TCL"] == pytest.approx(20.123 / 25)
    assert by_cell["b", "TCL"] == 0
    assert (by_cell["a", "LR"], by_cell["a", "in-domain"]) == (0, 1)
    assert [r.gap_recovered for r in with_gaps(ROWS[:2], plan)] == [None, None]  # no upper end
    upside_down = [*ROWS[:2], replace(ROWS[2], mean=60.0)]  # labels of the target are worth nothing
    assert {r.gap_recovered for r in with_gaps(upside_down, plan)} == {None}
    on_source = row("a", "SVM", 99.0, protocol="source-cv")
    assert with_gaps([*ROWS, on_source], plan)[-1].gap_recovered is None
    errors = [replace(r, metric="error_rate", mean=1 - r.mean / 100) for r in ROWS]
    assert [r.gap_recovered for r in with_gaps(errors, plan)] == pytest.approx(list(by_cell.values()))
    assert share_recovered(60, 70, 80, "accuracy_percent") == -1


def test_markdown_of_the_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows.json"
    file.write_text(json.dumps({"table": "tcl", "rows": [asdict(r) for r in with_gaps(ROWS, table())], "missing": []}))
    script = Path(__file__).parents[1] / "benchmarks" / "markdown.py"
    monkeypatch.setattr(sys, "argv", ["markdown.py", str(file)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == [
        "| task | LR | TCL | in-domain |",
        "|---|---|---|---|",
        "| a | 70.0 (71.5) | **90.1** | 95.0 |",
        "| b | **80.0** (81.5) | **80.0** | 85.0 |",
        "| mean | 75.0 (76.5) | **85.1** | 90.0 |",
        "| gap recovered | 0% | 67% | 100% |",
    ]


def test_same_runs_are_stored_once(library: ToyLibrary, tmp_path: Path) -> None:
    """A point of a figure that is a cell of the table, and more repeats of what has been run."""
    plan = Bench(table(), library, Store(tmp_path), repeats=2, tasks=["here"])
    (_, second) = (item for item in plan.run() if isinstance(item, Row))
    assert len(list(tmp_path.iterdir())) == 3
    (task,) = plan.tasks
    same = plan.row(task, "TCL", library.load(plan.table, task), {"common_weight": 0.7})
    assert (same.mean, same.seconds) == (second.mean, second.seconds)
    assert len(list(tmp_path.iterdir())) == 3
    other = plan.row(task, "TCL", library.load(plan.table, task), {"common_weight": 0.3})
    assert other.params["common_weight"] == 0.3
    assert len(list(tmp_path.iterdir())) == 5
    more = Bench(table(), library, Store(tmp_path), repeats=3, tasks=["here"], methods=["TCL"])
    list(more.run())
    assert len(list(tmp_path.iterdir())) == 3 + 2 + 1


def test_every_published_column_has_its_place() -> None:
    """Even where a paper prints one run twice."""
    for name in TABLES:
        plan = load_table(name)
        assert {method for _, method in load_published(name)} <= plan.columns.keys()
        for column, settings in {**plan.columns, **plan.variants}.items():
            Plan.of(column, settings, plan.metric).estimator(0)
        assert {plan.floor, plan.ceiling} <= plan.columns.keys()


def test_tcl_on_real_newsgroups_and_reuters(data_folder: Path) -> None:
    """Two of the paper's tasks, one repeat: transfer must be worth far more than the classifier it starts from."""
    tasks, methods = ["comp vs sci", "orgs vs places"], ["LR", "TCL", "in-domain"]
    plan = Bench(load_table("tcl"), real_library(data_folder), repeats=1, tasks=tasks, methods=methods)
    rows = {(row.task, row.method): row for row in plan.run() if isinstance(row, Row)}
    assert rows["comp vs sci", "TCL"].mean > 96.5
    assert rows["comp vs sci", "LR"].mean < 75
    assert rows["comp vs sci", "TCL"].published == 97.34
    assert 97.5 < rows["comp vs sci", "in-domain"].mean < 99.5
    assert 86 < rows["orgs vs places", "in-domain"].mean < 91
    assert rows["orgs vs places", "TCL"].mean > 76
    assert rows["comp vs sci", "TCL"].seconds < 30


def test_results_are_stored_for_the_code_that_made_them() -> None:
    """Every module that a result can depend on is in the fingerprint: all that the benchmark imports from below it."""
    decisive = set(store_module._DECISIVE)
    package = Path(isthmus.__file__).parent
    left_out = {"bench", "checks", "cli", "inspection", "io", "report", "selection"}  # they show results, or move them
    left_out |= {"drift", "evaluation", "quality", "serving", "studio", "web"}  # they come before a fit, or after it
    quiet = {
        "__init__.py",
        "__main__.py",
        "_api.py",
        "_partitions.py",
        "_result.py",
        "exceptions.py",
        "extras.py",
        "parts.py",
        "typing.py",
    }
    found = {entry.name for entry in package.iterdir() if entry.suffix == ".py" or (entry / "__init__.py").is_file()}
    assert found - left_out - quiet <= decisive


@pytest.mark.parametrize("changed", ["auto/fitted.json", "core/problem.py"])
def test_stored_results_are_not_those_of_other_fitted_numbers(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("auto", "core"):
        shutil.copytree(Path(isthmus.__file__).parent / part, tmp_path / part)
    monkeypatch.setattr(store_module, "_DECISIVE", ("auto", "core"))
    monkeypatch.setattr("isthmus.bench.store.resources.files", lambda _: tmp_path)
    before = store_module.fingerprint.__wrapped__()
    assert store_module.fingerprint.__wrapped__() == before
    with (tmp_path / changed).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert store_module.fingerprint.__wrapped__() != before


def test_settings_by_name_reach_the_columns_that_have_them() -> None:
    table = load_table("tcl")
    changed = with_settings(table, ["LR", "TCL", "NMTF"], {"n_topics": 3, "common_weight": 0.9})
    assert changed.columns["TCL"] == {"n_topics": 3, "common_weight": 0.9}
    assert changed.columns["NMTF"] == {"n_topics": 3}
    assert changed.columns["LR"] == table.columns["LR"]
    assert changed.columns["GCMF"] == table.columns["GCMF"]  # it was not asked for
    with pytest.raises(DataError, match="No column that is asked for has the setting 'beta'"):
        with_settings(table, ["TCL"], {"beta": 1})
    with pytest.raises(DataError, match="'common_weight' parameter of TCL must be a float in the range"):
        with_settings(table, ["TCL"], {"common_weight": 2})
