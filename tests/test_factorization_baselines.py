"""MTrick, DTL, GCMF and DKT themselves: what they become when a part is switched off, and what their parts do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Toy, build, make_toy
from isthmus.solvers.factorization import Factorization, NonNegative, Orthogonality, minimize


def accuracy(toy: Toy, model: object) -> float:
    return float(np.mean((model.transduction_ == toy.y)[toy.in_target]))  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["MTrick", "DTL", "GCMF", "DKT"])
@pytest.mark.parametrize("seed", range(3))
def test_objective_never_rises(name: str, seed: int) -> None:
    values = make_toy(seed, n_documents=60).fit(build(name, random_state=seed, tol=0)).objective_
    assert values[-1] < values[0]
    assert np.diff(values).max() <= 1e-9 * values[0]


def test_dtl_without_common_topics_is_nmtf(toy: Toy) -> None:
    plain = toy.fit(build("NMTF"))
    bare = toy.fit(build("DTL", common_share=0))
    assert np.array_equal(bare.label_distributions_, plain.label_distributions_)
    assert np.array_equal(bare.domain_topics_, plain.domain_topics_)
    assert np.array_equal(bare.association_, plain.association_)


def test_dtl_with_common_topics_alone_reads_all_domains_alike(toy: Toy) -> None:
    model = toy.fit(build("DTL", common_share=1))
    assert np.array_equal(model.profiles_[0], model.profiles_[1])
    mixed = toy.fit(build("DTL", common_share=0.5))
    assert not np.allclose(mixed.profiles_[0], mixed.profiles_[1])


def test_dtl_topics_are_common_or_specific(toy: Toy) -> None:
    model = toy.fit(build("DTL", n_topics=6, common_share=0.5))
    words = (model.common_topics_ + model.domain_topics_[0]) @ model.association_
    assert words == pytest.approx(model.profiles_[0])
    topics = model.topics([f"w{i}" for i in range(toy.X.shape[1])])
    kinds = [(bool(topic.common), all(topic.specific.values())) for topic in topics]
    assert sorted(kinds) == [(False, True)] * 3 + [(True, False)] * 3


def test_mtrick_with_a_heavy_target_follows_the_target(toy: Toy) -> None:
    """The heavier the target, the better its documents are rebuilt."""
    X = toy.X[toy.in_target].toarray()

    def misfit(weight: float) -> float:
        model = toy.fit(build("MTrick", target_weight=weight))
        rebuilt = model.label_distributions_[toy.in_target] @ model.profiles_[model.domains_.index("target")].T
        return float(np.sum((X - rebuilt) ** 2))

    assert misfit(1000.0) < misfit(0.001)


def test_mtricks_objective_is_the_papers(toy: Toy) -> None:
    model = toy.fit(build("MTrick", target_weight=1.5, max_iter=5))
    total = 0.0
    for domain, weight in (("source", 1.0), ("target", 1.5)):
        here = toy.domain == domain
        rebuilt = model.label_distributions_[here] @ model.profiles_[model.domains_.index(domain)].T
        total += weight * np.sum((toy.X[here].toarray() - rebuilt) ** 2)
    assert model.objective_[-1] == pytest.approx(total)
    assert model.domain_topics_.sum(axis=1) == pytest.approx(np.ones((2, 10)))


def test_dkt_is_gcmf_without_graphs_when_labels_weigh_all(toy: Toy) -> None:
    plain = toy.fit(build("GCMF", word_weight=0, document_weight=0, tol=0))
    heavy = toy.fit(build("DKT", words_weight=0, label_weight=1e7, tol=0))
    assert heavy.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-3)
    free = toy.fit(build("DKT", words_weight=0, label_weight=0, tol=0))
    assert np.abs(free.label_distributions_ - plain.label_distributions_).max() > 1e-3


def test_dkts_second_path_draws_word_clusters_together(toy: Toy) -> None:
    def gap(weight: float) -> float:
        source, target = toy.fit(build("DKT", words_weight=weight)).domain_topics_
        return float(np.linalg.norm(source - target))

    assert gap(1000.0) < 0.2 * gap(0.0)


@pytest.mark.parametrize("name", ["GCMF", "DKT"])
def test_orthogonality_parts_the_topics(name: str, toy: Toy) -> None:
    def overlap(weight: float) -> float:
        topics = toy.fit(build(name, orthogonality_weight=weight)).domain_topics_[0]
        unit = topics / np.linalg.norm(topics, axis=0)
        return float(np.abs(unit.T @ unit - np.eye(unit.shape[1])).max())

    assert overlap(100.0) < 0.2 < overlap(0.0)


@pytest.mark.parametrize("part", ["word_weight", "document_weight"])
def test_gcmfs_graphs_can_be_switched_off_one_by_one(part: str, toy: Toy) -> None:
    whole = toy.fit(build("GCMF"))
    less = toy.fit(build("GCMF", **{part: 0}))
    assert not np.array_equal(less.label_distributions_, whole.label_distributions_)
    assert accuracy(toy, less) > 0.85


def test_scale_of_x_does_not_matter(toy: Toy) -> None:
    for name in ("GCMF", "DKT"):
        plain = toy.fit(build(name))
        scaled = toy.fit(build(name), X=toy.X * 19.0)
        assert scaled.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-3)


@given(seed=st.integers(0, 10_000))
def test_orthogonality_alone_is_reached(seed: int) -> None:
    rng = np.random.default_rng(seed)
    factors = {"F": rng.uniform(size=(20, 3))}
    model = Factorization(factors, [Orthogonality("F", 2.0)], {"F": NonNegative()}, ["F"], exponent=0.5)
    values = minimize(model, max_iter=100).objective
    assert np.diff(values).max() <= 1e-9 * values[0]
    assert model.factors["F"].T @ model.factors["F"] == pytest.approx(np.eye(3), abs=0.1)
