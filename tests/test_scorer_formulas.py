"""What each scorer computes, beside the plain formulas of its paper."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, mutual_info_score

import isthmus
from conftest import Part, Toy, folds_of
from isthmus.selection import scorers
from isthmus.selection.scorers import SCORERS, TransferScorer, neighborhood
from isthmus.typing import Array
from judged_models import MUDDLED, STUBBORN


@dataclass
class Given:
    """A model whose probabilities stand in X."""

    classes_: np.ndarray
    target_domains_: tuple[str, ...] = ("t",)

    def predict_proba(self, X: Array) -> Array:
        return X

    def predict(self, X: Array) -> Any:
        return self.classes_[X.argmax(axis=1)]


def random_probabilities(seed: int, n: int, n_classes: int = 3) -> Array:
    """Rounded, so that there are ties."""
    probabilities = np.random.default_rng(seed).dirichlet(np.ones(n_classes), n).round(1) + 0.01
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))


@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), temperature=st.sampled_from([0.005, 0.05, 1.0]))
def test_soft_neighborhood_density_is_the_plain_formulas(seed: int, n: int, temperature: float) -> None:
    probabilities = random_probabilities(seed, n)
    points = probabilities / np.linalg.norm(probabilities, axis=1, keepdims=True)
    similar = (points @ points.T)[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    near = softmax(similar / temperature, axis=1)
    expected = -(near * np.log(np.maximum(near, 1e-300))).sum(axis=1).mean()
    scorer = scorers.SoftNeighborhoodDensity(temperature)
    for block in (1, 7 * n, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(neighborhood, "BLOCK", block)
            value = scorer(Given(np.arange(3)), probabilities, sample_domain=["t"] * n)
        assert value == pytest.approx(expected, abs=1e-9)


def test_soft_neighborhood_density_holds_blocks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighborhood, "BLOCK", 1 << 16)
    probabilities = random_probabilities(0, 1500)
    tracemalloc.start()
    scorers.SoftNeighborhoodDensity()(Given(np.arange(3)), probabilities, sample_domain=["t"] * 1500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1500**2 * 8 / 4


def test_soft_neighborhood_density_is_deceived_by_one_answer_for_all(part: Part) -> None:
    """As its docstring says."""
    scorer = scorers.SoftNeighborhoodDensity()
    assert part.score(scorer, part.fit(STUBBORN)) == pytest.approx(np.log(part.toy.in_target.sum() - 1))
    with pytest.raises(ValueError, match="single document of the target"):
        scorer(Given(np.arange(2)), np.array([[0.5, 0.5]]), sample_domain=["t"])


def test_information_is_the_mutual_information_of_document_and_class() -> None:
    counts = np.random.default_rng(0).multinomial(60, [0.5, 0.3, 0.2], size=12)
    probabilities = counts / 60
    expected = mutual_info_score(None, None, contingency=counts)
    value = scorers.InformationMaximization()(Given(np.arange(3)), probabilities, sample_domain=["t"] * 12)
    assert value == pytest.approx(expected)
    sure = np.eye(2)[np.arange(10) % 2]
    assert scorers.InformationMaximization()(Given(np.arange(2)), sure, sample_domain=["t"] * 10) == np.log(2)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), confidence=st.sampled_from(["entropy", "maximum"]))
def test_thresholded_confidence_is_the_accuracy_where_domains_are_equal(seed: int, n: int, confidence: str) -> None:
    probabilities, y = random_probabilities(seed, n), np.random.default_rng(seed).integers(3, size=n)
    both = np.vstack([probabilities, probabilities])
    scorer, names = scorers.AverageThresholdedConfidence(confidence), [*"s" * n, *"t" * n]
    value = scorer(Given(np.arange(3)), both, [*y, *[None] * n], sample_domain=names)
    assert value == pytest.approx(accuracy_score(y, probabilities.argmax(axis=1)))


def test_thresholded_confidence_counts_sure_documents() -> None:
    sure = np.array([0.9, 0.8, 0.7, 0.6, 0.95, 0.75, 0.65, 0.55, 0.5])
    X, y = np.column_stack([sure, 1 - sure]), [0, 0, 1, 0] + [None] * 5
    value = scorers.AverageThresholdedConfidence("maximum")(Given(np.arange(2)), X, y, sample_domain=[*"ssssttttt"])
    assert value == 2 / 5  # one in four is wrong: sure enough is from 0.7


def test_importance_weights_are_the_plain_formulas(part: Part) -> None:
    """Ratios of densities by Bayes' rule from a domain classifier's probabilities."""
    model, X, in_target = part.fit(MUDDLED), part.toy.X[part.test], part.toy.in_target[part.test]
    probabilities = LogisticRegression(tol=1e-6, max_iter=1000).fit(X, in_target).predict_proba(X[~in_target])
    w = probabilities[:, 1] / probabilities[:, 0] * np.mean(~in_target) / np.mean(in_target)
    right = np.array(model.predict(X[~in_target]) == part.toy.y[part.test][~in_target], dtype=float)
    assert 0 < right.mean() < 1
    value = part.score(scorers.ImportanceWeightedValidation(), model)
    assert value == pytest.approx(np.average(right, weights=w), abs=1e-4)
    loss = w * (1 - right)  # You et al., algorithm 1
    eta = -np.cov(loss, w)[0, 1] / np.var(w, ddof=1)
    risk = loss.mean() + eta * w.mean() - eta
    assert part.score(scorers.DeepEmbeddedValidation(), model) == pytest.approx(1 - risk, abs=1e-3)
    for scorer in (scorers.ImportanceWeightedValidation(1e-9), scorers.DeepEmbeddedValidation(1e-9)):
        assert part.score(scorer, model) == pytest.approx(right.mean(), abs=1e-3)


ESTIMATES = ["AverageThresholdedConfidence", "ImportanceWeightedValidation", "DeepEmbeddedValidation"]


@pytest.mark.parametrize("name", ESTIMATES)
@pytest.mark.parametrize("model", [isthmus.LR(C=10.0), MUDDLED])
def test_estimates_are_near_the_truth_where_domains_are_alike(name: str, model: Any) -> None:
    """Words of one class occur in the other too, so that about a fifth of the labels are wrong."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=3000)
    X = sp.csr_array(rng.poisson(np.where((np.arange(30) < 15) == y[:, None], 0.36, 0.2)).astype(float))
    X.data *= rng.uniform(0.9, 1.1, size=X.nnz)
    full = np.diff(X.indptr) > 0
    toy = Toy(X[full], y[full], np.where(rng.random(int(full.sum())) < 0.5, "source", "target"))
    part = Part(toy, *folds_of(toy, n_splits=2)[0])
    fitted = part.fit(model)
    truth = fitted.score(toy.X[toy.in_target], toy.y[toy.in_target])
    assert truth < 0.9
    assert part.score(SCORERS[name](), fitted) == pytest.approx(truth, abs=0.04)


