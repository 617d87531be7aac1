"""Self-training, transductive logistic regression and naive Bayes, each against the same loop written straight down."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from conftest import Toy, make_toy
from isthmus import NaiveBayesEM, SelfTraining, TransductiveLR
from isthmus.core.numerics import mean_square
from isthmus.core.problem import Problem
from isthmus.exceptions import EmptyDocumentWarning
from isthmus.solvers.linear import fit_logistic

pytestmark = pytest.mark.usefixtures("exact_logistic")

PRIORS = ["source", "unknown", {"class 0": 0.4, "class 1": 0.6}]
LENGTH = 1.5
"""Of the documents: C is relative to its square."""


@dataclass(frozen=True)
class Parts:
    """What the references go by, dense; class 1 is one, class 0 is zero."""

    X: np.ndarray
    y: np.ndarray
    in_source: np.ndarray
    rest: np.ndarray
    share: float | None
    """Of class 1 in the rest."""


def unequal_toy() -> Toy:
    """A third of the source's documents, and a fifth of the target's, are of class 1; many words stand in both."""
    toy = make_toy(seed=4)
    rng = np.random.default_rng(0)
    other = rng.permutation(toy.X.toarray(), axis=0)  # of any class: no ranking is clear
    X = toy.X.toarray() + rng.uniform(0.3, 1.2, size=(len(toy.y), 1)) * other
    X *= LENGTH / np.linalg.norm(X, axis=1, keepdims=True)
    nth = np.zeros(len(toy.y), dtype=int)
    for domain in ("source", "target"):
        own = (toy.domain == domain) & (toy.y == "class 1")
        nth[own] = np.arange(own.sum())
    kept = (toy.y == "class 0") | (nth < np.where(toy.in_target, 15, 30))
    return Toy(sp.csr_array(X[kept]), toy.y[kept], toy.domain[kept])


def labeled_rows(toy: Toy, n_known: int) -> np.ndarray:
    labeled = ~toy.in_target
    labeled[np.flatnonzero(toy.in_target)[:n_known]] = True
    return labeled


def parts_of(toy: Toy, prior: Any, n_known: int = 0) -> Parts:
    """The domains follow each other by first appearance, as in the problem."""
    labeled, ones = labeled_rows(toy, n_known), toy.y == "class 1"
    order = np.argsort(toy.domain != toy.domain[0], kind="stable")
    X, rows = toy.X.toarray(), order[labeled[order]]
    share = None
    if prior != "unknown":
        wanted = ones[~toy.in_target].mean() if prior == "source" else prior["class 1"]
        n_target, known = toy.in_target.sum(), labeled & toy.in_target
        share = (n_target * wanted - ones[known].sum()) / (n_target - known.sum())
    return Parts(X[rows], ones[rows].astype(int), ~toy.in_target[rows], X[~labeled], share)


def logistic(X: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> LogisticRegression:
    """To the end: then it does not matter where it started."""
    return LogisticRegression(C=1 / LENGTH**2, solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(X, y, weights)


def ranked(values: np.ndarray, share: float | None) -> np.ndarray:
    """One for the largest values, as many as the share says; for those above zero, if there is none."""
    if share is None:
        return (values > 0).astype(int)
    labels = np.zeros(len(values), dtype=int)
    labels[np.argsort(-values)[: round(share * len(values))]] = 1
    return labels


def evened(y: np.ndarray, balanced: bool) -> np.ndarray:
    """Weights with which both classes have the same sum."""
    return len(y) / 2 / np.array([np.sum(y == own) for own in y]) if balanced else np.ones(len(y))


def self_trained(
    parts: Parts, max_iter: int, max_fraction: float, source_weight: float, balanced: bool = False
) -> LogisticRegression:
    model = logistic(parts.X, parts.y, evened(parts.y, balanced))
    for step in range(1, max_iter + 1):
        values = model.decision_function(parts.rest)
        labels = ranked(values, parts.share)
        joining: list[int] = []
        for sign, number in ((-1, 0), (1, 1)):
            own = np.flatnonzero(labels == number)
            surest = own[np.argsort(-sign * values[own], kind="stable")]
            joining += surest[: round(max_fraction * step / max_iter * len(own))].tolist()
        joining.sort()
        of_source = 1 + (source_weight - 1) * step / max_iter
        own = np.where(parts.in_source, of_source, 1.0) * evened(parts.y, balanced)
        weights = np.append(own, evened(labels[joining], balanced))
        X, y = np.vstack([parts.X, parts.rest[joining]]), np.append(parts.y, labels[joining])
        model = logistic(X, y, weights)
    return model


def transductive(parts: Parts, n_weights: int) -> LogisticRegression:
    model = logistic(parts.X, parts.y)
    for step in range(n_weights):
        weight = 0.01 * 100 ** (step / (n_weights - 1))
        labels = ranked(model.decision_function(parts.rest), parts.share)
        weights = np.append(np.ones(len(parts.y)), np.full(len(labels), weight))
        model = logistic(np.vstack([parts.X, parts.rest]), np.append(parts.y, labels), weights)
    return model


def mixture(parts: Parts, max_iter: int, alpha: float) -> np.ndarray:
    """Probabilities of the rest. Target documents whose labels are known stay what they are."""
    first = expit(self_trained(parts, 6, 0.8, 1.0).decision_function(parts.rest))
    known = ~parts.in_source
    X = np.vstack([parts.X[known], parts.rest])
    ones = np.append(parts.y[known].astype(float), first)
    added = alpha * X[X > 0].mean()
    for _ in range(max_iter):
        before = ones
        logs = np.zeros((len(X), 2))
        for number, share in enumerate((1 - ones, ones)):
            words = X.T @ share + added
            logs[:, number] = X @ np.log(words / words.sum()) / LENGTH + np.log(share.mean())
        ones = np.append(parts.y[known], softmax(logs, axis=1)[known.sum() :, 1])
        if np.abs(ones - before).max() < 1e-4:
            break
    centered = logs - logs.mean(axis=1, keepdims=True)
    return np.asarray(softmax(logs / centered.std(), axis=1)[known.sum() :])


def same_classifier(found: LogisticRegression, expected: LogisticRegression) -> bool:
    """To what is left of the order of sums."""
    return bool(
        np.allclose(found.coef_, expected.coef_, atol=1e-6)
        and np.allclose(found.intercept_, expected.intercept_, atol=1e-6)
    )


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n_known", [0, 8])
@pytest.mark.parametrize(
    ("max_iter", "fraction", "weight", "balanced"),
    [(6, 0.8, 1.0, False), (5, 0.44, 0.2, False), (5, 0.44, 0.2, True)],
)
def test_self_training_is_the_plain_loop(
    max_iter: int, fraction: float, weight: float, balanced: bool, n_known: int, prior: Any
) -> None:
    toy = unequal_toy()
    model = SelfTraining(max_iter, max_fraction=fraction, source_weight=weight, target_prior=prior, balanced=balanced)
    toy.fit(model, sample_labeled=labeled_rows(toy, n_known))
    expected = self_trained(parts_of(toy, prior, n_known), max_iter, fraction, weight, balanced)
    assert same_classifier(model.classifier_, expected)


def test_settings_of_self_training_change_the_classifier() -> None:
    """Or else the plain loop would say nothing of them."""
    parts = parts_of(unequal_toy(), "source", 8)
    plain = self_trained(parts, 5, 0.44, 0.2)
    for changed in ((4, 0.44, 0.2), (5, 0.5, 0.2), (5, 0.44, 1.0), (5, 0.44, 0.2, True)):
        assert not same_classifier(plain, self_trained(parts, *changed))


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n_known", [0, 8])
def test_pseudo_labels_of_transductive_lr_weigh_more_and_more(n_known: int, prior: Any) -> None:
    toy = unequal_toy()
    model = TransductiveLR(n_weights=4, target_prior=prior)
    toy.fit(model, sample_labeled=labeled_rows(toy, n_known))
    assert same_classifier(model.classifier_, transductive(parts_of(toy, prior, n_known), 4))


def test_transductive_lr_without_steps_is_logistic_regression() -> None:
    toy = unequal_toy()
    parts = parts_of(toy, "source")
    model = toy.fit(TransductiveLR(n_weights=0))
    assert same_classifier(model.classifier_, logistic(parts.X, parts.y))


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n_known", [0, 8])
@pytest.mark.parametrize(("max_iter", "alpha"), [(1, 0.1), (10, 0.5)])
def test_naive_bayes_is_the_plain_mixture(max_iter: int, alpha: float, n_known: int, prior: Any) -> None:
    toy = unequal_toy()
    labeled = labeled_rows(toy, n_known)
    model = toy.fit(NaiveBayesEM(max_iter, alpha=alpha, target_prior=prior), sample_labeled=labeled)
    expected = mixture(parts_of(toy, prior, n_known), max_iter, alpha)
    assert model.label_distributions_[~labeled] == pytest.approx(expected, abs=1e-5)


def test_naive_bayes_passes_over_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a matrix in single precision, and of two targets, one of which has known labels."""
    toy = unequal_toy()
    domain = np.where(toy.in_target & (np.arange(len(toy.y)) % 3 == 0), "other", toy.domain)
    given = {"X": toy.X.astype(np.float32), "sample_domain": domain, "target_domain": ["target", "other"]}

    def fitted() -> Any:
        return NaiveBayesEM().fit(y=toy.y, sample_labeled=labeled_rows(toy, 8), **given)

    whole = fitted()
    monkeypatch.setattr("isthmus.core.parts.NON_ZEROS_OF_A_PART", 30)
    monkeypatch.setattr("isthmus.core.parts.NON_ZEROS_OF_A_WORD", 0)
    parted = fitted()
    assert parted.n_iter_ == whole.n_iter_
    assert parted.label_distributions_ == pytest.approx(whole.label_distributions_, abs=1e-12)
    assert parted.word_log_probabilities_ == pytest.approx(whole.word_log_probabilities_, abs=1e-12)


