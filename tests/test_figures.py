"""Figures: the numbers are the rows', the pictures open, and definitions name real settings of real methods."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isthmus
from conftest import Toy
from isthmus.bench import Bench, Fold, Store, n_steps, pictures, write_picture
from isthmus.bench.blocks import block_cosines
from isthmus.bench.curves import GRID, mean_precision, mean_roc
from isthmus.bench.drawing import DRAWERS
from isthmus.bench.eigen import eigen_space
from isthmus.bench.figures import KINDS, Picture
from isthmus.bench.plan import Plan
from isthmus.bench.task import Task
from isthmus.bench.tasks import TABLES, Figure, Library, Table, TaskData, load_table
from isthmus.exceptions import DataError, EmptyDocumentWarning, MissingDataError

COLUMNS: dict[str, Any] = {"LR": {}, "TCL": {"n_topics": 3, "max_iter": 10}, "CDSC": {}}
TASKS = (Task("first", "toy"), Task("second", "toy"), Task("lost", "toy"))


class ToyLibrary(Library):
    """Two tasks that are here and one that is not. Some labels are wrong, or every setting would be perfect."""

    def __init__(self, toy: Toy) -> None:
        super().__init__()
        wrong = np.random.default_rng(0).uniform(size=len(toy.y)) < 0.3
        y = np.where(wrong, np.where(toy.y == "class 0", "class 1", "class 0"), toy.y)
        self.data = TaskData(toy.X, y, toy.domain)

    def load(self, table: Table, task: Task) -> TaskData:
        if task.name == "lost":
            raise MissingDataError("lost.tar.gz not found")
        return self.data


@pytest.fixture
def bench(toy: Toy, tmp_path: Path) -> Bench:
    table = Table("tcl", "accuracy_percent", TASKS, COLUMNS)
    return Bench(table, ToyLibrary(toy), Store(tmp_path / "results"), repeats=2)


SWEEP = Figure("topics", "sweep", "Topics", methods=["TCL"], parameter="n_topics", values=[1, 2, 3], label="k")


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def drawn(bench: Bench, figure: Figure, folder: Path) -> list[Path]:
    pytest.importorskip("matplotlib", reason="NOT TESTED: figures need pip install 'isthmus[figures]'.")
    return [path for picture in pictures(bench, figure) for path in write_picture(picture, folder)]


def axes_of(picture: Picture) -> Any:
    pytest.importorskip("matplotlib", reason="NOT TESTED: figures need pip install 'isthmus[figures]'.")
    from matplotlib.figure import Figure as Canvas

    canvas: Any = Canvas()
    DRAWERS[picture.figure.kind](picture, canvas)
    return canvas.axes[0]


def check_image(path: Path, least: int = 500) -> None:
    from matplotlib.image import imread

    pixels = imread(path)
    assert min(pixels.shape[:2]) >= least
    assert pixels[..., :3].std() > 0.02  # not a blank page


def test_a_sweep_is_rows_of_the_bench(bench: Bench, tmp_path: Path) -> None:
    steps: list[str] = []
    assert len(list(pictures(bench, SWEEP, steps.append))) == 1
    assert len(steps) == 6
    assert n_steps(bench, SWEEP) == 9  # nobody knows yet that a task is missing
    png, numbers = drawn(bench, SWEEP, tmp_path / "new")
    assert (png.name, numbers.name) == ("topics.png", "topics.csv")
    check_image(png)
    rows = read(numbers)
    assert [(row["task"], int(row["n_topics"])) for row in rows] == [
        (task, value) for task in ("first", "second") for value in SWEEP.values
    ]
    task = bench.tasks[0]
    for row in rows[:3]:
        changed = {"n_topics": int(row["n_topics"])}
        expected = bench.row(task, "TCL", bench.load(task), changed)
        assert (float(row["accuracy_percent"]), float(row["std"]), row["repeats"]) == (expected.mean, expected.std, "2")
    assert len({row["accuracy_percent"] for row in rows[:3]}) > 1
    assert not [path for path in (tmp_path / "new").iterdir() if path.suffix not in (".png", ".csv")]


def test_a_sweep_goes_through_settings_of_the_protocol(bench: Bench) -> None:
    shares = replace(SWEEP, methods=["LR", "CDSC"], parameter="labeled_share", values=[0.0, 0.5], tasks=["first"])
    (picture,) = pictures(bench, shares)
    assert [row[0] for row in picture.rows] == ["LR", "LR", "CDSC", "CDSC"]  # one task: methods are lines
    assert picture.usual == 0.0  # what the protocol does where the table is silent
    task = bench.tasks[0]
    assert picture.rows[0][4] == bench.row(task, "LR", bench.load(task)).mean
    assert picture.rows[1][4] == bench.row(task, "LR", bench.load(task), {"labeled_share": 0.5}).mean


def test_lines_of_a_sweep(bench: Bench) -> None:
    def lines(**changes: Any) -> list[str]:
        (picture,) = pictures(bench, replace(SWEEP, **{"values": [2], **changes}))
        return [row[0] for row in picture.rows]

    assert lines() == ["first", "second"]
    assert lines(lines="corpus") == ["toy, mean"] * 2
    assert lines(lines="all") == ["mean over tasks"] * 2
    both = lines(methods=["TCL", "LR"], parameter="source_size", values=[50])
    assert both == ["TCL, first", "LR, first", "TCL, second", "LR, second"]
    assert list(pictures(bench, replace(SWEEP, tasks=["lost"]))) == []


def test_eigen_space_and_similarity(bench: Bench, tmp_path: Path) -> None:
    space = Figure("space", "eigen-space", tasks=["first"], settings={"n_eigenvectors": 3})
    png, numbers = drawn(bench, space, tmp_path)
    assert numbers.name == "first-space.csv"
    check_image(png)
    data, rows = bench.load(bench.tasks[0]), read(numbers)
    places = [[float(row["second eigenvector"]), float(row["third eigenvector"])] for row in rows]
    assert np.array(places) == pytest.approx(eigen_space(data, n_eigenvectors=3)[:, 1:])
    assert [row["class"] for row in rows] == data.y.tolist()

    (picture,) = pictures(bench, space)
    edges = {marks.get_label(): marks.get_edgecolor()[0].tolist() for marks in axes_of(picture).collections}
    assert edges["class 0, source"] != edges["class 0, target"]  # one place of many documents, among their crosses

    pattern = Figure("pattern", "similarity", tasks=["first"], settings={"two": {}, "free": {"beta": 0.0, "lam": 0.0}})
    png, numbers = drawn(bench, pattern, tmp_path)
    check_image(png, 400)
    rows = read(numbers)
    assert list(dict.fromkeys(row["space"] for row in rows)) == ["words", "two", "free"]
    assert rows[0]["documents of the row"] == "class 0, source"
    _, cosines = block_cosines(data.X, data)
    own = [float(row["mean cosine"]) for row in rows if row["space"] == "words"]
    assert own == cosines.ravel().tolist()


def without(toy: Toy, row: int) -> Any:
    """The same documents, one of them empty."""
    X = toy.X.toarray()
    X[row] = 0
    return sp.csr_array(X)


def test_blocks_of_cosines_without_the_square_matrix(toy: Toy) -> None:
    X = 3 * without(toy, 5)  # an empty document resembles nothing, itself included
    data = TaskData(X, toy.y, toy.domain)
    names, cosines = block_cosines(X, data)
    assert list(dict.fromkeys(names)) == ["class 0, source", "class 0, target", "class 1, source", "class 1, target"]
    dense = X.toarray()
    unit = dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-300)
    pairs = unit @ unit.T
    np.fill_diagonal(pairs, 0)
    first = np.array_split(np.flatnonzero((toy.y == "class 0") & ~toy.in_target), 10)[0]
    last = np.array_split(np.flatnonzero((toy.y == "class 1") & toy.in_target), 10)[-1]
    assert cosines[0, -1] == pytest.approx(pairs[np.ix_(first, last)].mean())
    assert cosines[0, 0] == pytest.approx(pairs[np.ix_(first, first)].sum() / (len(first) * (len(first) - 1)))


def test_eigen_space_is_where_cdsc_decides(toy: Toy) -> None:
    X = without(toy, 3)
    places = eigen_space(TaskData(X, toy.y, toy.domain), n_eigenvectors=2, lam=0.025, beta=15)
    assert np.isnan(places[3]).all()
    here = np.arange(len(toy.y)) != 3
    assert np.ptp(places[here, 0]) < 1e-9  # the constant vector
    sources = np.flatnonzero((toy.y == "class 0") & ~toy.in_target & here)
    assert np.ptp(places[sources, 1]) < 0.1 * np.ptp(places[here, 1])  # its labels hold a class together
    with pytest.warns(EmptyDocumentWarning):
        model = toy.fit(isthmus.CDSC(2, lam=0.025, beta=15, random_state=0), X=X)
    # Rows of unit length: the nearest mean of a class decides, whatever the sign of an eigenvector.
    rows = places / np.linalg.norm(places, axis=1, keepdims=True)
    means = [rows[(toy.y == label) & ~toy.in_target & here].mean(axis=0) for label in model.classes_]
    nearest = np.argmin([((rows - mean) ** 2).sum(axis=1) for mean in means], axis=0)
    free = toy.in_target & here
    assert model.classes_[nearest][free].tolist() == model.transduction_[free].tolist()


PERFECT = Fold(0, [False, False, True, True], [0.1, 0.2, 0.8, 0.9], 0.0)
EVEN = Fold(1, [False, True, False, True], [0.5, 0.5, 0.5, 0.5], 0.0)


def test_curves_of_known_scores() -> None:
    assert mean_roc([PERFECT])[1:].tolist() == [1.0] * 100
    assert mean_precision([PERFECT]).tolist() == [1.0] * 101
    assert mean_roc([EVEN]) == pytest.approx(GRID)
    assert mean_precision([EVEN]) == pytest.approx(np.append([1.0], np.full(100, 0.5)))
    assert mean_precision([PERFECT, EVEN])[50] == pytest.approx(0.75)


def test_curves_and_boxes_of_folds(toy: Toy, tmp_path: Path) -> None:
    plan = Bench(
        Table("domtrans-nmf", "roc_auc", TASKS[:1], COLUMNS), ToyLibrary(toy), repeats=1, methods=["LR", "TCL"]
    )
    plan.folds = {("first", "LR"): [PERFECT, EVEN], ("first", "TCL"): [EVEN]}
    plan.parts = {key: [(fold.seed, fold.auc) for fold in folds] for key, folds in plan.folds.items()}
    for kind in ("roc", "precision-recall", "boxes"):
        png, numbers = drawn(plan, Figure("x", kind), tmp_path / kind)
        assert png.name == "first-x.png"
        check_image(png)
        rows = read(numbers)
        if kind == "boxes":
            assert [(r["method"], r["seed"], float(r["roc_auc"])) for r in rows] == [
                ("LR", "0", 1.0), ("LR", "1", 0.5), ("TCL", "1", 0.5)
            ]  # fmt: skip
        else:
            curve = mean_roc if kind == "roc" else mean_precision
            column = "true positive rate" if kind == "roc" else "precision"
            assert [float(r[column]) for r in rows if r["method"] == "LR"] == curve([PERFECT, EVEN]).tolist()
    with pytest.raises(DataError, match="needs folds, and tcl does not go by them"):
        list(pictures(Bench(Table("tcl", "error_rate", TASKS, COLUMNS), ToyLibrary(toy)), Figure("x", "roc")))
    with pytest.raises(DataError, match="no kind 'pie': choose from sweep"):
        list(pictures(plan, Figure("x", "pie")))


def test_ticks_are_numbers_as_people_write_them() -> None:
    values = [0.0, 0.0125, 10.0, 1_000_000.0, float("inf")]
    figure = replace(SWEEP, parameter="beta", values=values, log=True)
    header = ("line", "method", "task", "beta", "error_rate", "std", "repeats")
    rows = [("CDSC", "CDSC", "first", value, 0.1, 0.0, 1) for value in values]
    axes = axes_of(Picture(figure, "x", "x", header, rows, "error_rate"))
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "0.0125", "10", "1,000,000", "∞"]


@pytest.mark.parametrize("kind", ["roc", "precision-recall", "sweep"])
def test_no_two_lines_look_alike(kind: str) -> None:
    names = [f"method {number}" for number in range(20)]
    figure = replace(SWEEP, kind=kind, values=[1, 2])
    if kind == "sweep":
        header: tuple[str, ...] = ("line", "method", "task", "n_topics", "accuracy_percent", "std", "repeats")
        rows: list[Any] = [(name, name, "first", value, 80.0, 0.0, 1) for name in names for value in figure.values]
    else:
        header, rows = ("method", "recall", "precision"), [(name, x, 0.95) for name in names for x in (0.0, 1.0)]
    axes = axes_of(Picture(figure, "x", "x", header, rows, "accuracy_percent"))
    lines = axes.get_lines()
    looks = {(line.get_color(), line.get_marker(), str(line._dash_pattern)) for line in lines}
    assert len(looks) == len(lines) == 20
    bottom, top = axes.get_ylim()
    assert all(bottom <= y <= top for line in lines for y in line.get_ydata())


@pytest.mark.parametrize("name", TABLES)
def test_definitions_name_what_is_there(name: str) -> None:
    table = load_table(name)
    if name == "auto":
        pytest.skip("the automatic choice has a table, and no paper with figures")
    assert table.figures
    assert len({figure.name for figure in table.figures}) == len(table.figures)
    tasks = {task.name for task in table.tasks}
    for figure in table.figures:
        assert figure.kind in KINDS.keys() & DRAWERS.keys()
        assert set(figure.tasks) <= tasks
        assert set(figure.methods) <= {**table.columns, **table.variants}.keys()
        assert figure.lines in ("task", "corpus", "all")
        assert figure.title
        eigen = {"eigen-space": [figure.settings], "similarity": list(figure.settings.values())}
        for settings in eigen.get(figure.kind, []):
            signature(eigen_space).bind(None, **settings)
        if figure.kind == "sweep":
            assert figure.label
            assert len(figure.values) >= 3
            for method in figure.methods:
                for value in figure.values:  # a setting that neither method nor protocol knows would not be taken
                    settings = {**table.params(table.tasks[-1], method), **figure.settings, figure.parameter: value}
                    plan = Plan.of(method, settings, table.metric)
                    plan.estimator(0)._validate_params()
                    assert figure.parameter in plan.shown()


def test_missing_matplotlib_gets_a_sentence(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    (picture,) = pictures(bench, replace(SWEEP, values=[2]))
    with pytest.raises(DataError, match=r"need matplotlib: pip install 'isthmus\[figures\]'"):
        write_picture(picture, tmp_path)


def test_factors_are_those_of_the_fit(toy: Toy, tmp_path: Path) -> None:
    bench = Bench(Table("tcl", "error_rate", TASKS[:1], COLUMNS), ToyLibrary(toy), repeats=1)
    (picture,) = pictures(bench, Figure("latent", "factors", methods=["TCL"]))
    found = np.array([row[2:] for row in picture.rows])
    data = bench.load(TASKS[0])
    model = bench.plan(TASKS[0], "TCL").estimator(0)
    model.fit(data.X, data.y, sample_domain=data.sample_domain, target_domain="target")
    assert found == pytest.approx(
        model.label_distributions_[data.in_target]
    )  # rows of TCL's V sum to one by themselves
    png, _ = write_picture(picture, tmp_path)
    check_image(png)
    with pytest.raises(DataError, match="LR has no factors of documents"):
        list(pictures(bench, Figure("latent", "factors", methods=["LR"])))


def test_eigen_space_of_sc_is_where_sc_decides(toy: Toy) -> None:
    data = TaskData(toy.X, toy.y, toy.domain)
    places = eigen_space(data, method="SC", n_eigenvectors=3)
    model = toy.fit(isthmus.SC(n_eigenvectors=3, n_neighbors="all", random_state=0))
    unit = places / np.linalg.norm(places, axis=1, keepdims=True)
    nearest = ((unit[:, None] - model.class_points_) ** 2).sum(axis=2).argmin(axis=1)
    assert np.mean(model.classes_[nearest][toy.in_target] == model.transduction_[toy.in_target]) == 1
    with pytest.raises(DataError, match="no eigen-space of 'TCL'"):
        eigen_space(data, method="TCL")


def test_correspondence_is_that_of_the_model(toy: Toy, tmp_path: Path) -> None:
    columns = {"CCI": {"n_topics": 3, "max_iter": 10}}
    bench = Bench(Table("cci", "error_rate", TASKS[:1], columns), ToyLibrary(toy), repeats=1)
    (picture,) = pictures(bench, Figure("s", "correspondence", methods=["CCI"]))
    assert sum(row[-1] for row in picture.rows) == pytest.approx(100)
    assert [(row[0], row[2]) for row in picture.rows] == [(i, j) for i in range(3) for j in range(3)]
    png, _ = write_picture(picture, tmp_path)
    check_image(png)