def test_reverse_validation_goes_there_and_back(part: Part) -> None:
    """Step by step, and where the way there finds one class only."""
    toy, rows = part.toy, part.test
    model, y = part.fit(isthmus.LR()), toy.y[rows].copy()
    in_target = toy.in_target[rows]
    y[in_target] = model.predict(toy.X[rows][in_target])
    truth, y[~in_target] = y[~in_target].copy(), "class 1"
    back = isthmus.LR().fit(toy.X[rows], y, sample_domain=toy.domain[rows], target_domain="source")
    expected = np.mean(back.transduction_[~in_target] == truth)
    assert part.score(scorers.ReverseValidation(), model) == expected > 0.9
    flipped = np.where(toy.in_target, toy.y, np.where(toy.y == "class 0", "class 1", "class 0"))
    assert part.score(scorers.ReverseValidation(), model, flipped) == 1 - expected
    assert part.score(scorers.ReverseValidation(), part.fit(STUBBORN)) == np.mean(truth == "class 0")


def test_agreement_is_a_mean_over_methods(part: Part) -> None:
    model, rows = part.fit(MUDDLED), part.test
    in_target = part.toy.in_target[rows]
    probabilities, others = [], [isthmus.SVM(random_state=0), isthmus.KMeans(random_state=0)]
    for other in others:
        alone = Toy(part.toy.X[rows], part.toy.y[rows], part.toy.domain[rows]).fit(clone(other))
        probabilities.append(np.mean(alone.transduction_[in_target] == model.predict(part.toy.X[rows][in_target])))
        assert part.score(scorers.Agreement([other]), model) == probabilities[-1]
    assert part.score(scorers.Agreement(others), model) == pytest.approx(np.mean(probabilities))
    with pytest.raises(ValueError, match="others is empty"):
        part.score(scorers.Agreement([]), model)


@pytest.mark.parametrize("method", [MUDDLED, isthmus.TransductiveLR()])
def test_hidden_documents_are_fitted_to_without_a_label(method: Any, part: Part) -> None:
    """Also where they are all that a source has: nobody may take them for labeled ones."""
    toy, rows = part.toy, part.test
    in_target, X = toy.in_target[rows], toy.X[rows]
    names = np.where(in_target | (np.arange(len(rows)) % 3 > 0), toy.domain[rows], "hidden")
    labeled = (names == "source") & (np.arange(len(rows)) % 5 > 0)
    noise = np.random.default_rng(1).permutation(toy.y)  # so that little is enough to change a label
    model, found = part.fit(method, y=noise[part.train]), noise[rows]
    found[in_target] = model.predict(X[in_target])

    def score(scorer: TransferScorer) -> float:
        return scorer(model, X, noise[rows], sample_domain=names, sample_labeled=labeled)

    def fit(target: str, mask: np.ndarray) -> Any:
        arguments = {"sample_domain": names, "target_domain": target, "sample_labeled": mask}
        return clone(method).fit(X, found, **arguments).transduction_

    there, back = fit("target", labeled), fit("source", in_target)
    assert score(scorers.Agreement([method])) == np.mean(there[in_target] == found[in_target])
    assert score(scorers.ReverseValidation()) == np.mean(back[labeled] == found[labeled])


def test_reverse_validation_cuts_a_target_prior_to_the_classes_found(toy_of_three: Toy) -> None:
    prior = {"class 0": 0.499, "class 1": 0.5, "class 2": 0.001}  # of so few documents, none
    model = toy_of_three.fit(isthmus.SelfTraining(target_prior=prior))
    scorer = scorers.ReverseValidation()
    score = scorer(model, toy_of_three.X, toy_of_three.y, sample_domain=toy_of_three.domain)
    assert 0.4 < score < 0.8  # one of three classes cannot come back
