"""CDSC and its operators against the formulas written out."""

from __future__ import annotations

import tracemalloc
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from conftest import Toy, build, make_toy
from isthmus import CDSC
from isthmus.core.numerics import unit_rows
from isthmus.core.progress import Step
from isthmus.solvers.spectral import CosineAffinity, MustLink, class_sums, eigen, embed, linked_rows
from isthmus.solvers.spectral.embedding import turn_signs

problems = st.tuples(st.integers(0, 10_000), st.integers(2, 4), st.integers(0, 9), st.sampled_from([0.0, 0.025, 0.7]))


def documents(seed: int, n: int, width: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.random((n, width)) * (rng.random((n, width)) < 0.6)
    X[:, 0] += 0.1  # no document stands alone
    return X


def written_out(X: np.ndarray, classes: np.ndarray, lam: float, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """T and D of eq. 10, pair by pair; the first documents are the labeled ones."""
    n, n_labeled = len(X), len(classes)
    N = X / np.linalg.norm(X, axis=1, keepdims=True)
    W = N @ N.T
    np.fill_diagonal(W, 0)
    W_s = W.copy()
    W_s[:n_labeled] = W_s[:, :n_labeled] = 0
    pairs = [(i, j) for i, j in combinations(range(n_labeled), 2) if classes[i] == classes[j]]
    U = np.zeros((n, len(pairs)))
    for column, (i, j) in enumerate(pairs):
        U[i, column], U[j, column] = 1, -1
    D, D_s = np.diag(W.sum(axis=1)), np.diag(W_s.sum(axis=1))
    return (D - W) + beta * U @ U.T + lam * (D_s - W_s), D


def random_problem(seed: int, n_classes: int, n_free: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=5)]))
    return documents(seed, len(classes) + n_free), classes


@given(problems)
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_operators_are_the_matrices_of_the_paper(container: Any, problem: tuple[int, int, int, float]) -> None:
    seed, n_classes, n_free, lam = problem
    X, classes = random_problem(seed, n_classes, n_free)
    n = len(classes)
    T, D = written_out(X, classes, lam, beta=15)
    tied, free = container(unit_rows(X[:n])), container(unit_rows(X[n:]))
    affinity = CosineAffinity(tied, free, np.ones(n), lam)
    must_link = MustLink(classes, len(X))
    x = np.random.default_rng(seed).normal(size=len(X))
    assert affinity.degrees() == pytest.approx(np.diag(D))
    product = (affinity @ np.ones(len(X))) * x - affinity @ x + 15 * (must_link @ x)
    assert product == pytest.approx(T @ x)

    merge = np.zeros((len(X), n_classes + n_free))
    merge[np.arange(len(X)), np.concatenate([classes, n_classes + np.arange(n_free)])] = 1
    sums, sizes = class_sums(tied, classes, n_classes)
    merged = CosineAffinity(sums, free, sizes, lam)
    z = np.random.default_rng(seed).normal(size=len(merged))
    assert merged.degrees() == pytest.approx(np.diag(merge.T @ D @ merge))
    assert (merged @ np.ones(len(z))) * z - merged @ z == pytest.approx(merge.T @ T @ merge @ z)


@given(problems, st.sampled_from([0.0, 0.1, 15.0, 1e6]))
def test_pairs_can_be_solved_for(problem: tuple[int, int, int, float], beta: float) -> None:
    seed, n_classes, n_free, _ = problem
    _, classes = random_problem(seed, n_classes, n_free)
    rng = np.random.default_rng(seed)
    n = len(classes) + n_free
    must_link, diagonal, x = MustLink(classes, n), rng.uniform(0.1, 3, size=n), rng.normal(size=(n, 2))
    solved = must_link.solve(diagonal, beta, x)
    assert np.diag(diagonal) @ solved + beta * (must_link @ solved) == pytest.approx(x, abs=1e-6)
    assert must_link.solve(diagonal, beta, x[:, 0]) == pytest.approx(solved[:, 0])


@given(problems)
def test_vectors_solve_the_papers_eigenproblem(problem: tuple[int, int, int, float]) -> None:
    seed, n_classes, n_free, lam = problem
    X, classes = random_problem(seed, n_classes, n_free)
    n = len(classes)
    T, D = written_out(X, classes, lam, beta=15)
    affinity = CosineAffinity(unit_rows(X[:n]), unit_rows(X[n:]), np.ones(n), lam)
    found = embed(affinity, n_classes, np.ones(len(X)), MustLink(classes, len(X)), 15)
    vectors = np.vstack([found.tied, found.free])
    assert T @ vectors == pytest.approx(D @ vectors * (1 - found.values), abs=1e-8)
    assert vectors.T @ D @ vectors == pytest.approx(np.eye(n_classes), abs=1e-8)
    assert 1 - found.values == pytest.approx(eigh(T, D, eigvals_only=True)[:n_classes], abs=1e-8)
    assert np.ptp(vectors[:, 0]) < 1e-12


