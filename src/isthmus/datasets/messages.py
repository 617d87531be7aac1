"""The embedded corpus: customer messages to two invented services, written for this project."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources

import numpy as np

from isthmus.datasets.corpus import Corpus

SOURCE, TARGET = "photos", "bicycles"


@dataclass(frozen=True, eq=False)
class Messages(Corpus):
    """Messages with the service that each was sent to (the groups) and what it is about (the labels)."""

    labels: np.ndarray[tuple[int], np.dtype[np.str_]]


def load_messages() -> Messages:
    """Messages to a photo-sharing app and to a bicycle-rental service; three classes, labels for both.

    >>> from isthmus.datasets import load_messages
    >>> messages = load_messages()
    >>> sorted(set(messages.labels.tolist()))
    ['billing', 'fault', 'suggestion']
    """
    file = resources.files("isthmus.datasets") / "messages.csv"
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return Messages(
        texts=[row["text"] for row in rows],
        groups=np.array([row["domain"] for row in rows]),
        labels=np.array([row["label"] for row in rows]),
    )
