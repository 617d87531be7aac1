"""Tables: rows, stored results, and real figures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from sklearn.neighbors import KNeighborsClassifier

from conftest import Toy, build
from isthmus.bench import Bench, Missing, Row, Store, as_table
from isthmus.bench import store as store_module
from isthmus.data import Library, Table, Task, TaskData, load_table
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
    for file in tmp_path.iterdir():
        file.write_text("{ half a fi")
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
    tasks = ["comp vs sci", "rec vs talk", "rec vs sci", "sci vs talk", "comp vs rec", "comp vs talk"]
    methods = ["CDSC", "CDSC weighted"]
    plan = Bench(load_table("cdsc"), Library(data_folder), repeats=1, tasks=tasks, methods=methods, whole=True)
    rows = [row for row in plan.run() if isinstance(row, Row)]
    assert np.mean([row.mean for row in rows if row.method == "CDSC"]) < 0.060
    assert np.mean([row.mean for row in rows if row.method == "CDSC weighted"]) < 0.050


def test_unknown_names_are_refused(library: ToyLibrary) -> None:
    with pytest.raises(DataError, match="no method 'MAGIC': choose from LR, TCL"):
        Bench(table(), library, methods=["MAGIC"])
    with pytest.raises(DataError, match="no task 'x': choose from here, lost"):
        Bench(table(), library, tasks=["x"])
    with pytest.raises(DataError, match="no table 'x': choose from tcl, cci"):
        load_table("x")


def test_table_marks_the_best_and_shows_the_published() -> None:
    rows = [
        Row("a", "LR", "accuracy_percent", 70.0, 0.0, 1, 71.5, 0.1, {}),
        Row("a", "TCL", "accuracy_percent", 90.123, 0.5, 10, None, 0.1, {}),
        Row("b", "LR", "accuracy_percent", 80.0, 0.0, 1, 81.5, 0.1, {}),
    ]
    console = Console(width=100, force_terminal=True, color_system="standard")
    with console.capture() as capture:
        console.print(as_table(rows, "title"))
    printed = capture.get()
    assert "\x1b[1m90.12 ± 0.50" in printed
    assert "70.00" in printed
    assert "\x1b[1m70.00" not in printed
    assert "(71.50)" in printed
    assert "75.00" in printed
    assert "(76.50)" in printed


def test_tcl_on_real_newsgroups_and_reuters(data_folder: Path) -> None:
    """Two of the paper's tasks, one repeat: transfer must be worth far more than the classifier it starts from."""
    plan = Bench(load_table("tcl"), Library(data_folder), repeats=1, tasks=["comp vs sci", "orgs vs places"])
    rows = {(row.task, row.method): row for row in plan.run() if isinstance(row, Row)}
    assert rows["comp vs sci", "TCL"].mean > 96.5
    assert rows["comp vs sci", "LR"].mean < 75
    assert rows["comp vs sci", "TCL"].published == 97.34
    assert rows["orgs vs places", "TCL"].mean > 76
    assert rows["comp vs sci", "TCL"].seconds < 30