def test_many_documents_go_through_lanczos_to_the_same_vectors() -> None:
    toy = make_toy()
    affinity = CosineAffinity(unit_rows(toy.X[:100]), unit_rows(toy.X[100:]), np.ones(100), 0.025)
    W = np.column_stack([affinity @ column for column in np.eye(len(affinity))])
    expected, _ = eigh(np.diag(W.sum(axis=1)) - W, np.diag(affinity.degrees()))
    found = embed(affinity, 6, np.random.default_rng(0).normal(size=len(affinity)), None, 0)
    assert 1 - found.values == pytest.approx(expected[:6], abs=1e-10)
    assert np.ptp(np.vstack([found.tied, found.free])[:, 0]) < 1e-12


def test_many_documents_with_pairs_come_to_the_same_vectors() -> None:
    """A labeled document with hardly a similar one makes the largest eigenvalue enormous."""
    toy = make_toy()
    X = np.column_stack([toy.X.toarray(), np.full(len(toy.y), 1e-6)])
    X[0, :-1] = 0
    classes = np.arange(100) % 3
    T, D = written_out(X, classes, 0.025, beta=15)
    expected = eigh(T, D, eigvals_only=True)
    affinity = CosineAffinity(unit_rows(X[:100]), unit_rows(X[100:]), np.ones(100), 0.025)
    found = embed(affinity, 6, np.random.default_rng(0).normal(size=len(X)), MustLink(classes, len(X)), 15)
    assert expected[-1] > 1e5
    assert 1 - found.values == pytest.approx(expected[:6], abs=1e-8)
    vectors = np.vstack([found.tied, found.free])
    assert vectors.T @ D @ vectors == pytest.approx(np.eye(6), abs=1e-6)


def fit(toy: Toy, **params: Any) -> Any:
    return toy.fit(CDSC(random_state=0, **params))


@pytest.mark.parametrize("weighting", ["none", "eigenvalue"])
def test_merged_nodes_are_the_limit_of_large_beta(weighting: str) -> None:
    toy = make_toy(seed=3, n_classes=3, n_documents=90)
    merged = fit(toy, n_eigenvectors=3, weighting=weighting)
    gaps = []
    for beta in (0.01, 1.0, 100.0):
        literal = fit(toy, n_eigenvectors=3, weighting=weighting, beta=beta)
        gaps.append(np.abs(literal.label_distributions_ - merged.label_distributions_).max())
        if beta >= 1:
            assert np.mean(literal.transduction_ == merged.transduction_) > 0.98
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-3


@pytest.mark.parametrize("lam", [0.0, 0.3])
@pytest.mark.parametrize("beta", [15.0, np.inf])
def test_extension_puts_copies_where_the_originals_stand(toy: Toy, lam: float, beta: float) -> None:
    """A copy is similar to its original as well, to the extent of one."""
    model = fit(toy, lam=lam, beta=beta)
    target = toy.X[toy.in_target]
    places, linked = model.solution_._embedding.place(target)
    N = toy.X.toarray()
    mu = model.solution_._embedding.values
    d = (N @ N.T).sum(axis=1)[toy.in_target][:, None] - 1
    d_s = (N @ N.T)[np.ix_(toy.in_target, toy.in_target)].sum(axis=1)[:, None] - 1
    pull = (mu * d + lam * d_s + 1 + lam) / (mu * (d + 1) + lam * (d_s + 1))
    assert linked.all()
    assert places == pytest.approx(model.solution_._embedding.free * pull, abs=1e-9)
    assert np.mean(model.predict(target) == model.transduction_[toy.in_target]) > 0.98


def test_weighted_decision_is_a_random_walk_of_four_steps(toy_of_three: Toy) -> None:
    toy = toy_of_three
    n_free = int(toy.in_target.sum())
    model = fit(toy, lam=0.0, weighting="eigenvalue", n_eigenvectors=3 + n_free)
    numbers = np.unique(toy.y[~toy.in_target], return_inverse=True)[1]
    sums, sizes = class_sums(toy.X[~toy.in_target], numbers, 3)
    rows = np.vstack([sums.toarray(), toy.X[toy.in_target].toarray()])
    W = rows @ rows.T - np.diag(np.append(sizes, np.ones(n_free)))
    degrees = W.sum(axis=1)
    walk = np.linalg.matrix_power(W / degrees[:, None], 4)[3:, :3] / degrees[:3]
    assert np.array_equal(model.transduction_[toy.in_target], model.classes_[walk.argmax(axis=1)])
    few = fit(toy, lam=0.0, weighting="eigenvalue")
    assert np.mean(few.transduction_ == model.transduction_) > 0.98