def test_naive_bayes_of_many_documents_starts_from_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """From all that are labeled, and from a sample of the others; all of them are in the mixture."""
    toy, seen, solve = unequal_toy(), list[Problem](), SelfTraining.solve
    labeled = labeled_rows(toy, 8)

    def noted(self: SelfTraining, problem: Problem, workspace: Any) -> Any:
        seen.append(problem)
        return solve(self, problem, workspace)

    monkeypatch.setattr(SelfTraining, "solve", noted)
    whole = toy.fit(NaiveBayesEM(), sample_labeled=labeled)
    monkeypatch.setattr("isthmus.core.sample.AT_MOST", 30)
    some = toy.fit(NaiveBayesEM(), sample_labeled=labeled)
    rows, in_problem = (np.concatenate([getattr(own, name) for own in seen[1].domains]) for name in ("rows", "labeled"))
    assert sorted(rows[in_problem]) == np.flatnonzero(labeled).tolist()
    assert (~in_problem).sum() == 30
    for own in seen[1].domains:
        assert (own.matrix != toy.X[own.rows]).nnz == 0
    assert not np.array_equal(some.label_distributions_, whole.label_distributions_)
    assert np.mean(some.transduction_ == whole.transduction_) > 0.9


@pytest.mark.parametrize("scale", [1e-3, 100.0])
def test_logistic_regression_at_another_length_is_the_same(scale: float) -> None:
    """With C relative to the squared length; from a start, too."""
    parts = parts_of(unequal_toy(), "source")
    X, C = parts.X / LENGTH, 2.0
    plain, far = fit_logistic(X, parts.y, C), fit_logistic(scale * X, parts.y, C / scale**2)
    assert far.coef_ * scale == pytest.approx(plain.coef_, abs=1e-4)
    weights = np.linspace(0.5, 2, len(parts.y))
    plain, far = (
        fit_logistic(factor * X, parts.y, C / factor**2, weights, start)
        for factor, start in ((1.0, plain), (scale, far))
    )
    assert far.coef_ * scale == pytest.approx(plain.coef_, abs=1e-4)
    assert far.intercept_ == pytest.approx(plain.intercept_, abs=1e-4)


