"""Cross-validation on the target, with a few of its labels known: the protocol of the DomTrans-NMF paper.

Section III-B: the target is split into five folds. Each in turn is held out, and its samples come as new ones; of the
others, a fifth are labelled and the rest are not. All of the source is labelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from isthmus.base import TransferClassifier
from isthmus.data import TaskData
from isthmus.exceptions import DataError
from isthmus.typing import Positions

N_FOLDS = 5
LABELED_SHARE = 0.2


@dataclass(frozen=True)
class Fold:
    """What a method said of the samples of one held-out fold."""

    seed: int
    positive: list[bool]
    """Which samples are of the second class (grade IV, for glioma)."""
    scores: list[float]
    """Their probability of the second class."""
    seconds: float

    @property
    def auc(self) -> float:
        return float(roc_auc_score(self.positive, self.scores))


def crossvalidate(estimator: TransferClassifier, data: TaskData, seed: int) -> Iterator[Fold]:
    """Fit and score a method once for each fold. Labels of held-out samples are used for scoring alone."""
    classes = np.unique(data.y)
    if len(classes) != 2:
        raise DataError(f"ROC curves need two classes, and this task has {len(classes)}: choose another metric.")
    source = np.flatnonzero(~data.in_target)
    for held_out, labeled, unlabeled in split(data, seed):
        rows = np.concatenate([source, labeled, unlabeled])
        model, began = clone(estimator), perf_counter()
        model.fit(
            data.X[rows],
            data.y[rows],
            sample_domain=data.sample_domain[rows],
            target_domain=data.target_domain,
            sample_labeled=np.isin(rows, unlabeled, invert=True),
        )
        seconds = perf_counter() - began
        scores = model.predict_proba(data.X[held_out])[:, 1]
        yield Fold(seed, (data.y[held_out] == classes[1]).tolist(), scores.tolist(), seconds)


def split(data: TaskData, seed: int) -> Iterator[tuple[Positions, Positions, Positions]]:
    """Rows of the target for each fold: held out, labelled, unlabelled. Classes have the same share in all of them."""
    target = np.flatnonzero(data.in_target)
    for train, test in _parts(StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed), data.y[target]):
        draw = StratifiedShuffleSplit(1, train_size=LABELED_SHARE, random_state=seed)
        ((known, unknown),) = _parts(draw, data.y[target[train]])
        yield target[test], target[train[known]], target[train[unknown]]


def _parts(splitter: Any, y: np.ndarray[Any, Any]) -> Iterator[tuple[Positions, Positions]]:
    yield from splitter.split(np.zeros((len(y), 1)), y)
