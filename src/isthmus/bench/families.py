"""Families of tasks on which the automatic choice is developed and judged.

One half of the tasks, told by a hash of the name, is for developing; figures are reported on the other half.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import combinations, permutations

from isthmus.bench.real import real_tasks, unrelated_real
from isthmus.bench.task import Task
from isthmus.datasets import newsgroups
from isthmus.datasets.reviews import REVIEW_DOMAINS

CATEGORIES: Mapping[str, tuple[str, ...]] = {
    name: tuple(groups.values()) for name, groups in newsgroups.CATEGORIES.items()
}
"""Four groups of each top category of 20 Newsgroups."""

HALVES = tuple(combinations(range(4), 2))
"""The six ways to choose the source's two groups of a category; the target gets the others."""

SHARES = (0.1, 0.25, 0.75, 0.9)
"""Of the first class in the target, where both have half of the source."""


def is_for_development(task: Task) -> bool:
    """Whether a task may be looked at while rules and thresholds are made.

    >>> from isthmus.bench import Task
    >>> is_for_development(Task("music to video", "reviews"))
    True
    """
    return sha256(task.name.encode()).digest()[0] % 2 == 0


def auto_tasks(topics: tuple[Task, ...]) -> tuple[Task, ...]:
    """All families. `topics` are the tasks of TCL's table."""
    nine = [replace(task, family="topics") for task in topics if task.corpus != "sraa"]
    splits, reviews = newsgroup_splits(), review_pairs()
    thinned = label_shifted([*splits[::5], *reviews[::4]])
    return (*nine, *splits, *reviews, *four_classes(), *thinned, *unrelated_tasks(), *real_tasks(), *unrelated_real())


def newsgroup_splits(every: bool = False) -> list[Task]:
    """Pairs of top categories, each divided between source and target.

    There are 36 ways to divide a pair, and six pairs. Without `every`, six ways of each pair: each half of the first
    category once, with another half of the second each time.
    """
    tasks = []
    for number, (first, second) in enumerate(combinations(CATEGORIES, 2)):
        for i, one in enumerate(HALVES):
            for j, other in enumerate(HALVES):
                if every or (j - i) % len(HALVES) == 1 + number % 5:
                    name = f"{first} {_numbers(one)} vs {second} {_numbers(other)}"
                    tasks.append(_news(name, "splits", {first: one, second: other}))
    return tasks


def review_pairs() -> list[Task]:
    """Opinions on one kind of product, to be told from those on another: all thirty ordered pairs."""
    return [
        Task(f"{source} to {target}", "reviews", _opinions(source), _opinions(target), family="reviews")
        for source, target in permutations(REVIEW_DOMAINS, 2)
    ]


def four_classes() -> list[Task]:
    """All four categories at once."""
    tasks = []
    for i in range(len(HALVES)):
        halves = {name: HALVES[(i + shift) % len(HALVES)] for shift, name in enumerate(CATEGORIES)}
        name = "four classes, " + " ".join(f"{label} {_numbers(half)}" for label, half in halves.items())
        tasks.append(_news(name, "four classes", halves))
    return tasks


def label_shifted(base: list[Task]) -> list[Task]:
    """Tasks whose target is thinned out, so that the class prior is another there than in the source (label shift)."""
    return [
        Task(
            f"{task.name}, {round(100 * share)}% {first}",
            task.corpus,
            task.source,
            task.target,
            family="label shift",
            target_prior={first: share, second: 1 - share},
        )
        for task in base
        for first, second in [task.target]
        for share in SHARES
    ]


def unrelated_tasks() -> list[Task]:
    """Targets whose classes have nothing to do with the source's: whatever is answered, it is wrong."""
    return [*_unrelated_news(), *_unrelated_reviews()]


def _unrelated_news() -> Iterator[Task]:
    """Two categories in the source, the other two in the target."""
    for number, (first, second) in enumerate(combinations(CATEGORIES, 2)):
        third, fourth = (name for name in CATEGORIES if name not in (first, second))
        for turn in range(2):
            half = HALVES[(number + 3 * turn) % len(HALVES)]
            yield Task(
                f"{first} vs {second} {_numbers(half)} for {third} vs {fourth}",
                "20news",
                {name: [CATEGORIES[name][i] for i in half] for name in (first, second)},
                {label: [CATEGORIES[name][i] for i in half] for label, name in ((first, third), (second, fourth))},
                family="unrelated",
            )


def more_unrelated() -> list[Task]:
    """More newsgroups that have nothing to do with each other, in no table: the warning was fitted to these as well."""
    tasks = []
    for number, (first, second) in enumerate(permutations(CATEGORIES, 2)):
        others = [name for name in CATEGORIES if name not in (first, second)]
        for turn in range(2):
            own, strange = HALVES[(number + 2 * turn + 1) % len(HALVES)], HALVES[(2 * number + turn + 3) % len(HALVES)]
            tasks.append(
                Task(
                    f"{first} vs {second} {_numbers(own)} for {' vs '.join(others)} {_numbers(strange)}",
                    "20news",
                    {name: [CATEGORIES[name][i] for i in own] for name in (first, second)},
                    {
                        label: [CATEGORIES[name][i] for i in strange]
                        for label, name in zip((first, second), others, strict=True)
                    },
                    family="unrelated",
                )
            )
    return tasks


def _unrelated_reviews() -> Iterator[Task]:
    """Newsgroups' topics for reviews, and reviews' opinions for newsgroups."""
    for (first, second), domain in zip(combinations(CATEGORIES, 2), REVIEW_DOMAINS, strict=True):
        news = {name: [CATEGORIES[name][i] for i in HALVES[0]] for name in (first, second)}
        yield Task(
            f"{first} vs {second} for {domain}",
            "20news+reviews",
            news,
            dict(zip((first, second), _opinions(domain).values(), strict=True)),
            family="unrelated",
        )
        yield Task(
            f"{domain} for {first} vs {second}",
            "20news+reviews",
            _opinions(domain),
            dict(zip(_opinions(domain), news.values(), strict=True)),
            family="unrelated",
        )


def _news(name: str, family: str, halves: Mapping[str, tuple[int, ...]]) -> Task:
    source = {label: [CATEGORIES[label][i] for i in half] for label, half in halves.items()}
    target = {label: [g for g in CATEGORIES[label] if g not in groups] for label, groups in source.items()}
    return Task(name, "20news", source, target, family=family)


def _opinions(domain: str) -> dict[str, list[str]]:
    return {opinion: [f"{domain}/{opinion}"] for opinion in ("negative", "positive")}


def _numbers(half: tuple[int, ...]) -> str:
    return "".join(str(i + 1) for i in half)
