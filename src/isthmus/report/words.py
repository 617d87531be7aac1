"""Words of classes and of domains, read from the documents and their labels: no topics needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.core.features import first_words
from isthmus.inspection.topics import Topic, Topics, Words, telling_words
from isthmus.report.material import Material
from isthmus.typing import Array, DomainName, Matrix, Positions

SOURCE, TARGET = "source", "target"

FEWEST = 5
"""A word that fewer documents of a domain hold says nothing about that domain."""


@dataclass(frozen=True)
class Change:
    """A word, the share of each domain's documents that hold it, and what it stands for in each."""

    word: str
    source: float
    target: float
    source_class: str = ""
    target_class: str = ""


@dataclass(frozen=True)
class Changes:
    """Words that changed from the source to the target."""

    fewer: list[Change]
    more: list[Change]
    turned: list[Change]
    """Words that stand for one class in the source and for another in the target."""


def class_topics(material: Material, n_words: int) -> Topics:
    """One topic per class: its telling words in both domains, and in each alone. For methods without topics."""
    assert material.words is not None
    profiles = {
        SOURCE: mean_documents(material.X_source, material.source_numbers, material.n_classes),
        TARGET: mean_documents(material.X_target, material.numbers, material.n_classes),
    }
    both = sum(profiles.values())
    shared = np.sqrt(profiles[SOURCE] * profiles[TARGET])  # zero for a word that one domain has not
    # What a domain has beyond the shared part, weighed by how much of the word is this domain's own.
    own = {
        name: profile * np.divide(profile, both, out=np.zeros_like(profile), where=both > 0) ** 2
        for name, profile in profiles.items()
    }
    even = np.eye(material.n_classes)
    topics = Topics()
    for number, label in enumerate(material.class_names[: material.n_classes]):

        def telling(factor: Array, number: int = number, n: int = n_words) -> Words:
            return telling_words(material.words, factor, even, number, n)  # type: ignore[arg-type]

        common = telling(shared)
        taken = {word for word, _ in common}
        specific: dict[DomainName, Words] = {
            name: [pair for pair in telling(factor, n=2 * n_words) if pair[0] not in taken][:n_words]
            for name, factor in own.items()
        }
        topics.append(Topic(label=label, association={label: 1.0}, common=common, specific=specific))
    return topics


def mean_documents(X: Matrix, numbers: Positions, n_classes: int) -> Array:
    """The mean document of each class: words x classes."""
    one_hot = np.eye(n_classes)[numbers]
    return np.asarray(X.T @ (one_hot / np.maximum(one_hot.sum(axis=0), 1)))


def document_shares(X: Matrix) -> Array:
    """The share of documents that hold each word."""
    return np.bincount(X.indices[X.data != 0], minlength=X.shape[1]) / X.shape[0]


def changed_words(material: Material, n_words: int) -> Changes:
    """Words that one domain has and the other lacks, and words that change sides."""
    assert material.words is not None
    words = material.words
    n_source, n_target = material.X_source.shape[0], material.X_target.shape[0]
    source, target = document_shares(material.X_source), document_shares(material.X_target)
    # The two-proportion z: a difference counts for more where there are documents to tell it from chance.
    pooled = (source * n_source + target * n_target) / (n_source + n_target)
    spread = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-12) * (1 / n_source + 1 / n_target))
    z = (target - source) / spread
    order = np.argsort(z, kind="stable")

    def change(word: int, source_class: str = "", target_class: str = "") -> Change:
        return Change(str(words[word]), float(source[word]), float(target[word]), source_class, target_class)

    fewer = [change(word) for word in first_words(order, words, n_words) if z[word] < 0]
    more = [change(word) for word in first_words(order[::-1], words, n_words) if z[word] > 0]

    leaning_s = _leaning(material.X_source, material.source_numbers, material.n_classes)
    leaning_t = _leaning(material.X_target, material.numbers, material.n_classes)
    side_s, side_t = leaning_s.argmax(axis=1), leaning_t.argmax(axis=1)
    strength = np.minimum(leaning_s.max(axis=1), leaning_t.max(axis=1))
    frequent = (source * n_source >= FEWEST) & (target * n_target >= FEWEST)
    strength[~frequent | (side_s == side_t)] = 0
    turned = [
        change(word, material.class_names[side_s[word]], material.class_names[side_t[word]])
        for word in first_words(np.argsort(-strength, kind="stable"), words, n_words)
        if strength[word] > 2  # two standard deviations on both sides
    ]
    return Changes(fewer, more, turned)


def _leaning(X: Matrix, numbers: Positions, n_classes: int) -> Array:
    """How far each class has each word more often than the domain at large, in standard deviations."""
    holds = X.copy()
    holds.data = (holds.data != 0).astype(np.float64)
    one_hot = np.eye(n_classes)[numbers]
    sizes = one_hot.sum(axis=0)
    share = np.asarray(holds.sum(axis=0)).ravel()[:, None] / X.shape[0]
    expected = share * sizes
    return np.asarray((holds.T @ one_hot - expected) / np.sqrt(np.maximum(expected * (1 - share), 1e-12)))
