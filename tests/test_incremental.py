"""CDSC whose documents arrive one batch after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg

from conftest import Toy
from isthmus.methods.spectral.cdsc import CDSC
from isthmus.methods.spectral.incremental import IncrementalCDSC
from isthmus.solvers.spectral import eigen


@pytest.fixture(autouse=True)
def no_small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs are solved as dense matrices, whatever the start: here, none is small."""
    monkeypatch.setattr(eigen, "SMALL", 0)


def in_batches(toy: Toy, n: int, **parameters: Any) -> tuple[IncrementalCDSC, np.ndarray]:
    """All but the first batch of the target arrive later; which rows of the toy the model's rows are."""
    target = np.random.default_rng(0).permutation(np.flatnonzero(toy.in_target))
    first, *later = np.array_split(target, n)
    rows = np.concatenate([np.flatnonzero(~toy.in_target), first])
    model = IncrementalCDSC(random_state=0, **parameters)
    model.fit(toy.X[rows], toy.y[rows], sample_domain=toy.domain[rows], target_domain="target")
    for batch in later:
        model.partial_fit(toy.X[batch])
        rows = np.append(rows, batch)
    return model, rows


@pytest.mark.parametrize("parameters", [{}, {"weighting": "eigenvalue"}, {"n_eigenvectors": 3}])
def test_batches_end_where_a_fit_from_scratch_does(toy: Toy, parameters: dict[str, Any]) -> None:
    model, rows = in_batches(toy, 4, **parameters)
    fresh = toy.fit(CDSC(random_state=0, **parameters))
    assert np.mean(model.transduction_ == fresh.transduction_[rows]) >= 0.99
    assert model.eigenvalues_ == pytest.approx(fresh.eigenvalues_, abs=0.02)
    known = ~toy.in_target[rows]
    assert np.array_equal(model.transduction_[known], toy.y[rows][known])
    assert np.mean(model.predict(toy.X) == fresh.predict(toy.X)) >= 0.98


def test_a_warm_start_takes_few_products(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"lanczos": 0, "warm": 0}

    def counting(name: str, function: Any) -> Any:
        def counted(*arguments: Any, **options: Any) -> Any:
            counts[name] += 1
            return function(*arguments, **options)

        return counted

    monkeypatch.setattr(eigen, "eigsh", counting("lanczos", scipy.sparse.linalg.eigsh))
    monkeypatch.setattr(eigen, "lobpcg", counting("warm", scipy.sparse.linalg.lobpcg))
    in_batches(toy, 2)
    assert counts == {"lanczos": 1, "warm": 1}


def test_documents_without_words_or_links_get_the_prior_until_a_link_arrives() -> None:
    words = [[2.0, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [2, 1, 0, 0], [0, 1, 0, 0]]
    X = sp.csr_array(np.array([*words, [0, 0, 0, 3]]))
    model = IncrementalCDSC(random_state=0)
    model.fit(X, ["a", "a", "b", "b", "b", "?", "?", "?"], sample_domain=[1, 1, 1, 1, 1, -1, -1, -1])
    assert model.label_distributions_[7] == pytest.approx(model.class_prior_)
    model.partial_fit([[0.0, 0, 0, 0], [0, 0, 1, 0]])
    assert model.label_distributions_[7:] == pytest.approx(np.tile(model.class_prior_, (3, 1)))
    model.partial_fit([[3.0, 0, 0, 2]])
    assert model.label_distributions_[7] != pytest.approx(model.class_prior_)
    assert model.label_distributions_[8:10] == pytest.approx(np.tile(model.class_prior_, (2, 1)))
    assert len(model.transduction_) == 11


def test_beta_must_be_infinite(toy: Toy) -> None:
    with pytest.raises(ValueError, match=r"beta is 15: .*beta=np.inf"):
        toy.fit(IncrementalCDSC(beta=15))
