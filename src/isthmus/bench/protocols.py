"""How a method is measured: what each fit is given, which labels it may read, and what it is tested on."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from isthmus.bench.tasks import TaskData
from isthmus.core.estimator import TransferClassifier
from isthmus.evaluation.measures import calibration_error, reliability_bins
from isthmus.exceptions import DataError
from isthmus.typing import Array, Mask, Positions

N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class ProtocolTrial:
    """One fit, as rows of a task."""

    given: Positions
    labeled: Positions
    """Those of the given rows whose labels may be read."""
    tested: Positions
    """None of them labeled: all among the given rows, or none."""


@dataclass(frozen=True)
class SelfReport:
    """What the automatic choice says of its own accuracy, between 0 and 1."""

    estimated: float
    low: float
    high: float
    chosen: str
    warning: str
    """Kinds of warnings, with commas between them; empty if there was none."""
    calibration_error: float
    """How far the probabilities of the labels are from how often these are right, on average: measured, not claimed."""

    @classmethod
    def of(cls, model: Any, outcome: Outcome) -> SelfReport | None:
        if not hasattr(model, "estimated_accuracy_"):
            return None
        estimate = model.estimated_accuracy_
        warnings = ", ".join(caution.kind for caution in model.warnings_)
        error = calibration_error(reliability_bins(outcome.right, outcome.distributions.max(axis=1)))
        return cls(estimate.value, estimate.low, estimate.high, " + ".join(model.chosen_), warnings, error)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method said of the rows that it was tested on."""

    truth: np.ndarray[Any, Any]
    classes: np.ndarray[Any, Any]
    distributions: Array
    seconds: float
    report: SelfReport | None = None
    """What the method itself says of its answer, if it does."""

    @property
    def right(self) -> Mask:
        return np.asarray(self.classes[self.distributions.argmax(axis=1)] == self.truth)

    @property
    def accuracy(self) -> float:
        return float(np.mean(self.right))


@dataclass(frozen=True)
class Fold:
    """An outcome as ROC curves need it; for tasks of two classes."""

    seed: int
    positive: list[bool]
    """Which samples are of the second class (grade IV, for glioma)."""
    scores: list[float]
    """Their probability of the second class."""
    seconds: float

    @classmethod
    def of(cls, outcome: Outcome, seed: int) -> Fold:
        if len(outcome.classes) != 2:
            raise DataError(f"ROC curves need two classes, and this task has {len(outcome.classes)}: choose another.")
        positive = outcome.truth == outcome.classes[1]
        return cls(seed, positive.tolist(), outcome.distributions[:, 1].tolist(), outcome.seconds)

    @property
    def auc(self) -> float:
        return float(roc_auc_score(self.positive, self.scores))


def whole_target(
    data: TaskData, seed: int, *, labeled_share: float = 0.0, source_size: int | None = None
) -> Iterator[ProtocolTrial]:
    """Learn from the source and label the whole target: what nearly all papers do.

    `labeled_share` of the target's labels may be read too (the others are tested on); `source_size` keeps so many
    rows of the source. Both are drawn by the seed, with the class prior as it is.
    """
    source, target = np.flatnonzero(~data.in_target), np.flatnonzero(data.in_target)
    if source_size is not None and source_size < len(source):
        source, _ = _drawn(data, source, source_size, seed)
    known, unknown = _drawn(data, target, labeled_share, seed)
    yield ProtocolTrial(np.sort(np.concatenate([source, target])), np.concatenate([source, known]), unknown)


def folds(data: TaskData, seed: int, *, labeled_share: float = 0.2, n_splits: int = N_FOLDS) -> Iterator[ProtocolTrial]:
    """Cross-validation on the target, with a few of its labels known (section III-B of the DomTrans-NMF paper).

    Each of five folds (eight for EEG, section III-A) in turn is held out, and its samples come as new ones; of the
    others, a fifth are labeled and the rest are not. All of the source is labeled.
    """
    source = np.flatnonzero(~data.in_target)
    for trial in in_domain(data, seed, n_splits=n_splits):
        known, unknown = _drawn(data, trial.given, labeled_share, seed)
        yield ProtocolTrial(np.concatenate([source, known, unknown]), np.concatenate([source, known]), trial.tested)


