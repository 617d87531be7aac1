"""The loop: objectives that fall, constraints that hold, parts that do not fit, and work that is not repeated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isthmus.solvers.factorization import (
    ColumnsSumToOne,
    Component,
    Constraint,
    Factorization,
    Factors,
    Free,
    Frozen,
    Graph,
    MatrixDocuments,
    MeanDiscrepancy,
    NonNegative,
    Product,
    Reconstruction,
    Regression,
    Ridge,
    RowsSumToOne,
    Term,
    fold_in,
    minimize,
    objective,
    update,
)
from isthmus.solvers.factorization import kernel as kernels


def tcl_model(rng: np.random.Generator, words: Constraint, rows: Constraint) -> Factorization:
    """Two domains as in TCL, the source's labels frozen."""
    n, m, k, c = 8, 11, 3, 2
    matrices = [sp.random_array((n, m), density=0.5, rng=rng, format="csr") for _ in range(2)]
    factors = {name: rng.uniform(size=(m, k)) for name in ("U", "W0", "W1")}
    factors |= {"V0": np.eye(c)[rng.integers(c, size=n)], "V1": rng.uniform(size=(n, c)), "H": rng.uniform(size=(k, c))}
    terms = [
        Reconstruction(MatrixDocuments(matrix), f"V{d}", (Component("U", "H", 0.7), Component(f"W{d}", "H", 0.3)))
        for d, matrix in enumerate(matrices)
    ]
    constraints = {"U": words, "W0": words, "W1": words, "V0": Frozen(), "V1": rows, "H": NonNegative()}
    return Factorization(factors, terms, constraints, ["U", "W0", "W1", "V0", "V1", "H"])


def falls(values: list[float]) -> bool:
    return bool(np.all(np.diff(values) <= 1e-9 * np.abs(values[0])))


@given(seed=st.integers(0, 10_000))
def test_objective_never_rises_without_normalization(seed: int) -> None:
    model = tcl_model(np.random.default_rng(seed), NonNegative(), NonNegative())
    values = [objective(model)]
    for _ in range(20):
        for name in ("U", "W0", "W1", "V1", "H"):
            update(model, name)
            values.append(objective(model))
    assert falls(values)
    assert values[-1] < values[0]


@given(seed=st.integers(0, 10_000))
def test_objective_of_all_terms_never_rises_under_the_square_root_rule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = tcl_model(rng, NonNegative(), NonNegative())
    half = sp.random_array((8, 8), density=0.4, rng=rng, format="csr")
    extra: list[Term] = [
        Graph("V1", sp.csr_array(half + half.T), weight=0.3),
        MeanDiscrepancy("V0", "V1", weight=0.5),
        Regression("V1", "A", np.eye(2)[rng.integers(2, size=8)], rng.random(8) < 0.7, weight=0.4),
        Ridge("A", 0.2),
    ]
    factors = Factors({**base.factors, "A": rng.normal(size=(2, 2))})
    constraints = {**base.constraints, "A": Free()}
    model = Factorization(factors, [*base.terms, *extra], constraints, [*base.order, "A"], exponent=0.5)
    assert falls(minimize(model, max_iter=25).objective)


@given(seed=st.integers(0, 10_000))
def test_constraints_hold_after_every_iteration(seed: int) -> None:
    model = tcl_model(np.random.default_rng(seed), ColumnsSumToOne(), RowsSumToOne())
    source = np.array(model.factors["V0"])

    def check(_: object) -> None:
        for name in ("U", "W0", "W1"):
            sums = model.factors[name].sum(axis=0)
            assert np.all(np.isclose(sums, 1) | (sums == 0))
        assert model.factors["V1"].sum(axis=1) == pytest.approx(np.ones(8))

    minimize(model, max_iter=5, on_step=check)
    assert np.array_equal(model.factors["V0"], source)


def test_one_hot_rows_stay_even_where_they_are_updated() -> None:
    rng = np.random.default_rng(0)
    model = tcl_model(rng, ColumnsSumToOne(), RowsSumToOne())
    source = np.array(model.factors["V0"])
    thawed = Factorization(model.factors, model.terms, {**model.constraints, "V0": RowsSumToOne()}, model.order)
    minimize(thawed, max_iter=10)
    assert model.factors["V0"] == pytest.approx(source)


