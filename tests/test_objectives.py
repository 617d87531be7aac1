"""Objectives of factorizations at their start, CoCC at its end, and LSA and mSDA, against the formulas they name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from conftest import Toy, make_toy
from isthmus.core.problem import Problem, make_problem
from isthmus.methods import CCI, DKT, DTLM, GCMF, LSA, MSDA, CoCC
from isthmus.solvers.factorization import Factorization, objective
from isthmus.solvers.linear import denoising_map, first_labels, lsa_map
from isthmus.solvers.spectral import neighbor_graph

SCALE = 1.5
"""Of the documents: it must not matter."""


def start_of(method: Any, toy: Toy) -> tuple[Problem, Factorization]:
    problem = make_problem(method, SCALE * toy.X, toy.y, toy.domain, "target")
    rng = np.random.RandomState(0)
    starts = {f"V{d}": start for d, start in enumerate(first_labels(problem, method.start_C))}
    return problem, method.design().build(problem, starts, rng)


def start_of_cci(method: CCI, toy: Toy) -> tuple[Problem, Factorization]:
    problem = make_problem(method, SCALE * toy.X, toy.y, toy.domain, "target")
    rng = np.random.RandomState(0)
    return problem, method.model(problem, method.starts(problem, first_labels(problem, method.start_C), rng), rng)


def squares(array: np.ndarray) -> float:
    return float(np.sum(np.square(array)))


def misfit(problem: Problem, model: Factorization) -> float:
    """sum_d || X_d - V_d H^T W_d^T ||^2, of documents of unit length."""
    H = model.factors["H"]
    return sum(
        squares(domain.matrix.toarray() - model.factors[f"V{d}"] @ (model.factors[f"W{d}"] @ H).T) / SCALE**2
        for d, domain in enumerate(problem.domains)
    )


def cut(graph: Any, factor: np.ndarray) -> float:
    """tr(F^T (D - A) F)."""
    A = graph.toarray()
    return float(np.trace(factor.T @ (np.diag(A.sum(axis=1)) - A) @ factor))


def graph_cuts(problem: Problem, model: Factorization, n: int, words: float, documents: float) -> float:
    total = 0.0
    for d, domain in enumerate(problem.domains):
        total += words * cut(neighbor_graph(domain.matrix.T, n), model.factors[f"W{d}"])
        if domain.is_target:
            total += documents * cut(neighbor_graph(domain.matrix, n), model.factors[f"V{d}"])
    return total


def not_orthogonal(factor: np.ndarray) -> float:
    return squares(factor.T @ factor - np.eye(factor.shape[1]))


def test_dtlm_starts_from_its_objective(toy: Toy) -> None:
    method = DTLM(4, graph_weight=0.2, n_neighbors=3, regression_weight=3.0, ridge_weight=0.7, discrepancy_weight=5.0)
    problem, model = start_of(method, toy)
    source = next(d for d, domain in enumerate(problem.domains) if not domain.is_target)
    expected = misfit(problem, model) + graph_cuts(problem, model, 3, 0.2, 0.2)
    for name in ("V", "W"):
        first, second = (model.factors[f"{name}{d}"].mean(axis=0) for d in (0, 1))
        expected += 5 * squares(first - second)
    labels, A = problem.domains[source].labels, model.factors["A"]
    expected += 3 * squares(labels - model.factors[f"V{source}"] @ A.T) + 0.7 * squares(A)
    assert objective(model) == pytest.approx(expected)


def test_gcmf_starts_from_its_objective(toy: Toy) -> None:
    method = GCMF(4, word_weight=0.2, document_weight=0.7, n_neighbors=3, orthogonality_weight=1.5)
    problem, model = start_of(method, toy)
    expected = 1000 / len(toy.y) * misfit(problem, model) + graph_cuts(problem, model, 3, 0.2, 0.7)
    moving = ["W0", "W1", *(f"V{d}" for d, domain in enumerate(problem.domains) if domain.is_target)]
    expected += 1.5 * sum(not_orthogonal(model.factors[name]) for name in moving)
    assert objective(model) == pytest.approx(expected)


def test_dkt_starts_from_its_objective(toy: Toy) -> None:
    method = DKT(4, words_weight=0.4, label_weight=2.0, orthogonality_weight=1.5)
    problem, model = start_of(method, toy)
    expected = 1000 / len(toy.y) * misfit(problem, model)
    expected += 0.4 * squares(model.factors["W0"] - model.factors["W1"])
    expected += 1.5 * sum(not_orthogonal(model.factors[name]) for name in ("V0", "V1", "W0", "W1"))
    assert objective(model) == pytest.approx(expected)  # labels start as they are, at no cost


def test_cci_starts_from_its_objective(toy: Toy) -> None:
    """Every matrix is divided by its sum; columns of word clusters and of the documents' classes sum to one."""
    problem, model = start_of_cci(CCI(3, target_weight=3.0, correspondence_weight=0.5, random_state=0), toy)
    factors, expected = model.factors, 0.0
    for d, domain in enumerate(problem.domains):
        X, weight = domain.matrix.toarray(), 3.0 if domain.is_target else 1.0
        expected += weight * squares(X / X.sum() - factors[f"V{d}"] @ (factors[f"F{d}"] @ factors[f"S{d}"]).T)
    B = (toy.X.toarray() > 0).astype(float)
    counts = B.T @ B
    s, t = sorted((0, 1), key=lambda d: problem.domains[d].is_target)
    between = factors[f"F{s}"] @ factors[f"S{s}-{t}"] @ factors[f"F{t}"].T
    expected += 0.5 * squares(counts / counts.sum() - between)
    assert objective(model) == pytest.approx(expected)
    assert factors["V0"].sum(axis=0) == pytest.approx(np.ones(2))


