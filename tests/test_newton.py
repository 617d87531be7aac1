"""Logistic regression by Newton's method, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from isthmus.solvers.factorization import sweep
from isthmus.solvers.factorization.kernel import can_compile
from isthmus.solvers.linear import RepeatedLogistic, SideBySide, fit_logistic, log_odds, newton
from isthmus.solvers.linear.side_by_side import TwoLayouts

RNG = np.random.default_rng(0)
X = RNG.random((60, 12)) * (RNG.random((60, 12)) < 0.4)
WEIGHTS = RNG.uniform(0.2, 3, size=60)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["dense", "sparse", "side by side", "single precision"])
def test_it_finds_the_minimum(n_classes: int, kind: str) -> None:
    numbers = (3 * X[:, 0] + X[:, 1] + RNG.random(60)).argsort() % n_classes
    given = {
        "dense": X,
        "sparse": sp.csr_array(X),
        "side by side": SideBySide(sp.csr_array(X[:, :7]), X[:, 7:]),
        "single precision": sp.csr_array(X.astype(np.float32)),
    }[kind]
    found = fit_logistic(given, numbers, C=2.0, weights=WEIGHTS, tol=1e-6 if kind == "single precision" else 1e-9)
    expected = LogisticRegression(C=2.0, tol=1e-12, solver="newton-cholesky").fit(X, numbers, WEIGHTS)
    near = pytest.approx(expected.predict_log_proba(X), abs=1e-3 if kind == "single precision" else 1e-6)
    odds = log_odds(found, given)
    assert odds - np.log(np.exp(odds).sum(axis=1, keepdims=True)) == near
    assert found.predict_log_proba(X) == near
    assert found.classes_.tolist() == list(range(n_classes))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_gradient_and_curvature_are_those_of_the_objective(n_classes: int) -> None:
    """By finite differences, in a random direction."""
    numbers = RNG.integers(0, n_classes, 60)
    targets = np.eye(n_classes)[numbers] if n_classes > 2 else numbers[:, None].astype(float)
    problem = newton.Logistic(X, 2.0, targets, WEIGHTS)
    at, along = RNG.normal(size=(2, 13, targets.shape[1]))

    def objective(coefficients: np.ndarray) -> float:
        return problem.objective(problem.values(coefficients), float(np.sum(coefficients[:-1] ** 2)))

    def gradient(coefficients: np.ndarray) -> np.ndarray:
        return problem.gradient(problem.probabilities(problem.values(coefficients)), coefficients)

    step = 1e-5
    slope = (objective(at + step * along) - objective(at - step * along)) / (2 * step)
    assert np.vdot(gradient(at), along) == pytest.approx(slope, rel=1e-6)
    bend = (gradient(at + step * along) - gradient(at - step * along)) / (2 * step)
    curved = problem.curved(problem.probabilities(problem.values(at)), problem.values(along))
    assert problem.back(curved, along) == pytest.approx(bend, rel=1e-5, abs=1e-6)


def test_a_near_start_takes_fewer_steps_to_the_same_place() -> None:
    numbers = (X[:, 0] > 0.2).astype(int)
    cold = fit_logistic(X, numbers, C=10.0, tol=1e-9)
    changed = numbers.copy()
    changed[:1] = 1 - changed[:1]
    again, warm = (fit_logistic(X, changed, 10.0, None, start, 1e-9) for start in (None, cold))
    assert warm.coef_ == pytest.approx(again.coef_, abs=1e-5)
    assert warm.n_iter_[0] <= again.n_iter_[0]


def test_a_gradient_beyond_single_precision_ends_the_search() -> None:
    given, numbers = np.full((4, 2), 1e-30, dtype=np.float32), np.array([0, 1, 1, 1])
    problem = newton.Logistic(given, 1.0, numbers[:, None] * 1.0, np.full(4, 1e-9), has_intercept=False)
    found, _, n_steps = newton.fit_newton(problem, np.zeros((3, 1)), tol=1e-60)
    assert not found.any()
    assert n_steps == 0


@pytest.mark.parametrize("n_columns", [1, 2, 4])
def test_both_layouts_multiply_alike(n_columns: int) -> None:
    both = TwoLayouts(sp.csr_array(X))
    there, back = RNG.normal(size=(12, n_columns)), RNG.normal(size=(60, n_columns))
    assert both @ there == pytest.approx(X @ there)
    assert both.T @ back == pytest.approx(X.T @ back)


@pytest.mark.skipif(not can_compile(), reason="needs isthmus[fast]")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_compiled_products_are_the_same(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Single columns are scipy's."""
    both, asked = TwoLayouts(sp.csr_array(X.astype(dtype))), []

    def can() -> bool:
        asked.append(True)
        return True

    monkeypatch.setattr(sweep, "WORTH_COMPILED", 1)
    monkeypatch.setattr(sweep, "can_compile", can)
    for n_columns in (1, 3, 5):
        there, back = (RNG.normal(size=(n, n_columns)).astype(dtype) for n in (12, 60))
        assert both @ there == pytest.approx(X @ there, rel=1e-5, abs=1e-6)
        for order in (np.ascontiguousarray, np.asfortranarray):
            assert both.T @ order(back) == pytest.approx(X.T @ back, rel=1e-5, abs=1e-6)
    assert len(asked) == 6


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("scale", [1, 300])
def test_a_repeated_fit_is_one_that_starts_over(n_classes: int, scale: int) -> None:
    """Whatever was learned before, and without the documents of weight zero; these have log-odds all the same."""
    given, C = sp.csr_array(scale * X), 5.0 / scale**2
    fits = RepeatedLogistic(given, C, n_classes)
    for _ in range(4):
        numbers, weights = RNG.integers(0, n_classes, 60), WEIGHTS * (RNG.random(60) < 0.7)
        fits.fit(numbers, weights, tol=1e-9)
        found, own = fits.classifier(np.arange(n_classes)), weights > 0
        cold = fit_logistic(given[own], numbers[own], C, weights[own], tol=1e-9)
        assert found.coef_ == pytest.approx(cold.coef_, abs=1e-6)
        assert fits.log_odds == pytest.approx(log_odds(cold, given), abs=1e-5)
