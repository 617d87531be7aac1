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
from isthmus.selection import scorers
from isthmus.selection.scorers import SCORERS, Holdout, TransferScorer
from judged_models import GOOD, MUDDLED, STUBBORN

N_TARGET = 120
RANGES = dict.fromkeys(SCORERS, (0.0, 1.0)) | {
    "DeepEmbeddedValidation": (-np.inf, np.inf),
    "SoftNeighborhoodDensity": (0.0, np.log(N_TARGET - 1) + 1e-9),
    "InformationMaximization": (0.0, np.log(2)),
}

READ_LABELS = SCORERS.keys() - {"SoftNeighborhoodDensity", "InformationMaximization"}


@pytest.fixture(params=sorted(SCORERS))
def scorer(request: pytest.FixtureRequest) -> TransferScorer:
    """Every scorer in turn."""
    return SCORERS[str(request.param)]()


def poisons(toy: Toy, unread: np.ndarray | None = None) -> list[np.ndarray]:
    """The labels, with others in the rows that may not be read: by default the target's."""
    unread = toy.in_target if unread is None else unread
    rng = np.random.default_rng(0)
    shuffled, foreign = toy.y.astype(object), toy.y.astype(object)
    shuffled[unread] = rng.permutation(toy.y[unread])
    foreign[unread] = [(None, float("nan"), 3, "class 17")[rng.integers(4)] for _ in range(unread.sum())]
    return [shuffled, foreign]


def two_thirds(toy: Toy) -> np.ndarray:
    """A mask of labels that may be read, and nonsense in the rows of the target."""
    return np.asarray(np.random.default_rng(5).random(len(toy.y)) < 2 / 3)


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
    compare_with_cross_validation(toy, None, poisons(toy))


def test_cross_validation_brings_the_mask_of_labels_that_may_be_read(toy: Toy) -> None:
    labeled = two_thirds(toy) & ~toy.in_target
    compare_with_cross_validation(toy, labeled, poisons(toy, ~labeled))


def compare_with_cross_validation(toy: Toy, labeled: np.ndarray | None, poisoned: list[np.ndarray]) -> None:
    every = {name: scorer() for name, scorer in SCORERS.items()}
    folds = folds_of(toy, n_splits=3)
    options = {"scoring": every, "cv": folds, "return_estimator": True, "error_score": "raise"}
    params = {"sample_domain": toy.domain, "target_domain": "target"}
    if labeled is not None:
        params["sample_labeled"] = labeled
    with sklearn.config_context(enable_metadata_routing=True):
        results = [cross_validate(isthmus.LR(), toy.X, y, params=params, **options) for y in (toy.y, *poisoned)]
    for name, scorer in every.items():
        fitted = zip(folds, results[0]["estimator"], strict=True)
        direct = [Part(toy, *fold).score(scorer, model, labeled=labeled) for fold, model in fitted]
        assert len(set(direct)) > 1 or direct[0] in (0, 1)
        for result in results:
            assert result[f"test_{name}"].tolist() == direct


def test_poison_in_the_targets_labels_changes_nothing(scorer: TransferScorer, part: Part) -> None:
    for model in (part.fit(GOOD), part.fit(MUDDLED)):
        plain = part.score(scorer, model)
        for y in poisons(part.toy):
            assert part.score(scorer, model, y) == plain


def test_poison_in_hidden_labels_of_the_source_changes_nothing(scorer: TransferScorer, part: Part) -> None:
    labeled = two_thirds(part.toy)
    model = part.fit(isthmus.LR())
    clean = part.score(scorer, model, labeled=labeled)
    for y in poisons(part.toy, part.toy.in_target | ~labeled):
        assert part.score(scorer, model, y, labeled=labeled) == clean
    assert part.score(scorer, model, labeled=labeled | part.toy.in_target) == clean
    assert part.score(scorer, model, labeled=labeled & ~part.toy.in_target) == clean
    assert part.score(scorer, model, labeled=np.full(len(part.toy.y), True)) == part.score(scorer, model)


