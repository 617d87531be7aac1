"""Graphs and eigenvectors against matrices that are written out."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import Toy
from isthmus.core.numerics import unit_rows
from isthmus.methods import CDSC, SC
from isthmus.methods.spectral._base import PlaceClassifier
from isthmus.methods.spectral.cdsc import _between
from isthmus.methods.spectral.sgt import _cut, on_sphere
from isthmus.solvers.spectral import (
    AllLinks,
    CosineAffinity,
    MustLink,
    embed,
    embed_clamped,
    nearest_others,
    neighbor_graph,
)

N_TIED, N_FREE, LAM, BETA = 5, 9, 0.3, 2.0
CLASSES = np.array([0, 1, 0, 1, 1])


def some_rows(seed: int = 0, n: int = N_TIED + N_FREE) -> np.ndarray:
    return np.asarray(unit_rows(np.random.default_rng(seed).uniform(size=(n, 6)) ** 3))


def cosines() -> tuple[np.ndarray, np.ndarray]:
    """Of all pairs, and of all pairs of free documents."""
    rows = some_rows()
    W = rows @ rows.T - np.eye(len(rows))
    free = np.arange(len(rows)) >= N_TIED
    return W, W * np.outer(free, free)


def pairs_matrix() -> np.ndarray:
    """U U^T, pair by pair."""
    found = np.zeros((N_TIED + N_FREE, N_TIED + N_FREE))
    for i in range(N_TIED):
        for j in range(i):
            if CLASSES[i] == CLASSES[j]:
                column = np.zeros(len(found))
                column[i], column[j] = 1, -1
                found += np.outer(column, column)
    return found


def test_affinity_and_pairs_are_their_matrices() -> None:
    rows, (W, W_s) = some_rows(), cosines()
    x = np.random.default_rng(1).normal(size=(N_TIED + N_FREE, 3))
    affinity = CosineAffinity(rows[:N_TIED], rows[N_TIED:], np.ones(N_TIED), LAM)
    assert affinity @ x == pytest.approx((W + LAM * W_s) @ x)
    assert affinity.degrees() == pytest.approx(W.sum(axis=1))
    must_link = MustLink(CLASSES, N_TIED + N_FREE)
    assert must_link @ x == pytest.approx(pairs_matrix() @ x)
    diagonal = np.linspace(1, 2, N_TIED + N_FREE)
    solved = must_link.solve(diagonal, BETA, x)
    assert (np.diag(diagonal) + BETA * pairs_matrix()) @ solved == pytest.approx(x)


def test_new_documents_stand_where_their_row_of_the_equation_puts_them() -> None:
    """x_i = (W x + lam W_s x)_i / ((1 - w) d_i + lam d_si), for an unlabeled document."""
    rows, new = some_rows(), some_rows(2, 4)
    start = np.random.default_rng(3).normal(size=len(rows))
    affinity = CosineAffinity(rows[:N_TIED], rows[N_TIED:], np.ones(N_TIED), LAM)
    embedding = embed(affinity, 3, start, MustLink(CLASSES, len(rows)), BETA)
    W, W_s = cosines()
    D = np.diag(W.sum(axis=1))
    T = D - W + BETA * pairs_matrix() + LAM * (np.diag(W_s.sum(axis=1)) - W_s)
    x = np.concatenate([embedding.tied, embedding.free])
    assert T @ x == pytest.approx(D @ x * (1 - embedding.values), abs=1e-6)
    near = new @ rows.T
    above = near @ x + LAM * near[:, N_TIED:] @ embedding.free
    below = np.abs(embedding.values) * near.sum(axis=1)[:, None] + LAM * near[:, N_TIED:].sum(axis=1)[:, None]
    places, linked = embedding.place(3 * new)
    assert linked.all()
    assert places == pytest.approx(above / below)


def test_clamped_links_leave_out_those_of_two_labeled_documents() -> None:
    rows, new = some_rows(), some_rows(2, 4)
    links = AllLinks(rows[:N_TIED], rows[N_TIED:])
    placed = embed_clamped(links, CLASSES, 3, np.random.default_rng(3).normal(size=len(rows)))
    A = cosines()[0]
    A[:N_TIED, :N_TIED] = np.equal.outer(CLASSES, CLASSES) - np.eye(N_TIED)
    x = np.concatenate([placed.tied, placed.free])
    laplacian = np.diag(A.sum(axis=1)) - A
    assert laplacian @ x == pytest.approx(x * placed.values, abs=1e-8)
    assert placed.values == pytest.approx(np.linalg.eigvalsh(laplacian)[:3], abs=1e-8)
    near = new @ rows.T
    degrees = near.sum(axis=1)[:, None]
    places, _ = placed.place(new)
    assert places == pytest.approx(near @ x / np.maximum(degrees - placed.values, 0.1 * degrees))


def test_either_of_two_neighbors_joins_them() -> None:
    rows = some_rows()
    similar = rows @ rows.T
    np.fill_diagonal(similar, 0)
    nearest = np.argsort(-similar, axis=1)[:, :2]
    joined = np.zeros(similar.shape, dtype=bool)
    np.put_along_axis(joined, nearest, True, axis=1)
    assert not np.array_equal(joined, joined.T)
    assert neighbor_graph(rows, 2).toarray() == pytest.approx(np.where(joined | joined.T, similar, 0))


def test_a_place_belongs_to_the_nearest_class_mean() -> None:
    rng = np.random.default_rng(4)
    places, kinds = rng.normal(size=(30, 2)), np.repeat([0, 1, 2], 10)
    classifier = PlaceClassifier.learn(places, kinds, np.full(3, 1 / 3))
    unit = places / np.linalg.norm(places, axis=1, keepdims=True)
    means = np.stack([unit[kinds == kind].mean(axis=0) for kind in range(3)])
    nearest = ((unit[:, None] - means[None]) ** 2).sum(axis=2).argmin(axis=1)
    found = classifier.probabilities(places, np.ones(30, dtype=bool))
    assert found.argmax(axis=1).tolist() == nearest.tolist()
    assert classifier.probabilities(places[:1], np.array([False, True]))[0] == pytest.approx([1 / 3] * 3)


def test_vectors_in_which_classes_lie_together_are_passed_over() -> None:
    """The constant one, then a vector of a few documents alone, then one that takes the classes apart."""
    means = np.array([[1.0, 0.01, 0.5], [1.0, 0.02, -0.5]])
    assert _between(means).tolist() == [0, 2]


def test_sc_takes_as_many_vectors_as_there_are_classes(toy_of_three: Toy) -> None:
    assert len(toy_of_three.fit(SC(random_state=0)).eigenvalues_) == 3


def test_weighted_places_are_a_random_walk_of_four_steps(toy_of_three: Toy) -> None:
    """What speaks for a class, up to one factor for all: how likely the walk leads there."""
    own, free = toy_of_three.X[~toy_of_three.in_target].toarray(), toy_of_three.X[toy_of_three.in_target].toarray()
    names = toy_of_three.y[~toy_of_three.in_target]
    sums = np.stack([own[names == name].sum(axis=0) for name in np.unique(names)])
    rows = np.vstack([sums, free])
    W = rows @ rows.T - np.diag(np.append(np.unique(names, return_counts=True)[1], np.ones(len(free))))
    degrees = W.sum(axis=1)
    walk = np.linalg.matrix_power(W / degrees[:, None], 4)[3:, :3] / degrees[:3]
    walk -= walk.mean(axis=1, keepdims=True)
    model = CDSC(3 + len(free), lam=0.0, weighting="eigenvalue", random_state=0)
    logs = np.log(toy_of_three.fit(model).label_distributions_[toy_of_three.in_target])
    logs -= logs.mean(axis=1, keepdims=True)
    assert logs == pytest.approx(walk * np.vdot(logs, walk) / np.vdot(walk, walk), abs=1e-6)


def test_classes_of_any_size_weigh_the_same_in_a_cut() -> None:
    rng = np.random.default_rng(6)
    vectors, side = rng.normal(size=(20, 3)), np.arange(8) < 2  # two labeled documents of one class, six of the other
    cost = np.where(side, 8 / 4, 8 / 12)
    assert cost[side].sum() == pytest.approx(cost[~side].sum())
    goal = np.where(side, 3**0.5, -(3**-0.5))
    labeled = vectors[:8]
    G = np.diag([1.0, 4, 9]) + 50 * labeled.T @ np.diag(cost) @ labeled
    z = vectors @ on_sphere(G, 50 * labeled.T @ (cost * goal), 20.0)
    expected = (z - (3**0.5 - 3**-0.5) / 2) / (3**0.5 + 3**-0.5)
    assert _cut(vectors, side, 50.0) == pytest.approx(expected)


@pytest.mark.filterwarnings("error")
def test_rows_without_entries_have_no_neighbors() -> None:
    """Nor does looking for them change the structure of a matrix, of which scipy would warn."""
    X = sp.csr_array(np.array([[1.0, 0], [0, 0], [1, 1], [0, 0]]))
    with mock.patch.object(sp.csr_matrix, "setdiag", side_effect=AssertionError):
        found = nearest_others(X, 2)
    assert found.toarray() == pytest.approx(np.array([[0, 0, 0.5**0.5, 0], [0] * 4, [0.5**0.5, 0, 0, 0], [0] * 4]))
