"""Documents of the source whose label nobody gave: they are not the target's, and decide nothing about it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isthmus
from isthmus.auto.few_labels import corrected
from isthmus.typing import Array, Mask, Matrix


def made(n_source: int, shares: tuple[float, float], n_target: int, seed: int) -> tuple[Matrix, Any, Any]:
    """Two classes with words of their own in either domain, and words that both domains share."""
    rng = np.random.default_rng(seed)
    base, own = rng.dirichlet(np.full(200, 0.15), size=2), rng.dirichlet(np.full(200, 0.15), size=(2, 2))
    rows, labels = [], []
    for domain, (n, share) in enumerate(zip((n_source, n_target), shares, strict=True)):
        known = (np.arange(n) >= round(share * n)).astype(int)
        rng.shuffle(known)
        rows += [rng.multinomial(12, 0.35 * base[k] + 0.65 * own[domain, k]) for k in known]
        labels += [f"c{k}" for k in known]
    X = np.array(rows, dtype=float)
    return (
        sp.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)),
        np.array(labels),
        np.repeat(["s", "t"], [n_source, n_target]),
    )


def fitted(X: Matrix, y: Any, domain: Any, labeled: Mask, rows: Any = slice(None)) -> isthmus.Auto:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = isthmus.Auto(random_state=0)
        auto.fit(X[rows], y[rows], sample_domain=domain[rows], target_domain="t", sample_labeled=labeled[rows])
    return auto


@pytest.mark.parametrize("seed", [0, 1])
def test_domains_are_compared_by_the_targets_own_documents(seed: int) -> None:
    """Otherwise a source of which most is unlabeled looks as if nothing had shifted."""
    X, y, domain = made(700, (0.5, 0.5), 150, seed)
    labeled = np.arange(850) < 150
    auto = fitted(X, y, domain, labeled)
    assert auto.diagnostics_.domain_auc == pytest.approx(
        fitted(X, y, domain, labeled, np.r_[:150, 700:850]).diagnostics_.domain_auc, abs=0.02
    )
    assert "LR, same domain" not in auto.chosen_


def test_known_labels_correct_the_targets_prior_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is far from even is not mixed with that of the source's unlabeled documents."""
    X, y, domain = made(600, (0.5, 0.9), 200, 3)
    labeled = (np.arange(800) < 200) | ((np.arange(800) >= 600) & (np.arange(800) < 625))
    found = list[dict[str, float]]()
    real = corrected

    def noted(*given: Any) -> Any:
        prior, decision = real(*given)
        found.append(prior)
        return prior, decision

    monkeypatch.setattr("isthmus.auto.auto.corrected", noted)
    fitted(X, y, domain, labeled)
    assert found[0]["c0"] == pytest.approx(0.9, abs=0.05)


def test_labels_of_the_targets_large_class_are_learned_from() -> None:
    """Of a target with nine tenths of one class, eight labels of it are no sign that they were chosen."""
    X, y, domain = made(600, (0.5, 0.9), 200, 3)
    in_target = np.flatnonzero((domain == "t") & (y == "c0"))
    labeled = np.arange(800) < 200
    labeled[in_target[:8]] = True
    assert "labels of one class" not in [caution.kind for caution in fitted(X, y, domain, labeled).warnings_]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_mixture_of_the_target_has_no_documents_of_the_source(seed: int) -> None:
    """Hiding one of its labels does not bring all of the others in."""
    X, y, domain = made(400, (0.5, 0.5), 120, seed)
    labeled = domain == "s"
    right = list[float]()
    for hidden in (0, 1):
        labeled[:hidden] = False
        method = isthmus.NaiveBayesEM()
        method.fit(X, y, sample_domain=domain, target_domain="t", sample_labeled=labeled)
        right.append(float(np.mean(method.transduction_[400:] == y[400:])))
    assert right[1] == pytest.approx(right[0], abs=0.03)


def test_novel_documents_are_the_targets(
    two_more: tuple[Matrix, Array, Array, Mask], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those of the source nor those whose label is known, however they look."""
    X, y, domain, labeled = two_more
    monkeypatch.setattr(
        "isthmus.auto.decide.novel_documents", lambda problem, *_: np.ones(problem.unlabeled.shape[0], dtype=bool)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = isthmus.Auto(novelty=True, random_state=0)
        auto.fit(X, y, sample_domain=domain, target_domain="t", sample_labeled=labeled)
    assert np.array_equal(auto.novel_, (domain == "t") & ~labeled)


@pytest.fixture
def two_more() -> tuple[Matrix, Array, Array, Mask]:
    """Three classes, and a fourth in the target alone; a third of the source has no label, and some of the target."""
    from test_novelty import KNOWN, NEW, two_sides

    toy = two_sides(KNOWN, [*KNOWN, NEW])
    names = np.where(np.asarray(toy.domain) == "target", "t", "s")
    labeled = (names == "s") & (np.arange(len(names)) % 3 > 0)
    labeled[np.flatnonzero((names == "t") & (np.asarray(toy.y) != NEW))[:4]] = True
    return toy.X, np.asarray(toy.y), names, labeled
