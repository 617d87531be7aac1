"""Scorers that read no target label."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, mutual_info_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import isthmus
from conftest import Toy, build
from isthmus.choice import SCORERS, scorers
from isthmus.choice.scorers import Holdout, TransferScorer, neighborhood
from isthmus.engine import fit_logistic
from isthmus.problem import Problem
from isthmus.typing import Array, Matrix


class Muddled(isthmus.LR):
    """Learns something about documents that has nothing to do with their class, nor with their order."""

    def _learn(self, problem: Problem) -> list[Array]:
        X, _ = problem.labeled_documents()
        digits = np.floor(X.sum(axis=1) * 1e5).astype(int)
        self.classifier_ = fit_logistic(X, digits % problem.n_classes, self.C)
        return [self._assign(domain.matrix, None) for domain in problem.domains]


class Stubborn(isthmus.LR):
    """Gives every document the same answer."""

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        shares = np.full((X.shape[0], self.classifier_.coef_.shape[0] + 1), 0.1)
        shares[:, 0] = 1 - shares[:, 1:].sum(axis=1)
        return shares


GOOD, MUDDLED, STUBBORN = isthmus.NaiveBayesEM(), Muddled(C=100.0), Stubborn()
N_TARGET = 120
RANGES = dict.fromkeys(SCORERS, (0.0, 1.0)) | {
    "DeepEmbeddedValidation": (-np.inf, np.inf),
    "SoftNeighborhoodDensity": (0.0, np.log(N_TARGET - 1) + 1e-9),
    "InformationMaximization": (0.0, np.log(2)),
}


@pytest.fixture(params=sorted(SCORERS))
def scorer(request: pytest.FixtureRequest) -> TransferScorer:
    """Every scorer in turn."""
    return SCORERS[str(request.param)]()


def folds_of(toy: Toy, **options: Any) -> Any:
    return isthmus.source_folds(toy.y, toy.domain, "target", random_state=0, target_in_test=True, **options)


@dataclass(frozen=True)
class Part:
    """One fold: a part to fit to, and a part to score on."""

    toy: Toy
    train: np.ndarray
    test: np.ndarray

    def fit(self, model: Any, **changes: Any) -> Any:
        toy = Toy(self.toy.X[self.train], self.toy.y[self.train], self.toy.domain[self.train])
        return toy.fit(clone(model), **changes)

    def score(self, scorer: Any, model: Any, y: Any = None, rows: Any = None) -> float:
        rows, y = self.test if rows is None else rows, self.toy.y if y is None else y
        return float(scorer(model, self.toy.X[rows], y[rows], sample_domain=self.toy.domain[rows]))


@pytest.fixture(scope="module")
def part(toy: Toy) -> Part:
    return Part(toy, *folds_of(toy, n_splits=3)[0])


def poisons(toy: Toy) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shuffled, foreign = toy.y.astype(object), toy.y.astype(object)
    shuffled[toy.in_target] = rng.permutation(toy.y[toy.in_target])
    foreign[toy.in_target] = [(None, float("nan"), 3, "class 17")[rng.integers(4)] for _ in range(toy.in_target.sum())]
    return [shuffled, foreign]


def test_a_search_chooses_the_good_model(scorer: TransferScorer, toy: Toy) -> None:
    broken = [MUDDLED, STUBBORN]
    if isinstance(scorer, scorers.SoftNeighborhoodDensity):
        broken.remove(STUBBORN)  # see below
        scorer.set_params(temperature=0.01)  # there are two classes only
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            make_pipeline(GOOD),
            {"naivebayesem": [*broken, GOOD]},
            scoring=scorer,
            cv=folds_of(toy, n_splits=2),
            error_score="raise",
        ).fit(toy.X, toy.y, sample_domain=toy.domain, target_domain="target")
    assert isinstance(search.best_estimator_[-1], isthmus.NaiveBayesEM)


def test_cross_validation_scores_each_fold_by_its_own_rows_and_no_target_label(toy: Toy) -> None:
    every = {name: scorer() for name, scorer in SCORERS.items()}
    folds = folds_of(toy, n_splits=3)
    options = {"scoring": every, "cv": folds, "return_estimator": True, "error_score": "raise"}
    with sklearn.config_context(enable_metadata_routing=True):
        results = [
            cross_validate(
                isthmus.LR(), toy.X, y, params={"sample_domain": toy.domain, "target_domain": "target"}, **options
            )
            for y in (toy.y, *poisons(toy))
        ]
    for name, scorer in every.items():
        fitted = zip(folds, results[0]["estimator"], strict=True)
        direct = [Part(toy, *fold).score(scorer, model) for fold, model in fitted]
        assert len(set(direct)) > 1 or direct[0] in (0, 1)
        for result in results:
            assert result[f"test_{name}"].tolist() == direct


def test_poison_in_the_targets_labels_changes_nothing(scorer: TransferScorer, part: Part) -> None:
    for model in (part.fit(GOOD), part.fit(MUDDLED)):
        plain = part.score(scorer, model)
        for y in poisons(part.toy):
            assert part.score(scorer, model, y) == plain


def test_values_are_in_range_and_order_of_documents_does_not_matter(scorer: TransferScorer, part: Part) -> None:
    low, high = RANGES[type(scorer).__name__]
    order = np.random.default_rng(1).permutation(part.test)
    for model in (part.fit(isthmus.LR()), part.fit(MUDDLED), part.fit(STUBBORN)):
        value = part.score(scorer, model)
        assert low <= value <= high
        assert part.score(scorer, model, rows=order) == pytest.approx(value, abs=1e-4)


def test_names_of_classes_do_not_matter(scorer: TransferScorer, toy_of_three: Toy) -> None:
    part = Part(toy_of_three, *folds_of(toy_of_three, n_splits=3)[0])
    names = {"class 0": 7, "class 1": -3, "class 2": 5}
    y = np.array([names[label] for label in toy_of_three.y])
    renamed = Part(Toy(toy_of_three.X, y, toy_of_three.domain), part.train, part.test)
    expected = part.score(scorer, part.fit(isthmus.LR()))
    assert renamed.score(scorer, renamed.fit(isthmus.LR())) == pytest.approx(expected, abs=1e-3)


def test_pipelines_are_judged_by_their_last_step(scorer: TransferScorer, part: Part) -> None:
    words = TfidfTransformer().fit(part.toy.X[part.train])
    model = part.fit(isthmus.LR(), X=words.transform(part.toy.X[part.train]))
    shorter = Part(Toy(words.transform(part.toy.X), part.toy.y, part.toy.domain), part.train, part.test)
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            assert part.score(scorer, make_pipeline(words, model)) == shorter.score(scorer, model)
            assert part.score(scorer, make_pipeline(model)) == part.score(scorer, model)


def test_a_search_without_routing(scorer: TransferScorer, toy: Toy) -> None:
    """By the indices of pandas Series, which tell the rows of a fold."""
    index = pd.Index([f"row {row}" for row in np.random.default_rng(3).permutation(len(toy.y))])
    y, domain = pd.Series(toy.y, index), pd.Series(toy.domain, index)
    options = {"cv": folds_of(toy, n_splits=2), "refit": False, "error_score": "raise"}
    plain = GridSearchCV(
        isthmus.LR(), {"C": [0.1, 1.0]}, scoring=partial(scorer, sample_domain=domain.iloc[::-1]), **options
    ).fit(toy.X, y, sample_domain=toy.domain, target_domain="target")
    with sklearn.config_context(enable_metadata_routing=True):
        asked = clone(scorer).set_score_request(sample_domain="region")
        routed = GridSearchCV(isthmus.LR().set_fit_request(sample_domain="region"), {"C": [0.1, 1.0]}, scoring=asked)
        routed.set_params(**options).fit(toy.X, toy.y, region=toy.domain, target_domain="target")
    assert plain.cv_results_["mean_test_score"].tolist() == routed.cv_results_["mean_test_score"].tolist()


def test_several_sources_and_targets(scorer: TransferScorer, toy: Toy) -> None:
    half = np.arange(len(toy.y)) % 2
    names = np.array([f"{domain} {number}" for domain, number in zip(toy.domain, half, strict=True)])
    targets = ["target 0", "target 1"]
    model = toy.fit(GOOD, sample_domain=names, target_domain=targets)
    value = scorer(model, toy.X, toy.y, sample_domain=names)
    assert value == clone(scorer).set_params(target_domain=targets)(model, toy.X, toy.y, sample_domain=names)
    broken = toy.fit(clone(MUDDLED), sample_domain=names, target_domain=targets)
    if not isinstance(scorer, scorers.SoftNeighborhoodDensity):
        assert value > scorer(broken, toy.X, toy.y, sample_domain=names)


def test_each_target_is_read_with_its_own_words_and_the_source_as_if_the_targets(toy: Toy) -> None:
    names = np.array([f"{domain} {row % 2}" for row, domain in enumerate(toy.domain)])
    model = toy.fit(build("TCL"), sample_domain=names, target_domain=["target 0", "target 1"])
    source, target = np.flatnonzero(~toy.in_target), np.flatnonzero(toy.in_target)
    holdout = Holdout(toy.X, names.tolist(), source, target, [])
    own = model.predict_proba(toy.X[target], sample_domain=names[target])
    assert not np.allclose(own, model.predict_proba(toy.X[target]), atol=1e-3)
    assert np.array_equal(holdout.shares(model, holdout.target), own)
    assert np.array_equal(holdout.shares(model, holdout.source), model.predict_proba(toy.X[source]))


@pytest.mark.parametrize("name", ["ReverseValidation", "AverageThresholdedConfidence", "Agreement"])
def test_classifiers_of_scikit_learn(name: str, part: Part) -> None:
    X, y, source = part.toy.X, part.toy.y, part.train[~part.toy.in_target[part.train]]
    good = LogisticRegression().fit(X[source], y[source])
    bad = LogisticRegression().fit(X[source], np.random.default_rng(0).permutation(y[source]))
    others = {"others": [LogisticRegression(C=10)]} if name == "Agreement" else {}
    with pytest.raises(ValueError, match=rf"fitted without a target: name it, {name}\(target_domain=\.\.\.\)"):
        part.score(SCORERS[name](), good)
    scorer = SCORERS[name](target_domain="target", **others)
    if name == "AverageThresholdedConfidence":
        with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
            part.score(scorer, LinearSVC().fit(X[source], y[source]))
    else:
        assert part.score(scorer, good) > part.score(scorer, bad) + 0.2


def test_what_is_missing_is_named(scorer: TransferScorer, part: Part) -> None:
    model, toy, name = part.fit(isthmus.LR()), part.toy, type(scorer).__name__
    with pytest.raises(ValueError, match=rf"sample_domain is missing: {name} must know .* functools\.partial"):
        scorer(model, toy.X, toy.y)
    with pytest.raises(ValueError, match=r"names no row of a target.*target_in_test=True"):
        part.score(scorer, model, rows=~toy.in_target)
    if name in ("SoftNeighborhoodDensity", "InformationMaximization"):
        assert part.score(scorer, model, rows=toy.in_target) == scorer(model, toy.X, sample_domain=toy.domain)
    else:
        with pytest.raises(ValueError, match="names no row of a source"):
            part.score(scorer, model, rows=toy.in_target)
        with pytest.raises(ValueError, match="y is None"):
            scorer(model, toy.X, sample_domain=toy.domain)
    with pytest.raises(ValueError, match="sample_domain has 3 entries and X has 240 rows"):
        scorer(model, toy.X, toy.y, sample_domain=["source", "target", "target"])


def test_sparse_matrices_stay_sparse(scorer: TransferScorer, part: Part, monkeypatch: pytest.MonkeyPatch) -> None:
    model = part.fit(isthmus.LR())
    wide = {kind: kind(part.toy.X) for kind in (sp.csc_array, sp.coo_array, sp.csr_matrix)}
    expected = part.score(scorer, model, rows=np.arange(len(part.toy.y)))

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("made dense")

    for kind in (*wide, sp.csr_array):
        monkeypatch.setattr(kind, "toarray", refuse)
    for X in wide.values():
        assert scorer(model, X, part.toy.y, sample_domain=part.toy.domain) == pytest.approx(expected, abs=1e-4)


@dataclass
class Given:
    """A model whose probabilities stand in X."""

    classes_: np.ndarray
    target_domains_: tuple[str, ...] = ("t",)

    def predict_proba(self, X: Array) -> Array:
        return X

    def predict(self, X: Array) -> Any:
        return self.classes_[X.argmax(axis=1)]


def random_shares(seed: int, n: int, n_classes: int = 3) -> Array:
    """Rounded, so that there are ties."""
    shares = np.random.default_rng(seed).dirichlet(np.ones(n_classes), n).round(1) + 0.01
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), temperature=st.sampled_from([0.005, 0.05, 1.0]))
def test_soft_neighborhood_density_is_the_plain_formulas(seed: int, n: int, temperature: float) -> None:
    shares = random_shares(seed, n)
    points = shares / np.linalg.norm(shares, axis=1, keepdims=True)
    similar = (points @ points.T)[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    near = softmax(similar / temperature, axis=1)
    expected = -(near * np.log(np.maximum(near, 1e-300))).sum(axis=1).mean()
    scorer = scorers.SoftNeighborhoodDensity(temperature)
    for block in (1, 7 * n, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(neighborhood, "BLOCK", block)
            value = scorer(Given(np.arange(3)), shares, sample_domain=["t"] * n)
        assert value == pytest.approx(expected, abs=1e-9)


def test_soft_neighborhood_density_holds_blocks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighborhood, "BLOCK", 1 << 16)
    shares = random_shares(0, 1500)
    tracemalloc.start()
    scorers.SoftNeighborhoodDensity()(Given(np.arange(3)), shares, sample_domain=["t"] * 1500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1500**2 * 8 / 4


def test_soft_neighborhood_density_is_deceived_by_one_answer_for_all(part: Part) -> None:
    """As its docstring says."""
    scorer = scorers.SoftNeighborhoodDensity()
    assert part.score(scorer, part.fit(STUBBORN)) == pytest.approx(np.log(N_TARGET - 1))
    with pytest.raises(ValueError, match="single document of the target"):
        scorer(Given(np.arange(2)), np.array([[0.5, 0.5]]), sample_domain=["t"])


def test_information_is_the_mutual_information_of_document_and_class() -> None:
    counts = np.random.default_rng(0).multinomial(60, [0.5, 0.3, 0.2], size=12)
    shares = counts / 60
    expected = mutual_info_score(None, None, contingency=counts)
    value = scorers.InformationMaximization()(Given(np.arange(3)), shares, sample_domain=["t"] * 12)
    assert value == pytest.approx(expected)
    sure = np.eye(2)[np.arange(10) % 2]
    assert scorers.InformationMaximization()(Given(np.arange(2)), sure, sample_domain=["t"] * 10) == np.log(2)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), confidence=st.sampled_from(["entropy", "maximum"]))
def test_thresholded_confidence_is_the_accuracy_where_domains_are_equal(seed: int, n: int, confidence: str) -> None:
    shares, y = random_shares(seed, n), np.random.default_rng(seed).integers(3, size=n)
    both = np.vstack([shares, shares])
    scorer, names = scorers.AverageThresholdedConfidence(confidence), [*"s" * n, *"t" * n]
    value = scorer(Given(np.arange(3)), both, [*y, *[None] * n], sample_domain=names)
    assert value == pytest.approx(accuracy_score(y, shares.argmax(axis=1)))


def test_thresholded_confidence_counts_sure_documents() -> None:
    sure = np.array([0.9, 0.8, 0.7, 0.6, 0.95, 0.75, 0.65, 0.55, 0.5])
    X, y = np.column_stack([sure, 1 - sure]), [0, 0, 1, 0] + [None] * 5
    value = scorers.AverageThresholdedConfidence("maximum")(Given(np.arange(2)), X, y, sample_domain=[*"ssssttttt"])
    assert value == 2 / 5  # one in four is wrong: sure enough is from 0.7


def test_importance_weights_are_the_plain_formulas(part: Part) -> None:
    """Ratios of densities by Bayes' rule from a domain classifier's probabilities."""
    model, X, in_target = part.fit(MUDDLED), part.toy.X[part.test], part.toy.in_target[part.test]
    shares = LogisticRegression(tol=1e-6, max_iter=1000).fit(X, in_target).predict_proba(X[~in_target])
    w = shares[:, 1] / shares[:, 0] * np.mean(~in_target) / np.mean(in_target)
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


def test_agreement_is_a_mean_of_shares(part: Part) -> None:
    model, rows = part.fit(MUDDLED), part.test
    in_target = part.toy.in_target[rows]
    shares, others = [], [isthmus.SVM(random_state=0), isthmus.KMeans(random_state=0)]
    for other in others:
        alone = Toy(part.toy.X[rows], part.toy.y[rows], part.toy.domain[rows]).fit(clone(other))
        shares.append(np.mean(alone.transduction_[in_target] == model.predict(part.toy.X[rows][in_target])))
        assert part.score(scorers.Agreement([other]), model) == shares[-1]
    assert part.score(scorers.Agreement(others), model) == pytest.approx(np.mean(shares))
    with pytest.raises(ValueError, match="others is empty"):
        part.score(scorers.Agreement([]), model)


def test_reverse_validation_takes_named_shares_where_a_class_was_not_found(toy_of_three: Toy) -> None:
    shares = {"class 0": 0.5, "class 1": 0.5, "class 2": 0.0}
    model = toy_of_three.fit(isthmus.SelfTraining(target_shares=shares))
    scorer = scorers.ReverseValidation()
    score = scorer(model, toy_of_three.X, toy_of_three.y, sample_domain=toy_of_three.domain)
    assert 0.4 < score < 0.8  # one of three classes cannot come back
