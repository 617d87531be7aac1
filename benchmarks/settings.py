"""Where the settings of the tables come from: alternatives on tasks that are not the tables' own, as Markdown.

python benchmarks/settings.py DATA_FOLDER [NAME...]

A method's default stays unless an alternative is better by half a point and by more than one standard error over the
tasks; where there is no default, the best mean is chosen. Where single runs scatter, those within half a point of the
best run again, more often, and the second round decides. The tasks are

- for 20 Newsgroups, `isthmus.bench.development_splits()`: the papers' categories, divided as in no table;
- for the Reuters matrices, leave one pair out: a pair's setting is chosen on the other two, in both directions;
- for glioma, held-out labels of the source in both trials, with the target there and none of its labels known.

A column's best is bold; the last column says under which of the headings the table
has this alternative. Results are stored as those of `isthmus bench` are: a second run goes on where the first ended.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from platformdirs import user_cache_path

from isthmus.bench import Bench, Row, Store
from isthmus.bench.splits import development_splits
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, Table, load_table
from isthmus.methods import METHODS

Alternative = tuple[dict[str, Any], dict[str, Any]]
"""How texts are prepared, and the settings of the method."""

TEXT_DEFAULTS = {"headers": "all", "weigh": "corpus"}


@dataclass(frozen=True)
class Question:
    """Alternatives for one column of a table, and the tasks that decide."""

    table: str
    column: str
    settings: Sequence[dict[str, Any]]
    """Of the method: each is tried with each of `texts`."""
    tasks: Sequence[Task]
    decide: Mapping[str, Sequence[str]]
    """By heading: the names of the tasks whose mean stands, and decides, under it."""
    settle: Mapping[str, Task]
    """By heading: a task of the table whose setting is decided there."""
    texts: Sequence[dict[str, Any]] = ({},)
    repeats: int = 1
    again: int = 0
    """Repeats of the second round, if there is one."""
    protocol: str | None = None
    """If not the table's."""


def grid(**values: Sequence[Any]) -> list[dict[str, Any]]:
    """All combinations."""
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def on_splits(table: str) -> dict[str, Any]:
    """All development tasks decide. Those of each pair of categories are shown too: two pairs may share no document."""
    tasks = development_splits()
    pairs: dict[str, list[str]] = {}
    for task in tasks:
        pairs.setdefault(task.name.partition(":")[0], []).append(task.name)
    own = next(task for task in load_table(table).tasks if task.corpus == "20news")
    return {"tasks": tasks, "decide": {"all": [task.name for task in tasks], **pairs}, "settle": {"all": own}}


def on_the_others(table: str, corpus: str) -> dict[str, Any]:
    """For each pair of domains in turn, the tasks of the table that are not of this pair decide."""
    tasks = [task for task in load_table(table).tasks if task.corpus == corpus]
    pair_of = {task.name: task.name.removesuffix(" (reversed)") for task in tasks}
    own = {f"for {task.name}": task for task in tasks if pair_of[task.name] == task.name}
    decide = {heading: [name for name, pair in pair_of.items() if pair != task.name] for heading, task in own.items()}
    return {"tasks": tasks, "decide": decide, "settle": own}


def on_the_source(table: str) -> dict[str, Any]:
    """All tasks decide, by what is held out of their sources."""
    tasks = load_table(table).tasks
    decide = {"all": [task.name for task in tasks], **{task.name: [task.name] for task in tasks}}
    return {"tasks": tasks, "decide": decide, "settle": {"all": tasks[0]}, "protocol": "source-folds"}


def questions() -> dict[str, Question]:
    """By name, as the command line selects them."""
    vectors, weigh = grid(n_eigenvectors=[None, 2]), grid(weigh=["corpus", "sample"])
    texts = grid(headers=["all", "subject"], weigh=["corpus", "sample"])
    tcl = grid(start_C=[1, 10, 100], common_weight=[0.1, 0.3, 0.5, 0.7, 0.9])
    dtlm = grid(n_init=[1, 3], graph_weight=[0.001, 0.003, 0.01, 0.1])
    sizes = [{"n_topics": 16, "n_neighbors": 5}, {"n_topics": 32, "n_neighbors": 10}]
    reuters = [{**one, **size} for one in grid(n_init=[1, 3], graph_weight=[0.0028, 0.028, 0.28]) for size in sizes]
    return {
        "cdsc": Question("cdsc", "CDSC", vectors, **on_splits("cdsc"), texts=weigh, repeats=10),
        "cdsc-weighted": Question("cdsc", "CDSC weighted", vectors, **on_splits("cdsc"), texts=weigh, repeats=10),
        "cci": Question("cci", "CCI", [{}], **on_splits("cci"), texts=texts, repeats=5),
        "tcl": Question("tcl", "TCL", tcl, **on_splits("tcl"), again=3),
        "dtlm": Question("dtlm", "DTLM", dtlm, **on_splits("dtlm"), again=3),
        "dtlm-reuters": Question("dtlm", "DTLM", reuters, **on_the_others("dtlm", "reuters-crossdomain"), again=3),
        "domtrans-nmf": Question(
            "domtrans-nmf",
            "DomTrans-NMF",
            grid(n_topics=[10, 20, 40], loss_weight=[0.1, 1, 10]),
            **on_the_source("domtrans-nmf"),
            repeats=2,
        ),
    }


