"""Products with documents: in one piece or in two, they are the same."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from isthmus.core import numerics
from isthmus.solvers.factorization import MatrixDocuments, documents
from isthmus.solvers.factorization.kernel import COPIED_ROWS, column_order


@given(seed=st.integers(0, 10_000), n=st.integers(1, 12), columns=st.integers(1, 4))
def test_two_threads_give_the_product(seed: int, n: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, 7), density=0.4, rng=rng, format="csr")
    M, V = np.asfortranarray(rng.normal(size=(7, columns))), np.asfortranarray(rng.normal(size=(n, columns)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "WORTH_TWO_THREADS", 0)
        halved = MatrixDocuments(X)
        assert halved.times(M) == pytest.approx(X.toarray() @ M)
        assert halved.transposed_times(V) == pytest.approx(X.toarray().T @ V)
        assert halved.times(M).flags.f_contiguous
        assert halved.transposed_times(V).flags.f_contiguous
    whole = MatrixDocuments(X)
    assert whole.times(M) == pytest.approx(halved.times(M))
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
    monkeypatch.setattr(documents, "WORTH_TWO_THREADS", 0)
    X = MatrixDocuments(sp.csr_array(np.eye(6)))
    X.times(np.ones((6, 2), order="F"))  # the threads exist
    child = os.fork()
    if child == 0:
        os._exit(0 if X.times(np.ones((6, 2), order="F")).sum() == 12 else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0


def test_products_within_products_do_not_wait_for_themselves() -> None:
    def nested(number: int) -> list[int]:
        return numerics.in_two_threads(lambda own: 10 * number + own, range(3))

    with ThreadPoolExecutor(1) as other:
        found = other.submit(numerics.in_two_threads, nested, range(4)).result(timeout=30)
    assert found == [[10 * number + own for own in range(3)] for number in range(4)]


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_small_squares_are_not_lost_in_single_precision(container: Any) -> None:
    X = MatrixDocuments(container(np.full((3, 4), 1e-30, dtype=np.float32)))
    assert X.squared_norm == pytest.approx(12e-60, rel=1e-5, abs=0)
