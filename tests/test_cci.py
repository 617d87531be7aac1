"""CCI, its operator, its PLSA, K-means and the rule that names clusters."""

from __future__ import annotations

import tracemalloc
from typing import Any
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans as Lloyd

import isthmus
from conftest import Toy, build
from isthmus.core.problem import Problem, make_problem
from isthmus.solvers.clusters import name_clusters
from isthmus.solvers.factorization import (
    ColumnsSumToOne,
    CoOccurrence,
    MatrixDocuments,
    NonNegative,
    Scaled,
    co_occurrence,
    minimize,
    objective,
    sweep,
    update,
)
from isthmus.solvers.factorization.plsa import plsa
from isthmus.solvers.linear import first_labels

seeds = st.integers(0, 2**32 - 1)


def random_matrix(rng: np.random.Generator, rows: int, words: int) -> sp.csr_array:
    return sp.csr_array(rng.gamma(1.0, size=(rows, words)) * (rng.uniform(size=(rows, words)) < 0.4))


@given(seeds, st.integers(1, 3), st.integers(1, 12), st.booleans())
@pytest.mark.parametrize("worth", [0, sweep.WORTH_COMPILED])
def test_co_occurrence_is_its_matrix(worth: int, seed: int, n_parts: int, words: int, dense: bool) -> None:
    with mock.patch.object(sweep, "WORTH_COMPILED", worth):
        check_co_occurrence(seed, n_parts, words, dense)


def check_co_occurrence(seed: int, n_parts: int, words: int, dense: bool) -> None:
    rng = np.random.default_rng(seed)
    parts = [random_matrix(rng, int(rng.integers(1, 60)), words) for _ in range(n_parts)]
    B = np.vstack([part.toarray() > 0 for part in parts]).astype(float)
    W = B.T @ B
    operator = CoOccurrence([part.toarray() for part in parts] if dense else parts)
    F = rng.uniform(size=(words, 3))
    assert operator.shape == W.shape
    assert operator.total == pytest.approx(W.sum())
    assert operator.squared_norm == pytest.approx(np.vdot(W, W))
    assert operator.times(F) == pytest.approx(W @ F)
    assert operator.transposed_times(F) == pytest.approx(W.T @ F)
    half = Scaled(operator, 0.5)
    assert half.times(F) == pytest.approx(W @ F / 2)
    assert half.transposed_times(F) == pytest.approx(W @ F / 2)
    assert half.squared_norm == pytest.approx(np.vdot(W, W) / 4)


def test_norm_of_co_occurrence_goes_by_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frequent and rare words, several blocks of each, and the last block not full."""
    monkeypatch.setattr(co_occurrence, "BLOCK", 7)
    monkeypatch.setattr(co_occurrence, "OFTEN", 0.3)
    rng = np.random.default_rng(0)
    for n in (10, 50, 200):  # rare words of documents, or documents of rare words
        B = (rng.uniform(size=(n, 40)) < np.linspace(0.02, 0.9, 40)).astype(float)
        W = B.T @ B
        assert CoOccurrence([sp.csr_array(B)]).squared_norm == pytest.approx(np.vdot(W, W))


def test_norm_of_co_occurrence_grows_with_documents_not_with_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What its products hold, of few words and ever more documents."""
    squares = mock.Mock(wraps=co_occurrence._squares)
    monkeypatch.setattr(co_occurrence, "_squares", squares)
    monkeypatch.setattr(co_occurrence, "OFTEN", 0.3)
    B = sp.csr_array(np.random.default_rng(0).uniform(size=(100, 60)) < 0.1, dtype=float)

    def held(copies: int) -> int:
        squares.reset_mock()
        CoOccurrence([B] * copies).squared_norm  # noqa: B018  # a property that computes
        return sum(call.args[0].size for call in squares.call_args_list)

    assert held(16) < 20 * held(1)


def test_co_occurrence_shares_the_documents_indices() -> None:
    X = random_matrix(np.random.default_rng(0), 30, 20)
    binary = CoOccurrence([X])._parts[0].matrix
    assert np.shares_memory(binary.indices, X.indices)
    assert set(binary.data) == {1.0}


