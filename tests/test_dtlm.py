"""DTLM and the graphs that it uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from conftest import Toy, build
from isthmus.core.progress import Step
from isthmus.solvers.spectral import nearest, neighbor_graph


@given(seed=st.integers(0, 10_000), n_neighbors=st.integers(1, 4))
def test_graph_joins_nearest_neighbors_by_cosine(seed: int, n_neighbors: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.1, 1, size=(12, 5))
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -1)
    chosen = np.zeros_like(cosine, dtype=bool)
    np.put_along_axis(chosen, np.argsort(-cosine, axis=1)[:, :n_neighbors], True, axis=1)
    expected = np.where(chosen | chosen.T, cosine, 0)
    found = neighbor_graph(sp.csr_array(X), n_neighbors)
    assert found.toarray() == pytest.approx(expected)
    assert neighbor_graph(X, n_neighbors).toarray() == pytest.approx(expected)


def test_scale_of_x_does_not_matter(toy: Toy) -> None:
    plain = toy.fit(build("DTLM"))
    for scale in (2.0, 19.0, 0.01):
        scaled = toy.fit(build("DTLM"), X=toy.X * scale)
        assert np.array_equal(scaled.transduction_, plain.transduction_)
        assert scaled.label_distributions_ == pytest.approx(plain.label_distributions_, abs=0.02)


@pytest.mark.parametrize(
    "off",
    [
        {"graph_weight": 0},
        {"discrepancy_weight": 0},
        {"regression_weight": 0},
        {"graph_weight": 0, "discrepancy_weight": 0, "regression_weight": 0},
    ],
)
def test_every_part_can_be_switched_off(off: dict[str, Any], toy: Toy) -> None:
    model = toy.fit(build("DTLM", **off))
    assert np.mean((model.transduction_ == toy.y)[toy.in_target]) > 0.85
    assert not np.array_equal(model.label_distributions_, toy.fit(build("DTLM")).label_distributions_)
    assert model.objective_[-1] < model.objective_[0]


def test_graphs_draw_neighbors_together(toy: Toy) -> None:
    """The heavier the graphs, the more alike the labels of neighbors."""

    def roughness(weight: float) -> float:
        V = toy.fit(build("DTLM", graph_weight=weight)).label_distributions_[toy.in_target]
        graph = neighbor_graph(toy.X[toy.in_target], 5)
        one, other = graph.nonzero()
        return float(np.sum(graph.data * np.sum((V[one] - V[other]) ** 2, axis=1)))

    assert roughness(1.0) < roughness(0.0)


def test_several_starts_keep_the_lowest_objective(toy: Toy) -> None:
    ends: list[float] = []
    best = toy.fit(build("DTLM", n_init=4, max_iter=5, tol=0, callback=lambda step: ends.append(step.objective)))
    assert len(ends) == 20
    assert best.objective_[-1] == min(ends[4::5])
    assert len(set(ends[4::5])) == 4


def test_a_callback_stops_all_starts(toy: Toy) -> None:
    steps: list[int] = []

    def stop_at_three(step: Step) -> bool:
        steps.append(step.iteration)
        return step.iteration == 3

    model = toy.fit(build("TCL", n_init=5, callback=stop_at_three, tol=0))
    assert steps == [1, 2, 3]
    assert model.n_iter_ == 3


@given(seed=st.integers(0, 10_000), n_neighbors=st.integers(1, 14))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_without_similarity_are_not_neighbors(dtype: Any, seed: int, n_neighbors: int) -> None:
    """As many neighbors as rows, and cosines that are zero or below: nothing must come of what was not computed."""
    X = np.random.default_rng(seed).integers(-1, 2, size=(12, 3)).astype(dtype)
    X[0, 0] = 1e-30
    unit = normalize(sp.csr_array(X)).toarray()
    cosine = unit @ unit.T
    found = nearest(X, X, n_neighbors).toarray()
    kept = found > 1e-6
    assert (found >= 0).all()
    assert found[kept] == pytest.approx(cosine[kept], abs=1e-6)
    assert (kept.sum(axis=1) == np.minimum((cosine > 1e-6).sum(axis=1), n_neighbors)).all()