def test_one_document_a_million_times_as_long_warns_of_nothing() -> None:
    """Rounding ends the line search of its logistic regression, which is no news to a user."""
    rows = [(0, 0), (0, 0), (1, 1), (1, 1), (1, 1), (1, 0), (1, 2), (0, 1), (1e8, 0), (0, 1), (1, 1), (2, 0)]
    y, domains = [1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0], [1, -2, -2, -2, -1, 1, 1, -1, -1, 1, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyDocumentWarning)
        model = SelfTraining(max_iter=5).fit(np.array(rows) * 1e6, y, sample_domain=domains)
    assert np.isfinite(model.label_distributions_).all()


@pytest.mark.parametrize("features", ["lsa", "dci"])
def test_self_training_on_features_is_that_on_the_mapped_documents(features: str, toy: Toy) -> None:
    """C is relative to the length of words, and rows with features beside them are longer."""
    found = toy.fit(SelfTraining(features=features, balanced=True, target_prior="unknown"))
    parts = [found.feature_map_.transform(toy.X, number) for number in range(2)]
    mapped = sp.csr_array(np.where(toy.in_target[:, None], parts[1].toarray(), parts[0].toarray()))
    assert mapped.shape[1] > toy.X.shape[1]
    longer = mean_square(mapped) / mean_square(toy.X)
    plain = toy.fit(SelfTraining(C=longer, balanced=True, target_prior="unknown"), X=mapped)
    assert found.label_distributions_ == pytest.approx(plain.label_distributions_, abs=2e-3)
    assert np.abs(toy.fit(SelfTraining()).label_distributions_ - found.label_distributions_).max() > 0.01


def test_features_of_a_few_documents_at_a_time_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = make_toy(seed=4)
    model = SelfTraining(features="lsa").fit(toy.X, toy.y, sample_domain=toy.domain, target_domain="target")
    whole = model.predict_proba(toy.X)
    monkeypatch.setattr(
        "isthmus.core.parts.part_ends", lambda indptr, n_words: [*range(0, len(indptr) - 1, 7), len(indptr) - 1]
    )
    assert np.array_equal(model.predict_proba(toy.X), whole)
