"""Maps to a few dimensions, against what they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

import isthmus
from conftest import Toy
from isthmus import LSA, MSDA, TransductiveLR
from isthmus.io.models.header import read_header
from isthmus.solvers.linear import denoising_lsa_map, lsa_map

CONTAINERS = [np.asarray, sp.csr_array]


def documents(seed: int, n: int = 40, width: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.random((n, width)) * (rng.random((n, width)) < 0.6) + 0.02)


def hidden(word_map: Any, X: Any) -> np.ndarray:
    """What stands beside the words."""
    both = word_map.transform(X)
    both = both.toarray() if sp.issparse(both) else both
    assert both[:, : X.shape[1]] == pytest.approx(X.toarray() if sp.issparse(X) else X)
    return np.asarray(both[:, X.shape[1] :])


@given(st.integers(0, 1000), st.sampled_from([0.1, 0.5, 0.9]))
@pytest.mark.parametrize("container", CONTAINERS)
def test_all_directions_of_the_denoising_map_are_the_map(container: Any, seed: int, noise: float) -> None:
    """Documents times (q S + (1 - q) D)^-1 S, up to a rotation and the length of rows."""
    X = documents(seed)
    S = X.T @ X
    expected = normalize(X @ np.linalg.solve((1 - noise) * S + noise * np.diag(np.diag(S)), S))
    found = hidden(denoising_lsa_map(container(X), 8, weight=2.0, noise=noise), container(X))
    lengths = np.linalg.norm(X, axis=1)
    assert found @ found.T == pytest.approx(4 * np.outer(lengths, lengths) * (expected @ expected.T), abs=1e-4)


@pytest.mark.parametrize("container", CONTAINERS)
def test_only_the_most_frequent_words_are_looked_at(container: Any) -> None:
    X = documents(1)
    X[::2, 3] = X[1::2, 6] = X[:, 5] = 0
    kept = [0, 1, 2, 4, 7]
    found = hidden(denoising_lsa_map(container(X), 5, n_words=5), container(X))
    alone = hidden(denoising_lsa_map(container(X[:, kept]), 5), container(X[:, kept]))
    lengths = (np.linalg.norm(X, axis=1) / np.linalg.norm(X[:, kept], axis=1))[:, None]
    assert found @ found.T == pytest.approx((lengths * alone) @ (lengths * alone).T, abs=1e-4)


@pytest.mark.parametrize("container", CONTAINERS)
def test_entries_too_small_to_be_squared_change_nothing(container: Any) -> None:
    """Sentence encoders return some: 1e-30 squared is zero in single precision."""
    X = documents(2).astype(np.float32)
    tiny = np.column_stack([X, np.full(len(X), 1e-30, dtype=np.float32), np.zeros(len(X), dtype=np.float32)])
    found = hidden(denoising_lsa_map(container(tiny)), container(tiny))
    plain = hidden(denoising_lsa_map(container(X)), container(X))
    assert found @ found.T == pytest.approx(plain @ plain.T, abs=1e-3)


@pytest.mark.parametrize("container", CONTAINERS)
def test_latent_semantic_analysis_is_the_leading_singular_vectors(container: Any) -> None:
    X = documents(3)
    left, values, _ = np.linalg.svd(X, full_matrices=False)
    expected = normalize(left[:, :3] * values[:3]) * np.linalg.norm(X, axis=1)[:, None]
    found = hidden(lsa_map(container(X), 3, weight=1.0), container(X))
    assert found @ found.T == pytest.approx(expected @ expected.T, abs=1e-3)


@pytest.mark.parametrize(
    "method", [MSDA(n_features=30), LSA(20), TransductiveLR("msda"), TransductiveLR("lsa")], ids=repr
)
def test_a_file_holds_maps_in_single_precision(method: Any, toy: Toy, tmp_path: Path) -> None:
    isthmus.save(toy.fit(method), tmp_path / "m.isthmus")
    arrays = read_header(str(tmp_path / "m.isthmus")).arrays
    maps = [one for one in arrays if toy.X.shape[1] in one["shape"] and min(one["shape"]) > 2]
    assert {one["type"] for one in maps} == {"F32"}


@pytest.mark.parametrize("size", [1e-100, 1e-30, 1e30, 1e100])
def test_directions_do_not_depend_on_the_size_of_documents(size: float) -> None:
    """Though single precision could not hold them."""
    X = documents(3)
    assert lsa_map(size * X, 3).directions == pytest.approx(lsa_map(X, 3).directions, rel=1e-4)
