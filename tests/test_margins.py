"""Methods with margins: FR, ASVM, CDSVM and DTMKL against what they claim to minimise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC

from conftest import Toy, build
from isthmus import ASVM, DTMKL
from isthmus.methods.few_labels.cdsvm import similarity
from isthmus.solvers.linear.kernels import KernelFeatures, Risk, least_on_simplex
from isthmus.solvers.linear.svm import signs, squared_hinge, svm

NEED_LABELS = ["ASVM", "CDSVM", "DTMKL", "FR"]


def some_labels(toy: Toy, n: int = 12) -> np.ndarray:
    """The source, and a few documents of the target."""
    labeled = ~toy.in_target
    labeled[np.flatnonzero(toy.in_target)[:n]] = True
    return labeled


def hard(toy: Toy) -> Toy:
    """The words that both domains have count little: labels of the target can tell what its own words mean."""
    X = toy.X.toarray()
    shared = np.r_[10:22, 46:58]
    X[:, shared] *= 0.2
    return Toy(sp.csr_array(X), toy.y, toy.domain)


@pytest.mark.parametrize("name", NEED_LABELS)
def test_labels_of_the_target_help(name: str, toy: Toy) -> None:
    problem = hard(toy)
    labeled = some_labels(problem, 20)
    rest = ~labeled
    without = np.mean((problem.fit(build(name)).transduction_ == problem.y)[rest])
    found = np.mean((problem.fit(build(name), sample_labeled=labeled).transduction_ == problem.y)[rest])
    assert found > 0.9
    assert found > without


@pytest.mark.parametrize("name", ["ASVM", "CDSVM", "FR"])
@pytest.mark.parametrize("classes", ["toy", "toy_of_three"])
def test_without_labels_of_the_target_it_is_the_sources_svm(
    name: str, classes: str, request: pytest.FixtureRequest
) -> None:
    toy: Toy = request.getfixturevalue(classes)
    rows = toy.X[~toy.in_target]
    # Every word twice doubles the kernel, and half of it is there for the target.
    factor = 2 if name == "FR" else 1
    reference = LinearSVC(C=factor, intercept_scaling=1, dual=False, tol=1e-6).fit(rows, toy.y[~toy.in_target])
    margins = reference.decision_function(toy.X).reshape(len(toy.y), -1) / factor
    model: Any = toy.fit(build(name))
    machines = getattr(model.solution_, "_default", model.machines_)
    assert machines.margins(toy.X) == pytest.approx(margins, abs=1e-3)


@pytest.mark.parametrize("name", NEED_LABELS)
def test_labels_in_the_target_alone(name: str, toy: Toy) -> None:
    """No label in the source, and so nothing to transfer."""
    labeled = toy.in_target.copy()
    labeled[np.flatnonzero(toy.in_target)[::3]] = False
    model = toy.fit(build(name), sample_labeled=labeled)
    rest = toy.in_target & ~labeled
    assert np.mean((model.transduction_ == toy.y)[rest]) > 0.9


@pytest.mark.parametrize("name", NEED_LABELS)
def test_a_class_that_the_target_alone_has(name: str, toy_of_three: Toy) -> None:
    toy = toy_of_three
    labeled = (~toy.in_target) & (toy.y != "class 2")
    of_two = np.flatnonzero(toy.in_target & (toy.y == "class 2"))[:15]
    labeled[of_two] = True
    model = toy.fit(build(name), sample_labeled=labeled)
    rest = toy.in_target & ~labeled & (toy.y == "class 2")
    assert np.mean(model.transduction_[rest] == "class 2") > 0.8


def test_replicated_words_are_one_sparse_matrix(toy: Toy) -> None:
    """FR's kernel: x x' + 1 once for all, and once more for documents of one domain."""
    from isthmus.methods.few_labels.fr import replicated

    X = sp.csr_array(toy.X[:10])
    features = replicated(X, np.array([0, 4, 10]))
    assert sp.issparse(features)
    same = np.equal.outer(np.arange(10) < 4, np.arange(10) < 4)
    plain = (X @ X.T).toarray()
    assert (features @ features.T).toarray() == pytest.approx(plain + same * (plain + 1))


@settings(max_examples=15)
@given(st.integers(0, 1000), st.sampled_from([0.1, 1.0, 30.0]))
def test_squared_hinge_is_liblinears_where_that_can_do_it(seed: int, C: float) -> None:
    rng = np.random.default_rng(seed)
    X, sign = rng.normal(size=(20, 6)), rng.choice([-1.0, 1.0], size=20)
    sign[:2] = -1, 1
    expected = svm(X, (sign > 0).astype(np.intp), 2, C)
    found = squared_hinge([X[:, :2], sp.csr_array(X[:, 2:]), np.ones((20, 1))], sign, 1.0, C)
    assert found[:-1] == pytest.approx(expected.coef[0], rel=1e-3, abs=1e-4)
    assert found[-1] == pytest.approx(expected.intercept[0], rel=1e-3, abs=1e-4)


@given(st.integers(0, 1000))
def test_asvm_minimises_the_change(seed: int) -> None:
    """The gradient of the paper's objective, at the margins that the source leaves, is zero."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((40, 5)), rng.integers(2, size=40)
    y[[0, 1, 20, 21]] = 0, 1, 0, 1
    domain = np.repeat([1, -1], 20)
    labeled = np.arange(40) < 30
    model = ASVM(C=2.0).fit(X, y, sample_domain=domain, sample_labeled=labeled)
    own, own_signs = X[20:30], 2.0 * y[20:30] - 1
    source, target = model.source_, model.machines_[model.domains_.index(-1)]
    change = np.append(target.coef - source.coef, target.intercept - source.intercept)

    def objective(w: np.ndarray) -> float:
        margins = source.margins(own)[:, 0] + own @ w[:-1] + w[-1]
        return float(w @ w / 2 + 2.0 * (np.maximum(0, 1 - own_signs * margins) ** 2).sum())

    assert approx_fprime(change, objective, 1e-7) == pytest.approx(np.zeros(6), abs=1e-3)
    assert model.machines_[model.domains_.index(1)] is source


