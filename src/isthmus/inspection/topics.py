"""Topics as people read them: the words on both sides, and the ones in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isthmus.core.features import first_words
from isthmus.inspection.tables import data_frame, plain_table, printed
from isthmus.typing import Array, DomainName

if TYPE_CHECKING:
    from rich.table import Table

Words = list[tuple[str, float]]
"""Words with their weights, the most telling first."""


@dataclass(frozen=True)
class Topic:
    """One topic: the class it speaks for, and its most telling words."""

    label: Any
    """The class that it is associated with most."""
    association: dict[Any, float]
    """How it divides among the classes."""
    common: Words
    """Words that all domains share; empty for a method that has none."""
    specific: dict[DomainName, Words]
    """Words of each domain."""


class Topics(list[Topic]):
    """All topics of a fit. Prints as a table."""

    def table(self) -> Table:
        domains = list(self[0].specific) if self else []
        common = any(topic.common for topic in self)
        titles = ["class", *(["common words"] if common else []), *(f"words of {name}" for name in domains)]
        rows = [
            [
                str(topic.label),
                *([listed(topic.common)] if common else []),
                *(listed(topic.specific[name]) for name in domains),
            ]
            for topic in self
        ]
        return plain_table(titles, rows)

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each word of each topic: class, topic, domain, word, weight."""
        rows = [
            {"topic": number, "label": topic.label, "domain": domain, "word": word, "weight": weight}
            for number, topic in enumerate(self)
            for domain, words in ({"common": topic.common} | {str(k): w for k, w in topic.specific.items()}).items()
            for word, weight in words
        ]
        return data_frame(rows)

    def __str__(self) -> str:
        return printed(self.table())


def read_topics(
    feature_names: Sequence[str],
    classes: np.ndarray[Any, Any],
    association: Array,
    common: Array | None,
    specific: dict[DomainName, Array],
    n_words: int,
) -> Topics:
    """Sort the columns of the word factors (each words x topics): topics of a class side by side, the strongest first.

    A topic's strength is its part in what is rebuilt: its words' weights times its association. Where words sum to one,
    not topics (DTLM), topics without any strength gather the rare words, and must not lead.
    """
    shares = _rows_to_one(association)
    parts = [factor.sum(axis=0) for factor in (*specific.values(), *([] if common is None else [common]))]
    strength = np.sum(parts, axis=0) * association.sum(axis=1)
    names = classes.tolist()

    def telling(factor: Array, topic: int) -> Words:
        return telling_words(feature_names, factor, association, topic, n_words)

    order = sorted(range(len(shares)), key=lambda t: (shares[t].argmax(), -strength[t]))
    return Topics(
        Topic(
            label=names[shares[topic].argmax()],
            association=dict(zip(names, shares[topic].tolist(), strict=True)),
            common=[] if common is None else telling(common, topic),
            specific={name: telling(factor, topic) for name, factor in specific.items()},
        )
        for topic in order
    )


def telling_words(feature_names: Sequence[str], factor: Array, association: Array, topic: int, n_words: int) -> Words:
    """The words of one column of a word factor, the most telling first.

    A word's place is decided by its weight times the squared share of the word that belongs to the topic's class: by
    weight alone, words that all classes use would stand first everywhere.
    """
    share = _rows_to_one(factor @ association)[:, association[topic].argmax()]
    order = np.argsort(-factor[:, topic] * share**2, kind="stable")
    return [
        (str(feature_names[word]), float(factor[word, topic]))
        for word in first_words(order, feature_names, n_words)
        if factor[word, topic] > 0
    ]


def listed(words: Words) -> str:
    """The words without their weights."""
    return ", ".join(word for word, _ in words)


def _rows_to_one(array: Array) -> Array:
    return array / np.maximum(array.sum(axis=1, keepdims=True), np.finfo(array.dtype).tiny)
