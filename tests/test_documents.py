"""Products with documents: in one piece or in several, they are the same."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from threading import Event, current_thread
from time import sleep
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from isthmus.core import numerics, parts
from isthmus.solvers.factorization import MatrixDocuments, kernel
from isthmus.solvers.factorization.documents import added_up
from isthmus.solvers.factorization.kernel import COPIED_ROWS, column_order


def in_parts(indptr: np.ndarray, n_words: int) -> list[int]:
    """Three parts, the second of them empty."""
    return [0, (len(indptr) - 1) // 2, (len(indptr) - 1) // 2, len(indptr) - 1]


@pytest.mark.parametrize("worth", [0, 10**9], ids=["compiled", "plain"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("columns", [1, 3, 8, 11])
@pytest.mark.parametrize("n_parts", [1, 2, 4])
def test_sums_over_parts_are_added_in_their_order(
    n_parts: int, columns: int, order: Any, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "WORTH_COMPILED", worth)
    rng = np.random.default_rng(0)
    sums = [np.array(rng.normal(size=(2 * COPIED_ROWS + 13, columns)), order=order) for _ in range(n_parts)]
    wanted = sums[0].copy()
    for each in sums[1:]:
        wanted += each
    found = added_up(iter(sums))
    np.testing.assert_array_equal(found, wanted)
    assert found.flags.f_contiguous


@given(seed=st.integers(0, 10_000), n=st.integers(1, 12), columns=st.integers(1, 4))
def test_parts_give_the_product(seed: int, n: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, 7), density=0.4, rng=rng, format="csr")
    M, V = np.asfortranarray(rng.normal(size=(7, columns))), np.asfortranarray(rng.normal(size=(n, columns)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "part_ends", in_parts)
        parted = MatrixDocuments(X)
        assert parted.times(M) == pytest.approx(X.toarray() @ M)
        assert parted.transposed_times(V) == pytest.approx(X.toarray().T @ V)
        assert parted.times(M).flags.f_contiguous
        assert parted.transposed_times(V).flags.f_contiguous
    whole = MatrixDocuments(X)
    assert whole.times(M) == pytest.approx(parted.times(M))
    assert whole.squared_norm == pytest.approx(np.sum(X.toarray() ** 2))


@pytest.mark.parametrize("n", [0, 1, COPIED_ROWS, 2 * COPIED_ROWS + 1])
def test_pieces_in_column_order_are_the_whole(n: int) -> None:
    rows = np.random.default_rng(0).normal(size=(n, 5)).astype(np.float32)
    copy = column_order(rows)
    assert np.array_equal(copy, rows)
    assert copy.flags.f_contiguous
    assert copy.dtype == np.float32


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_can_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "part_ends", in_parts)
    X = MatrixDocuments(sp.csr_array(np.eye(6)))
    X.times(np.ones((6, 2), order="F"))  # the threads exist
    child = os.fork()
    if child == 0:
        os._exit(0 if X.times(np.ones((6, 2), order="F")).sum() == 12 else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0


def test_products_within_products_do_not_wait_for_themselves() -> None:
    def nested(number: int) -> list[int]:
        return list(numerics.in_threads(lambda own: 10 * number + own, range(3)))

    with ThreadPoolExecutor(1) as other:
        found = list(other.submit(numerics.in_threads, nested, range(4)).result(timeout=30))
    assert found == [[10 * number + own for own in range(3)] for number in range(4)]


def test_results_come_in_order_and_the_thread_that_asks_works_too() -> None:
    def slowly(number: int) -> tuple[int, str]:
        sleep(0.002 * (3 - number % 3))
        return number, current_thread().name

    found = list(numerics.in_threads(slowly, range(12)))
    assert [number for number, _ in found] == list(range(12))
    assert {name.startswith(numerics.OWN_THREADS) for _, name in found} == {True, False}


def test_threads_know_what_the_one_that_asks_knows() -> None:
    """Such as which warnings are silenced there."""
    known: ContextVar[str] = ContextVar("known", default="nothing")
    there = Event()

    def look(number: int) -> tuple[str, bool]:
        if number:
            there.set()
        else:
            there.wait(30)  # the other one is begun elsewhere
        return known.get(), current_thread().name.startswith(numerics.OWN_THREADS)

    token = known.set("this")
    try:
        found = list(numerics.in_threads(look, range(2)))
    finally:
        known.reset(token)
    assert found == [("this", False), ("this", True)]


def test_after_an_error_nothing_more_is_begun() -> None:
    begun = []

    def fail(number: int) -> None:
        begun.append(number)
        sleep(0.01)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(numerics.in_threads(fail, range(400)))
    sleep(0.03)
    assert len(begun) < 300


@given(seed=st.integers(0, 10_000), n=st.integers(0, 30), widths=st.tuples(st.integers(1, 6), st.integers(1, 6)))
def test_products_in_blocks_of_rows_are_the_products(seed: int, n: int, widths: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    left, right = (np.asfortranarray(rng.normal(size=(n, width))) for width in widths)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "SMALL_PRODUCT", 60)
        patch.setattr(kernel, "FEWEST_ROWS", 4)
        assert kernel.inner(left, right) == pytest.approx(left.T @ right)
        assert kernel.gram(left) == pytest.approx(left.T @ left)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_small_squares_are_not_lost_in_single_precision(container: Any) -> None:
    X = MatrixDocuments(container(np.full((3, 4), 1e-30, dtype=np.float32)))
    assert X.squared_norm == pytest.approx(12e-60, rel=1e-5, abs=0)


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.lists(st.booleans(), min_size=12, max_size=12))
def test_rows_taken_are_the_rows(full: list[bool], chosen: list[bool]) -> None:
    X = sp.csr_array(np.outer(full, [1.0, 0.0, 2.0]) + np.outer(np.arange(len(full)) * full, [0.0, 1.0, 0.0]))
    rows = np.flatnonzero(chosen[: len(full)])
    assert np.array_equal(numerics.take_rows(X, rows).toarray(), X.toarray()[rows])


def test_rows_in_one_piece_are_not_copied() -> None:
    X = sp.csr_array(np.array([[1.0, 0], [0, 2], [0, 0], [3, 4], [5, 0]]))
    taken = numerics.take_rows(X, np.array([1, 3]))
    assert np.shares_memory(taken.data, X.data)
    assert np.shares_memory(taken.indices, X.indices)
    assert not np.shares_memory(numerics.take_rows(X, np.array([1, 4])).data, X.data)
    for _, part in parts.row_parts(X):
        assert np.shares_memory(numerics.frozen(part).data, X.data)
    small = numerics.frozen(numerics.take_rows(X, np.array([4])))  # of which scipy's constructor makes a copy
    assert np.shares_memory(small.data, X.data)
    assert np.shares_memory(small.indices, X.indices)
