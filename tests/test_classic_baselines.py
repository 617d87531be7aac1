"""TSVM, SGT, SC, CoCC and KDE against plain dense versions of what they promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh, eigvals
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import isthmus
from conftest import Toy, make_toy
from isthmus.core.priors import label_by_rank
from isthmus.methods.baselines.lr import cross_validated_C
from isthmus.methods.clustering.cocc import information
from isthmus.methods.spectral.sgt import on_sphere


def parted_toy(share: float) -> Toy:
    """A target in two clusters, where the source's border runs through one of them."""
    rng = np.random.default_rng(3)
    n, n_first = 200, round(200 * share)
    source, target = rng.normal(0, 0.3, (n, 3)), rng.normal(0, 0.15, (n, 3))
    source[:, 0] += np.repeat([-1, 1], n // 2)
    target[:, 0] += np.repeat([-1.2, 0.1], [n_first, n - n_first])
    target[:, 1] += np.repeat([1.0, -1.0], [n_first, n - n_first])
    labels = np.concatenate([np.repeat([0, 1], n // 2), np.repeat([0, 1], [n_first, n - n_first])])
    return Toy(np.vstack([source, target]), labels, np.repeat(["source", "target"], n))


def test_tsvm_moves_its_border_to_where_no_document_is() -> None:
    toy = parted_toy(0.5)
    right = [
        np.mean((toy.fit(model).transduction_ == toy.y)[toy.in_target])
        for model in (isthmus.SVM(random_state=0), isthmus.TSVM(random_state=0))
    ]
    assert right[0] < 0.9
    assert right[1] > 0.99


def test_tsvm_keeps_to_the_target_prior() -> None:
    toy = parted_toy(0.8)
    model = toy.fit(isthmus.TSVM(random_state=0, target_prior={0: 0.8, 1: 0.2}))
    assert np.mean(model.transduction_[toy.in_target] == 0) == pytest.approx(0.8, abs=0.01)
    assert np.mean((model.transduction_ == toy.y)[toy.in_target]) > 0.99
    wrong = toy.fit(isthmus.TSVM(random_state=0))  # half and half, as in the source
    assert np.mean((wrong.transduction_ == toy.y)[toy.in_target]) < 0.9


@pytest.mark.parametrize("n_classes", [2, 3])
def test_tsvm_ends_where_no_label_would_change(n_classes: int) -> None:
    """Trained on its own labels at full weight, it ranks the documents as it has labeled them."""
    toy = make_toy(seed=2, n_classes=n_classes, n_documents=150)
    model = toy.fit(isthmus.TSVM(random_state=0))
    again = LinearSVC(C=1, max_iter=20_000, random_state=0).fit(toy.X, model.transduction_)
    margins = again.decision_function(toy.X[toy.in_target])
    margins = np.column_stack([-margins, margins]) if n_classes == 2 else margins
    gained = np.maximum(0, 1 + margins) ** 2 - np.maximum(0, 1 - margins) ** 2
    labels = again.classes_[label_by_rank(gained, np.full(n_classes, 1 / n_classes))]
    assert np.array_equal(labels, model.transduction_[toy.in_target])


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_tsvm_finds_the_same_plane_at_any_scale(scale: float) -> None:
    """Nine in ten documents are of one class, and the plane does not go through the origin."""
    toy = parted_toy(0.9)
    kept = toy.in_target | (toy.y == 0) | (np.arange(len(toy.y)) % 9 == 0)
    toy = Toy(toy.X[kept] + 3.0, toy.y[kept], toy.domain[kept])
    plain, scaled = toy.fit(isthmus.TSVM(random_state=0)), toy.fit(isthmus.TSVM(random_state=0), X=toy.X * scale)
    assert np.array_equal(scaled.transduction_, plain.transduction_)
    assert scaled.classifier_.coef_ * scale == pytest.approx(plain.classifier_.coef_, rel=1e-3)
    assert scaled.classifier_.intercept_ == pytest.approx(plain.classifier_.intercept_, rel=1e-3)


@pytest.mark.parametrize("n_neighbors", [8, "all"])
def test_sc_is_what_the_dense_matrix_gives(n_neighbors: Any) -> None:
    toy = make_toy(seed=4, n_classes=3, n_documents=90)
    order = np.argsort(toy.in_target, kind="stable")  # labeled documents first
    unit, y, n = normalize(toy.X[order]).toarray(), toy.y[order], 90
    A = unit @ unit.T
    np.fill_diagonal(A, 0)
    if n_neighbors != "all":
        near = np.sort(A, axis=1)[:, [-n_neighbors]] <= A
        A = np.where(near | near.T, A, 0)
    A[:n, :n] = y[:n, None] == y[None, :n]
    np.fill_diagonal(A, 0)
    D, largest = np.diag(A.sum(axis=1)), A.sum(axis=1).max()
    values, vectors = eigh((A + largest * np.eye(len(A)) - D) / largest)
    places = normalize(vectors[:, -4:])
    means = np.array([places[:n][y[:n] == name].mean(axis=0) for name in np.unique(y)])
    distances = ((places[:, None] - means) ** 2).sum(axis=2)

    model = toy.fit(isthmus.SC(n_eigenvectors=4, n_neighbors=n_neighbors, random_state=0))
    assert model.eigenvalues_ == pytest.approx(largest * (1 - values[::-1][:4]), abs=1e-8)
    assert np.array_equal(model.transduction_[order][n:], np.unique(y)[distances.argmin(axis=1)][n:])


@given(st.integers(0, 10_000), st.integers(2, 8))
def test_sgt_solves_its_problem_as_the_paper_does(seed: int, d: int) -> None:
    """The paper finds the multiplier as the smallest eigenvalue of a matrix of twice the size."""
    rng = np.random.default_rng(seed)
    root, b, n = rng.normal(size=(d, d)), rng.normal(size=d) * 10, 50.0
    G = root @ root.T
    w = on_sphere(G, b, n)
    assert w @ w == pytest.approx(n)
    double = np.block([[G, -np.eye(d)], [-np.outer(b, b) / n, G]])
    found = eigvals(double)
    u = found.real[np.abs(found.imag) < 1e-6].min()
    assert w == pytest.approx(np.linalg.solve(G - u * np.eye(d), b), rel=1e-5, abs=1e-5)


def test_sgt_is_what_the_dense_matrix_gives() -> None:
    toy = make_toy(seed=4, n_documents=100)
    order = np.argsort(toy.in_target, kind="stable")
    unit, y, n, k, d = normalize(toy.X[order]).toarray(), toy.y[order], 100, 40, 12
    A = unit @ unit.T
    np.fill_diagonal(A, 0)
    A = np.where(np.sort(A, axis=1)[:, [-k]] <= A, A, 0)
    A /= A.sum(axis=1, keepdims=True)
    A += A.T
    B = A.sum(axis=1)
    _, V = eigh(np.diag(B) - A, np.diag(B / B.mean()))
    V = V[:, 1 : d + 1]
    goal = np.where(y[:n] == "class 1", 1.0, -1.0)  # as many of the one as of the other
    G = np.diag(np.arange(1.0, d + 1) ** 2) + 3200 * V[:n].T @ V[:n]
    z = V @ on_sphere(G, 3200 * V[:n].T @ goal, 2.0 * n)
    model = toy.fit(isthmus.SGT(n_neighbors=k, n_eigenvectors=d, random_state=0))
    assert 2 * model.cuts_[:, 1] == pytest.approx(z, abs=1e-6)
    assert np.array_equal(model.transduction_[order][n:] == "class 1", z[n:] > 0)


def test_cocc_loses_no_more_information_from_iteration_to_iteration() -> None:
    toy = make_toy(seed=2, n_classes=4, n_documents=160)
    rng = np.random.default_rng(0)
    wrong = rng.uniform(size=len(toy.y)) < 0.4  # labels, so that naive Bayes is often wrong as well
    toy.y[wrong] = rng.permutation(toy.y[wrong])
    model = toy.fit(isthmus.CoCC(n_clusters=6, random_state=0))
    assert model.n_iter_ > 2
    assert len(model.objective_) == model.n_iter_ + 1
    assert np.all(np.diff(model.objective_) < 1e-9)
    assert model.objective_[-1] < 0.98 * model.objective_[0]

    # What is left at the end, from the definition.
    X, classes, clusters = toy.X.toarray(), np.unique(toy.y), np.eye(6)[model.word_clusters_]
    f, g = X[toy.in_target], np.array([X[~toy.in_target & (toy.y == name)].sum(axis=0) for name in classes])
    f, g = f / f.sum(), g / g.sum()
    members = (model.transduction_[toy.in_target][:, None] == classes).astype(float)
    left = [information(members.T @ f @ clusters), information(g @ clusters)]
    assert model.objective_[-1] == pytest.approx(information(f) - left[0] + 0.25 * (information(g) - left[1]))


def test_information_is_zero_for_independent_variables_and_entropy_for_equal_ones() -> None:
    shares = np.array([0.2, 0.3, 0.5])
    assert information(np.outer(shares, shares)) == pytest.approx(0, abs=1e-12)
    assert information(np.diag(shares)) == pytest.approx(-np.sum(shares * np.log(shares)))


@pytest.mark.parametrize("sharpness", ["auto", 5.0])
def test_kde_weights_are_ratios_of_mean_kernels(sharpness: Any) -> None:
    toy = make_toy(seed=1, n_documents=60)
    model = toy.fit(isthmus.KDE(sharpness=sharpness, random_state=0))
    unit = normalize(toy.X).toarray()
    own, free = unit[~toy.in_target], unit[toy.in_target]
    distances = ((unit[:, None] - unit) ** 2).sum(axis=2)
    a = 1 / distances[~np.eye(120, dtype=bool)].mean() if sharpness == "auto" else sharpness
    assert model.sharpness_ == pytest.approx(a)
    among_own = (np.exp(a * own @ own.T).sum(axis=1) - np.exp(a)) / 59
    expected = np.exp(a * own @ free.T).mean(axis=1) / among_own
    assert model.weights_ == pytest.approx(expected / expected.mean())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kde_copes_with_copies(dtype: Any) -> None:
    """In one column all documents are: their mean squared distance is zero."""
    toy = make_toy(seed=1, n_documents=60)
    one_word = np.random.default_rng(0).uniform(1, 2, size=(120, 1)).astype(dtype)
    assert toy.fit(isthmus.KDE(random_state=0), X=one_word).weights_ == pytest.approx(np.ones(60), rel=1e-3)
    sharpest = toy.fit(isthmus.KDE(sharpness=500.0, random_state=0), X=toy.X.astype(dtype))
    assert np.isfinite(sharpest.weights_).all()
    assert np.isfinite(sharpest.label_distributions_).all()


def test_kde_gives_more_weight_to_documents_like_the_targets() -> None:
    rng = np.random.default_rng(0)
    near, far = rng.uniform(size=(60, 10)) * ([1] * 5 + [0.1] * 5), rng.uniform(size=(30, 10)) * ([0.1] * 5 + [1] * 5)
    X = np.vstack([near[:30], far, near[30:]])
    y = np.tile([0, 1], 45)
    model = isthmus.KDE(sharpness=8.0, random_state=0).fit(X, y, sample_domain=np.repeat([1, -1], [60, 30]))
    assert model.weights_[:30].min() > model.weights_[30:].max()


def test_sgts_sphere_is_kept_where_the_lowest_eigenvector_is_not_asked_for() -> None:
    w = on_sphere(np.diag([1.0, 4, 9]), np.array([0, 0.1, 0.1]), 5.0)
    assert w @ w == pytest.approx(5)
    assert w[1:] == pytest.approx([0.1 / 3, 0.1 / 8], rel=1e-5)


def test_lr_chooses_c_as_a_grid_search_does() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((90, 6))
    y = (X[:, 0] + 0.3 * rng.normal(size=90) > 0.5).astype(int)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(LogisticRegression(tol=1e-8), {"C": [0.1, 1.0, 10.0, 100.0]}, cv=folds).fit(X, y)
    found = isthmus.LR(C="cv").fit(X, y).classifier_.C
    assert found == search.best_params_["C"]
    assert cross_validated_C(X[:3], np.array([0, 1, 1])) == 1


def test_documents_without_any_neighbor_have_the_class_prior() -> None:
    labeled = np.arange(7) < 5
    model = isthmus.SGT(random_state=0).fit(np.eye(7), list("aaabb??"), sample_labeled=labeled)
    assert model.label_distributions_[5:] == pytest.approx(np.tile([0.6, 0.4], (2, 1)))