class Counting(MatrixDocuments):
    """Counts how often the documents are touched."""

    touched = 0

    def times(self, words: np.ndarray) -> np.ndarray:
        type(self).touched += 1
        return super().times(words)

    def transposed_times(self, documents: np.ndarray) -> np.ndarray:
        type(self).touched += 1
        return super().transposed_times(documents)


def test_frozen_documents_are_touched_once() -> None:
    model = tcl_model(np.random.default_rng(0), ColumnsSumToOne(), RowsSumToOne())
    source, target = model.terms
    assert isinstance(source, Reconstruction)
    assert isinstance(source.documents, MatrixDocuments)
    counted = Reconstruction(Counting(source.documents.matrix), source.rows, source.components)
    Counting.touched = 0
    terms: list[Term] = [counted, target]
    minimize(Factorization(model.factors, terms, model.constraints, model.order), max_iter=30)
    assert Counting.touched == 1


def test_free_factor_is_solved_exactly() -> None:
    rng = np.random.default_rng(3)
    V, Y, labeled = rng.uniform(size=(20, 3)), np.eye(2)[rng.integers(2, size=20)], rng.random(20) < 0.5
    factors = Factors({"V": V, "A": np.zeros((2, 3))})
    terms: list[Term] = [Regression("V", "A", Y, labeled, weight=2.0), Ridge("A", 0.5)]
    model = Factorization(factors, terms, {"V": Frozen(), "A": Free()}, ["A"])
    minimize(model, max_iter=1)
    P = V[labeled]
    expected = np.linalg.solve(2 * P.T @ P + 0.5 * np.eye(3), 2 * P.T @ Y[labeled]).T
    assert model.factors["A"] == pytest.approx(expected)


def test_loop_stops_on_a_small_change_and_when_asked() -> None:
    rng = np.random.default_rng(0)
    long = minimize(tcl_model(rng, ColumnsSumToOne(), RowsSumToOne()), max_iter=500, tol=1e-4)
    assert 1 <= long.n_iter < 500
    assert abs(long.objective[-1] - long.objective[-2]) < 1e-4 * long.objective[-1]
    asked = minimize(tcl_model(rng, ColumnsSumToOne(), RowsSumToOne()), max_iter=50, on_step=lambda s: s.iteration == 3)
    assert asked.n_iter == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": ["U", "nobody"]}, "'nobody'.*start and a constraint"),
        ({"terms": [Ridge("missing")]}, "Ridge reads the factor 'missing'"),
        ({"terms": []}, "No term depends on the factor 'U'"),
        ({"constraints": {"U": Free()}, "order": ["U"]}, "Reconstruction has no method `quadratic`"),
    ],
)
def test_parts_that_do_not_fit_fail_at_once(change: dict[str, Any], message: str) -> None:
    model = tcl_model(np.random.default_rng(0), NonNegative(), NonNegative())
    parts = {"terms": model.terms, "constraints": model.constraints, "order": model.order} | change
    with pytest.raises(ValueError, match=message):
        minimize(Factorization(model.factors, **parts), max_iter=1)