def test_asvm_leaves_alone_what_the_source_gets_right(toy: Toy) -> None:
    toy = Toy(sp.csr_array(sp.diags_array(np.where(toy.in_target, 5.0, 1.0)) @ toy.X), toy.y, toy.domain)
    sure = toy.fit(build("ASVM"))
    margins = sure.source_.margins(toy.X)[:, 0] * np.where(toy.y == "class 1", 1, -1)
    labeled = ~toy.in_target | (margins >= 1)
    assert labeled[toy.in_target].sum() > 10
    model = toy.fit(build("ASVM"), sample_labeled=labeled)
    assert model.predict_proba(toy.X) == pytest.approx(sure.predict_proba(toy.X))


def test_cdsvm_weighs_support_vectors_by_their_nearness(toy: Toy) -> None:
    labeled = some_labels(toy)
    model = toy.fit(build("CDSVM", beta=3.0), sample_labeled=labeled)
    near = toy.X[labeled & toy.in_target].toarray()
    rows = toy.X[model.support_].toarray()
    squares = ((rows[:, None] - near[None]) ** 2).sum(axis=2)
    assert model.support_weights_ == pytest.approx(np.exp(-3 * squares / squares.mean()).mean(axis=1))
    assert not toy.in_target[model.support_].any()
    # Nothing but support vectors matters: the others stand beyond the margin of the first machine.
    first = toy.fit(build("CDSVM"))
    aims = signs((toy.y == "class 1").astype(np.intp), 2)
    beyond = (first.machines_.margins(toy.X) * aims)[:, 0] >= 1
    assert set(model.support_) == set(np.flatnonzero(~beyond & ~toy.in_target))


def test_cdsvm_with_beta_zero_is_an_svm_of_all_labeled_documents(toy: Toy) -> None:
    labeled = some_labels(toy)
    model = toy.fit(build("CDSVM", beta=0.0), sample_labeled=labeled)
    assert model.support_weights_ == pytest.approx(np.ones(len(model.support_)))
    far = toy.fit(build("CDSVM", beta=1e4), sample_labeled=labeled)
    alone = LinearSVC(dual=False, tol=1e-6).fit(toy.X[labeled & toy.in_target], toy.y[labeled & toy.in_target])
    assert far.machines_.margins(toy.X)[:, 0] == pytest.approx(alone.decision_function(toy.X), abs=1e-3)


