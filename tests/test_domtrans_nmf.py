"""DomTrans-NMF: the objective, the classifier, the coding of new samples, and the protocol it is measured by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

import isthmus
from conftest import Toy
from isthmus.bench import Bench, Fold, Row, Store
from isthmus.bench.protocols import attempt, folds
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, Table, TaskData, load_table
from isthmus.core.problem import make_problem
from isthmus.exceptions import DataError
from isthmus.solvers.factorization import NonNegative, fold_in, objective, update


def expression(seed: int = 0, n_classes: int = 2, n: int = 40) -> Toy:
    """Dense, like gene expression: programmes of genes tell the class in both domains, and each domain has a shift."""
    rng = np.random.default_rng(seed)
    programmes = np.random.default_rng(99).gamma(1.0, size=(n_classes + 3, 60))
    rows, labels, domains = [], [], []
    for domain in ("source", "target"):
        shift = np.random.default_rng(len(domain) + ord(domain[0])).uniform(0, 2, size=60)
        for i in range(n):
            levels = rng.gamma(2.0, size=n_classes + 3)
            levels[i % n_classes] += 4
            rows.append(levels @ programmes + shift + rng.uniform(0, 2, size=60))
            labels.append(f"class {i % n_classes}")
            domains.append(domain)
    X = np.array(rows)
    return Toy(X / X.max(), np.array(labels), np.array(domains))


def labeled_mask(toy: Toy, n: int = 8) -> np.ndarray:
    mask = ~toy.in_target
    mask[np.flatnonzero(toy.in_target)[:n]] = True
    return mask


def model_of(toy: Toy, clf: isthmus.DomTransNMF) -> Any:
    problem = make_problem(clf, toy.X, toy.y, toy.domain, "target", labeled_mask(toy))
    return clf._model(problem, clf._start(problem), 1)


def test_objective_is_half_of_equation_6() -> None:
    toy, clf = expression(), isthmus.DomTransNMF(4, discrepancy_weight=3, classifier_weight=0.7, loss_weight=5)
    model = model_of(toy, clf)
    update(model, "w")
    U, V0, V1, w = (model.factors[name] for name in ("U", "V0", "V1", "w"))
    w, b = w[0, :-1], w[0, -1]
    X0, X1 = toy.X[~toy.in_target], toy.X[toy.in_target]
    y = np.where(toy.y == "class 1", 1, -1)
    seen = labeled_mask(toy)[toy.in_target]
    V = np.vstack([V0, V1[seen]])
    known = np.concatenate([y[~toy.in_target], y[toy.in_target][seen]])
    fit = np.sum((X0 - V0 @ U.T) ** 2) + np.sum((X1 - V1 @ U.T) ** 2)
    gap = np.sum((V0.mean(axis=0) - V1.mean(axis=0)) ** 2)
    expected = fit + 3 * gap + 0.7 * (w @ w / 2 + 5 * np.sum((V @ w + b - known) ** 2))
    assert objective(model) == pytest.approx(expected / 2)
    # (22) with the corrected H, and (20).
    H = np.eye(len(V)) - 1 / len(V)
    assert w == pytest.approx(np.linalg.solve(np.eye(4) + 10 * V.T @ H @ V, 10 * V.T @ H @ known))
    assert b == pytest.approx(np.mean(known - V @ w))


@pytest.mark.parametrize("weights", [(1, 1, 1), (100, 1, 100), (1, 100, 1)])
def test_every_update_lowers_the_objective(weights: tuple[float, float, float]) -> None:
    clf = isthmus.DomTransNMF(
        5, discrepancy_weight=weights[0], classifier_weight=weights[1], loss_weight=weights[2], random_state=0
    )
    model = model_of(expression(), clf)
    before = objective(model)
    for _ in range(30):
        for name in model.order:
            update(model, name)
            after = objective(model)
            assert after <= before * (1 + 1e-9)
            before = after


def test_discrepancy_brings_the_means_together() -> None:
    gaps = []
    for weight in (0, 1e4):
        model = model_of(expression(), isthmus.DomTransNMF(5, discrepancy_weight=weight, random_state=0))
        for _ in range(50):
            for name in model.order:
                update(model, name)
        gaps.append(np.linalg.norm(model.factors["V0"].mean(axis=0) - model.factors["V1"].mean(axis=0)))
    assert gaps[1] < 0.2 * gaps[0]


def test_coding_finds_the_codings_that_made_the_samples() -> None:
    rng = np.random.default_rng(0)
    U, V = rng.gamma(0.3, size=(80, 4)), rng.gamma(1.0, size=(30, 4))
    assert fold_in(V @ U.T, U, NonNegative()) == pytest.approx(V, abs=0.05 * V.max())


def test_rows_of_the_fit_are_coded_as_new_ones() -> None:
    toy = expression()
    model = toy.fit(isthmus.DomTransNMF(6, random_state=0))
    assert model.predict_proba(toy.X[toy.in_target]) == pytest.approx(model.label_distributions_[toy.in_target])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_new_samples_of_dense_data_are_ranked_well(n_classes: int) -> None:
    seen, later = expression(0, n_classes), expression(1, n_classes)
    model = seen.fit(isthmus.DomTransNMF(8, random_state=0), sample_labeled=labeled_mask(seen))
    probabilities = model.predict_proba(later.X[later.in_target])
    for number in range(n_classes):
        truth = later.y[later.in_target] == f"class {number}"
        assert roc_auc_score(truth, probabilities[:, number]) > 0.9
    assert model.bases_.shape == (1 if n_classes == 2 else 3, 60, 8)


def test_sparse_and_dense_agree() -> None:
    toy = expression()
    dense = toy.fit(isthmus.DomTransNMF(5, random_state=0, max_iter=20))
    sparse = toy.fit(isthmus.DomTransNMF(5, random_state=0, max_iter=20), X=sp.csr_array(toy.X))
    assert sparse.label_distributions_ == pytest.approx(dense.label_distributions_, abs=1e-6)


def test_progress_runs_through_all_classes() -> None:
    steps: list[Any] = []
    toy = expression(n_classes=3)
    model = toy.fit(isthmus.DomTransNMF(4, callback=steps.append, tol=0, max_iter=5, random_state=0))
    assert [step.iteration for step in steps] == list(range(1, 16))
    assert {step.max_iter for step in steps} == {15}
    assert model.n_iter_ == 15
    stopped = toy.fit(isthmus.DomTransNMF(4, callback=lambda step: step.iteration == 7, tol=0, max_iter=5))
    assert stopped.n_iter_ == 7


class ToyLibrary(Library):
    """One task, made here."""

    def load(self, table: Table, task: Task) -> TaskData:
        return as_task(expression())


def as_task(toy: Toy) -> TaskData:
    return TaskData(toy.X, toy.y, toy.domain)


COLUMNS = {"LR": {}, "DomTrans-NMF": {"method": "DomTransNMF", "n_topics": 5, "max_iter": 10}}
TABLE = Table("domtrans-nmf", "roc_auc", (Task("glioma trial 1", "toy"),), COLUMNS)


def test_rows_of_a_table_by_folds(tmp_path: Path) -> None:
    plan = Bench(TABLE, ToyLibrary(), Store(tmp_path), repeats=2)
    rows = [row for row in plan.run() if isinstance(row, Row)]
    assert [(row.method, row.repeats, row.metric) for row in rows] == [(name, 2, "roc_auc") for name in COLUMNS]
    found = plan.folds["glioma trial 1", "DomTrans-NMF"]
    assert len(found) == 10
    assert rows[1].mean == pytest.approx(np.mean([fold.auc for fold in found]))
    assert rows[1].mean > 0.8
    assert rows[1].published == 0.9758
    again = Bench(TABLE, ToyLibrary(), Store(tmp_path), repeats=2)
    assert list(again.run()) == rows  # stored: the very same seconds
    assert again.folds == plan.folds
    three = as_task(expression(n_classes=3))
    outcome = attempt(isthmus.LR(), three, next(folds(three, 0)))
    with pytest.raises(DataError, match="need two classes, and this task has 3"):
        Fold.of(outcome, 0)


def test_glioma_is_scaled_by_laboratory(data_folder: Path) -> None:
    table = load_table("domtrans-nmf")
    data = Library(data_folder).load(table, table.tasks[0])
    for rows in (data.in_target, ~data.in_target):
        assert data.X[rows].min() == 0
        assert data.X[rows].max() == pytest.approx(1)
    assert data.X.shape[0] == 185


def test_on_real_glioma(data_folder: Path) -> None:
    """One cross-validation of one trial, with a tenth of the table's iterations; single ones scatter by .05."""
    plan = Bench(load_table("domtrans-nmf"), Library(data_folder), repeats=1, tasks=["glioma trial 2"])
    (task,) = plan.tasks
    assert plan.row(task, "DomTrans-NMF", plan.load(task), {"max_iter": 10}).mean > 0.82
