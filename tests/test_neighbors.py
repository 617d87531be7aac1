"""Nearest neighbors, exact and approximate."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
import scipy.sparse as sp

from isthmus.exceptions import ApproximateNeighborsWarning
from isthmus.solvers.spectral import nearest, neighbors


def texts(n: int, rng: np.random.Generator) -> sp.csr_array:
    """Of groups of five, which share rare words; five words are nearly everywhere."""
    common = sp.random_array((n, 5), density=0.9, rng=rng)
    rare = sp.random_array((n // 5, 200), density=0.05, rng=rng).toarray().repeat(5, axis=0)
    return sp.csr_array(sp.hstack([0.3 * common, sp.csr_array(rare * rng.uniform(0.5, 1, rare.shape))]))


def dense_nearest(X: sp.csr_array, n_neighbors: int) -> np.ndarray:
    rows = X.toarray() / np.linalg.norm(X.toarray(), axis=1, keepdims=True)
    cosines = rows @ rows.T
    least = np.sort(cosines, axis=1)[:, [-n_neighbors]]
    return np.where((cosines >= least) & (cosines > 0), cosines, 0)


def test_few_rows_have_their_exact_neighbors_without_a_warning() -> None:
    X = texts(100, np.random.default_rng(0))
    assert nearest(X, X, 4).toarray() == pytest.approx(dense_nearest(X, 4))


def test_what_is_not_affordable_is_approximate_and_says_how_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a group find each other by their rare words, and their cosines are those in all words."""
    X = texts(100, np.random.default_rng(0))
    rare = (np.bincount(X.indices)[5:] ** 2).sum()
    monkeypatch.setattr(neighbors, "AFFORDABLE", rare)
    monkeypatch.setattr(neighbors, "PER_ROW", 0)
    monkeypatch.setattr(neighbors, "BLOCK", 7)
    assert not neighbors.affordable_words(X, X)[:5].any()
    assert neighbors.affordable_words(X, X)[5:].any()
    with pytest.warns(ApproximateNeighborsWarning, match=r"nearest of 100 rows .* (100|9\d)% were found"):
        found = nearest(X, X, 4).toarray()
    wanted = dense_nearest(X, 4)
    assert np.count_nonzero(found, axis=1).max() <= 4
    assert np.mean(found[wanted > 0] > 0) > 0.9
    both = (found > 0) & (wanted > 0)
    assert found[both] == pytest.approx(wanted[both])


def test_candidates_are_ranked_by_all_words() -> None:
    """By the rare word alone, the second row would be nearest to the first; by all, the third is."""
    X = sp.csr_matrix(np.array([[1.0, 1, 0], [1, 0, 1], [0.9, 2, 0]]))
    found = neighbors.approximate(X, X, 2, np.array([True, False, True]))
    assert found.toarray()[0] == pytest.approx([2, 0, 2.9])


def test_recall_is_what_was_found_of_the_nearest() -> None:
    X = texts(50, np.random.default_rng(1))
    exact = nearest(X, X, 4)
    unit = sp.csr_matrix(X / np.sqrt(X.power(2).sum(axis=1))[:, None])
    half = exact.copy()
    half.data[half.indices % 2 == 0] = 0
    assert neighbors.recall(exact, unit, unit, 4) == 1
    assert neighbors.recall(half, unit, unit, 4) == pytest.approx(np.mean(exact.indices % 2 == 1))


def test_time_grows_with_rows_and_not_with_their_square(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbors, "AFFORDABLE", 0)
    monkeypatch.setattr(neighbors, "PER_ROW", 30)
    for n in (100, 400):
        X = texts(n, np.random.default_rng(2))
        counts = np.bincount(X.indices, minlength=X.shape[1])
        looked_at = neighbors.affordable_words(X, X)
        assert 0.5 * 30 * n < (counts**2)[looked_at].sum() <= 30 * n


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_finds_neighbors_too() -> None:
    """After its parent has: threads of OpenMP do not survive a fork."""
    X = sp.random_array((400, 60), density=0.2, rng=np.random.default_rng(0), format="csr")
    expected = nearest(X, X, 5)
    child = os.fork()
    if not child:
        signal.alarm(60)
        os._exit(int((nearest(X, X, 5) != expected).nnz > 0))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