def measure(
    question: Question, table: Table, alternative: Alternative, repeats: int, library: Library, store: Store
) -> list[float]:
    """The mean under each heading."""
    text, setting = alternative
    own, corpus = dict(table.columns[question.column]), question.tasks[0].corpus
    if question.protocol is not None:
        own["protocol"] = question.protocol
    plan = replace(
        table,
        tasks=tuple(question.tasks),
        columns={question.column: {**own, **setting}},
        text={**table.text, corpus: {**table.text.get(corpus, {}), **text}},
    )
    figures = {}
    for row in Bench(plan, library, store, repeats=repeats).run():
        if not isinstance(row, Row):
            raise SystemExit(row.reason)
        figures[row.task] = row.mean
    return [fmean(figures[task] for task in tasks) for tasks in question.decide.values()]


def in_table(question: Question, table: Table, alternative: Alternative) -> str:
    """The headings under which this alternative is what the table has."""
    text, setting = alternative
    found = []
    for heading, task in question.settle.items():
        params = dict(table.params(task, question.column))
        method = METHODS[params.pop("method", question.column)](**params)
        present = {**TEXT_DEFAULTS, **table.text.get(task.corpus, {}), **method.get_params()}
        if {**present, **text, **setting} == present:
            found.append(heading)
    return ", ".join(found)


def show(question: Question, table: Table, means: Sequence[tuple[Alternative, list[float]]], best: list[int]) -> None:
    """Alternatives down, headings across."""
    (text, setting), _ = means[0]
    header = [*text, *setting, *question.decide, "in the table"]
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    digits = 2 if table.metric == "accuracy_percent" else 4
    for number, (alternative, own) in enumerate(means):
        text, setting = alternative
        marks = ["**" if number == chosen else "" for chosen in best]
        figures = [f"{mark}{mean:.{digits}f}{mark}" for mark, mean in zip(marks, own, strict=True)]
        cells = [*map(str, {**text, **setting}.values()), *figures, in_table(question, table, alternative)]
        print("| " + " | ".join(cells) + " |", flush=True)


def answer(name: str, question: Question, library: Library, store: Store) -> None:
    """One round or two, each as a table."""
    table = load_table(question.table)
    pick = min if table.metric == "error_rate" else max
    close = 0.5 if table.metric == "accuracy_percent" else 0.005
    alternatives: list[Alternative] = list(product(question.texts, question.settings))
    for repeats in filter(None, (question.repeats, question.again)):
        means = [(one, measure(question, table, one, repeats, library, store)) for one in alternatives]
        columns = list(zip(*(own for _, own in means), strict=True))
        best = [column.index(pick(column)) for column in columns]
        of = f"{table.metric.replace('_', ' ')}, {len(question.tasks)} tasks"
        print(f"\n{name}: {of}, {repeats} repeat{'s' if repeats > 1 else ''}\n")
        show(question, table, means, best)
        deciding = [place for place, heading in enumerate(question.decide) if heading in question.settle]
        limits = {place: columns[place][best[place]] for place in deciding}
        alternatives = [
            one for one, own in means if any(abs(own[place] - top) <= close for place, top in limits.items())
        ]


def main() -> None:
    """All questions, or those that are named."""
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    warnings.simplefilter("ignore")
    asked, known = sys.argv[2:], questions()
    for name in asked:
        if name not in known:
            raise SystemExit(f"There is no question {name!r}: choose from {', '.join(known)}.")
    library, store = Library(Path(sys.argv[1])), Store(user_cache_path("isthmus") / "results")
    for name, question in known.items():
        if not asked or name in asked:
            answer(name, question, library, store)


if __name__ == "__main__":
    main()