@given(seeds, st.integers(2, 20), st.integers(2, 15), st.integers(1, 5))
def test_plsa_never_becomes_less_likely(seed: int, rows: int, words: int, topics: int) -> None:
    X = random_matrix(np.random.default_rng(seed), rows, words)
    found = plsa([X], topics, np.random.RandomState(seed), n_iter=30, watch=True, dtype=float)
    likelihood = np.array(found.log_likelihood)
    assert (np.diff(likelihood) >= -1e-9 * np.abs(likelihood[1:]) - 1e-12).all()
    used = X.sum(axis=0) > 0
    if used.any():
        assert found.words.sum(axis=0) == pytest.approx(np.ones(topics))
        assert not found.words[~used].any()


def test_plsa_stores_no_responsibilities() -> None:
    X = sp.random_array((400, 1000), density=0.5, rng=np.random.default_rng(0), format="csr")
    tracemalloc.start()
    plsa([X], 50, np.random.RandomState(0), n_iter=1, dtype=float)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * X.data.nbytes  # they would take fifty


def test_plsa_is_em_with_its_responsibilities_written_out() -> None:
    X = random_matrix(np.random.default_rng(3), 12, 9)
    dense, k = X.toarray(), 3
    found, start = (plsa([X[:5], X[5:]], k, np.random.RandomState(0), n_iter=n, dtype=float) for n in (7, 0))
    words, documents = start.words, np.concatenate(start.documents)
    for _ in range(7):
        joint = documents[:, None, :] * words[None, :, :]
        weighted = dense[:, :, None] * joint / joint.sum(axis=2, keepdims=True)
        words = weighted.sum(axis=0) / weighted.sum(axis=(0, 1))
        documents = weighted.sum(axis=1) / weighted.sum(axis=(1, 2))[:, None]
    assert found.words == pytest.approx(words)
    full = dense.any(axis=1)
    assert np.concatenate(found.documents)[full] == pytest.approx(documents[full])


def toy_problem(toy: Toy, y: np.ndarray | None = None) -> Problem:
    return make_problem(isthmus.CCI(), toy.X, toy.y if y is None else y, toy.domain, "target")


def start_of(toy: Toy, **params: Any) -> Any:
    estimator = isthmus.CCI(n_topics=3, random_state=0, **params)
    problem, rng = toy_problem(toy), np.random.RandomState(0)
    return estimator.model(problem, estimator.starts(problem, first_labels(problem, estimator.start_C), rng), rng)


def test_engine_follows_the_papers_equations(toy: Toy) -> None:
    """(6) to (14) written straight down, dense, from the same start: the same factors."""
    lam, gam = 0.7, 1.9
    model = start_of(toy, target_weight=lam, correspondence_weight=gam)
    domains = toy_problem(toy).domains
    s, t = (0, 1) if domains[1].is_target else (1, 0)
    X_s, X_t = (domains[d].matrix.toarray().T for d in (s, t))
    B = np.hstack([X_s, X_t]).T > 0
    W = B.T.astype(float) @ B
    X_s, X_t, W = X_s / X_s.sum(), X_t / X_t.sum(), W / W.sum()
    f = {name: np.array(model.factors[name]) for name in model.factors}
    F_s, G_s, S_s = f[f"F{s}"], f[f"V{s}"], f[f"S{s}"]
    F_t, G_t, S_t = f[f"F{t}"], f[f"V{t}"], f[f"S{t}"]
    S_w = f[f"S{s}-{t}"]

    def value() -> float:
        parts = (X_s - F_s @ S_s @ G_s.T, X_t - F_t @ S_t @ G_t.T, W - F_s @ S_w @ F_t.T)
        return float(sum(w * np.vdot(part, part) for w, part in zip((1, lam, gam), parts, strict=True)))

    assert objective(model) == pytest.approx(value())

    def words(first: bool) -> None:
        nonlocal F_s, F_t
        if first:
            above = X_s @ G_s @ S_s.T + gam * W @ F_t @ S_w.T
            F_s = F_s * above / (F_s @ (S_s @ G_s.T @ G_s @ S_s.T + gam * S_w @ F_t.T @ F_t @ S_w.T))
            F_s = F_s / F_s.sum(axis=0)
        else:
            above = lam * X_t @ G_t @ S_t.T + gam * W.T @ F_s @ S_w
            F_t = F_t * above / (F_t @ (lam * S_t @ G_t.T @ G_t @ S_t.T + gam * S_w.T @ F_s.T @ F_s @ S_w))
            F_t = F_t / F_t.sum(axis=0)

    for _ in range(15):
        words(s < t)  # in the order of the domains
        words(s > t)
        G_t = G_t * (X_t.T @ F_t @ S_t) / (G_t @ S_t.T @ F_t.T @ F_t @ S_t)
        G_t = G_t / G_t.sum(axis=0)
        S_s = S_s * (F_s.T @ X_s @ G_s) / (F_s.T @ F_s @ S_s @ G_s.T @ G_s)
        S_t = S_t * (F_t.T @ X_t @ G_t) / (F_t.T @ F_t @ S_t @ G_t.T @ G_t)
        S_w = S_w * (F_s.T @ W @ F_t) / (F_s.T @ F_s @ S_w @ F_t.T @ F_t)
    minimize(model, max_iter=15)
    for name, expected in ((f"V{t}", G_t), (f"F{s}", F_s), (f"F{t}", F_t), (f"S{s}-{t}", S_w), (f"S{t}", S_t)):
        assert model.factors[name] == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert objective(model) == pytest.approx(value())


