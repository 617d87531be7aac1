"""The papers' tasks: described in `tables/*.toml`, and turned into matrices here."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import resources
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import minmax_scale, normalize

from isthmus.bench.families import auto_tasks
from isthmus.bench.recordings import load_recordings, recorded_tasks
from isthmus.bench.task import Task
from isthmus.datasets import load_glioma, load_newsgroups, load_reuters_pair, load_sraa
from isthmus.datasets.corpus import Corpus, join
from isthmus.datasets.newsgroups import subject_and_body
from isthmus.datasets.real import REAL_KINDS, load_real
from isthmus.datasets.reuters import load_reuters_halves
from isthmus.datasets.reviews import load_reviews
from isthmus.exceptions import DataError
from isthmus.text import PRESETS, LogTfidf, preset_for, text_vectorizer
from isthmus.typing import Mask, Matrix

TABLES = ("tcl", "cci", "dtlm", "cdsc", "domtrans-nmf", "auto")

_TEXT_LOADERS: Mapping[str, Callable[[Path | None], Corpus]] = {
    "20news": load_newsgroups,
    "reviews": load_reviews,
    "20news+reviews": lambda data: join(load_newsgroups(data), load_reviews(data)),
    "sraa": load_sraa,
    "reuters-stories": load_reuters_halves,
    **{kind: partial(load_real, kind) for kind in REAL_KINDS},
    "real": lambda data: join(*(load_real(kind, data) for kind in REAL_KINDS)),
}


@dataclass(frozen=True)
class Figure:
    """A figure that goes with a table. What the kinds show is said in `isthmus.bench.figures`."""

    name: str
    kind: str
    title: str = ""
    tasks: Sequence[str] = ()
    """Names; empty for all of the table's."""
    methods: Sequence[str] = ()
    """Columns or variants of the table. Curves and boxes show all columns that were run."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What a sweep sets otherwise for its methods; of the eigen-space; of each space whose similarities are shown."""
    parameter: str = ""
    """Of a sweep: a setting of the method or of the protocol."""
    label: str = ""
    """Of the axis."""
    values: Sequence[Any] = ()
    log: bool = False
    lines: str = "task"
    """One for each `task`, for each `corpus` (the mean of its tasks), or one of `all`."""


@dataclass(frozen=True)
class Table:
    """A paper's table: its tasks, how its texts are prepared, and the settings of its columns."""

    name: str
    metric: str
    tasks: tuple[Task, ...]
    columns: Mapping[str, dict[str, Any]]
    """Settings by column. `method` names the estimator where the column is called otherwise, and `protocol` how it is
    measured, where that is not as the others are."""
    variants: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """More columns, such as a method with a part switched off; run when asked for."""
    settings: Mapping[str, Mapping[str, dict[str, Any]]] = field(default_factory=dict)
    """By corpus, family or task, and column (or "*" for all): what is set otherwise there. What is closer to the task
    wins."""
    text: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """Settings by corpus. `weigh = "sample"`: count document frequencies in what a repeat draws, not in the corpus;
    `at_most`: so many documents of each side; `headers = "subject"`: leave the other lines of a post's header out;
    `letters = "auto"`: runs of letters for tasks of short texts, as `isthmus.transfer` reads them."""
    preparations: Mapping[str, Mapping[str, dict[str, Any]]] = field(default_factory=dict)
    """By name and corpus: what a column with this name as its `text` has otherwise in the preparation of texts."""
    sample: Mapping[str, int] = field(default_factory=dict)
    """Documents to draw from source and target in each repeat, half from each class; empty for all."""
    floor: str = "LR"
    ceiling: str = "in-domain"
    """The columns that the gap lies between: trained on the source, and trained on the target's own labels."""
    figures: tuple[Figure, ...] = ()

    def params(self, task: Task, column: str) -> dict[str, Any]:
        """The settings of a column on a task. A variant differs from its method in what it names alone."""
        own = {**self.columns, **self.variants}[column]
        given: dict[str, Any] = {}
        for place in (task.corpus, task.family, task.name):
            by_column = self.settings.get(place, {})
            given |= by_column.get("*", {})
            given |= {**by_column.get(own.get("method", column), {}), **by_column.get(column, {})}
        return {**given, **own}

    def metric_of(self, task: Task) -> str:
        """What a task is measured by."""
        return task.metric or self.metric

    def prepared(self, name: str) -> Table:
        """The same table with texts prepared as `preparations` says under this name; as usual without a name."""
        other = self.preparations[name] if name else {}
        return replace(self, text={**self.text, **{c: {**self.text.get(c, {}), **own} for c, own in other.items()}})


