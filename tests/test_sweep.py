"""One pass over the documents: compiled or not, in one part or in several, it is the update that it stands for."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from isthmus.core import numerics, parts
from isthmus.datasets import make_domains
from isthmus.methods import CCI, DTLM, NMTF, TCL, DomTransNMF
from isthmus.solvers.factorization import MatrixDocuments, ScaledDocuments, kernel, sweep
from isthmus.solvers.factorization.kernel import Pair
from isthmus.solvers.factorization.sweep import RowStep
from isthmus.solvers.factorization.terms.base import Product
from isthmus.text import LogTfidf

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from speed.measure import Task, plain_updates

COMPILED = pytest.param(0, marks=pytest.mark.skipif(find_spec("llvmlite") is None, reason="needs isthmus[fast]"))
PLAIN = 1 << 60


def expected(X: Any, V: Any, step: RowStep) -> tuple[Any, Any]:
    """Written straight down."""
    others = (sum(Product(*pair).multiplied() for pair in side) for side in (step.above, step.below))
    above, below = (own + other for own, other in zip((X @ step.words, V @ step.gram), others, strict=True))
    below = below + np.finfo(V.dtype).tiny
    V = V * (above / below) ** step.exponent
    if step.even:
        sums = V.sum(axis=1, keepdims=True)
        V = np.where(sums > 0, V / np.where(sums > 0, sums, 1), 1 / V.shape[1])
    return V, X.T @ V


@settings(max_examples=15, deadline=None)
@pytest.mark.parametrize("worth", [COMPILED, PLAIN])
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 12),
    columns=st.sampled_from([1, 3, 11]),
    exponent=st.sampled_from([1.0, 0.5, 0.3]),
    even=st.booleans(),
    others=st.lists(st.tuples(st.booleans(), st.sampled_from([None, 1, 3, 70])), max_size=4),
)
def test_a_sweep_is_the_update_written_down(
    worth: int, seed: int, n: int, columns: int, exponent: float, even: bool, others: list[tuple[bool, int | None]]
) -> None:
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, 7), density=0.3, rng=rng, format="csr")
    V = np.asfortranarray(rng.uniform(size=(n, columns)))
    sides: dict[bool, list[Pair]] = {True: [], False: []}
    for above, width in others:
        left = rng.uniform(size=(n, width or columns))
        sides[above].append((left, None if width is None else rng.uniform(size=(columns, width))))
    words, own = rng.uniform(size=(7, columns)), rng.uniform(size=(columns, columns))

    def step_of(V: Any, words: Any = words) -> RowStep:
        """V is among what it is updated with."""
        return RowStep(words, gram, exponent, even, [*sides[True], (V, own)], sides[False])

    gram = words.T @ words
    wanted_V, wanted = expected(X.toarray(), V, step_of(V))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "WORTH_COMPILED", worth)
        patch.setattr(parts, "part_ends", lambda indptr, n_words: [0, n // 2, n // 2, n])
        moved = np.array(V, order="F")
        found = MatrixDocuments(X).sweep(moved, step_of(moved))
        scaled_V = np.array(V, order="F")
        twice = ScaledDocuments(MatrixDocuments(X), 2.0).sweep(scaled_V, step_of(scaled_V, words / 2))
    assert moved == pytest.approx(wanted_V)
    assert found == pytest.approx(wanted)
    assert found.flags.f_contiguous
    assert scaled_V == pytest.approx(wanted_V)
    assert twice == pytest.approx(2 * wanted)


@settings(max_examples=10, deadline=None)
@pytest.mark.parametrize("worth", [COMPILED, PLAIN])
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 12),
    columns=st.sampled_from([1, 2, 5, 11, 20]),
    kinds=st.sampled_from([(np.float32, np.int32), (np.float64, np.int64)]),
)
def test_products_are_those_of_the_matrix(worth: int, seed: int, n: int, columns: int, kinds: tuple[Any, Any]) -> None:
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, 7), density=0.4, rng=rng, format="csr", dtype=kinds[0])
    X.indices, X.indptr = X.indices.astype(kinds[1]), X.indptr.astype(kinds[1])
    words, V = (np.asfortranarray(rng.uniform(size=(rows, columns)).astype(kinds[0])) for rows in (7, n))
    dense = X.toarray()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "WORTH_COMPILED", worth)
        patch.setattr(kernel, "WORTH_COMPILED", worth)
        patch.setattr(parts, "part_ends", lambda indptr, n_words: [0, n // 2, n])
        documents = MatrixDocuments(X)
        found = documents.times(words), documents.transposed_times(V), documents.there_and_back(words)
        orders = kernel.row_order(words), kernel.column_order(np.ascontiguousarray(V))
    for product, wanted in zip(found, (dense @ words, dense.T @ V, dense.T @ dense @ words), strict=True):
        assert product == pytest.approx(wanted, rel=1e-4, abs=1e-5)
        assert product.flags.f_contiguous
        assert product.dtype == kinds[0]
    assert np.array_equal(orders[0], words)
    assert orders[0].flags.c_contiguous
    assert np.array_equal(orders[1], V)
    assert orders[1].flags.f_contiguous


@pytest.fixture(scope="module")
def made() -> Any:
    made = make_domains(150, n_words=400, n_classes=3, mean_length=40, random_state=0)
    return LogTfidf().fit_transform(made.X), made


@pytest.mark.skipif(find_spec("llvmlite") is None, reason="needs isthmus[fast]")
@pytest.mark.parametrize(
    ("method", "dtype"),
    [(TCL, np.float32), *((method, np.float64) for method in (TCL, NMTF, DTLM, CCI, DomTransNMF))],
)
def test_compiled_loops_find_what_numpy_finds(
    made: Any, method: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, truth = made
    found = {}
    for worth in (0, PLAIN):
        monkeypatch.setattr(sweep, "WORTH_COMPILED", worth)
        monkeypatch.setattr(kernel, "WORTH_COMPILED", worth)
        monkeypatch.setattr(kernel, "WORTH_ADDING_UP", worth)
        model = method(random_state=0, max_iter=10, tol=0)
        model.fit(X.astype(dtype), truth.y, sample_domain=truth.sample_domain, target_domain=1)
        found[worth] = model
    near = 1e-6 if dtype == np.float64 else 2e-3
    assert found[0].label_distributions_ == pytest.approx(found[PLAIN].label_distributions_, rel=near, abs=near)
    assert found[0].objective_ == pytest.approx(found[PLAIN].objective_, rel=near)


@pytest.mark.parametrize("method", [TCL, DTLM, DomTransNMF])
def test_the_number_of_cores_changes_no_bit(made: Any, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, truth = made
    monkeypatch.setattr(parts, "NON_ZEROS_OF_A_PART", 500)
    monkeypatch.setattr(sweep, "WORTH_COMPILED", 0)
    monkeypatch.setattr(kernel, "WORTH_COMPILED", 0)
    monkeypatch.setattr(kernel, "WORTH_ADDING_UP", 0)
    found = []
    for cores in (1, 3):
        numerics.all_threads.cache_clear()
        monkeypatch.setattr(numerics, "n_cores", lambda cores=cores: cores)
        model = method(random_state=0, max_iter=5).fit(X, truth.y, sample_domain=truth.sample_domain, target_domain=1)
        found.append(model.label_distributions_)
    numerics.all_threads.cache_clear()
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("worth", [COMPILED, PLAIN])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 513, 1031])
@pytest.mark.parametrize(("n_left", "n_right"), [(1, 1), (4, 4), (5, 3), (2, 10)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_inner_product_is_that_of_all_rows(
    worth: int, n: int, n_left: int, n_right: int, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "WORTH_ADDING_UP", worth)
    rng = np.random.default_rng(n)
    left, right = (np.asfortranarray(rng.normal(size=(n + 3, own)).astype(dtype)) for own in (n_left, n_right))
    found = kernel.inner(left[3:], right[3:])
    assert found.dtype == dtype
    expected = left[3:].astype(float).T @ right[3:].astype(float)
    assert np.abs(found - expected).max() <= 1000 * np.finfo(dtype).eps
    # Rows that lie alone, as on a worker, have the same sums to the last bit.
    if worth == 0:
        assert np.array_equal(kernel.inner(left[3:].copy(), right[3:].copy(order="F")), found)
        assert np.array_equal(kernel.gram(left), kernel.gram(left).T)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=80), st.integers(1, 30))
def test_parts_are_all_documents_once(lengths: list[int], n_words: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "NON_ZEROS_OF_A_PART", 40)
        ends = parts.part_ends(np.concatenate([[0], np.cumsum(lengths)]), n_words)
    assert ends[0] == 0
    assert ends[-1] == len(lengths)
    assert ends == sorted(ends)


@pytest.mark.parametrize("method", [TCL, DTLM, CCI, DomTransNMF])
def test_plain_updates_find_what_the_engine_finds(made: Any, method: Any) -> None:
    """What the engine's speed is measured against does the same."""
    X, truth = made
    task = Task(X, truth.y, truth.sample_domain)
    engine = task.fit(method(random_state=0, max_iter=4, tol=0))
    with plain_updates():
        plain = task.fit(method(random_state=0, max_iter=4, tol=0))
    assert engine.label_distributions_ == pytest.approx(plain.label_distributions_, rel=1e-6, abs=1e-9)
    assert engine.objective_[-1] == pytest.approx(plain.objective_[-1])
    assert engine.objective_[0] != plain.objective_[0]  # which is not watched there: the plain one did run
