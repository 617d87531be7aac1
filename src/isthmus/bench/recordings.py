"""Tasks of EEG recordings: experiment I of the DomTrans-NMF paper."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.bench.task import Task
from isthmus.datasets import csp_features, load_bci
from isthmus.exceptions import MissingDataError
from isthmus.typing import Array

N_PEOPLE = 9
DAYS = {"day 1 to 2": ("T", "E"), "day 2 to 1": ("E", "T")}
"""The paper's two trials: each day of a person in turn is the source."""


def recorded_tasks() -> tuple[Task, ...]:
    """Both trials of all nine people: four movements, share right.

    >>> from isthmus.bench.recordings import recorded_tasks
    >>> [task.name for task in recorded_tasks()][:2]
    ['BCI A01, day 1 to 2', 'BCI A01, day 2 to 1']
    """
    people = [f"A{number:02}" for number in range(1, N_PEOPLE + 1)]
    return tuple(
        Task(f"BCI {who}, {name}", "bci", file=" ".join(who + day for day in days), metric="accuracy_fraction")
        for who, (name, days) in product(people, DAYS.items())
    )


def load_recordings(task: Task, data: Path | None) -> tuple[Array, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Features, movements and domains of a task. The spatial patterns are learned from the source alone."""
    try:
        source, target = (load_bci(session, data) for session in task.file.split())
    except MissingDataError as missing:
        raise MissingDataError(f"The recordings of BCI Competition IV 2a are not here: {missing}") from missing
    X = np.vstack(csp_features(source, source, target))
    domains = np.repeat(["source", "target"], [len(source.y), len(target.y)])
    return X, np.concatenate([source.y, target.y]), domains