def test_two_copies_of_one_text_do_not_take_the_place_of_the_classes(toy: Toy) -> None:
    """The smallest cut is around them: the paper's two vectors fail, and the default looks further."""
    extra = np.zeros((2, toy.X.shape[1] + 30))
    extra[:, -30:] = 1
    extra[0, 12] = extra[1, 13] = 0.05
    X = sp.vstack([sp.hstack([toy.X, sp.csr_array((toy.X.shape[0], 30))]), sp.csr_array(extra)], format="csr")
    more = Toy(X, np.append(toy.y, ["class 0"] * 2), np.append(toy.domain, ["target"] * 2))
    known = more.in_target & (np.arange(len(more.y)) < len(toy.y))

    def accuracy(**params: Any) -> float:
        return float(np.mean((fit(more, **params).transduction_ == more.y)[known]))

    assert accuracy(n_eigenvectors=2) < 0.8
    assert accuracy() > 0.9
    assert accuracy(beta=15.0) > 0.9
    assert accuracy(weighting="eigenvalue") > 0.9


@pytest.mark.parametrize("beta", [15.0, np.inf])
@pytest.mark.parametrize("weighting", ["none", "eigenvalue"])
def test_documents_without_a_link_get_the_prior(toy: Toy, beta: float, weighting: str) -> None:
    """One alone with its word, two that only share a word with each other, and a labeled one alone."""
    width = toy.X.shape[1]
    alone = sp.csr_array((np.ones(5), ([0, 1, 2, 2, 3], width + np.array([0, 1, 1, 2, 3]))), shape=(4, width + 4))
    X = sp.vstack([sp.hstack([toy.X, sp.csr_array((toy.X.shape[0], 4))]), alone], format="csr")
    more = Toy(X, np.append(toy.y, ["class 0"] * 4), np.append(toy.domain, ["target"] * 3 + ["source"]))
    model, plain = (fit(problem, beta=beta, weighting=weighting) for problem in (more, toy))
    assert model.label_distributions_[-4:-1] == pytest.approx(np.tile(model.class_prior_, (3, 1)))
    assert model.transduction_[-1] == "class 0"
    assert np.array_equal(model.transduction_[:-4], plain.transduction_)
    assert model.predict_proba(alone[[0]])[0] == pytest.approx(model.class_prior_)
    assert not linked_rows(unit_rows(alone[:3]), unit_rows(X[:-4])).any()