@pytest.mark.parametrize("kind", ["LSA", "MSDA"])
def test_features_are_learned_from_all_documents_and_labels_from_the_source(kind: str, toy: Toy) -> None:
    X, own = SCALE * toy.X, ~toy.in_target
    order = np.argsort(toy.domain != toy.domain[0], kind="stable")  # as the domains stand in the problem
    feature_map: Any
    if kind == "LSA":
        model, feature_map, C = toy.fit(LSA(7), X=X), lsa_map(X[order], 7), 1 / SCALE**2
    else:
        feature_map, C = denoising_map(X[order], 20, noise=0.6), 1.0
        model = toy.fit(MSDA(20, noise=0.6), X=X)
    reference = LogisticRegression(C=C, tol=1e-5, max_iter=1000).fit(feature_map.transform(X[own]), toy.y[own])
    expected = reference.predict_proba(feature_map.transform(X[toy.in_target]))
    assert model.label_distributions_[toy.in_target] == pytest.approx(expected, abs=1e-3)


def test_words_of_cocc_stay_where_source_and_target_lose_least() -> None:
    """At the end no word would move: sum_c f(w, c) log f(c | cluster), and lam times the same of the source."""
    toy = make_toy(seed=2, n_classes=3, n_documents=120)
    rng, lam = np.random.default_rng(0), 3.0
    wrong = rng.uniform(size=len(toy.y)) < 0.4
    toy.y[wrong] = rng.permutation(toy.y[wrong])
    model = toy.fit(CoCC(6, lam=lam, max_iter=100, random_state=0))
    assert model.n_iter_ < 100
    X, clusters = toy.X.toarray(), np.eye(6)[model.word_clusters_]
    scores = np.zeros(clusters.shape)
    for weight, rows, labels in ((1, toy.in_target, model.transduction_), (lam, ~toy.in_target, toy.y)):
        joint = X[rows].T @ (labels[rows][:, None] == model.classes_)
        joint /= joint.sum()
        table = clusters.T @ joint
        scores += weight * joint @ np.log(np.maximum(table / table.sum(axis=1, keepdims=True), 1e-12)).T
    chosen = scores[np.arange(len(scores)), model.word_clusters_]
    assert chosen == pytest.approx(scores.max(axis=1), abs=1e-12)