def test_similarity_goes_by_batches() -> None:
    rng = np.random.default_rng(0)
    X, others = rng.random((600, 3)), rng.random((7, 3))
    squares = ((X[:, None] - others[None]) ** 2).sum(axis=2)
    assert similarity(sp.csr_array(X), sp.csr_array(others), 2.0) == pytest.approx(
        rbf_kernel(X, others, gamma=2 / squares.mean()).mean(axis=1)
    )


def some_risk(toy: Toy, C: float = 1.0) -> Risk:
    rows = np.flatnonzero(~toy.in_target)
    features = KernelFeatures(toy.X, (0.5, 2.0), 15, np.random.RandomState(0))
    return Risk(features.blocks(toy.X[rows]), signs((toy.y[rows] == "class 1").astype(np.intp), 2), C, tol=1e-8)


def test_slopes_of_the_risk(toy: Toy) -> None:
    risk = some_risk(toy)
    weights = np.array([0.5, 0.2, 0.3])
    slopes = risk(weights)[1]
    expected = approx_fprime(weights, lambda at: risk(at)[0], 1e-5)
    assert slopes == pytest.approx(expected, rel=1e-3)


def test_nystroem_features_with_all_documents_are_the_kernel() -> None:
    X = np.random.default_rng(1).random((12, 4))
    linear, *gaussian = KernelFeatures(X, (0.5, 2.0), 12, np.random.RandomState(0)).blocks(X)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    for width, block in zip((0.5, 2.0), gaussian, strict=True):
        assert block @ block.T == pytest.approx(np.exp(-width * squares / squares.mean()), abs=1e-6)
    few = KernelFeatures(X, (0.5, 2.0), 3, np.random.RandomState(0)).blocks(X)
    for block in [linear, *few]:
        assert np.mean((block**2).sum(axis=1)) == pytest.approx(1)


@given(st.integers(0, 1000))
def test_the_least_on_the_simplex(seed: int) -> None:
    """Of a convex quadratic: no weight can be moved to another one's gain."""
    rng = np.random.default_rng(seed)
    root, linear = rng.normal(size=(4, 4)), rng.normal(size=4)
    matrix = root @ root.T + 0.1 * np.eye(4)

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        return float(10 + weights @ matrix @ weights / 2 + linear @ weights), matrix @ weights + linear

    weights, history = least_on_simplex(objective, np.full(4, 0.25), 100, 1e-12)
    gradient = objective(weights)[1]
    assert weights.sum() == pytest.approx(1)
    assert weights.min() >= 0
    assert (np.diff(history) <= 0).all()
    assert gradient[weights > 1e-6] == pytest.approx(np.full((weights > 1e-6).sum(), gradient.min()), abs=1e-3)


def test_dtmkl_trades_risk_for_similarity_of_the_domains(toy: Toy) -> None:
    labeled = some_labels(toy)
    models = [toy.fit(build("DTMKL", theta=theta), sample_labeled=labeled) for theta in (0.0, 1.0, 1e4)]
    apart = [model.discrepancies_ @ model.kernel_weights_ for model in models]
    assert apart[0] > apart[1] >= apart[2]
    assert apart[2] == pytest.approx(models[0].discrepancies_.min(), rel=0.05)
    for model in models:
        assert (np.diff(model.objective_) <= 0).all()
        assert model.kernel_weights_.sum() == pytest.approx(1)


def test_dtmkl_discrepancy_is_that_of_the_domains() -> None:
    """Equal domains: none."""
    X = np.vstack([np.random.default_rng(2).random((15, 4))] * 2)
    y = np.tile([0, 1, 0], 10)
    model = DTMKL(random_state=0).fit(X, y, sample_domain=np.repeat([1, -1], 15))
    assert model.discrepancies_ == pytest.approx(np.zeros(4), abs=1e-12)
    assert np.isfinite(model.label_distributions_).all()