@given(st.integers(0, 10_000), st.booleans())
def test_linked_rows_are_those_that_words_lead_to(seed: int, dense: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((14, 20)) * (rng.random((14, 20)) < 0.07)
    free, start = X[:11], X[11:]
    linked: Any = np.zeros(11, dtype=bool)
    seen: Any = (start > 0).any(axis=0)
    for _ in range(11):
        linked = (free[:, seen] > 0).any(axis=1)
        seen = seen | (free[linked] > 0).any(axis=0)
    found = linked_rows(*((free, start) if dense else (sp.csr_array(free), sp.csr_array(start))))
    assert np.array_equal(found, linked)


def test_a_long_chain_of_documents_takes_no_more_passes() -> None:
    class Counted(sp.csr_array):
        products = 0

        def __matmul__(self, other: Any) -> Any:
            Counted.products += 1
            return super().__matmul__(other)

    chain = Counted(sp.diags_array([np.ones(200), np.ones(200)], offsets=[0, 1], shape=(200, 201)))
    assert linked_rows(chain[1:], chain[:1]).all()
    assert Counted.products < 10


def test_classes_that_nothing_is_similar_to() -> None:
    """No links at all, and then between documents of one class only."""
    nothing = CDSC().fit(np.eye(4), ["a", "a", "b", "b"])
    assert nothing.predict_proba(np.eye(4)) == pytest.approx(np.full((4, 2), 0.5))
    X = np.array([[1.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 2, 0, 0]])
    for params in ({}, {"beta": 15.0}, {"weighting": "eigenvalue"}, {"classifier": LinearSVC()}):
        model = CDSC(**params).fit(X, ["a", "a", "b", "b", None], sample_domain=[1, 1, 1, 1, -1])
        assert model.transduction_.tolist() == ["a", "a", "b", "b", "a"]


def test_classes_without_a_word_in_common() -> None:
    """The graph falls apart, and the first eigenvalue is there several times."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = np.zeros((300, 15))
    for row, label in enumerate(y):
        X[row, 5 * label + rng.choice(5, 3, replace=False)] = 1
    X = np.vstack([X, X])
    for params in ({}, {"beta": 15.0}, {"weighting": "eigenvalue"}):
        model = CDSC(random_state=0, **params).fit(X, np.append(y, y), sample_domain=np.repeat([1, -1], 300))
        assert np.array_equal(model.transduction_, np.append(y, y))
        assert np.array_equal(model.predict(X), np.append(y, y))


@pytest.mark.parametrize("classifier", [LinearSVC(), KNeighborsClassifier(3)])
@pytest.mark.parametrize("beta", [15.0, np.inf])
def test_any_classifier_does(toy_of_three: Toy, classifier: Any, beta: float) -> None:
    model = fit(toy_of_three, classifier=classifier, beta=beta)
    right = model.transduction_ == toy_of_three.y
    assert right[toy_of_three.in_target].mean() > 0.9
    assert model.label_distributions_.sum(axis=1) == pytest.approx(np.ones(len(right)))
    assert not hasattr(classifier, "classes_")  # a clone was fitted
    with pytest.raises(ValueError, match="weighting is 'eigenvalue', which decides without a classifier: leave one"):
        fit(toy_of_three, classifier=classifier, weighting="eigenvalue")


@pytest.mark.parametrize(("beta", "n_eigenvectors"), [(np.inf, None), (np.inf, 15), (15.0, None), (15.0, 15)])
def test_a_callback_sees_and_stops_the_search(
    toy: Toy, beta: float, n_eigenvectors: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through Lanczos and with a preconditioner, for less and for more vectors than a step multiplies."""
    monkeypatch.setattr(eigen, "SMALL", 64)
    params = {"beta": beta, "n_eigenvectors": n_eigenvectors, "weighting": "none" if n_eigenvectors else "eigenvalue"}
    steps: list[Step] = []
    found = fit(toy, callback=steps.append, **params)
    assert len(steps) > 3
    assert [step.max_iter for step in steps] == [None] * (len(steps) - 1) + [len(steps)]
    objectives = [step.objective for step in steps]
    assert np.diff(objectives).max() < 1e-9  # the space that was searched only grows
    assert objectives[-1] == pytest.approx(found.eigenvalues_.sum())

    def broken_off(at: int) -> Any:
        seen: list[float] = []

        def stop(step: Step) -> bool:
            seen.append(step.objective)
            return step.iteration == at

        model = fit(toy, callback=stop, **params)
        assert seen == objectives[:at]
        assert model.eigenvalues_.sum() == pytest.approx(objectives[at - 1])
        assert len(model.eigenvalues_) == len(found.eigenvalues_)
        return model

    early, late = broken_off(1), broken_off(len(steps) - 1)
    assert not np.array_equal(early.label_distributions_, found.label_distributions_)
    assert early.label_distributions_.sum(axis=1) == pytest.approx(np.ones(len(toy.y)))
    assert np.mean(late.transduction_ == found.transduction_) > 0.98
    assert np.array_equal(broken_off(len(steps)).label_distributions_, found.label_distributions_)  # nothing was left


def test_a_few_documents_take_one_step() -> None:
    steps: list[Step] = []
    toy = make_toy(n_documents=30)
    model = fit(toy, callback=steps.append, n_eigenvectors=3)
    assert [(step.iteration, step.max_iter) for step in steps] == [(1, 1)]
    assert steps[0].objective == pytest.approx(model.eigenvalues_.sum())


def test_no_array_of_documents_by_documents() -> None:
    """Sixty thousand documents: their pairs would take 29 gigabytes."""
    rng = np.random.default_rng(0)
    n, width, per_document = 60_000, 5_000, 12
    y = rng.integers(2, size=n)
    indices = rng.integers(width, size=(n, per_document))
    indices[:, :3] = rng.integers(20, size=(n, 3)) + 20 * y[:, None]
    X = sp.csr_array((np.ones(n * per_document), indices.ravel(), np.arange(n + 1) * per_document), shape=(n, width))
    domain = np.repeat([1, -1], n // 2)
    tracemalloc.start()
    try:
        for weighting in ("none", "eigenvalue"):
            model = CDSC(weighting=weighting, random_state=0).fit(X, y, sample_domain=domain)
            assert np.mean((model.transduction_ == y)[domain < 0]) > 0.95
        assert tracemalloc.get_traced_memory()[1] < 20 * X.data.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_a_very_short_document_is_as_good_as_a_long_one(container: Any, dtype: Any, toy: Toy) -> None:
    X = toy.X.toarray()
    X[np.flatnonzero(toy.in_target)[:3]] *= 1e-25
    short = toy.fit(build("CDSC"), X=container(X.astype(dtype)))
    plain = toy.fit(build("CDSC"))
    assert short.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-3)


def test_turning_leaves_a_vector_that_no_tied_node_has() -> None:
    vectors = np.array([[0.0, -1.0], [0.0, 0.2], [3.0, 4.0]])
    turn_signs(vectors, 2)
    assert vectors.tolist() == [[0.0, 1.0], [0.0, -0.2], [3.0, -4.0]]
