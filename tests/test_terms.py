"""Every term's value and split gradient, against finite differences over random problems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from isthmus.solvers.factorization import (
    Closeness,
    Component,
    Factors,
    Graph,
    MatrixDocuments,
    MeanDiscrepancy,
    Orthogonality,
    Product,
    Reconstruction,
    Regression,
    Ridge,
    Term,
    kernel,
    sweep,
)
from isthmus.solvers.factorization.terms import QuadraticTerm

N, M, K, C = 7, 9, 4, 3
"""Documents, words, topics, classes."""


def factors_of(rng: np.random.Generator) -> Factors:
    return Factors(
        {
            "V": rng.uniform(size=(N, C)),
            "V2": rng.uniform(size=(N + 2, C)),
            "U": rng.uniform(size=(M, K)),
            "W": rng.uniform(size=(M, K)),
            "H": rng.uniform(size=(K, C)),
            "F": rng.uniform(size=(M, C)),
            "A": rng.normal(size=(C, C)),
            "B": rng.normal(size=(2, C + 1)),
            "b": rng.normal(size=(1, C + 1)),
        }
    )


def documents_of(rng: np.random.Generator) -> MatrixDocuments:
    return MatrixDocuments(sp.random_array((N, M), density=0.5, rng=rng, format="csr"))


def affinity_of(rng: np.random.Generator) -> sp.csr_array:
    half = sp.random_array((N, N), density=0.4, rng=rng, format="csr")
    return sp.csr_array(half + half.T)


def reconstruction(rng: np.random.Generator, *components: Component, weight: float = 1.0) -> Reconstruction:
    return Reconstruction(documents_of(rng), "V", components, weight)


TERMS: dict[str, Callable[[np.random.Generator], Term]] = {
    "reconstruction by two factors": lambda rng: reconstruction(rng, Component("F"), weight=0.7),
    "reconstruction by three factors": lambda rng: reconstruction(rng, Component("W", "H")),
    "reconstruction of TCL": lambda rng: reconstruction(
        rng, Component("U", "H", 0.7), Component("W", "H", 0.3), weight=2.0
    ),
    "reconstruction, the same words twice": lambda rng: reconstruction(
        rng, Component("U", "H", 0.5), Component("U", "H")
    ),
    "graph": lambda rng: Graph("V", affinity_of(rng), weight=1.3),
    "discrepancy": lambda rng: MeanDiscrepancy("V", "V2", weight=3.0),
    "orthogonality": lambda rng: Orthogonality("W", weight=0.9),
    "closeness": lambda rng: Closeness("U", "W", weight=0.6),
    "regression": lambda rng: Regression(
        "V", "A", labels=np.eye(C)[rng.integers(C, size=N)], labeled=rng.random(N) < 0.6, weight=1.7
    ),
    "regression with an intercept": lambda rng: Regression(
        "V", "B", labels=rng.choice([-1.0, 1.0], size=(N, 2)), labeled=rng.random(N) < 0.6, weight=1.7, intercept=True
    ),
    "regression on one column": lambda rng: Regression(
        "V", "b", labels=rng.choice([-1.0, 1.0], size=(N, 1)), labeled=np.ones(N, dtype=bool), intercept=True
    ),
    "ridge": lambda rng: Ridge("A", weight=0.4),
    "ridge without the intercept": lambda rng: Ridge("B", weight=0.4, intercept=True),
}


def total(split_part: list[Product], shape: tuple[int, int]) -> np.ndarray:
    return sum((product.multiplied() for product in split_part), np.zeros(shape))


@pytest.mark.parametrize("name", TERMS)
@given(seed=st.integers(0, 10_000))
def test_gradient_is_the_slope_of_the_value(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    term, factors = TERMS[name](rng), factors_of(rng)
    assert term.factors
    for factor in term.factors:
        split = term.gradient(factors, factor)
        shape = factors[factor].shape
        negative, positive = total(split.negative, shape), total(split.positive, shape)
        assert (negative >= 0).all()
        assert (positive >= 0).all()

        direction = rng.normal(size=shape)
        step = 1e-5
        values = []
        for sign in (1, -1):
            moved = Factors({key: np.array(value) for key, value in factors.items()})
            moved[factor] = factors[factor] + sign * step * direction
            values.append(term.value(moved))
        slope = (values[0] - values[1]) / (2 * step)
        assert np.vdot(positive - negative, direction) == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_of_one_column_the_parts_are_those_of_the_product() -> None:
    """Any two numbers with this difference would have the same slope, and would be another update."""
    rng = np.random.default_rng(0)
    factors, labels, labeled = factors_of(rng), rng.choice([-1.0, 1.0], size=(N, 1)), np.arange(N) < 5
    split = Regression("V", "b", labels, labeled, weight=1.7, intercept=True).gradient(factors, "V")
    slopes, shift = factors["b"][:, :C], factors["b"][0, C]
    pull, gram = 3.4 * labeled[:, None] * (labels - shift) @ slopes, 3.4 * slopes.T @ slopes
    seen = labeled[:, None] * factors["V"]
    wanted = np.maximum(pull, 0) + seen @ np.maximum(-gram, 0), np.maximum(-pull, 0) + seen @ np.maximum(gram, 0)
    for found, own in zip((split.negative, split.positive), wanted, strict=True):
        assert total(found, own.shape) == pytest.approx(own)


def test_values_are_those_of_the_formulas() -> None:
    """Slopes alone would not tell a term from one that is twice as large."""
    rng = np.random.default_rng(0)
    factors, affinity = factors_of(rng), affinity_of(rng)
    V, V2, U, W, A, B = (factors[name] for name in ("V", "V2", "U", "W", "A", "B"))
    pairs = sum(affinity[i, j] * np.sum((V[i] - V[j]) ** 2) for i in range(N) for j in range(i))
    assert Graph("V", affinity, weight=1.3).value(factors) == pytest.approx(1.3 * pairs)
    gap = V.mean(axis=0) - V2.mean(axis=0)
    assert MeanDiscrepancy("V", "V2", weight=3.0).value(factors) == pytest.approx(3 * gap @ gap)
    assert Orthogonality("W", weight=0.9).value(factors) == pytest.approx(0.9 * np.sum((W.T @ W - np.eye(K)) ** 2))
    assert Closeness("U", "W", weight=0.6).value(factors) == pytest.approx(0.6 * np.sum((U - W) ** 2))
    assert Ridge("A", weight=0.4).value(factors) == pytest.approx(0.4 * np.sum(A**2))
    assert Ridge("B", weight=0.4, intercept=True).value(factors) == pytest.approx(0.4 * np.sum(B[:, :-1] ** 2))
    labels, labeled = rng.choice([-1.0, 1.0], size=(N, 2)), np.arange(N) < 4
    misses = (labels - V @ B[:, :-1].T - B[:, -1])[labeled]
    term = Regression("V", "B", labels, labeled, weight=1.7, intercept=True)
    assert term.value(factors) == pytest.approx(1.7 * np.sum(misses**2))


@given(seed=st.integers(0, 10_000))
def test_value_of_the_fit_is_half_the_squared_residual(seed: int) -> None:
    rng = np.random.default_rng(seed)
    documents, factors = documents_of(rng), factors_of(rng)
    fit = Reconstruction(documents, "V", (Component("U", "H", 0.7), Component("W", "H", 0.3)))
    rebuilt = factors["V"] @ ((0.7 * factors["U"] + 0.3 * factors["W"]) @ factors["H"]).T
    residual = documents.matrix.toarray() - rebuilt
    assert fit.value(factors) == pytest.approx(np.sum(residual**2) / 2)


@given(seed=st.integers(0, 10_000))
def test_quadratic_is_the_value_up_to_a_constant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for name in ("regression", "regression with an intercept", "ridge", "ridge without the intercept"):
        term, factors = TERMS[name](rng), factors_of(rng)
        assert isinstance(term, QuadraticTerm)
        free = "B" if "intercept" in name else "A"
        curvature, pull = term.quadratic(factors, free)

        def model(A: np.ndarray, curvature: np.ndarray = curvature, pull: np.ndarray = pull) -> float:
            return float(np.vdot(A @ curvature, A) - 2 * np.vdot(A, pull))

        before, other = factors[free], rng.normal(size=factors[free].shape)
        value = term.value(factors)
        expected = model(other) - model(before)
        factors[free] = other
        assert term.value(factors) - value == pytest.approx(expected, abs=1e-9)


def test_a_discrepancy_stays_in_single_precision() -> None:
    """Even where its weight is numpy's: it would make all numbers it meets double ones."""
    factors = Factors({name: np.ones((3, 2), dtype=np.float32) for name in ("F", "G")})
    split = MeanDiscrepancy("F", "G", weight=np.float64(0.5)).gradient(factors, "F")
    assert {own.multiplied().dtype for own in (*split.negative, *split.positive)} == {np.dtype(np.float32)}


@pytest.mark.skipif(not kernel.can_compile(), reason="needs isthmus[fast]")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(8, 8), (29, 11), (40, 20), (7, 9), (9, 3)])
def test_a_compiled_graph_is_the_graph(shape: tuple[int, int], dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    half = sp.random_array((shape[0], shape[0]), density=0.3, rng=rng, format="csr", dtype=dtype)
    factors, affinity = Factors({"F": rng.uniform(size=shape).astype(dtype)}), sp.csr_array(half + half.T)
    wanted = Graph("F", affinity, 0.7)
    expected = wanted.value(factors), *(split[0].left for split in vars(wanted.gradient(factors, "F")).values())
    monkeypatch.setattr(sweep, "WORTH_COMPILED", 0)
    found = Graph("F", affinity, 0.7)
    assert found.value(factors) == pytest.approx(expected[0], rel=1e-5)
    for split, own in zip(vars(found.gradient(factors, "F")).values(), expected[1:], strict=True):
        assert split[0].left == pytest.approx(own, rel=1e-5)
        assert split[0].left.flags.f_contiguous
