"""What the examples share: two domains of texts, and how a picture looks."""

from __future__ import annotations

from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from isthmus.datasets import load_messages, load_newsgroups
from isthmus.datasets.newsgroups import CATEGORIES, subject_and_body
from isthmus.exceptions import MissingDataError

COLORS = ["#00796b", "#d95f02", "#5e60ce", "#888888"]
plt.rcParams.update(
    {"figure.dpi": 110, "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "savefig.bbox": "tight"}
)


@dataclass(frozen=True)
class Task:
    """Labeled texts of one domain, texts of another, and their labels for scoring."""

    name: str
    source: list[str]
    labels: list[str]
    target: list[str]
    truth: list[str]

    def accuracy(self, labels: np.ndarray) -> float:
        return float(np.mean(np.asarray(labels) == np.array(self.truth)))

    def part(self, rows: np.ndarray) -> Task:
        """The same with some of the target's documents."""
        return Task(
            self.name, self.source, self.labels, *([side[row] for row in rows] for side in (self.target, self.truth))
        )


def messages(quick: bool = False) -> Task:
    """The embedded messages, or a third of them: to a photo-sharing app, labeled, and to a bicycle-rental service."""
    found, step = load_messages(), 3 if quick else 1
    texts, here = np.array(found.texts, dtype=object), found.groups == "photos"
    sides = [(list(texts[mask])[::step], found.labels[mask].tolist()[::step]) for mask in (here, ~here)]
    return Task("messages", *sides[0], *sides[1])


def newsgroups(first: str = "comp", second: str = "sci", size: int = 150) -> Task | None:
    """Two topics, two groups of each as source and two others as target; None where the data are not at hand."""
    try:
        corpus = load_newsgroups()
    except MissingDataError:
        return None
    sides: list[tuple[list[str], list[str]]] = [([], []), ([], [])]
    for topic in (first, second):
        for number, group in enumerate(CATEGORIES[topic].values()):
            rows = np.flatnonzero(corpus.groups == group)[:size]
            texts, labels = sides[number // 2]
            texts += [subject_and_body(corpus.texts[row]) for row in rows]
            labels += [topic] * len(rows)
    return Task(f"20 Newsgroups, {first} vs {second}", *sides[0], *sides[1])


def topics(quick: bool) -> Task:
    """Classes that are topics, where the data are; else the messages."""
    return (None if quick else newsgroups()) or messages(quick)


def axes(width: float = 5.6, height: float = 3.4, columns: int = 1) -> tuple[Figure, list[plt.Axes]]:
    """An empty picture."""
    figure, found = plt.subplots(1, columns, figsize=(width, height), layout="constrained", squeeze=False)
    return figure, list(found[0])
