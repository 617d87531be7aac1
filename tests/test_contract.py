"""What every method promises, checked for every method."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import isthmus
from conftest import Toy, build, make_toy
from isthmus.exceptions import EmptyDocumentWarning
from isthmus.methods import METHODS
from isthmus.text import LogTfidf, SignSplit, text_vectorizer


@parametrize_with_checks([*(method() for method in METHODS.values()), LogTfidf(), SignSplit()])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_transfer_is_mostly_right(method: str, toy: Toy, toy_of_three: Toy) -> None:
    for problem in (toy, toy_of_three):
        model = problem.fit(build(method))
        right = model.transduction_[problem.in_target] == problem.y[problem.in_target]
        assert right.mean() > 0.85
        assert np.array_equal(model.transduction_[~problem.in_target], problem.y[~problem.in_target])
        assert model.label_distributions_.sum(axis=1) == pytest.approx(np.ones(len(problem.y)))
        assert model.target_domains_ == ["target"]


def test_poison_in_the_targets_labels_changes_nothing(method: str, toy: Toy) -> None:
    """Noise, new classes, other types: not one bit may differ."""
    clean = toy.fit(build(method))
    rng = np.random.default_rng(0)
    shuffled = toy.y.astype(object)
    shuffled[toy.in_target] = rng.permutation(toy.y[toy.in_target])
    foreign = toy.y.astype(object)
    foreign[toy.in_target] = [(None, float("nan"), 3, "class 17")[rng.integers(4)] for _ in range(toy.in_target.sum())]
    for poisoned in (shuffled, foreign):
        model = toy.fit(build(method), y=poisoned)
        assert np.array_equal(model.label_distributions_, clean.label_distributions_)
        assert np.array_equal(model.transduction_, clean.transduction_)
        assert np.array_equal(model.classes_, clean.classes_)
        assert np.array_equal(model.predict_proba(toy.X), clean.predict_proba(toy.X))


def test_labels_of_a_few_target_rows_are_used(method: str, toy: Toy) -> None:
    labeled = ~toy.in_target
    labeled[np.flatnonzero(toy.in_target)[:10]] = True
    wrong = toy.y.copy()
    wrong[np.flatnonzero(toy.in_target)[:10]] = "class 1"
    model = toy.fit(build(method), y=wrong, sample_labeled=labeled)
    assert set(model.transduction_[np.flatnonzero(toy.in_target)[:10]]) == {"class 1"}
    assert not np.array_equal(model.label_distributions_, toy.fit(build(method)).label_distributions_)


def test_order_of_documents_does_not_matter(method: str, toy: Toy) -> None:
    # The first row stays first, so that domains are met in the same order.
    order = np.concatenate([[0], 1 + np.random.default_rng(1).permutation(len(toy.y) - 1)])
    moved = Toy(toy.X[order], toy.y[order], toy.domain[order]).fit(build(method))
    assert moved.label_distributions_ == pytest.approx(toy.fit(build(method)).label_distributions_[order], abs=1e-4)


def test_order_of_words_and_names_of_classes_hardly_matter(method: str, toy: Toy) -> None:
    """They decide where a random start falls, and nothing else."""
    plain = toy.fit(build(method)).transduction_
    words = np.random.default_rng(2).permutation(toy.X.shape[1])
    assert np.mean(Toy(toy.X[:, words], toy.y, toy.domain).fit(build(method)).transduction_ == plain) > 0.97
    renamed = {"class 0": "z", "class 1": "a"}
    other = Toy(toy.X, np.array([renamed[label] for label in toy.y]), toy.domain).fit(build(method))
    assert np.mean(other.transduction_ == [renamed[label] for label in plain]) > 0.97


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 1), (1.0, 2.0), (False, True), ("a", "b")])
def test_any_labels(method: str, toy: Toy, low: Any, high: Any) -> None:
    y = np.array([high if label == "class 1" else low for label in toy.y])
    model = toy.fit(build(method), y=y)
    assert model.classes_.tolist() == [low, high]
    expected = np.array(toy.fit(build(method)).transduction_ == "class 1")
    assert np.array_equal(model.transduction_ == high, expected)


@pytest.mark.parametrize("names", [("shop", "blog"), (1, 2), (("a", 1), ("b", 2)), (1, -1), (3, "3")])
def test_any_domain_names(method: str, toy: Toy, names: tuple[Any, Any]) -> None:
    row_names = [names[1] if target else names[0] for target in toy.in_target]
    model = toy.fit(build(method), sample_domain=row_names, target_domain=names[1])
    plain = toy.fit(build(method))
    assert np.array_equal(model.label_distributions_, plain.label_distributions_)
    expected = plain.predict_proba(toy.X, sample_domain=toy.domain)
    assert np.array_equal(model.predict_proba(toy.X, sample_domain=row_names), expected)


def test_negative_integers_are_targets(method: str, toy: Toy) -> None:
    signed = np.where(toy.in_target, -2, 1)
    model = toy.fit(build(method), sample_domain=signed, target_domain=None)
    assert model.target_domains_ == [-2]
    assert np.array_equal(model.label_distributions_, toy.fit(build(method)).label_distributions_)


def test_several_sources_and_targets(method: str, toy_of_three: Toy) -> None:
    half = np.arange(len(toy_of_three.y)) % 2
    names = np.array([f"{domain} {part}" for domain, part in zip(toy_of_three.domain, half, strict=True)])
    model = toy_of_three.fit(build(method), sample_domain=names, target_domain=["target 0", "target 1"])
    assert set(model.target_domains_) == {"target 0", "target 1"}
    right = model.transduction_ == toy_of_three.y
    assert right[toy_of_three.in_target].mean() > 0.85
    assert (model.predict(toy_of_three.X, sample_domain=names) == model.transduction_).mean() > 0.85


CONTAINERS = {
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "coo_array": sp.coo_array,
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
    "dense": lambda X: X.toarray(),
    "column order": lambda X: np.asfortranarray(X.toarray()),
    "DataFrame": lambda X: pd.DataFrame(X.toarray(), columns=[f"word{i}" for i in range(X.shape[1])]),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_any_container(method: str, toy: Toy, container: str) -> None:
    model = toy.fit(build(method), X=CONTAINERS[container](toy.X))
    assert model.label_distributions_ == pytest.approx(toy.fit(build(method)).label_distributions_, abs=1e-3)


def test_any_width_of_numbers(method: str, toy: Toy) -> None:
    expected = toy.fit(build(method)).transduction_
    long = toy.X.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    assert np.array_equal(toy.fit(build(method), X=long).transduction_, expected)
    single = toy.fit(build(method), X=toy.X.astype(np.float32))
    assert np.mean(single.transduction_ == expected) > 0.98
    assert np.mean(single.predict(toy.X.astype(np.float32)) == single.predict(toy.X)) > 0.98


def test_input_is_left_as_it_was(method: str, toy: Toy) -> None:
    messy = toy.X.tolil()
    messy = sp.csr_array(messy)
    messy.data[::7] = 0  # stored zeros
    kept = messy.copy()
    toy.fit(build(method), X=messy)
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(messy, part), getattr(kept, part))
        assert getattr(messy, part).flags.writeable


def test_new_documents_of_the_target(method: str) -> None:
    seen, later = make_toy(seed=5), make_toy(seed=6)
    model = seen.fit(build(method))
    new = later.X[later.in_target]
    assert np.mean(model.predict(new) == later.y[later.in_target]) > 0.85
    probabilities = model.predict_proba(new)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(new.shape[0]))
    one_by_one = np.vstack([model.predict_proba(new[[row]]) for row in range(5)])
    assert one_by_one == pytest.approx(probabilities[:5], abs=1e-9)
    assert np.array_equal(model.predict(new, sample_domain="target"), model.predict(new))
    with pytest.raises(ValueError, match=r"sample_domain names 'moon'.*'source', 'target'|'target', 'source'"):
        model.predict(new, sample_domain="moon")


def test_documents_without_a_known_word_get_the_class_prior(method: str, toy: Toy) -> None:
    X = toy.X.copy()
    empty = np.concatenate([np.flatnonzero(toy.in_target)[:3], np.flatnonzero(~toy.in_target)[:2]])
    keep = np.ones(X.shape[0])
    keep[empty] = 0
    X = sp.csr_array(sp.diags_array(keep) @ X)
    with pytest.warns(EmptyDocumentWarning, match="5 of 240 documents hold no known word"):
        model = toy.fit(build(method), X=X)
    assert np.isfinite(model.label_distributions_).all()
    assert model.label_distributions_[empty[:3]] == pytest.approx(np.tile(model.class_prior_, (3, 1)))
    assert np.array_equal(model.transduction_[empty[3:]], toy.y[empty[3:]])
    with pytest.warns(EmptyDocumentWarning, match="1 of 2 documents"):
        probabilities = model.predict_proba(X[[int(empty[0]), int(np.flatnonzero(keep)[0])]])
    assert probabilities[0] == pytest.approx(model.class_prior_)


def test_words_that_never_occur_are_no_trouble(method: str, toy: Toy) -> None:
    padded = sp.csr_array(sp.hstack([sp.csr_array((toy.X.shape[0], 3)), toy.X, sp.csr_array((toy.X.shape[0], 2))]))
    model = toy.fit(build(method), X=padded)
    assert np.isfinite(model.label_distributions_).all()
    assert np.mean(model.transduction_ == toy.fit(build(method)).transduction_) > 0.97


def test_same_seed_gives_the_same_bits(method: str, toy: Toy) -> None:
    first, second = toy.fit(build(method)), toy.fit(build(method))
    assert np.array_equal(first.label_distributions_, second.label_distributions_)
    again = clone(first).fit(toy.X, toy.y, sample_domain=toy.domain, target_domain="target")
    assert np.array_equal(first.label_distributions_, again.label_distributions_)


SCRIPT = """
import sys, numpy as np
sys.path.insert(0, "tests")
from conftest import build, make_toy
toy = make_toy(n_documents=600)
models = [toy.fit(build(name)) for name in sys.argv[1:]]
print("".join(model.label_distributions_.tobytes().hex() for model in models))
"""


def test_one_thread_and_many_give_the_same_bits() -> None:
    outputs = []
    for threads in ("1", "4"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        command = [sys.executable, "-c", SCRIPT, *sorted(METHODS)]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 1000


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


def some_values(method: str) -> tuple[str, list[Any]]:
    """A parameter to search over, and values that all do well."""
    choices: dict[str, list[Any]] = {
        "n_topics": [2, 3],
        "C": [0.1, 1.0],
        "c": [320.0, 3200.0],
        "n_clusters": [4, 8],
        "n_eigenvectors": [2, None],
    }
    return next((name, values) for name, values in choices.items() if name in build(method).get_params())


def test_pipeline_and_grid_search_without_routing(method: str) -> None:
    texts, y, domain = texts_problem()
    pipeline = make_pipeline(text_vectorizer(min_df=1), build(method))
    step = pipeline.steps[-1][0]
    pipeline.fit(texts, y, **{f"{step}__sample_domain": domain, f"{step}__target_domain": "target"})
    assert pipeline.predict(["refund my ride"]).tolist() == ["money"]

    parameter, values = some_values(method)
    search = GridSearchCV(
        pipeline, {f"{step}__{parameter}": values}, cv=isthmus.source_folds(y, domain, "target", n_splits=3)
    )
    search.fit(texts, y, **{f"{step}__sample_domain": domain, f"{step}__target_domain": "target"})
    assert search.best_score_ == 1.0
    assert "?" not in search.best_estimator_[-1].classes_


def test_pipeline_and_grid_search_with_routing(method: str) -> None:
    """A user who has routing switched on needs no requests: the methods ask for their metadata themselves."""
    texts, y, domain = texts_problem()
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(text_vectorizer(min_df=1), build(method))
        parameter, values = some_values(method)
        search = GridSearchCV(
            pipeline,
            {f"{pipeline.steps[-1][0]}__{parameter}": values},
            cv=isthmus.source_folds(y, domain, "target", n_splits=3),
        )
        search.fit(texts, y, sample_domain=domain, target_domain="target")
    assert search.best_score_ == 1.0
    assert search.best_estimator_[-1].target_domains_ == ["target"]


def test_progress_and_callback(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("TCL", "NMTF", "DomTransNMF"):
        steps: list[Any] = []
        model = toy.fit(build(name, callback=steps.append, tol=0, max_iter=7))
        assert [step.iteration for step in steps] == list(range(1, 8))
        assert model.objective_[1:].tolist() == [step.objective for step in steps]
        assert len(model.objective_) == model.n_iter_ + 1
        stopped = toy.fit(build(name, callback=lambda step: step.iteration == 3, tol=0))
        assert stopped.n_iter_ == 3
        assert toy.fit(build(name, tol=1e-3, max_iter=500)).n_iter_ < 500
        capsys.readouterr()
        shown = toy.fit(build(name, verbose=True, max_iter=4, tol=0))
        printed = capsys.readouterr()
        assert f"{name} " in printed.err
        assert "4/4" in printed.err
        assert printed.out == ""
        assert np.array_equal(shown.label_distributions_, toy.fit(build(name, max_iter=4, tol=0)).label_distributions_)


class HaltError(Exception):
    """What a user's own function may raise."""


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if "callback" in kind().get_params()])
def test_whoever_looks_on_changes_nothing(name: str, toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[Any] = []

    def halt(step: Any) -> None:
        raise HaltError(f"at {step.iteration}")

    plain = toy.fit(build(name))
    seen = toy.fit(build(name, callback=steps.append))
    assert capsys.readouterr() == ("", "")
    shown = toy.fit(build(name, verbose=True))
    printed = capsys.readouterr()
    assert f"{name} " in printed.err
    assert f"{steps[-1].iteration}/" in printed.err
    assert printed.out == ""
    for model in (seen, shown):
        assert np.array_equal(model.label_distributions_, plain.label_distributions_)
        assert np.array_equal(model.predict_proba(toy.X), plain.predict_proba(toy.X))
    assert [step.iteration for step in steps] == list(range(1, len(steps) + 1))
    assert (np.diff([step.seconds for step in steps]) >= 0).all()
    with pytest.raises(HaltError, match="at 1"):
        toy.fit(build(name, callback=halt))


def test_feature_names_are_checked(method: str, toy: Toy) -> None:
    frame = CONTAINERS["DataFrame"](toy.X)
    model = toy.fit(build(method), X=frame)
    assert model.feature_names_in_[0] == "word0"
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame)


