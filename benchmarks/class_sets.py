"""Are missing and new classes noticed, and is nothing else taken for one?

python benchmarks/class_sets.py DATA_FOLDER [DOCUMENTS]    for each kind of tasks with three classes and more: how many
                                                           of the missing and new classes are noticed, and how many
                                                           tasks without one are accused; at most so many documents of
                                                           either side (default: as in the table, or 1,000)

The tasks are those of the table "auto" on real domains; newsgroups (`isthmus.bench.families.four_classes`); and
products that are to be told in negative reviews by positive ones, in English and in Chinese. Of the last two kinds,
each class is left out of either side, and of both; and of all tasks with the same classes on both sides, each class is
thinned out in the target, which is no reason to call it missing.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from isthmus import Auto
from isthmus.auto import candidates
from isthmus.auto.class_sets import missing_classes, novel_documents
from isthmus.auto.run import Clock, Run
from isthmus.bench.families import four_classes
from isthmus.bench.real import CHINESE, real_tasks
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, load_table
from isthmus.core.estimator import ONE_BLAS_THREAD
from isthmus.core.problem import make_problem
from isthmus.core.workspace import Workspace
from isthmus.datasets.reviews import REVIEW_DOMAINS
from isthmus.typing import Mask

AT_MOST = {"source": 1000, "target": 1000}
"""Of documents, where the table says nothing."""
REAL = {task.name for task in real_tasks()}
RARE = (0.1, 0.25)
"""Of what the other classes have in the target."""


def tasks() -> Iterator[Task]:
    """All that have three classes or more in the source."""
    yield from (task for task in real_tasks() if len(task.source) > 2)
    for task in whole_tasks():
        yield task
        for gone in task.source:
            source, target = ({name: side[name] for name in side if name != gone} for side in task.sides)
            yield replace(task, name=f"{task.name}, {gone} missing", target=target)
            yield replace(task, name=f"{task.name}, {gone} new", source=source)
            yield replace(task, name=f"{task.name}, no {gone}", source=source, target=target)


def whole_tasks() -> Iterator[Task]:
    """Of newsgroups and products, with all classes on both sides."""
    yield from four_classes()
    yield products("reviews", REVIEW_DOMAINS, "positive", "negative")
    yield products("chinese", CHINESE, "pos", "neg")


def rare_tasks() -> Iterator[Task]:
    """Those with the same classes on both sides, each of which becomes rare in the target (label shift)."""
    for task in (*(task for task in real_tasks() if len(task.source) > 2), *whole_tasks()):
        if task.source.keys() == task.target.keys() and not task.target_prior:
            for name in task.target:
                for share in RARE:
                    parts = {other: share if other == name else 1.0 for other in task.target}
                    prior = {other: part / sum(parts.values()) for other, part in parts.items()}
                    yield replace(task, name=f"{task.name}, {name} at {share}", target_prior=prior)


def products(corpus: str, goods: Sequence[str], one: str, other: str) -> Task:
    """What a review is about: by those of one opinion, in those of the other."""
    source, target = ({name: [f"{name}/{opinion}"] for name in goods} for opinion in (one, other))
    return Task(f"products, {corpus}", corpus, source, target)


def kind_of(task: Task) -> str:
    """Of its documents."""
    return {"20news": "newsgroups", "reviews": "products", "chinese": "products, Chinese"}.get(task.corpus, task.corpus)


def noticed(library: Library, task: Task, at_most: Mapping[str, int]) -> tuple[bool, Mask | None, Mask]:
    """Whether a class is said to be missing, which documents are said to be of a new one, and which are."""
    drawn = library.load(load_table("auto"), task).drawn(at_most, 0)
    problem = make_problem(Auto(), drawn.X, drawn.y, drawn.sample_domain, drawn.target_domain)
    run = Run(problem, Workspace(), "auto", Clock(None), random_state=0)
    with ONE_BLAS_THREAD:
        run.start()
        labels = run.consensus.argmax(axis=1)
        novel = novel_documents(problem, run.looked_at, run.answers[candidates.SOURCE_ONLY], labels)
    truth = np.concatenate([drawn.y[domain.rows[~domain.labeled]] for domain in problem.domains])
    gone = missing_classes(problem, run.looked_at, run.answers, run.reverse_auc)
    return bool(gone), novel, ~np.isin(truth, problem.classes)


def main() -> None:
    """Print a table."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    library, seen, right = Library(Path(sys.argv[1])), defaultdict(list), []
    given = {side: int(sys.argv[2]) for side in AT_MOST} if len(sys.argv) == 3 else None
    accused = defaultdict(list)
    for task in rare_tasks():
        missing, *_ = noticed(library, task, given or AT_MOST)
        accused[kind_of(task)].append(missing)
    for task in tasks():
        missing, novel, is_new = noticed(library, task, given or ({} if task.name in REAL else AT_MOST))
        truth = (bool(task.source.keys() - task.target.keys()), bool(is_new.any()))
        seen[kind_of(task)].append((truth, (missing, novel is not None)))
        if novel is not None and is_new.any():
            right.append((is_new[novel].mean(), novel[is_new].mean()))
    print("| kind | missing classes noticed | accused falsely | new classes noticed | accused falsely |", end="")
    print(" rare classes accused |")
    print("|---" * 6 + "|")
    everything = [row for rows in seen.values() for row in rows]
    accused["all"] = [said for own in accused.values() for said in own]
    for kind, rows in [*seen.items(), ("all", everything)]:
        cells = [kind]
        for number in range(2):
            found = [said[number] for truth, said in rows if truth[number]]
            false = [said[number] for truth, said in rows if not truth[number]]
            cells += [f"{sum(found)} of {len(found)}", f"{sum(false)} of {len(false)}"]
        cells.append(f"{sum(accused[kind])} of {len(accused[kind])}")
        print("| " + " | ".join(cells) + " |")
    if right:
        precision, recall = np.mean(right, axis=0)
        print(f"\nOf the documents said to be new {precision:.0%} are; of those that are, {recall:.0%} are named.")


if __name__ == "__main__":
    main()
