"""CDSC whose documents arrive one batch after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

import isthmus
from conftest import Toy
from isthmus.exceptions import EmptyDocumentWarning
from isthmus.methods.spectral import document_blocks
from isthmus.methods.spectral.cdsc import CDSC
from isthmus.methods.spectral.document_blocks import DocumentBlock
from isthmus.methods.spectral.incremental import IncrementalCDSC
from isthmus.solvers.spectral import GrowingGraph


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


def dense_vectors(graph: GrowingGraph, rows: Any, coordinates: Any) -> tuple[Any, Any]:
    """Rayleigh-Ritz with all matrices written out."""
    N = np.vstack([graph.nodes.toarray(), rows.toarray()])
    Z = np.vstack([graph.tied, coordinates])
    sizes = np.append(graph.sizes, np.ones(rows.shape[0]))
    W = N @ N.T - np.diag(sizes)
    free = np.arange(len(N)) >= len(graph.sizes)
    W_s = W * np.outer(free, free)
    D, D_s = np.diag(W.sum(axis=1)), np.diag(W_s.sum(axis=1))
    T = D - W + graph.lam * (D_s - W_s)
    values, mixture = scipy.linalg.eigh(Z.T @ T @ Z, Z.T @ D @ Z)
    return 1 - values, Z @ mixture


def documents_of(model: IncrementalCDSC) -> tuple[Any, Any]:
    """Rows and coordinates of the unlabeled documents."""
    blocks = DocumentBlock.stacked(model.solution_._blocks)
    return blocks.rows, blocks.coordinates


@pytest.mark.parametrize("lam", [0.0, 0.025, 2.0])
def test_sums_by_word_are_those_of_all_documents(toy: Toy, lam: float) -> None:
    model, _ = in_batches(toy, 4, lam=lam)
    graph = model.solution_._graph
    rows, coordinates = documents_of(model)
    values, vectors = dense_vectors(graph, rows, coordinates)
    assert graph.embedding.values == pytest.approx(values, abs=1e-7)
    found = np.abs(graph.embedding.tied)
    assert found == pytest.approx(np.abs(vectors[: len(found)]), abs=1e-7)


def test_documents_stand_where_the_equation_of_their_row_puts_them(toy: Toy) -> None:
    """Solved for one document after the other, the equations hold of all once nothing moves."""
    model, _ = in_batches(toy, 2, n_eigenvectors=2)
    graph = model.solution_._graph
    rows, coordinates = documents_of(model)
    for _ in range(60):
        now = graph.moved(rows, coordinates)
        graph, coordinates = graph.settled(rows, coordinates, now), now
    fresh = toy.fit(CDSC(random_state=0, n_eigenvectors=2))
    assert 1 - graph.embedding.values[:2] == pytest.approx(fresh.eigenvalues_, abs=1e-6)


def test_a_batch_looks_at_no_more_than_it_brings(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are multiplied in `partial_fit`: three times those that arrived, and as many as make a block."""
    seen: list[int] = []
    of = GrowingGraph.vectors_at

    def counted(graph: GrowingGraph, rows: Any, coordinates: Any) -> Any:
        seen.append(rows.shape[0])
        return of(graph, rows, coordinates)

    monkeypatch.setattr(GrowingGraph, "vectors_at", counted)
    monkeypatch.setattr(document_blocks, "LENGTH", 4)
    in_batches(toy, 30)
    largest = int(np.ceil(toy.in_target.sum() / 30))
    assert len(seen) == 29  # and none for labels that nobody asks for
    assert max(seen) < 3 * largest + 2 * 4


def test_many_small_batches_are_kept_in_few_blocks(toy: Toy) -> None:
    model, rows = in_batches(toy, 60)
    blocks = model.solution_._blocks
    assert len(blocks) <= 3
    positions = np.concatenate([block.positions for block in blocks])
    assert sorted(positions) == list(range((~toy.in_target).sum(), len(rows)))


def test_those_first_that_have_waited_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_blocks, "LENGTH", 3)
    blocks = document_blocks.in_blocks(DocumentBlock.of(sp.csr_array(np.eye(10)), np.arange(10), 2))
    assert [len(block) for block in blocks] == [3, 3, 3, 1]
    for wanted, found in [(1, 3), (3, 3), (4, 6), (10, 10), (99, 10)]:
        first, rest = document_blocks.taken(blocks, wanted)
        assert first.positions.tolist() == list(range(found))
        assert [row for block in rest for row in block.positions] == list(range(found, 10))
        assert np.array_equal(first.rows.toarray(), np.eye(10)[:found])


def test_a_saved_model_goes_on(toy: Toy, tmp_path: Path) -> None:
    model, _ = in_batches(toy, 4)
    isthmus.save(model, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    assert np.array_equal(loaded.label_distributions_, model.label_distributions_)
    assert np.array_equal(loaded.predict_proba(toy.X), model.predict_proba(toy.X))
    for each in (loaded, model):
        each.partial_fit(toy.X[toy.in_target])
    assert len(loaded.transduction_) == len(toy.y) + toy.in_target.sum()
    assert np.array_equal(loaded.label_distributions_, model.label_distributions_)


def test_labels_are_there_after_a_fit_alone(toy: Toy) -> None:
    model, plain = toy.fit(IncrementalCDSC(random_state=0)), toy.fit(CDSC(random_state=0))
    assert np.mean(model.transduction_ == plain.transduction_) >= 0.99
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = model.nonsense
    with pytest.raises(AttributeError, match="no attribute 'transduction_'"):
        _ = IncrementalCDSC().transduction_


def test_documents_without_words_or_links_get_the_prior_until_a_link_arrives() -> None:
    words = [[2.0, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [2, 1, 0, 0], [0, 1, 0, 0]]
    X = sp.csr_array(np.array([*words, [0, 0, 0, 3]]))
    model = IncrementalCDSC(random_state=0)
    model.fit(X, ["a", "a", "b", "b", "b", "?", "?", "?"], sample_domain=[1, 1, 1, 1, 1, -1, -1, -1])
    assert model.label_distributions_[7] == pytest.approx(model.class_prior_)
    with pytest.warns(EmptyDocumentWarning, match="1 of 2 documents"):
        model.partial_fit([[0.0, 0, 0, 0], [0, 0, 1, 0]], y=None)
    assert model.label_distributions_[7:] == pytest.approx(np.tile(model.class_prior_, (3, 1)))
    model.partial_fit([[3.0, 0, 0, 2]])
    assert model.label_distributions_[7] != pytest.approx(model.class_prior_)
    assert model.label_distributions_[8:10] == pytest.approx(np.tile(model.class_prior_, (2, 1)))
    assert len(model.transduction_) == 11


def test_beta_must_be_infinite(toy: Toy) -> None:
    with pytest.raises(ValueError, match=r"beta is 15: .*beta=np.inf"):
        toy.fit(IncrementalCDSC(beta=15))
