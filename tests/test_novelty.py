"""Open set: documents of a class that the source lacks."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

import isthmus
from conftest import Toy, quiet
from isthmus import Auto
from isthmus._result import Result
from isthmus.auto import class_sets
from isthmus.auto.class_sets import Votes, familiarity, for_usual, novel_documents
from isthmus.auto.estimate import Estimate
from isthmus.auto.label_shift import HANDFUL, LookedAt
from isthmus.auto.update import update_estimator
from isthmus.core.problem import Problem, make_problem
from isthmus.core.workspace import Workspace
from isthmus.io.documents import PredictionWriter
from isthmus.methods import LR
from isthmus.typing import Array

KNOWN, NEW = ["class 0", "class 1", "class 2"], "class 3"


def problem_of(toy: Toy) -> Problem:
    return make_problem(LR(), toy.X, toy.y, toy.domain, "target")


def everything(problem: Problem) -> LookedAt:
    return LookedAt(np.arange(len(problem.labeled[1])), np.arange(problem.unlabeled.shape[0]))


def answers_to(problem: Problem) -> Array:
    return LR().solve(problem, Workspace()).transduce(problem)


def documents(names: list[str], n: int, rng: np.random.Generator) -> tuple[Array, list[str]]:
    """Each with a few words of all classes, and others of its own class."""
    counts = np.zeros((len(names) * n, 140))
    labels = [name for name in names for _ in range(n)]
    for row, name in zip(counts, labels, strict=True):
        first = 40 + 25 * int(name[-1])
        np.add.at(row, rng.integers(40, size=2 if name == NEW else 4), 1)
        np.add.at(row, rng.integers(first, first + 25, size=10), 1)
    return counts * rng.uniform(0.9, 1.1, size=counts.shape), labels


def two_sides(source: list[str], target: list[str]) -> Toy:
    rng = np.random.default_rng(0)
    sides = [documents(names, 80, rng) for names in (source, target)]
    X = sp.csr_array(normalize(np.concatenate([counts for counts, _ in sides])))
    domain = np.repeat(["source", "target"], [len(labels) for _, labels in sides])
    return Toy(X, np.array(sides[0][1] + sides[1][1]), domain)


@pytest.fixture(scope="module")
def four() -> Toy:
    """All classes on both sides."""
    return two_sides([*KNOWN, NEW], [*KNOWN, NEW])


@pytest.fixture(scope="module")
def open_set() -> Toy:
    return two_sides(KNOWN, [*KNOWN, NEW])


@pytest.fixture(scope="module")
def fitted(open_set: Toy) -> Any:
    return quiet(open_set, Auto(random_state=0, novelty=True))


def said_of(problem: Problem) -> Any:
    """What is novel, by the answers of the source-only classifier."""
    probabilities = answers_to(problem)
    return novel_documents(problem, everything(problem), probabilities, probabilities.argmax(axis=1))


def test_density_ratios_are_counts_of_votes(four: Toy) -> None:
    problem = problem_of(four)
    here = np.arange(0, problem.unlabeled.shape[0], 2)
    target, (X, known) = problem.unlabeled[here], problem.labeled
    n_neighbors = round(len(here) ** 0.5)

    def links(rows: Any) -> Array:
        cosines = cosine_similarity(rows, target)
        return cosines >= np.sort(cosines, axis=1)[:, [-n_neighbors]]

    around = links(problem.unlabeled) / n_neighbors
    by_class = [links(X[known == number]).mean(axis=0) for number in range(4)]
    counts = (*by_class, links(target).mean(axis=0))
    densities = [around @ (own / own.mean()) + class_sets.A_LITTLE for own in counts]
    expected = np.stack(densities[:-1], axis=1) / densities[-1][:, None]
    votes = Votes(problem, LookedAt(np.arange(len(known)), here))
    assert votes.density_ratios(votes.around(problem.unlabeled)) == pytest.approx(expected, rel=1e-5)


def test_what_is_usual_for_a_class_counts_for_one() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(4), [40, 30, 25, 5])  # of the last there are too few to tell
    values = rng.normal(size=(100, 4)) + 3 * np.eye(4)[labels]
    found = for_usual(values, labels)
    for number in range(3):
        assert np.quantile(found[labels == number, number], class_sets.USUAL) == pytest.approx(1)
    usual = (values - (values.sum(axis=1, keepdims=True) - values) / 3) / found
    assert usual.std(axis=0) == pytest.approx(0, abs=1e-9)
    assert usual[0, 3] == pytest.approx(np.median(usual[0, :3]))
    assert for_usual(2 * values + rng.normal(size=(100, 1)), labels) == pytest.approx(found)


def test_a_class_has_to_be_spoken_for_twice(four: Toy) -> None:
    problem = problem_of(four)
    probabilities = answers_to(problem)
    votes, labels = Votes(problem, everything(problem)), probabilities.argmax(axis=1)
    found = familiarity(votes, probabilities, labels)
    assert len(found) == len(labels)
    assert np.median(found) > 0.5
    indifferent = np.full_like(probabilities, 1 / 4)
    assert familiarity(votes, indifferent, labels) == pytest.approx(0, abs=1e-9)


def test_a_class_that_the_source_lacks_is_set_aside(open_set: Toy, fitted: Any) -> None:
    is_new = open_set.in_target & (open_set.y == NEW)
    assert fitted.novel_.dtype == bool
    assert not fitted.novel_[~open_set.in_target].any()
    assert np.mean(is_new[fitted.novel_]) > 0.9
    assert np.mean(fitted.novel_[is_new]) > 0.9
    assert "new class" in [caution.kind for caution in fitted.warnings_]
    others = open_set.in_target & ~fitted.novel_
    assert np.mean(fitted.transduction_[others] == open_set.y[others]) > 0.8


def test_without_novelty_the_estimate_is_lower_by_half_their_share(open_set: Toy, fitted: Any) -> None:
    plain = quiet(open_set, Auto(random_state=0))
    share = fitted.novel_.sum() / open_set.in_target.sum()
    assert plain.novel_ is None
    assert plain.estimated_accuracy_.value == pytest.approx(fitted.estimated_accuracy_.value * (1 - share / 2))
    assert np.array_equal(plain.transduction_, fitted.transduction_)
    (message,) = [caution.message for caution in plain.warnings_ if caution.kind == "new class"]
    assert f"{fitted.novel_.sum():,} target documents ({share:.0%})" in message
    assert "novelty=True" in message


def test_of_two_classes_and_one_that_hardly_any_document_has_nothing_is_said(open_set: Toy) -> None:
    """A handful of source documents under a third label must not make a task of two classes one of three."""
    problem = problem_of(open_set)
    probabilities = answers_to(problem)
    labels = probabilities.argmax(axis=1)
    assert novel_documents(problem, everything(problem), probabilities, labels) is not None
    third = np.flatnonzero(labels == 2)
    labels[third[HANDFUL - 1 :]] = 0
    assert novel_documents(problem, everything(problem), probabilities, labels) is None


def test_nothing_is_new_where_the_source_has_all_classes(four: Toy, toy: Toy) -> None:
    for known in (four, toy):
        problem = problem_of(known)
        assert said_of(problem) is None
    found = quiet(toy, Auto(random_state=0, novelty=True))
    assert not found.novel_.any()
    assert len(found.novel_) == len(toy.y)


def test_the_order_of_documents_does_not_matter(open_set: Toy) -> None:
    problem = problem_of(open_set)
    order = np.random.default_rng(0).permutation(len(open_set.y))
    other = problem_of(Toy(open_set.X[order], open_set.y[order], open_set.domain[order]))
    found = [said_of(one) for one in (problem, other)]
    rows = [np.flatnonzero(open_set.in_target)[found[0]], order[open_set.in_target[order]][found[1]]]
    assert np.array_equal(rows[0], np.sort(rows[1]))


def test_few_documents_tell_nothing(open_set: Toy) -> None:
    kept = ~open_set.in_target | (np.cumsum(open_set.in_target) < 60)
    problem = problem_of(Toy(open_set.X[kept], open_set.y[kept], open_set.domain[kept]))
    assert said_of(problem) is None


def test_a_few_strange_documents_are_no_class(open_set: Toy) -> None:
    is_new = open_set.in_target & (open_set.y == NEW)
    kept = ~is_new | (np.cumsum(is_new) <= 15)
    problem = problem_of(Toy(open_set.X[kept], open_set.y[kept], open_set.domain[kept]))
    assert said_of(problem) is None


@pytest.mark.filterwarnings("ignore::isthmus.exceptions.EmptyDocumentWarning")
def test_documents_without_a_word_are_of_no_class(four: Toy) -> None:
    n = len(four.y) // 4
    X = sp.vstack([four.X, sp.csr_array((n, four.X.shape[1]))]).tocsr()
    domain = np.concatenate([four.domain, np.repeat("target", n)])
    problem = problem_of(Toy(X, np.concatenate([four.y, np.repeat(NEW, n)]), domain))
    assert said_of(problem) is None


def test_a_model_file_keeps_what_was_set_aside(fitted: Any, tmp_path: Path) -> None:
    isthmus.save(fitted, tmp_path / "model.isthmus")
    assert np.array_equal(isthmus.load(tmp_path / "model.isthmus").novel_, fitted.novel_)


def test_an_estimate_of_documents_some_of_which_may_all_be_wrong() -> None:
    found = Estimate(0.8, 0.6, 0.9).doubting(0.5)
    assert (found.value, found.low, found.high) == pytest.approx((0.6, 0.3, 0.9))


def test_the_warning_is_a_python_warning_too(open_set: Toy) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        open_set.fit(Auto(random_state=0))
    assert any("a class that the source does not have" in str(one.message) for one in caught)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_predictions_say_which_documents_are_set_aside(form: str, tmp_path: Path) -> None:
    with (tmp_path / f"labels.{form}").open("wb") as stream, PredictionWriter(stream, form, "ab", "", True) as writer:
        writer.write(["1", "2"], np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([False, True]))
    match form:
        case "csv":
            assert (tmp_path / "labels.csv").read_text(encoding="utf-8").splitlines()[0].endswith("confidence,novel")
            found = pd.read_csv(tmp_path / "labels.csv")
        case "jsonl":
            found = pd.read_json(tmp_path / "labels.jsonl", lines=True)
        case _:
            found = pd.read_parquet(tmp_path / "labels.parquet")
    assert found["novel"].tolist() == [False, True]
    assert found["confidence"].tolist() == pytest.approx([0.9, 0.6])


def test_a_result_knows_what_was_set_aside(open_set: Toy) -> None:
    order = np.argsort(open_set.in_target, kind="stable")  # texts of the source come first
    rows = Toy(open_set.X[order], open_set.y[order], open_set.domain[order])
    model = quiet(rows, Auto(random_state=0, novelty=True))
    labels, probabilities = model.transduction_[rows.in_target], model.label_distributions_[rows.in_target]
    result = Result(labels, probabilities, model.classes_, model, None)
    assert result.novel is not None
    assert result.novel.any()
    assert np.array_equal(result.novel, model.novel_[rows.in_target])
    assert result.to_frame()["novel"].tolist() == result.novel.tolist()
    assert Result(labels, probabilities, model.classes_, quiet(rows), None).novel is None
    assert update_estimator(model, rows.X[:5], [None] * 5).novel_ is None


def test_all_novel_documents_are_set_aside_where_a_sample_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = two_sides(KNOWN, [*KNOWN, NEW])
    monkeypatch.setattr("isthmus.auto.sample.AT_MOST", 250)
    auto = quiet(toy, Auto(random_state=0, novelty=True))
    is_new = toy.in_target & (np.asarray(toy.y) == NEW)
    assert auto.novel_[is_new].mean() > 0.9
    assert auto.novel_[toy.in_target & ~is_new].mean() < 0.1


@pytest.mark.parametrize(("n_known", "is_told"), [(4, True), (5, False)])
def test_labels_refute_a_new_class(open_set: Toy, fitted: Any, n_known: int, is_told: bool) -> None:
    """Documents that look like a new class, and have labels of the source's all the same."""
    some = np.flatnonzero(fitted.novel_)[:n_known]
    y, labeled = open_set.y.copy(), ~open_set.in_target
    y[some], labeled[some] = fitted.transduction_[some], True  # as the answers have it
    auto = quiet(open_set, Auto(random_state=0), y=y, sample_labeled=labeled)
    assert ("new class" in [caution.kind for caution in auto.warnings_]) == is_told
