"""Tasks of 20 Newsgroups beyond the papers' own: other ways to divide the groups of two top categories."""

from __future__ import annotations

from hashlib import sha256
from itertools import combinations, product

from isthmus.bench.task import Task
from isthmus.bench.tasks import load_table
from isthmus.datasets.newsgroups import CATEGORIES

NEWSGROUP_TABLES = ("tcl", "dtlm", "cci", "cdsc")
"""The papers' tables with tasks of 20 Newsgroups."""


def divided_categories() -> list[Task]:
    """Every way to divide two categories into halves, one for the source and one for the target: 54 tasks.

    Four groups come apart into halves in three ways. The source has the halves with the first group of each category;
    the same divisions with halves exchanged, in one category or in both, are not listed again. All six 20 Newsgroups
    tasks of TCL's and DTLM's tables are among them.

    >>> from isthmus.bench import divided_categories
    >>> splits = divided_categories()
    >>> len(splits), splits[2].name
    (54, 'comp vs rec: graphics+os | autos+hockey')
    >>> splits[2].target["rec"]
    ['rec.motorcycles', 'rec.sport.baseball']
    """
    tasks = []
    for one, other in combinations(CATEGORIES, 2):
        for halves in product(_halves(one), _halves(other)):
            source, target = {}, {}
            for category, half in zip((one, other), halves, strict=True):
                groups = CATEGORIES[category]
                source[category] = [groups[name] for name in half]
                target[category] = [groups[name] for name in groups if name not in half]
            name = f"{one} vs {other}: " + " | ".join("+".join(half) for half in halves)
            tasks.append(Task(name, "20news", source, target))
    return tasks


def development_splits() -> list[Task]:
    """Splits on which settings may be chosen: no paper's task divides the same two categories in the same way.

    Neither with source and target exchanged, nor with the halves of one category exchanged, nor with comp.windows.x
    beside them. Of those that remain, each pair of categories gives the two whose names have the smallest hash.
    The order of the hashes decides, and no figure.

    >>> from isthmus.bench import development_splits
    >>> len(development_splits())
    12
    """
    taken = {
        division(task) for table in NEWSGROUP_TABLES for task in load_table(table).tasks if task.corpus == "20news"
    }
    free = [task for task in divided_categories() if division(task) not in taken]
    chosen = []
    for pair in combinations(CATEGORIES, 2):
        own = [task for task in free if tuple(task.source) == pair]
        chosen += sorted(own, key=lambda task: sha256(task.name.encode()).hexdigest())[:2]
    return chosen


def division(task: Task) -> frozenset[frozenset[frozenset[str]]]:
    """How a task divides its categories, whichever side is the source: of each category the two sets of groups."""
    known = {group for groups in CATEGORIES.values() for group in groups.values()}
    return frozenset(frozenset(frozenset(side[label]) & known for side in task.sides) for label in task.source)


def _halves(category: str) -> list[tuple[str, str]]:
    first, *others = CATEGORIES[category]
    return [(first, other) for other in others]