def test_negative_start_is_refused() -> None:
    model = tcl_model(np.random.default_rng(0), NonNegative(), NonNegative())
    model.factors["U"] = -model.factors["U"]
    with pytest.raises(ValueError, match="'U' starts with negative values"):
        minimize(model, max_iter=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("twice", [False, True])
def test_free_factors_are_least_squares_even_where_columns_repeat(dtype: Any, twice: bool) -> None:
    rng = np.random.default_rng(0)
    V = rng.uniform(size=(30, 4)).astype(dtype)
    if twice:
        V[:, 3] = V[:, 0]  # any share of the one and the other is as good: the smallest is taken
    labels = rng.choice([-1.0, 1.0], size=(30, 2)).astype(dtype)
    term = Regression("V", "A", labels, np.ones(30, dtype=bool))
    factors = {"V": V, "A": np.zeros((2, 4), dtype=dtype)}
    model = Factorization(factors, [term], {"V": Frozen(), "A": Free()}, ["A"])
    minimize(model, max_iter=1)
    wanted = np.linalg.lstsq(V.astype(np.float64), labels, rcond=1e-6)[0].T
    assert model.factors["A"] == pytest.approx(wanted, rel=1e-3, abs=1e-3)


@pytest.fixture(params=["compiled", "numpy"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "compiled" and not kernels.can_compile():
        pytest.skip("needs isthmus[fast]")
    monkeypatch.setattr(kernels, "WORTH_COMPILED", 0 if request.param == "compiled" else 1 << 60)
    return kernels.multiply


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    seed=st.integers(0, 10_000),
    rows=st.sampled_from([1, 23, 1030]),
    block=st.sampled_from([1, 7, 40, 2000]),
    exponent=st.sampled_from([1.0, 0.5]),
    dtype=st.sampled_from([np.float32, np.float64]),
    even=st.booleans(),
)
def test_kernel_in_blocks_is_the_plain_formula(
    kernel: Any, seed: int, rows: int, block: int, exponent: float, dtype: Any, even: bool
) -> None:
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> Any:
        return rng.random(shape).astype(dtype)

    factor = np.asfortranarray(some(rows, 4))
    factor[rows // 2] = 0  # one that lost everything
    negative = [Product(some(rows, 2), some(4, 2)), Product(some(rows, 4))]
    positive = [Product(factor, some(4, 4)), Product(some(rows, 3), some(4, 3)), Product(factor, some(4, 4))]
    above, below = (sum(p.multiplied() for p in products) for products in (negative, positive))
    expected = factor * (above / (below + np.finfo(dtype).tiny)) ** exponent
    if even:
        RowsSumToOne().restore(expected)
    kernel(factor, negative, positive, exponent, np.empty((2, 4, block), dtype=dtype), even)
    assert factor == pytest.approx(expected, rel=1e-4 if dtype == np.float32 else 1e-9)


def test_words_that_never_occur_make_no_nan(kernel: Any) -> None:
    factor = np.asfortranarray(np.ones((5, 2)))
    zero = Product(np.zeros((5, 2)), np.ones((2, 2)))
    kernel(factor, [zero], [zero], 1.0, np.empty((2, 2, 5)))
    assert np.array_equal(factor, np.zeros((5, 2)))


def test_single_precision_leaves_no_subnormal_numbers(kernel: Any) -> None:
    factor = np.asfortranarray(np.array([[1e-30, 0.5]], dtype=np.float32))
    shrink = Product(np.array([[1e-12, 1.0]], dtype=np.float32))
    kernel(factor, [shrink], [Product(np.ones((1, 2), np.float32))], 1.0, np.empty((2, 2, 1), np.float32))
    assert factor.tolist() == [[0.0, 0.5]]


@given(seed=st.integers(0, 10_000))
def test_fold_in_finds_each_documents_best_mixture(seed: int) -> None:
    rng = np.random.default_rng(seed)
    profile, mixture = rng.uniform(size=(30, 2)) ** 4, rng.dirichlet([1, 1], size=6)
    found = fold_in(sp.csr_array(mixture @ profile.T), profile)
    assert found == pytest.approx(mixture, abs=0.05)
    alone = np.vstack([fold_in(sp.csr_array(row[None] @ profile.T), profile) for row in mixture])
    assert alone == pytest.approx(found, abs=1e-10)


@pytest.mark.parametrize("weight", [1e-6, 1e6])
def test_the_size_of_the_objective_does_not_decide_when_to_stop(weight: float) -> None:
    plain = tcl_model(np.random.default_rng(0), ColumnsSumToOne(), RowsSumToOne())
    other = tcl_model(np.random.default_rng(0), ColumnsSumToOne(), RowsSumToOne())
    terms = [replace(term, weight=weight) for term in other.terms if isinstance(term, Reconstruction)]
    histories = [
        minimize(model, max_iter=200, tol=1e-3) for model in (plain, replace(other, starts=other.factors, terms=terms))
    ]
    assert 1 < histories[0].n_iter == histories[1].n_iter < 200


def test_documents_that_lost_all_classes_are_even_and_topics_that_lost_all_words_are_zero() -> None:
    documents, words = np.array([[0.0, 0], [1, 3]]), np.array([[0.0, 1], [0, 3]])
    RowsSumToOne().restore(documents)
    ColumnsSumToOne().restore(words)
    assert documents.tolist() == [[0.5, 0.5], [0.25, 0.75]]
    assert words.tolist() == [[0, 0.25], [0, 0.75]]
