"""The classifier of a single domain, whose prior may have shifted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from conftest import Toy
from isthmus.auto import same_domain
from isthmus.auto.same_domain import SameDomainLR, at_prior, prior_by_em
from isthmus.core.problem import make_problem
from isthmus.core.workspace import Workspace
from isthmus.methods import LR

EVEN = np.array([0.5, 0.5])


def normal_documents(share: float, n: int = 4000) -> np.ndarray:
    """Probabilities of two overlapping classes, learned at equal shares, of documents with another."""
    rng = np.random.default_rng(0)
    x = rng.normal(np.where(np.arange(n) < share * n, 1.0, -1.0))
    densities = np.column_stack([norm.pdf(x, 1), norm.pdf(x, -1)])
    return np.asarray(densities / densities.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_em_finds_the_prior_that_makes_documents_most_likely(share: float) -> None:
    probabilities = normal_documents(share)

    def cost(own: float) -> float:
        return -float(np.log(probabilities @ (np.array([own, 1 - own]) / EVEN)).sum())

    best = minimize_scalar(cost, bounds=(0.001, 0.999), method="bounded").x
    found = prior_by_em(probabilities, EVEN)
    assert found.sum() == pytest.approx(1)
    assert found[0] == pytest.approx(best, abs=1e-3)
    assert found[0] == pytest.approx(share, abs=0.03)


def test_a_prior_is_the_mean_of_probabilities_at_itself() -> None:
    probabilities = normal_documents(0.2)
    found = prior_by_em(probabilities, EVEN)
    assert at_prior(probabilities, EVEN, found).mean(axis=0) == pytest.approx(found, abs=1e-4)
    assert at_prior(probabilities, EVEN, EVEN) == pytest.approx(probabilities)
    assert prior_by_em(probabilities[:0], np.array([0.3, 0.7])) == pytest.approx([0.3, 0.7])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_documents_that_come_later_have_the_prior_too(n_classes: int, toy: Toy, toy_of_three: Toy) -> None:
    own = {2: toy, 3: toy_of_three}[n_classes]
    problem = make_problem(LR(), own.X, own.y, own.domain, "target")
    given = np.array([0.7, 0.2, 0.1][:n_classes])
    given /= given.sum()
    plain, moved = (
        SameDomainLR(n_weights=0, target_prior=prior).solve(problem, Workspace())
        for prior in ("source", dict(zip(problem.classes.tolist(), given.tolist(), strict=True)))
    )
    X = problem.unlabeled
    assert plain.assign(X, None) == pytest.approx(LR().solve(problem, Workspace()).assign(X, None), abs=1e-3)
    expected = at_prior(plain.assign(X, None), problem.class_prior, given)
    assert moved.assign(X, None) == pytest.approx(expected, abs=1e-6)
    assert moved.transduce(problem) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("is_enough", [True, False])
def test_an_unknown_prior_is_found_if_documents_are_enough(
    is_enough: bool, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, "target")
    monkeypatch.setattr(same_domain, "FEWEST", len(problem.labeled[1]) + (not is_enough))
    free = SameDomainLR(n_weights=0, target_prior="unknown").solve(problem, Workspace())
    plain = LR().solve(problem, Workspace()).transduce(problem)
    found = prior_by_em(plain, problem.class_prior) if is_enough else problem.class_prior
    assert free.transduce(problem) == pytest.approx(at_prior(plain, problem.class_prior, found), abs=1e-3)
