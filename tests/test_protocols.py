"""How methods are measured: no protocol tests on what it trains on, nor reads a label that it may not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isthmus
from conftest import Toy
from isthmus.bench import PROTOCOLS, Bench, Row
from isthmus.bench.plan import Plan
from isthmus.bench.protocols import ProtocolTrial, attempt, options_of
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, Table, TaskData
from isthmus.exceptions import DataError

CASES: dict[str, dict[str, Any]] = {
    "transfer": {},
    "transfer with labels": {"labeled_share": 0.25},
    "transfer from fewer": {"source_size": 40},
    "folds": {},
    "folds without labels": {"labeled_share": 0},
    "in-domain": {},
    "target-cv": {},
    "source-cv": {"n_splits": 4},
    "source-folds": {},
}


@pytest.fixture
def data(toy: Toy) -> TaskData:
    """The last column numbers the documents, so that a fit can tell which of them it was given."""
    numbers = sp.csr_array(1 + np.arange(len(toy.y))[:, None]) * 1e-6
    return TaskData(sp.hstack([toy.X, numbers], format="csr"), toy.y, toy.domain)


def trials(data: TaskData, case: str, seed: int = 0) -> list[ProtocolTrial]:
    return list(PROTOCOLS[case.split()[0]](data, seed, **CASES[case]))


class Probe(isthmus.LR):
    """Records the documents of each fit, those whose label it may read, and the documents to label."""

    calls: list[tuple[set[int], set[int], set[int]]] = []  # noqa: RUF012  # clones share it on purpose

    def fit(self, X: Any, y: Any, **arguments: Any) -> Any:
        mask = arguments.get("sample_labeled")
        labeled = np.ones(X.shape[0], dtype=bool) if mask is None else mask
        Probe.calls.append((numbers(X), numbers(X[labeled]), set()))
        return super().fit(X, y, **arguments)

    def predict_proba(self, X: Any, sample_domain: Any = None) -> Any:
        Probe.calls[-1][2].update(numbers(X))
        return super().predict_proba(X, sample_domain)


def numbers(X: Any) -> set[int]:
    return {round(value * 1e6) - 1 for value in X[:, [-1]].toarray().ravel()}


@pytest.mark.parametrize("case", CASES)
def test_no_label_of_a_tested_document_reaches_a_fit(case: str, data: TaskData) -> None:
    Probe.calls.clear()
    for trial in trials(data, case):
        outcome = attempt(Probe(), data, trial)
        given, labeled, asked = Probe.calls[-1]
        tested = set(trial.tested.tolist())
        assert labeled == set(trial.labeled.tolist())
        assert not labeled & tested
        if case.startswith("transfer"):  # tested documents are there, without their labels
            assert tested <= given
            assert not asked
        else:  # they come later
            assert not tested & given
            assert asked == tested
        assert outcome.truth.tolist() == data.y[trial.tested].tolist()


@pytest.mark.parametrize("case", CASES)
def test_labels_that_may_not_be_read_change_nothing(case: str, data: TaskData) -> None:
    """One trial at a time: flip all labels that it may not read, and what it says must stay the same."""
    for trial in trials(data, case):
        flipped = np.where(data.y == "class 0", "class 1", "class 0")
        flipped[trial.labeled] = data.y[trial.labeled]
        poisoned = TaskData(data.X, flipped, data.sample_domain)
        clean, other = (attempt(isthmus.LR(), one, trial) for one in (data, poisoned))
        assert np.array_equal(clean.distributions, other.distributions)
        assert other.accuracy == pytest.approx(1 - clean.accuracy)


def test_which_rows_go_where(data: TaskData) -> None:
    source, target = np.flatnonzero(~data.in_target).tolist(), np.flatnonzero(data.in_target).tolist()
    for case, tested in (("folds", target), ("in-domain", target), ("target-cv", target), ("source-cv", source)):
        assert sorted(np.concatenate([trial.tested for trial in trials(data, case)])) == tested
        first, second = (trials(data, case, seed)[0].tested.tolist() for seed in (0, 1))
        assert first != second
    assert [len(trials(data, case)) for case in ("in-domain", "target-cv", "folds")] == [2, 10, 5]
    for case in ("in-domain", "target-cv"):
        assert all(data.in_target[trial.given].all() for trial in trials(data, case))
    assert not any(data.in_target[trial.given].any() for trial in trials(data, "source-cv"))
    for trial in trials(data, "source-folds"):
        assert set(target) <= set(trial.given)
        assert sorted([*trial.labeled, *trial.tested]) == source

    (plain,) = trials(data, "transfer")
    assert (plain.labeled.tolist(), plain.tested.tolist()) == (source, target)
    (few,) = trials(data, "transfer with labels")
    assert len(few.labeled) == len(source) + len(target) // 4
    assert sorted([*few.labeled, *few.tested]) == list(range(len(data.y)))
    (small,) = trials(data, "transfer from fewer")
    assert len(small.labeled) == 40
    assert np.unique(data.y[small.labeled], return_counts=True)[1].tolist() == [20, 20]
    for trial in trials(data, "folds"):
        known = trial.labeled[data.in_target[trial.labeled]]
        assert len(known) == pytest.approx(0.2 * 0.8 * len(target), abs=1)
    assert not any(data.in_target[trial.labeled].any() for trial in trials(data, "folds without labels"))


def test_columns_choose_their_protocol(data: TaskData) -> None:
    class Here(Library):
        def load(self, table: Table, task: Task) -> TaskData:
            return data

    columns = {"LR": {}, "CV": {"method": "LR", "C": 10.0, "protocol": "target-cv", "n_splits": 3}}
    plan = Bench(Table("tcl", "accuracy_percent", (Task("here", "toy"),), columns), Here(), repeats=2)
    lr, cv = (row for row in plan.run() if isinstance(row, Row))
    assert (lr.protocol, lr.repeats) == ("transfer", 1)
    assert (cv.protocol, cv.repeats) == ("target-cv", 2)  # splits are drawn anew, though nothing else is random
    assert cv.params == {"C": 10.0, "n_splits": 3}
    splits = [trial for seed in (0, 1) for trial in PROTOCOLS["target-cv"](data, seed, n_splits=3)]
    accuracies = [attempt(isthmus.LR(C=10), data, trial).accuracy for trial in splits]
    assert cv.mean == pytest.approx(100 * np.mean(accuracies))


def test_unknown_protocols_are_refused() -> None:
    assert options_of("folds") == {"labeled_share": 0.2, "n_splits": 5}
    with pytest.raises(DataError, match="no protocol 'magic': choose from transfer, folds"):
        Plan.of("LR", {"protocol": "magic"}, "roc_auc")
