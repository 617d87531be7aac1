"""The marginalized denoising autoencoder against the average over all corruptions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from conftest import Toy, build
from isthmus.solvers.linear import denoising_map
from isthmus.solvers.linear.denoising import reconstruct


def documents(seed: int, n: int = 6, width: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((n, width)) * (rng.random((n, width)) < 0.7) + 0.05


def least_squares(inputs: np.ndarray, outputs: np.ndarray, noise: float) -> np.ndarray:
    """Weights and, in the last row, constants: every document in every state that noise can leave it in."""
    rows, aims, roots = [], [], []
    for kept in product([0, 1], repeat=inputs.shape[1]):
        chance = np.prod(np.where(kept, 1 - noise, noise))
        for document, aim in zip(inputs, outputs, strict=True):
            rows.append([*(document * kept), 1])
            aims.append(aim)
            roots.append(np.sqrt(chance))
    weight = np.array(roots)[:, None]
    return np.asarray(np.linalg.lstsq(np.array(rows) * weight, np.array(aims) * weight, rcond=None)[0])


@given(st.integers(0, 1000), st.sampled_from([0.05, 0.5, 0.9]))
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_the_closed_form_is_the_least_error_over_all_corruptions(container: Any, seed: int, noise: float) -> None:
    inputs, outputs = documents(seed), documents(seed + 1, width=3)
    expected = least_squares(inputs, outputs, noise)
    weights, offset = reconstruct(container(inputs), container(outputs), noise)
    assert weights == pytest.approx(expected[:-1], rel=1e-3, abs=1e-4)
    assert offset == pytest.approx(expected[-1], rel=1e-3, abs=1e-4)


def test_frequent_words_are_reconstructed_from_sets_of_all_words() -> None:
    X = documents(3, n=20, width=7)
    X[:, 5] = 0  # a word that never occurs
    for column, absent in enumerate([3, 0, 6, 1, 4]):
        X[:absent, column] = 0
    order = sorted([0, 1, 2, 3, 4, 6], key=lambda word: (-np.count_nonzero(X[:, word]), -X[:, word].sum()))
    expected = np.zeros((20, 2))
    for words in (order[0::3], order[1::3], order[2::3]):
        solved = least_squares(X[:, words], X[:, order[:2]], 0.6)
        expected += (X[:, words] @ solved[:-1] + solved[-1]) / 3
    for container in (np.asarray, sp.csr_array):
        hidden = denoising_map(container(X), n_features=2, noise=0.6, set_size=2).hidden(container(X))
        assert hidden == pytest.approx(np.tanh(expected), abs=1e-4)


def test_a_second_layer_reconstructs_the_first() -> None:
    X = documents(4, n=30)
    both = denoising_map(X, noise=0.5, n_layers=2).hidden(X)
    first = denoising_map(X, noise=0.5).hidden(X)
    solved = least_squares(first, first, 0.5)
    assert both[:, :5] == pytest.approx(first)
    assert both[:, 5:] == pytest.approx(np.tanh(first @ solved[:-1] + solved[-1]), abs=1e-3)


def test_words_of_one_domain_take_on_the_class_of_those_that_they_stand_beside(toy: Toy) -> None:
    """A document of nothing but words that no labeled document has: words alone know nothing of it."""
    own = [10 + 24, 10 + 36 + 24]  # the first word of each class that the target alone has
    X = sp.csr_array(np.eye(toy.X.shape[1])[own])
    assert np.ptp(toy.fit(build("LR")).predict_proba(X), axis=0) == pytest.approx(0)
    model = toy.fit(build("MSDA"))
    assert model.predict(X).tolist() == ["class 0", "class 1"]


def test_features_are_words_and_hidden(toy: Toy) -> None:
    found = denoising_map(toy.X, n_features=9)
    features = found.transform(toy.X)
    assert sp.issparse(features)
    assert features.shape == (toy.X.shape[0], toy.X.shape[1] + 9)
    assert np.array_equal(features[:, : toy.X.shape[1]].toarray(), toy.X.toarray())
    dense = found.transform(toy.X.toarray())
    assert dense == pytest.approx(features.toarray(), abs=1e-6)
    assert found.transform(toy.X.astype(np.float32)).dtype == np.float32
