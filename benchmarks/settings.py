"""Where the settings of the tables come from: alternatives on tasks that are not the tables' own, as Markdown.

python benchmarks/settings.py DATA_FOLDER [NAME...]

The alternative with the best mean is chosen; of equal ones, the first. The tasks are

- for 20 Newsgroups, `isthmus.data.development_splits()`: the papers' categories, divided as in no table;
- for the Reuters matrices, leave one pair out: a pair's setting is chosen on the other two, in both directions;
- for glioma, the other trial.

All of them are marked in bold in the column whose heading names what they were chosen on or for. Results are stored as
those of `isthmus bench` are, so that a second run goes on where the first one ended.
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
from isthmus.bench.render import HIGHER_IS_BETTER
from isthmus.data import Library, Table, Task, development_splits, load_table
from isthmus.methods import METHODS

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
    texts: Sequence[dict[str, Any]] = ({},)
    repeats: int = 1


def grid(**values: Sequence[Any]) -> list[dict[str, Any]]:
    """All combinations."""
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def on_splits(per_pair: int) -> dict[str, Any]:
    """All development tasks decide. Those of each pair of categories are shown too: two pairs may share no document."""
    tasks = development_splits(per_pair)
    pairs: dict[str, list[str]] = {}
    for task in tasks:
        pairs.setdefault(task.name.partition(":")[0], []).append(task.name)
    return {"tasks": tasks, "decide": {"all": [task.name for task in tasks], **pairs}}


def on_the_others(table: str, corpus: str) -> dict[str, Any]:
    """For each pair of domains in turn, the tasks of the table that are not of this pair decide."""
    tasks = [task for task in load_table(table).tasks if task.corpus == corpus]
    pair_of = {task.name: task.name.removesuffix(" (reversed)") for task in tasks}
    decide = {
        f"for {pair}": [name for name, own in pair_of.items() if own != pair]
        for pair in dict.fromkeys(pair_of.values())
    }
    return {"tasks": tasks, "decide": decide}


def questions() -> dict[str, Question]:
    """By name, as the command line selects them."""
    vectors, weigh = grid(n_vectors=[None, 2]), grid(weigh=["corpus", "sample"])
    sizes = [{"n_topics": 16, "n_neighbours": 5}, {"n_topics": 32, "n_neighbours": 10}]
    dtlm = [{**one, **size} for one in grid(graph_weight=[0.001, 0.01, 0.1]) for size in sizes]
    reuters = [{**one, **size} for one in grid(n_init=[1, 3], graph_weight=[0.0028, 0.028, 0.28]) for size in sizes]
    return {
        "cdsc": Question("cdsc", "CDSC", vectors, **on_splits(2), texts=weigh, repeats=10),
        "cdsc-weighted": Question("cdsc", "CDSC weighted", vectors, **on_splits(2), texts=weigh, repeats=10),
        "cci": Question(
            "cci", "CCI", [{}], **on_splits(2), texts=grid(headers=["all", "subject"], weigh=["corpus", "sample"])
        ),
        "tcl": Question(
            "tcl", "TCL", grid(start_C=[1, 10, 100], common_weight=[0.1, 0.3, 0.5, 0.7, 0.9]), **on_splits(2)
        ),
        "dtlm": Question("dtlm", "DTLM", dtlm, **on_splits(1)),
        "dtlm-reuters": Question("dtlm", "DTLM", reuters, **on_the_others("dtlm", "reuters-crossdomain")),
        "domtrans-nmf": Question(
            "domtrans-nmf",
            "DomTrans-NMF",
            grid(n_topics=[10, 20, 40], loss_weight=[0.1, 1, 10]),
            **on_the_others("domtrans-nmf", "glioma"),
            repeats=2,
        ),
    }


def measure(question: Question, table: Table, text: dict[str, Any], library: Library, store: Store) -> list[list[Row]]:
    """The figures of each setting on all tasks."""
    own, corpus = table.columns[question.column], question.tasks[0].corpus
    method = own.get("method", question.column)
    names = [f"{question.column} {number}" for number in range(len(question.settings))]
    plan = replace(
        table,
        tasks=tuple(question.tasks),
        columns={
            name: {**own, "method": method, **setting} for name, setting in zip(names, question.settings, strict=True)
        },
        text={**table.text, corpus: {**table.text.get(corpus, {}), **text}},
    )
    found = []
    for row in Bench(plan, library, store, repeats=question.repeats).run():
        if not isinstance(row, Row):
            raise SystemExit(row.reason)
        found.append(row)
    return [[row for row in found if row.method == name] for name in names]


def in_table(question: Question, table: Table, setting: dict[str, Any], text: dict[str, Any]) -> bool:
    """Whether this alternative is what the table has."""
    task = question.tasks[0]
    params = dict(table.params(task, question.column))
    present = METHODS[params.pop("method", question.column)](**params).get_params()
    prepared = {**TEXT_DEFAULTS, **table.text.get(task.corpus, {})}
    return all(present[key] == value for key, value in setting.items()) and all(
        prepared[key] == value for key, value in text.items()
    )


def answer(name: str, question: Question, library: Library, store: Store) -> None:
    """Print one table."""
    table = load_table(question.table)
    alternatives, means = [], []
    for text in question.texts:
        for setting, rows in zip(question.settings, measure(question, table, text, library, store), strict=True):
            figures = {row.task: row.mean for row in rows}
            means.append([fmean(figures[task] for task in tasks) for tasks in question.decide.values()])
            alternatives.append((setting, text))
    pick = max if HIGHER_IS_BETTER[table.metric] else min
    best = [pick(column) for column in zip(*means, strict=True)]
    first = [column.index(value) for column, value in zip(zip(*means, strict=True), best, strict=True)]

    setting, text = alternatives[0]
    header = [*text, *setting, *question.decide, "in the table"]
    print(f"\n{name}: {table.metric.replace('_', ' ')}, {len(question.tasks)} tasks, {question.repeats} repeats\n")
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    digits = 2 if table.metric == "accuracy_percent" else 4
    for number, ((setting, text), own) in enumerate(zip(alternatives, means, strict=True)):
        figures_shown = [
            f"**{mean:.{digits}f}**" if number == chosen else f"{mean:.{digits}f}"
            for mean, chosen in zip(own, first, strict=True)
        ]
        present = "yes" if in_table(question, table, setting, text) else ""
        print("| " + " | ".join([*map(str, {**text, **setting}.values()), *figures_shown, present]) + " |")
    sys.stdout.flush()


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
