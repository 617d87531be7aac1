"""Are missing and new classes noticed, and is nothing else taken for one?

python benchmarks/class_sets.py DATA_FOLDER [SHARE]    for each kind of tasks with three classes and more: how many of
                                                       the missing and new classes are noticed, and how many tasks
                                                       without one are accused; of so many of the tasks (default 1)

The tasks are those of the table "auto" on real domains, and newsgroups in which each category is left out of one side:
`isthmus.bench.families.four_classes` and its parts.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from isthmus import Auto
from isthmus.auto import candidates as names
from isthmus.auto.class_sets import missing_classes
from isthmus.auto.novelty import novel_documents
from isthmus.auto.run import Clock, Run
from isthmus.bench.families import CATEGORIES, four_classes
from isthmus.bench.real import real_tasks
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, load_table
from isthmus.core.estimator import one_blas_thread
from isthmus.core.problem import make_problem
from isthmus.core.workspace import Workspace

AT_MOST = {"source": 1000, "target": 1000}


def tasks() -> Iterator[Task]:
    """All that have three classes or more in the source."""
    yield from (task for task in real_tasks() if len(task.source) > 2)
    for task in four_classes():
        yield task
        for gone in CATEGORIES:
            source, target = ({name: side[name] for name in side if name != gone} for side in task.sides)
            yield replace(task, name=f"{task.name}, {gone} missing", target=target)
            yield replace(task, name=f"{task.name}, {gone} new", source=source)
            yield replace(task, name=f"{task.name}, no {gone}", source=source, target=target)


def kind_of(task: Task) -> str:
    """Of its documents."""
    return "newsgroups" if task.corpus == "20news" else task.corpus


def noticed(library: Library, task: Task) -> tuple[bool, bool]:
    """Whether a class is said to be missing, and whether one is said to be new."""
    drawn = library.load(load_table("auto"), task).drawn(AT_MOST if task.corpus == "20news" else {}, 0)
    problem = make_problem(Auto(), drawn.X, drawn.y, drawn.sample_domain, drawn.target_domain)
    run = Run(problem, Workspace(), "auto", Clock(None), random_state=0)
    with one_blas_thread():
        run.start()
        novel = novel_documents(problem, run.answers[names.SOURCE_ONLY])
    return bool(missing_classes(problem, run.answers)), novel is not None


def main() -> None:
    """Print a table."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    library, share = Library(Path(sys.argv[1])), float(sys.argv[2]) if len(sys.argv) == 3 else 1.0
    rng, seen = np.random.default_rng(0), defaultdict(list)
    for task in tasks():
        if rng.random() < share:
            truth = (bool(task.source.keys() - task.target.keys()), bool(task.target.keys() - task.source.keys()))
            seen[kind_of(task)].append((truth, noticed(library, task)))
    print("| kind | missing classes noticed | accused falsely | new classes noticed | accused falsely |")
    print("|---" * 5 + "|")
    everything = [row for rows in seen.values() for row in rows]
    for kind, rows in [*seen.items(), ("all", everything)]:
        cells = [kind]
        for number in range(2):
            found = [said[number] for truth, said in rows if truth[number]]
            false = [said[number] for truth, said in rows if not truth[number]]
            cells += [f"{sum(found)} of {len(found)}", f"{sum(false)} of {len(false)}"]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