RELATIVE = [
    "CCI",
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
@pytest.mark.parametrize("scale", [1e-6, 1e3])
def test_the_scale_of_x_does_not_matter(method: str, scale: float, toy: Toy) -> None:
    plain, scaled = toy.fit(build(method)), toy.fit(build(method), X=toy.X * scale)
    assert np.array_equal(scaled.transduction_, plain.transduction_)
    assert scaled.label_distributions_ == pytest.approx(plain.label_distributions_, abs=0.03)


@pytest.mark.parametrize("method", [*RELATIVE, "CoCC", "DTMKL"])
@pytest.mark.parametrize("scale", [1e-3, 0.03, 1e3])
def test_the_scale_of_x_does_not_matter_where_labels_are_in_doubt(method: str, scale: float) -> None:
    """With classes of unequal size and wrong labels, a prior or a constant that does not keep pace decides a lot."""
    toy, rng = make_toy(seed=2, n_classes=3), np.random.default_rng(0)
    wrong = rng.uniform(size=len(toy.y)) < 0.4
    toy.y[wrong] = rng.permutation(toy.y[wrong])
    kept = (toy.y != "class 0") | (rng.uniform(size=len(toy.y)) < 0.4)
    toy = Toy(toy.X[kept], toy.y[kept], toy.domain[kept])
    plain, scaled = toy.fit(build(method)), toy.fit(build(method), X=toy.X * scale)
    assert np.array_equal(scaled.transduction_, plain.transduction_)
    assert scaled.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-3)
    assert np.array_equal(scaled.predict(toy.X * scale), plain.predict(toy.X))


def test_kmeans_tells_centres_apart_that_are_very_near(toy: Toy) -> None:
    """Of squared distances of 1e-16, the softmax itself is the same for all centres."""
    plain, near = toy.fit(build("KMeans")), toy.fit(build("KMeans"), X=toy.X * 1e-8)
    assert np.array_equal(near.transduction_, plain.transduction_)
    assert near.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-6)


def test_domains_of_new_documents_may_be_a_tuple(toy: Toy) -> None:
    model = toy.fit(build("LR"))
    listed = model.predict_proba(toy.X, sample_domain=toy.domain.tolist())
    assert np.array_equal(model.predict_proba(toy.X, sample_domain=tuple(toy.domain.tolist())), listed)
    named = [("a", 1) if name == "source" else ("b", 2) for name in toy.domain]
    model.fit(toy.X, toy.y, sample_domain=named, target_domain=[("b", 2)])
    assert model.predict(toy.X[:3], sample_domain=("b", 2)).shape == (3,)
