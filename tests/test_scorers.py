"""Scorers that read no target label: what holds for all of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import isthmus
from conftest import Part, Toy, build, folds_of
from isthmus.choice import SCORERS, scorers
from isthmus.choice.scorers import Holdout, TransferScorer
from judged_models import GOOD, MUDDLED, STUBBORN

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