def test_objective_falls_with_every_update_without_normalization(toy: Toy) -> None:
    model = start_of(toy)
    for name, constraint in model.constraints.items():
        if isinstance(constraint, ColumnsSumToOne):
            model.constraints[name] = NonNegative()
    moving = [name for name in model.order if model.constraints[name] == NonNegative()]
    assert len(moving) == 6
    for name in moving * 20:
        before = objective(model)
        update(model, name)
        assert objective(model) <= before * (1 + 1e-9)


def test_shuffled_source_labels_inside_the_objective_change_nothing(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the docstring says: the source names the clusters, and does nothing else."""
    plain = toy.fit(build("CCI"))
    starts = isthmus.CCI.starts
    shuffled = []

    def shuffle(self: Any, problem: Problem, *more: Any) -> dict[str, Any]:
        found = starts(self, problem, *more)
        for number, domain in enumerate(problem.domains):
            if not domain.is_target:
                found[f"V{number}"] = np.random.default_rng(0).permutation(found[f"V{number}"])
                shuffled.append(number)
        return found

    monkeypatch.setattr(isthmus.CCI, "starts", shuffle)
    other = toy.fit(build("CCI"))
    assert shuffled
    assert not np.array_equal(other.associations_, plain.associations_)
    assert np.mean((other.transduction_ == plain.transduction_)[toy.in_target]) > 0.98


@given(seeds, st.integers(2, 5))
def test_names_do_not_depend_on_the_order_of_clusters(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=200)
    membership = np.eye(n_classes)[np.where(rng.uniform(size=200) < 0.8, truth, rng.integers(n_classes, size=200))]
    votes = np.eye(n_classes)[np.where(rng.uniform(size=200) < 0.8, truth, rng.integers(n_classes, size=200))] + 0.1
    moved = membership[:, rng.permutation(n_classes)]
    named = membership[:, name_clusters(membership, votes)]
    assert np.array_equal(moved[:, name_clusters(moved, votes)], named)
    assert np.array_equal(named, membership)  # with four in five right on both sides, the names are the true ones


def test_every_class_gets_a_cluster_even_if_the_classifier_knows_one_only() -> None:
    membership = np.eye(3)[[0, 0, 1, 1, 2, 2, 2]]
    votes = np.tile([0.1, 0.2, 0.7], (7, 1))
    order = name_clusters(membership, votes)
    assert sorted(order) == [0, 1, 2]
    assert order[2] == 2  # the largest cluster goes to the class that all documents seem to have


def test_start_of_k_means_does_not_decide_the_names(toy: Toy) -> None:
    """Clusters come in any order; K-means and CCI call them by the same names."""
    for name in ("KMeans", "CCI"):
        models = [toy.fit(build(name, random_state=seed)) for seed in range(6)]
        agree = [np.mean(model.transduction_ == models[0].transduction_) for model in models]
        assert min(agree) > 0.97


def test_k_means_is_scikit_learns(toy: Toy) -> None:
    model = toy.fit(build("KMeans"))
    X = toy.X[toy.in_target]
    found = Lloyd(2, n_init=10, random_state=np.random.RandomState(0)).fit(X)
    labels = model.transduction_[toy.in_target] == "class 1"
    assert np.array_equal(labels, found.labels_ == 1) or np.array_equal(labels, found.labels_ == 0)
    assert np.array_equal(model.predict(X), model.transduction_[toy.in_target])


def test_one_domain_is_a_plain_classifier(toy: Toy) -> None:
    source = ~toy.in_target
    X, y = toy.X[source], toy.y[source]
    for name in ("CCI", "KMeans"):
        model = build(name).fit(X, y)
        assert np.mean(model.predict(X) == y) > 0.95
    means = np.stack([X.toarray()[y == label].mean(axis=0) for label in ("class 0", "class 1")])
    assert model.centers_[0] == pytest.approx(means)


def test_fewer_documents_than_classes(toy_of_three: Toy) -> None:
    keep = ~toy_of_three.in_target
    keep[np.flatnonzero(toy_of_three.in_target)[:2]] = True
    few = Toy(toy_of_three.X[keep], toy_of_three.y[keep], toy_of_three.domain[keep])
    for name in ("CCI", "KMeans"):
        with pytest.raises(ValueError, match="Domain 'target' has 2 documents and y 3 classes"):
            few.fit(build(name))


def test_known_target_labels_hold_their_cluster(toy: Toy) -> None:
    """Every other label of the target is known: those rows keep it, and the clusters keep their names."""
    half = np.flatnonzero(toy.in_target)[::2]
    labeled = ~toy.in_target
    labeled[half] = True
    model = toy.fit(build("CCI"), sample_labeled=labeled)
    assert np.array_equal(model.transduction_[half], toy.y[half])
    assert np.mean((model.transduction_ == toy.y)[toy.in_target]) > 0.9


def test_correspondence_reads_as_a_table(toy: Toy) -> None:
    model = toy.fit(build("CCI", max_iter=100))
    names = [f"w{i}" for i in range(toy.X.shape[1])]
    (found,) = model.correspondence(names, n_words=4)
    assert (found.source, found.target) == ("source", "target")
    assert found.weights.shape == (4, 4)
    # Word clusters of one class have more to do with each other than with those of the other class.
    same = np.array([[a.label == b.label for b in found.target_clusters] for a in found.source_clusters])
    assert found.weights[same].sum() > found.weights[~same].sum()
    # W counts the documents of both domains, so that either side's clusters hold words of both; but of one class.
    for cluster in [*found.source_clusters, *found.target_clusters]:
        shift = 36 * (cluster.label == "class 1")
        assert cluster.words[0][0] in {f"w{i}" for i in range(10 + shift, 46 + shift)}
        assert len(cluster.words) <= 4
    printed = str(model.correspondence(names))
    assert "source \\ target" in printed
    assert all(cluster.words[0][0] in printed for cluster in found.source_clusters)
    with pytest.raises(ValueError, match="feature_names has 2 entries"):
        model.correspondence(["a", "b"])


def test_several_domains_have_a_correspondence_for_each_pair(toy_of_three: Toy) -> None:
    part = np.arange(len(toy_of_three.y)) % 2
    names = np.array([f"{domain} {p}" for domain, p in zip(toy_of_three.domain, part, strict=True)])
    model = toy_of_three.fit(build("CCI"), sample_domain=names, target_domain=["target 0", "target 1"])
    expected = {(f"source {s}", f"target {t}") for s in (0, 1) for t in (0, 1)}
    assert set(model.correspondences_) == expected
    assert len(model.correspondence([str(i) for i in range(toy_of_three.X.shape[1])])) == 4
    assert build("CCI").fit(toy_of_three.X, toy_of_three.y).correspondences_ == {}


def test_documents_are_weighed_after_the_draw() -> None:
    from isthmus.bench.tasks import TaskData

    counts = sp.csr_array(np.array([[1, 1, 0], [1, 2, 0], [1, 0, 1], [1, 0, 1]]))
    data = TaskData(counts, np.array(["a", "b", "a", "b"]), np.repeat(["source", "target"], 2), least=2)
    whole = data.drawn({}, 0)
    assert whole.X.shape == (4, 3)
    assert np.allclose(sp.csr_array(whole.X).toarray(), [[0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    assert data.drawn({"source": 2}, 0).X.shape == (2, 2)  # the third word does not occur there


def test_matrix_documents_are_scaled_without_a_copy() -> None:
    X = random_matrix(np.random.default_rng(1), 5, 4)
    assert Scaled(MatrixDocuments(X), 2.0).documents.matrix is X  # type: ignore[attr-defined]
