"""What every method promises: the checks of isthmus.checks, and what only our own methods are held to."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

import isthmus
from conftest import Toy, build, make_toy, quick
from isthmus.checks import Check, checks_of
from isthmus.checks.trial import Trial
from isthmus.core.estimator import TransferClassifier
from isthmus.methods import METHODS
from isthmus.text import LogTfidf, SignSplit, text_vectorizer

CHECKS = {name: list(checks_of(quick(name))) for name in sorted(METHODS)}

NOT_HERE = {
    "check_scikit_learn": "test_scikit_learns_own_checks runs what it runs.",
    "check_save_and_load": "tests/test_files.py saves every method, from several kinds of numbers.",
    "KMeans-check_known_target_labels_are_used": "It starts from labels, and ends with the same clusters.",
}


SHELL = {
    "check_any_domain_names",
    "check_documents_without_a_word",
    "check_frames",
    "check_known_target_labels_are_kept",
    "check_labels_of_any_type",
    "check_metadata_is_requested",
    "check_negative_integers_are_targets",
}
"""What `fit` and `predict` do before and after any method: checked for one of each family."""
FIRST_OF_FAMILY = {kind.__module__.rpartition(".")[0]: name for name, kind in reversed(METHODS.items())}.values()


@pytest.fixture
def trial(method: str) -> Trial:
    """The fits that the checks of a method share."""
    return CHECKS[method][0].trial


def own_checks() -> list[Check]:
    found = []
    for name, checks in CHECKS.items():
        left_out = NOT_HERE if name in FIRST_OF_FAMILY else {*NOT_HERE, *SHELL}
        found += [check for check in checks if check.name not in left_out and str(check) not in left_out]
    return found


@pytest.mark.parametrize("check", own_checks(), ids=str)
def test_check(check: Check) -> None:
    check()


def test_methods_leave_fit_and_predict_to_the_base_class(method: str) -> None:
    for name in ("fit", "predict", "predict_proba", "score", "_publish"):
        assert getattr(METHODS[method], name) is getattr(TransferClassifier, name)


ELSEWHERE = {
    # What the base class does, whatever the method: tests/test_checks.py runs these for three methods.
    "check_array_api_input",
    "check_classifier_data_not_an_array",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_readonly_memmap_input",
    "check_supervised_y_2d",
    # What our own checks find, too: labels of any type, an easy problem, the same bits of a second fit, parameters that
    # are left alone, new documents one by one.
    "check_classifiers_classes",
    "check_classifiers_train",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_estimators_overwrite_params",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
}
"""Checks of scikit-learn that would find nothing here that is not found elsewhere, and take most of the time."""


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(method: str) -> None:
    for estimator, check in estimator_checks_generator(quick(method, max_iter=3)):
        again_read_only = "readonly_memmap" in check.keywords  # the arrays of a problem always are
        if check.func.__name__ not in ELSEWHERE and not again_read_only:
            with suppress(SkipTest):
                check(estimator)


@pytest.mark.parametrize("transformer", [LogTfidf(), SignSplit()])
def test_scikit_learns_own_checks_of_transformers(transformer: Any) -> None:
    check_estimator(transformer, on_skip=None)


def test_order_of_documents_does_not_matter(trial: Trial) -> None:
    """Nor which domain's documents come first."""
    toy = trial.toy
    target = np.flatnonzero(toy.in_target)
    for first in (target[0], np.flatnonzero(~toy.in_target)[0]):
        others = np.delete(np.arange(len(toy.y)), first)
        order = np.concatenate([[first], np.random.default_rng(1).permutation(others)])
        moved = trial.fit(Toy(toy.X[order], toy.y[order], toy.domain[order]))
        assert moved.label_distributions_ == pytest.approx(trial.plain.label_distributions_[order], abs=1e-4)