def test_hidden_documents_of_the_source_are_not_judged(scorer: TransferScorer, part: Part) -> None:
    """Where no method learns from documents without a label, the score is as if they were not there."""
    if isinstance(scorer, scorers.Agreement):
        scorer.set_params(others=[isthmus.LR()])
    labeled = two_thirds(part.toy)
    visible = part.test[(labeled | part.toy.in_target)[part.test]]
    assert len(visible) < len(part.test)
    for model in (part.fit(isthmus.LR()), part.fit(MUDDLED)):
        expected = part.score(scorer, model, rows=visible)
        assert part.score(scorer, model, labeled=labeled) == pytest.approx(expected, abs=1e-6)


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
    mask = two_thirds(toy) & ~toy.in_target
    y, domain, labeled = pd.Series(toy.y, index), pd.Series(toy.domain, index), pd.Series(mask, index)
    options = {"cv": folds_of(toy, n_splits=2), "refit": False, "error_score": "raise"}
    bound = partial(scorer, sample_domain=domain.iloc[::-1], sample_labeled=labeled.iloc[::-1])
    plain = GridSearchCV(isthmus.LR(), {"C": [0.1, 1.0]}, scoring=bound, **options)
    plain.fit(toy.X, y, sample_domain=toy.domain, target_domain="target", sample_labeled=mask)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = clone(scorer).set_score_request(sample_domain="region", sample_labeled="read")
        model = isthmus.LR().set_fit_request(sample_domain="region", sample_labeled="read")
        routed = GridSearchCV(model, {"C": [0.1, 1.0]}, scoring=asked, **options)
        routed.fit(toy.X, toy.y, region=toy.domain, target_domain="target", read=mask)
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
    assert np.array_equal(holdout.probabilities(model, holdout.target), own)
    assert np.array_equal(holdout.probabilities(model, holdout.source), model.predict_proba(toy.X[source]))


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
    if name not in READ_LABELS:
        assert part.score(scorer, model, rows=toy.in_target) == scorer(model, toy.X, sample_domain=toy.domain)
    else:
        with pytest.raises(ValueError, match="names no row of a source"):
            part.score(scorer, model, rows=toy.in_target)
        with pytest.raises(ValueError, match="y is None"):
            scorer(model, toy.X, sample_domain=toy.domain)
        with pytest.raises(ValueError, match=r"No label may be read: every row .* has sample_labeled False"):
            part.score(scorer, model, labeled=toy.in_target)
    with pytest.raises(ValueError, match="sample_domain has 3 entries and X has 240 rows"):
        scorer(model, toy.X, toy.y, sample_domain=["source", "target", "target"])


def test_a_mask_is_read_as_by_the_estimators(scorer: TransferScorer, part: Part) -> None:
    model = part.fit(isthmus.LR())
    short, long = pd.Series([True, False, True]), pd.Series([True] * 241)
    for mask, y in ((short.tolist(), part.toy.y), (short, pd.Series(part.toy.y)), (long, part.toy.y.tolist())):
        sentence = rf"sample_labeled has shape \({len(mask)},\) and X has 240 rows: give one True or False"
        with pytest.raises(ValueError, match=sentence):
            scorer(model, part.toy.X, y, sample_domain=part.toy.domain, sample_labeled=mask)
    with pytest.raises(TypeError, match="sample_labeled holds int64 values: give a boolean mask"):
        part.score(scorer, model, labeled=np.ones(len(part.toy.y), dtype=np.int64))


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
@pytest.mark.parametrize("name", sorted(READ_LABELS))
def test_labels_that_may_be_read_are_there(name: str, missing: Any, part: Part) -> None:
    y, first = part.toy.y.astype(object), part.test[~part.toy.in_target[part.test]][0]
    y[first] = missing
    model, scorer = part.fit(isthmus.LR()), SCORERS[name]()
    with pytest.raises(ValueError, match=r"y holds (None|nan|<NA>) in a row whose label may be read: give it a label"):
        part.score(scorer, model, y)
    with pytest.raises(ValueError, match="y has 3 entries and X has 240 rows"):
        scorer(model, part.toy.X, part.toy.y[:3], sample_domain=part.toy.domain)
    assert np.isfinite(part.score(scorer, model, y, labeled=np.arange(len(y)) != first))


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