def in_domain(data: TaskData, seed: int, *, n_splits: int = 2) -> Iterator[ProtocolTrial]:
    """What transfer aims at: a classifier that learns from half of the target's labels, tested on the other half."""
    return _within(data, np.flatnonzero(data.in_target), n_splits, seed)


def target_cv(data: TaskData, seed: int, *, n_splits: int = 10) -> Iterator[ProtocolTrial]:
    """Cross-validation within the target: D_out-CV in table 2 of the CDSC paper."""
    return _within(data, np.flatnonzero(data.in_target), n_splits, seed)


def source_cv(data: TaskData, seed: int, *, n_splits: int = 10) -> Iterator[ProtocolTrial]:
    """Cross-validation within the source: D_in-CV in table 2 of the CDSC paper."""
    return _within(data, np.flatnonzero(~data.in_target), n_splits, seed)


def folds_of_source(data: TaskData, seed: int, *, n_splits: int = N_FOLDS) -> Iterator[ProtocolTrial]:
    """The target is given without any label, and folds of the source are tested on: settings can be chosen by this."""
    target = np.flatnonzero(data.in_target)
    for trial in source_cv(data, seed, n_splits=n_splits):
        yield ProtocolTrial(np.concatenate([trial.given, target]), trial.labeled, trial.tested)


PROTOCOLS: Mapping[str, Callable[..., Iterator[ProtocolTrial]]] = {
    "transfer": whole_target,
    "folds": folds,
    "in-domain": in_domain,
    "target-cv": target_cv,
    "source-cv": source_cv,
    "source-folds": folds_of_source,
}
"""By the name that columns of a table use."""

ON_SOURCE = ("source-cv", "source-folds")
"""Those that do not test on the target."""

OF_TRANSFER = ("transfer", "folds")
"""Those in which methods compete. The others tell what could be had with labels that transfer does without."""


def options_of(protocol: str) -> dict[str, Any]:
    """The settings that a protocol takes, and what they are unless a table says otherwise.

    >>> from isthmus.bench.protocols import options_of
    >>> options_of("transfer")
    {'labeled_share': 0.0, 'source_size': None}
    """
    if protocol not in PROTOCOLS:
        raise DataError(f"There is no protocol {protocol!r}: choose from {', '.join(PROTOCOLS)}.")
    parameters = inspect.signature(PROTOCOLS[protocol]).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}


def attempt(estimator: TransferClassifier, data: TaskData, trial: ProtocolTrial) -> Outcome:
    """Fit and test a method once. Labels of tested rows are used for scoring alone."""
    model, given = clone(estimator), trial.given
    X, y = data.X[given], data.y[given]
    labeled = np.isin(given, trial.labeled)
    domains = {"sample_domain": data.sample_domain[given], "target_domain": data.target_domain}
    about = {} if labeled.all() else {**domains, "sample_labeled": labeled}  # all labeled: a plain classifier
    began = perf_counter()
    model.fit(X, y, **about)
    seconds = perf_counter() - began
    place = np.full(len(data.y), -1)
    place[given] = np.arange(len(given))
    at = place[trial.tested]
    distributions = model.label_distributions_[at] if (at >= 0).all() else model.predict_proba(data.X[trial.tested])
    outcome = Outcome(data.y[trial.tested], model.classes_, distributions, seconds)
    return replace(outcome, report=SelfReport.of(model, outcome))


def _within(data: TaskData, rows: Positions, n_splits: int, seed: int) -> Iterator[ProtocolTrial]:
    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    for train, test in splitter.split(np.zeros((len(rows), 1)), data.y[rows]):
        yield ProtocolTrial(rows[train], rows[train], rows[test])


def _drawn(data: TaskData, rows: Positions, size: float, seed: int) -> tuple[Positions, Positions]:
    """A share of the rows, or a number of them, and the others. Classes have the same share in both."""
    if not size:
        return rows[:0], rows
    draw = StratifiedShuffleSplit(1, train_size=size, random_state=seed)
    ((chosen, others),) = draw.split(np.zeros((len(rows), 1)), data.y[rows])
    return rows[chosen], rows[others]