def test_order_of_words_and_names_of_classes_hardly_matter(trial: Trial) -> None:
    """They decide where a random start falls, and nothing else."""
    toy, renamed = trial.toy, {"class 0": "z", "class 1": "a"}
    words = np.random.default_rng(2).permutation(toy.X.shape[1])
    other = trial.fit(X=toy.X[:, words], y=np.array([renamed[label] for label in toy.y]))
    assert np.mean(other.transduction_ == [renamed[label] for label in trial.plain.transduction_]) > 0.97


SCRIPT = """
import sys
sys.path.insert(0, "tests")
from conftest import quick
from isthmus.checks.trial import LARGER
for name in sys.argv[1:]:
    print(LARGER.fit(quick(name)).label_distributions_.tobytes().hex())
"""


def test_threads_of_another_process_do_not_change_a_bit() -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"}
    command = [sys.executable, "-c", SCRIPT, *FIRST_OF_FAMILY]
    found = subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout.split()
    models = [CHECKS[name][0].trial.in_one_thread for name in FIRST_OF_FAMILY]
    assert found == [model.label_distributions_.tobytes().hex() for model in models]


def test_importing_changes_no_global_setting() -> None:
    script = (
        "import sklearn, numpy, warnings; before = (sklearn.get_config(), numpy.geterr(), list(warnings.filters));"
        "import isthmus, isthmus.cli; assert before == (sklearn.get_config(), numpy.geterr(), list(warnings.filters))"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


MONEY = ["my card was charged twice", "refund the charge", "the charge is too high"]
FAULT = ["upload of photos crashes", "photos crash the app", "the app crashes again"]
LATER = ["charged twice for one ride", "refund the ride charge", "the bell crashes", "the app crashes at docks"]


def texts_problem() -> tuple[list[str], np.ndarray, np.ndarray]:
    texts = (MONEY + FAULT) * 3 + LATER * 3
    y = np.array((["money"] * 3 + ["fault"] * 3) * 3 + ["?"] * 12)
    return texts, y, np.repeat(["source", "target"], [18, 12])


def test_pipeline_labels_a_few_short_texts(method: str) -> None:
    texts, y, domain = texts_problem()
    pipeline = make_pipeline(text_vectorizer(min_df=1), quick(method))
    step = pipeline.steps[-1][0]
    pipeline.fit(texts, y, **{f"{step}__sample_domain": domain, f"{step}__target_domain": "target"})
    assert pipeline.predict(["refund my ride"]).tolist() == ["money"]


SEARCHED = {"LR": ("C", [0.1, 1.0]), "TCL": ("n_topics", [2, 3])}
"""A parameter to search over, and values that all do well."""


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("name", SEARCHED)
def test_grid_search_over_a_pipeline(name: str, routing: bool) -> None:
    """A user who has routing switched on needs no requests: the methods ask for their metadata themselves."""
    texts, y, domain = texts_problem()
    parameter, values = SEARCHED[name]
    with sklearn.config_context(enable_metadata_routing=routing):
        pipeline = make_pipeline(text_vectorizer(min_df=1), quick(name))
        step = pipeline.steps[-1][0]
        folds = isthmus.source_folds(y, domain, "target", n_splits=3)
        search = GridSearchCV(pipeline, {f"{step}__{parameter}": values}, cv=folds)
        prefix = "" if routing else f"{step}__"
        search.fit(texts, y, **{f"{prefix}sample_domain": domain, f"{prefix}target_domain": "target"})
    assert search.best_score_ == 1.0
    assert search.best_estimator_[-1].target_domains_ == ["target"]
    assert "?" not in search.best_estimator_[-1].classes_


@pytest.mark.parametrize("name", ["TCL", "NMTF", "DomTransNMF"])
def test_callback_sees_every_iteration_and_can_stop_the_fit(name: str, toy: Toy) -> None:
    steps: list[Any] = []
    model = toy.fit(build(name, callback=steps.append, tol=0, max_iter=7))
    assert [step.iteration for step in steps] == list(range(1, 8))
    assert model.objective_[1:].tolist() == [step.objective for step in steps]
    assert len(model.objective_) == model.n_iter_ + 1
    stopped = toy.fit(build(name, callback=lambda step: step.iteration == 3, tol=0))
    assert stopped.n_iter_ == 3
    assert toy.fit(build(name, tol=1e-3, max_iter=500)).n_iter_ < 500


class HaltError(Exception):
    """What a user's own function may raise."""


WITH_CALLBACK = [name for name, kind in METHODS.items() if "callback" in kind().get_params()]


@pytest.mark.parametrize("method", WITH_CALLBACK)
def test_callback_and_verbose_do_not_change_the_fit(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[Any] = []
    toy, plain = trial.toy, trial.plain
    capsys.readouterr()
    watched = toy.fit(trial.new().set_params(callback=steps.append, verbose=True))
    printed = capsys.readouterr()
    assert f"{type(plain).__name__} " in printed.err
    assert f"{steps[-1].iteration}/" in printed.err
    assert printed.out == ""
    assert np.array_equal(watched.label_distributions_, plain.label_distributions_)
    assert np.array_equal(watched.predict_proba(toy.X), plain.predict_proba(toy.X))
    assert [step.iteration for step in steps] == list(range(1, len(steps) + 1))
    assert (np.diff([step.seconds for step in steps]) >= 0).all()


@pytest.mark.parametrize("method", WITH_CALLBACK)
def test_error_in_a_callback_ends_the_fit(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    def halt(step: Any) -> None:
        raise HaltError(f"at {step.iteration}")

    with pytest.raises(HaltError, match="at 1"):
        trial.toy.fit(trial.new().set_params(callback=halt))
    assert capsys.readouterr() == ("", "")


RELATIVE = [
    "CCI",
    "DCI",
    "DKT",
    "DTLM",
    "GCMF",
    "KMeans",
    "LSA",
    "MTrick",
    "NMTF",
    "SelfTraining",
    "TCL",
    "TransductiveLR",
    "TSVM",
]
"""Methods whose settings are relative to the length of documents."""


@pytest.mark.parametrize("method", RELATIVE)
def test_the_scale_of_x_does_not_matter(trial: Trial) -> None:
    scaled = trial.fit(X=trial.toy.X * 1e-6)
    assert np.array_equal(scaled.transduction_, trial.plain.transduction_)
    assert scaled.label_distributions_ == pytest.approx(trial.plain.label_distributions_, abs=0.03)


@cache
def toy_in_doubt() -> Toy:
    """With classes of unequal size and wrong labels, a prior or a constant that does not keep pace decides a lot."""
    toy, rng = make_toy(seed=2, n_classes=3, n_documents=90), np.random.default_rng(0)
    wrong = rng.uniform(size=len(toy.y)) < 0.4
    toy.y[wrong] = rng.permutation(toy.y[wrong])
    kept = (toy.y != "class 0") | (rng.uniform(size=len(toy.y)) < 0.4)
    return Toy(toy.X[kept], toy.y[kept], toy.domain[kept])


@pytest.mark.parametrize("method", [*RELATIVE, "CoCC", "DTMKL"])
def test_the_scale_of_x_does_not_matter_where_labels_are_in_doubt(method: str) -> None:
    toy = toy_in_doubt()
    plain = toy.fit(quick(method))
    for scale in (1e-3, 0.03, 1e3):
        scaled = toy.fit(quick(method), X=toy.X * scale)
        assert np.array_equal(scaled.transduction_, plain.transduction_)
        assert scaled.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-3)
        assert np.array_equal(scaled.predict(toy.X * scale), plain.predict(toy.X))


def test_kmeans_tells_centers_apart_that_are_very_near(toy: Toy) -> None:
    """Of squared distances of 1e-16, the softmax itself is the same for all centers."""
    plain, near = toy.fit(build("KMeans")), toy.fit(build("KMeans"), X=toy.X * 1e-8)
    assert np.array_equal(near.transduction_, plain.transduction_)
    assert near.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-6)