def load_table(name: str) -> Table:
    """Read one of `TABLES`."""
    if name not in TABLES:
        raise DataError(f"There is no table {name!r}: choose from {', '.join(TABLES)}, or papers on the command line.")
    content = tomllib.loads((resources.files("isthmus.bench") / "tables" / f"{name}.toml").read_text(encoding="utf-8"))
    return Table(
        name=name,
        metric=content["metric"],
        tasks=_tasks_of(name, content),
        columns=content["columns"],
        variants=content.get("variants", {}),
        settings=content.get("settings", {}),
        text=content.get("text", {}),
        preparations=content.get("preparations", {}),
        sample=content.get("sample", {}),
        floor=content.get("floor", Table.floor),
        ceiling=content.get("ceiling", Table.ceiling),
        figures=tuple(Figure(**figure) for figure in content.get("figures", [])),
    )


def _tasks_of(name: str, content: Mapping[str, Any]) -> tuple[Task, ...]:
    """Those that the file lists, and those that are too many or too much alike to be listed."""
    if name == "auto":
        return auto_tasks(load_table("tcl").tasks)
    listed = tuple(Task(**task) for task in content["tasks"])
    return (*listed, *recorded_tasks()) if name == "domtrans-nmf" else listed


@dataclass(frozen=True, eq=False)
class TaskData:
    """A task as arrays. `y` holds the true labels of source and target; methods never read the target's."""

    X: Matrix
    y: np.ndarray[Any, Any]
    sample_domain: np.ndarray[Any, Any]
    target_domain: str = "target"
    least: int = 0
    """Above zero, X holds counts: `drawn` weighs the words that so many of the drawn documents have."""

    @cached_property
    def in_target(self) -> Mask:
        return np.asarray(self.sample_domain == self.target_domain)

    @cached_property
    def digest(self) -> str:
        """The same for the same documents and labels."""
        X = (self.X.data, self.X.indices, self.X.indptr, self.X.shape) if sp.issparse(self.X) else self.X
        return str(joblib.hash((X, self.y.tolist(), self.sample_domain.tolist(), self.target_domain)))

    def drawn(self, sample: Mapping[str, int], seed: int) -> TaskData:
        """As many documents of source and target as `sample` says, the same number from each class; all if empty."""
        if not (sample or self.least):
            return self
        rng = np.random.default_rng(seed)
        rows = []
        for domain, size in sample.items():
            classes = np.unique(self.y)
            for label in classes:
                pool = np.flatnonzero((self.sample_domain == domain) & (self.y == label))
                rows.append(rng.choice(pool, min(size // len(classes), len(pool)), replace=False))
        chosen = np.sort(np.concatenate(rows)) if rows else np.arange(len(self.y))
        X = _weighed(self.X[chosen], self.least) if self.least else self.X[chosen]
        return TaskData(X, self.y[chosen], self.sample_domain[chosen])


class Library:
    """Loads what tasks need from a data folder, each corpus once for each way to prepare it."""

    def __init__(self, data: Path | None = None) -> None:
        self._data = data
        self._texts: dict[str, Corpus] = {}
        self._corpora: dict[str, tuple[Matrix, np.ndarray[Any, Any]]] = {}

    def load(self, table: Table, task: Task) -> TaskData:
        """A task's matrices; raises `MissingDataError` if its corpus is not here."""
        if task.corpus == "reuters-crossdomain":
            return self._load_matrices(task, **table.text.get(task.corpus, {}))
        if task.corpus == "glioma":
            return self._load_glioma(task)
        if task.corpus == "bci":
            return TaskData(*load_recordings(task, self._data))
        if task.corpus not in self._texts:
            self._texts[task.corpus] = _TEXT_LOADERS[task.corpus](self._data)
        corpus, settings = self._texts[task.corpus], dict(table.text[task.corpus])
        if settings.get("letters") == "auto":
            settings["letters"] = PRESETS[preset_for(*_texts_of(corpus, task))].get("letters", 0)
        key = json.dumps([task.corpus, settings], sort_keys=True)
        if key not in self._corpora:
            self._corpora[key] = _vectorized(corpus, settings)
        X, groups = self._corpora[key]
        least = settings["min_df"] if settings.get("weigh") == "sample" else 0
        data = _thinned(_compose(X, groups, task), task.target_prior)
        return replace(_shortened(data, settings.get("at_most", 0)), least=least)

    def _load_matrices(self, task: Task, unit_rows: bool = True) -> TaskData:
        """Matrices that are weighted already: unit rows, if at all, and nothing else."""
        pair = load_reuters_pair(task.file, self._data)
        X = sp.vstack([pair.X_source, pair.X_target], format="csr")
        return TaskData(
            X=normalize(X) if unit_rows else X,
            y=np.concatenate([pair.y_source, pair.y_target]),
            sample_domain=np.repeat(["source", "target"], [len(pair.y_source), len(pair.y_target)]),
        )

    def _load_glioma(self, task: Task) -> TaskData:
        (source,), (target,) = ({name for names in side.values() for name in names} for side in task.sides)
        sets = [load_glioma(name, self._data) for name in (source, target)]
        places = [{gene: place for place, gene in enumerate(one.genes)} for one in sets]
        columns = [[place[gene] for gene in sets[0].genes if gene in places[1]] for place in places]
        return TaskData(
            # Each laboratory's expression of a gene from 0 to 1: no label is needed for that.
            X=np.vstack([minmax_scale(one.X[:, own]) for one, own in zip(sets, columns, strict=True)]),
            y=np.concatenate([one.grades for one in sets]),
            sample_domain=np.repeat(["source", "target"], [len(one.grades) for one in sets]),
        )


def _texts_of(corpus: Corpus, task: Task) -> list[list[str]]:
    """Of source and target."""
    groups = [[name for names in side.values() for name in names] for side in task.sides]
    return [[corpus.texts[row] for row in np.flatnonzero(np.isin(corpus.groups, own))] for own in groups]


def _vectorized(corpus: Corpus, settings: Mapping[str, Any]) -> tuple[Matrix, np.ndarray[Any, Any]]:
    """Weights of a whole corpus, after the selection of documents that the paper describes."""
    options = dict(settings)
    keep = np.ones(len(corpus), dtype=bool)
    if "min_words" in options:
        least = options.pop("min_words")
        keep = np.array([len(text.split()) >= least for text in corpus.texts])
    if "per_group" in options:
        keep &= _first_of_each(corpus.groups, keep, options.pop("per_group"))
    chosen = np.flatnonzero(keep)
    texts = [corpus.texts[i] for i in chosen]
    if options.pop("headers", "all") == "subject":
        texts = [subject_and_body(text) for text in texts]
    options.pop("at_most", None)
    counts_only = options.pop("weigh", "corpus") == "sample"
    vectorizer = text_vectorizer(**options)
    return (vectorizer[:1] if counts_only else vectorizer).fit_transform(texts), corpus.groups[chosen]


def _weighed(counts: Matrix, least: int) -> Matrix:
    """The weights of `text_vectorizer`, as if these were all the documents there are."""
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    return LogTfidf().fit_transform(counts[:, frequency >= least])


def _first_of_each(groups: np.ndarray[Any, Any], allowed: Mask, size: int) -> Mask:
    """A fixed random draw of `size` allowed documents of each group."""
    rng = np.random.default_rng(0)
    chosen = np.zeros(len(groups), dtype=bool)
    for group in np.unique(groups):
        pool = np.flatnonzero(allowed & (groups == group))
        chosen[rng.choice(pool, min(size, len(pool)), replace=False)] = True
    return chosen


def _thinned(data: TaskData, prior: Mapping[str, float]) -> TaskData:
    """Without as many target documents as it takes to give the classes this prior; a fixed random draw."""
    if not prior:
        return data
    rng = np.random.default_rng(0)
    pools = {label: np.flatnonzero(data.in_target & (data.y == label)) for label in prior}
    size = min(len(pools[label]) / share for label, share in prior.items())
    kept = [rng.choice(pools[label], round(size * share), replace=False) for label, share in prior.items()]
    rows = np.sort(np.concatenate([np.flatnonzero(~data.in_target), *kept]))
    return replace(data, X=data.X[rows], y=data.y[rows], sample_domain=data.sample_domain[rows])


def _shortened(data: TaskData, size: int) -> TaskData:
    """At most so many documents of each side; a fixed random draw. Without a size, all of them."""
    if not size:
        return data
    rng = np.random.default_rng(0)
    sides = [np.flatnonzero(data.in_target == side) for side in (False, True)]
    rows = np.sort(np.concatenate([rng.permutation(side)[:size] for side in sides]))
    return replace(data, X=data.X[rows], y=data.y[rows], sample_domain=data.sample_domain[rows])


def _compose(X: Matrix, groups: np.ndarray[Any, Any], task: Task) -> TaskData:
    rows, labels, domains = [], [], []
    for domain, classes in zip(("source", "target"), task.sides, strict=True):
        for label, names in classes.items():
            for name in names:
                found = np.flatnonzero(groups == name)
                if not len(found):
                    raise DataError(f"The corpus {task.corpus} has no documents in {name}, which {task.name!r} needs.")
                rows.append(found)
                labels.append(np.full(len(found), label))
                domains.append(np.full(len(found), domain))
    return TaskData(X[np.concatenate(rows)], np.concatenate(labels), np.concatenate(domains))
