"""DCI: pivots and profiles against a dense formula, and what the profiles are for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_selection import mutual_info_classif

from conftest import Toy, make_toy
from isthmus.core.problem import Problem, make_problem
from isthmus.methods import DCI, LR, TransductiveLR
from isthmus.solvers.linear import pivot_map
from isthmus.solvers.linear.pivots import informativeness
from isthmus.solvers.linear.word_map import as_matrix

CONTAINERS = [np.asarray, sp.csr_array]


def two_domains(seed: int, container: Any = np.asarray, n_classes: int = 2) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.random((40, 9)) * (rng.random((40, 9)) < rng.uniform(0.2, 0.6, size=9)) + 0.0
    X[:, 7] *= np.arange(40) < 25  # a word of the source alone
    X[:, 8] *= np.arange(40) >= 25
    X[:, 0] += 0.5 * (rng.random(40) < 0.8) + 0.01  # no document is empty
    y = np.arange(40) % n_classes
    return make_problem(LR(), container(X), y, [1] * 25 + [-1] * 15)


def dense_profiles(X: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """Cosine of occurrence vectors, less sqrt(p_word p_pivot); z-scores by pivot; unit rows."""
    found = np.zeros((X.shape[1], len(pivots)))
    share = (X > 0).mean(axis=0)
    for word in range(X.shape[1]):
        for number, pivot in enumerate(pivots):
            lengths = np.linalg.norm(X[:, word]) * np.linalg.norm(X[:, pivot])
            found[word, number] = X[:, word] @ X[:, pivot] / max(lengths, 1e-12) - np.sqrt(share[word] * share[pivot])
    seen = share > 0
    found = (found - found[seen].mean(axis=0)) / found[seen].std(axis=0)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@given(st.integers(0, 1000))
@pytest.mark.parametrize("container", CONTAINERS)
def test_profiles_are_those_of_the_formula(container: Any, seed: int) -> None:
    problem = two_domains(seed, container)
    found = pivot_map(problem, 3, weight=2.0, support=2)
    parts = [
        np.asarray(domain.matrix.toarray() if sp.issparse(domain.matrix) else domain.matrix)
        for domain in problem.domains
    ]
    source, target = (dense_profiles(X, found.pivots) for X in parts)
    target[7], source[8] = source[7], target[8]  # the other domain's, where the own never had the word
    for number, (own, profiles) in enumerate(zip(parts, (source, target), strict=True)):
        X = np.vstack([own, np.eye(9)[7:]])  # and each word that one domain alone has
        hidden = X @ profiles
        expected = 2 * hidden / np.linalg.norm(hidden, axis=1, keepdims=True) * np.linalg.norm(X, axis=1, keepdims=True)
        both = found.transform(container(X), number)
        both = both.toarray() if sp.issparse(both) else both
        assert both[:, :9] == pytest.approx(X)
        assert both[:, 9:] == pytest.approx(expected, abs=2e-5)
    later = found.transform(container(X))
    assert np.array_equal(
        later.toarray() if sp.issparse(later) else later,
        both,
    )


@given(st.integers(0, 1000), st.sampled_from([2, 3, 5]))
def test_informativeness_is_mutual_information_with_the_best_class(seed: int, n_classes: int) -> None:
    problem = two_domains(seed, n_classes=n_classes)
    X, numbers = problem.labeled
    by_class = [
        mutual_info_classif(X > 0, numbers == number, discrete_features=True) for number in range(problem.n_classes)
    ]
    assert informativeness(problem) == pytest.approx(np.max(by_class, axis=0), abs=1e-9)


@given(st.integers(0, 1000))
def test_pivots_stand_in_both_domains_and_as_often_in_both(seed: int) -> None:
    problem = two_domains(seed)
    counts = np.array([(domain.matrix > 0).sum(axis=0) for domain in problem.domains])
    shares = counts / [[25], [15]]
    pivots = pivot_map(problem, 9, support=4).pivots
    assert sorted(pivots) == np.flatnonzero(counts.min(axis=0) > 0).tolist()
    rare = counts[:, pivots].min(axis=0) < 4
    assert not np.any(rare[:-1] & ~rare[1:])  # those with too few documents come last
    strength = (informativeness(problem) * shares.min(axis=0) / shares.max(axis=0))[pivots]
    for part in (strength[~rare], strength[rare]):
        assert np.all(part[:-1] >= part[1:] - 1e-12)


def test_words_of_one_domain_take_on_the_class_of_their_pivots(toy: Toy) -> None:
    own = [10 + 24, 10 + 36 + 24]  # the first word of each class that the target alone has
    X = sp.csr_array(np.eye(toy.X.shape[1])[own])
    assert toy.fit(DCI()).predict(X).tolist() == ["class 0", "class 1"]


@pytest.mark.parametrize("n_classes", [2, 4])
def test_transductive_regression_takes_the_profiles_as_features(n_classes: int) -> None:
    toy = make_toy(seed=1, n_classes=n_classes)
    plain, model = toy.fit(DCI()), toy.fit(TransductiveLR("dci", n_weights=0))
    assert np.array_equal(model.feature_map_.pivots, plain.feature_map_.pivots)
    assert model.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-4)
    assert toy.fit(TransductiveLR("dci")).score(toy.X[toy.in_target], toy.y[toy.in_target]) > 0.9


def test_documents_are_read_with_their_own_domains_words(toy: Toy) -> None:
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, target_domain="target")
    found = pivot_map(problem, 20)
    rows = as_matrix(found.labeled_first(problem))
    source, target = sorted(problem.domains, key=lambda domain: domain.is_target)
    number = {domain.name: i for i, domain in enumerate(problem.domains)}
    expected = [found.transform(domain.matrix, number[domain.name]).toarray() for domain in (source, target)]
    assert np.array_equal(rows.toarray(), np.vstack(expected))
    assert not np.array_equal(found.transform(target.matrix, number[source.name]).toarray(), expected[1])
