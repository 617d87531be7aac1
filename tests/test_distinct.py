"""Near-duplicates, of which evidence counts one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.metrics.pairwise import cosine_similarity

from conftest import Toy
from isthmus.auto import distinct, label_shift
from isthmus.auto.distinct import distinct_documents, duplicate_groups
from isthmus.auto.label_shift import evidence_for, looked_at
from isthmus.core.numerics import unit_rows
from isthmus.core.problem import make_problem
from isthmus.methods import LR
from isthmus.typing import Matrix, Positions


def texts(n: int, n_words: int, seed: int = 0) -> Matrix:
    """Documents of so many words each, most of which no other has."""
    rng = np.random.default_rng(seed)
    columns = np.concatenate([rng.choice(50 * n, n_words, replace=False) for _ in range(n)])
    return sp.csr_array((1 + rng.random(n * n_words), columns, np.arange(n + 1) * n_words), shape=(n, 50 * n))


def cut_outs(X: Matrix, n: int, share: float) -> tuple[Matrix, Positions]:
    """Of each document several, which hold so much of its words; and which document each is of."""
    kept = np.random.default_rng(1).random((n, X.nnz)) < share
    parts = [sp.csr_array((X.data * own, X.indices.copy(), X.indptr.copy()), shape=X.shape) for own in kept]
    for part in parts:
        part.eliminate_zeros()
    return sp.vstack(parts, format="csr"), np.tile(np.arange(X.shape[0]), n)


def same_groups(one: Positions, other: Positions) -> bool:
    return len(np.unique(one)) == len(np.unique(other)) == len(np.unique(np.stack([one, other]), axis=1)[0])


def test_cut_outs_of_one_text_are_near_duplicates() -> None:
    X, document = cut_outs(texts(60, 40), 7, 0.85)
    assert same_groups(duplicate_groups(X), document)
    assert np.array_equal(np.flatnonzero(distinct_documents(X)), np.arange(60))


def test_every_pair_that_is_found_is_alike() -> None:
    """Against all cosines; groups are chains of such pairs."""
    X, _ = cut_outs(texts(40, 30), 4, 0.7)
    pairs = distinct._alike(unit_rows(X), np.random.default_rng(0).permutation(np.tile(np.arange(40), 4)))
    groups = duplicate_groups(X)
    cosines = cosine_similarity(X)
    assert (cosines[pairs[0], pairs[1]] >= distinct.ALIKE - 1e-9).all()
    chains = connected_components(cosines >= distinct.ALIKE - 1e-9, directed=False)[1]
    assert all(len(set(chains[groups == group])) == 1 for group in groups)
    assert len(np.unique(groups)) < 1.3 * len(np.unique(chains))


def test_thousands_of_copies_are_one_document() -> None:
    X = sp.vstack([texts(1, 20)] * 3000 + [texts(1, 20, seed=5)], format="csr")
    assert distinct_documents(X).sum() == 2


def test_short_texts_are_alike_without_being_copies() -> None:
    short = sp.csr_array([[1, 1, 1, 0.2], [1, 1, 1, 0], [0, 1, 0, 1], [1, 1, 1, 0]])
    assert distinct_documents(short).tolist() == [True, True, True, False]


def test_words_are_drawn_by_their_share_of_a_document() -> None:
    """So that equal documents draw the same word, and similar ones often do."""
    row = unit_rows(sp.csr_array([[1.0, 2.0, 3.0]]))
    drawn = [distinct._drawn_words(row, np.random.default_rng(s).exponential(size=3))[0] for s in range(4000)]
    assert np.bincount(drawn) / 4000 == pytest.approx(np.array([1, 4, 9]) / 14, abs=0.03)


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_length_does_not_matter(scale: float) -> None:
    X, _ = cut_outs(texts(20, 30), 3, 0.8)
    assert np.array_equal(duplicate_groups(X), duplicate_groups(X * scale))


def test_what_is_no_bag_of_words_stays_as_it_is() -> None:
    rng = np.random.default_rng(0)
    dense = np.ones((5, 30))
    for X in (dense, sp.csr_array(-dense), sp.csr_array((5, 30)), sp.csr_array(rng.normal(size=(0, 3)))):
        assert distinct_documents(X).all()
    some_empty = sp.csr_array(np.vstack([np.zeros(30), dense[:2], np.zeros(30)]))
    assert distinct_documents(some_empty).tolist() == [True, True, False, True]


def test_copies_of_target_documents_change_no_evidence(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies on both sides of a fold would repeat any label."""
    monkeypatch.setattr(label_shift, "AT_MOST", 10**6)
    labels = np.random.default_rng(0).integers(2, size=toy.in_target.sum())
    found = []
    for n in (1, 6):
        target = np.tile(np.flatnonzero(toy.in_target), n)
        rows = np.concatenate([np.flatnonzero(~toy.in_target), target])
        problem = make_problem(LR(), toy.X[rows], toy.y[rows], toy.domain[rows], "target")
        found.append(evidence_for([problem], np.tile(labels, n), looked_at(problem)))
    assert found[0] == found[1]
    assert found[0].consistency < 0.7
