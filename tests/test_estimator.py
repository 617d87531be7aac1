"""What `fit` shows a method and what it makes of the answer, by hand: labels, priors, empty and known rows, domains."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import isthmus
from conftest import Toy
from isthmus.auto.estimate import tempered
from isthmus.core.estimator import TransferClassifier
from isthmus.core.labels import is_missing, spelled_like, spelling, visible_labels
from isthmus.core.numerics import mean_square
from isthmus.core.priors import label_by_rank, read_prior
from isthmus.core.probabilities import classifier_probabilities, margin_probabilities, separation_sharpness
from isthmus.core.problem import Problem, make_problem
from isthmus.core.progress import Relay, Step
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace
from isthmus.exceptions import EmptyDocumentWarning
from isthmus.methods import LR
from isthmus.typing import Array, Matrix

NAMES = ["shop", "shop", "shop", "street", "street", "street", "street"]
LABELS = ["good", "bad", "bad", "bad", "good", "?", "?"]
X = np.array([[3.0, 0, 0], [0, 2, 0], [0, 1, 0], [0, 4, 1], [5, 0, 1], [1, 0, 6], [0, 0, 0]])
"""The last document is empty."""
READABLE = np.array([True, True, True, True, False, False, False])
"""Of one document of the target, too."""

pytestmark = pytest.mark.filterwarnings("ignore::isthmus.exceptions.SmallClassWarning")  # a few rows are enough here


@dataclass(frozen=True, eq=False)
class Shown(Solution):
    """Says of every document in which domain it is read: 0.9 for the class with the number of the domain."""

    problem: Problem

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.tile(
            np.array([0.3, 0.7]) if domain is None else np.where(np.arange(2) == domain, 0.9, 0.1), (len(X), 1)
        )


class Showing(TransferClassifier):
    """Shows what it was given."""

    def solve(self, problem: Problem, workspace: Workspace) -> Shown:
        return Shown(problem)


def fitted(**changes: Any) -> Showing:
    arguments = {"sample_domain": NAMES, "target_domain": "street", "sample_labeled": READABLE, **changes}
    with pytest.warns(EmptyDocumentWarning, match="1 of 7 documents"):
        return Showing().fit(X, LABELS, **arguments)


def test_a_method_sees_documents_that_hold_words_and_labels_that_may_be_read() -> None:
    shop, street = fitted().problem_.domains
    assert (shop.name, street.name) == ("shop", "street")
    assert (shop.is_target, street.is_target) == (False, True)
    assert shop.rows.tolist() == [0, 1, 2]
    assert street.rows.tolist() == [3, 4, 5]
    assert shop.labels.tolist() == [[0, 1], [1, 0], [1, 0]]
    assert street.labels.tolist() == [[1, 0], [0, 0], [0, 0]]
    assert street.labeled.tolist() == [True, False, False]
    assert np.array_equal(street.matrix, X[3:6])
    assert np.array_equal(street.unlabeled, X[4:6])


def test_labels_of_the_target_are_hidden_unless_somebody_says_otherwise() -> None:
    problem = fitted(sample_labeled=None).problem_
    assert not problem.domains[1].labeled.any()
    assert problem.class_prior == pytest.approx([2 / 3, 1 / 3])
    assert not problem.known[3:].any()


def test_labels_stay_with_their_rows_wherever_these_stand() -> None:
    problem = make_problem(LR(), np.eye(5) + 1, ["?", "b", "?", "a", "b"], [-1, 2, -1, 2, 2])
    assert problem.known.tolist() == [[0, 0], [0, 1], [0, 0], [1, 0], [0, 1]]
    source, target = problem.domains  # sources first
    assert (target.rows.tolist(), source.rows.tolist()) == ([0, 2], [1, 3, 4])
    assert source.labels.argmax(axis=1).tolist() == [1, 0, 1]


def test_numbers_of_the_whole_problem() -> None:
    problem = fitted().problem_
    assert problem.class_prior == pytest.approx([0.75, 0.25])
    assert problem.mean_squared_length == pytest.approx((9 + 4 + 1 + 17 + 26 + 37) / 6)
    assert problem.scaled(2.0).mean_squared_length == pytest.approx(4 * problem.mean_squared_length)
    assert np.array_equal(problem.documents.stacked, X[:6])
    assert np.array_equal(problem.unlabeled, X[4:6])
    documents, numbers = problem.labeled
    assert np.array_equal(documents, X[:4])
    assert numbers.tolist() == [1, 0, 0, 0]
    assert mean_square(X[:2]) == pytest.approx(6.5)


def test_known_labels_stay_and_empty_documents_get_the_prior() -> None:
    model = fitted()
    expected = [[0, 1], [1, 0], [1, 0], [1, 0], [0.1, 0.9], [0.1, 0.9], [0.75, 0.25]]
    assert model.label_distributions_ == pytest.approx(np.array(expected))
    assert model.transduction_.tolist() == ["good", "bad", "bad", "bad", "good", "good", "bad"]
    assert model.classes_.tolist() == ["bad", "good"]
    assert (model.domains_, model.target_domains_) == (["shop", "street"], ["street"])


def test_new_documents_are_read_with_the_words_of_their_domain() -> None:
    model = fitted()
    assert model.predict_proba(X[:2], "shop") == pytest.approx(np.array([[0.9, 0.1]] * 2))
    assert model.predict_proba(X[:2], "street") == pytest.approx(np.array([[0.1, 0.9]] * 2))
    assert model.predict_proba(X[:2]) == pytest.approx(np.array([[0.3, 0.7]] * 2))
    assert model.predict(X[:3], ["street", "shop", "street"]).tolist() == ["good", "bad", "good"]
    with pytest.warns(EmptyDocumentWarning):
        assert model.predict_proba(X[5:], "street") == pytest.approx(np.array([[0.1, 0.9], [0.75, 0.25]]))


def test_explicit_zeros_are_no_words() -> None:
    stored = sp.csr_array((np.array([1.0, 2, 0, 3]), (np.array([0, 1, 2, 3]), np.array([0, 1, 1, 0]))), shape=(4, 2))
    with pytest.warns(EmptyDocumentWarning, match="1 of 4"):
        problem = make_problem(LR(), stored, ["a", "b", "?", "?"], [1, 1, -1, -1])
    assert problem.empty.tolist() == [2]
    assert stored.nnz == 4


def test_zero_is_no_negative_domain() -> None:
    problem = make_problem(LR(), np.eye(3) + 1, ["a", "b", "?"], [0, 1, -1])
    assert [domain.name for domain in problem.targets] == [-1]
    assert make_problem(LR(), np.eye(2), ["a", "b"], [0, 0]).targets == ()


def test_a_target_without_a_word_of_the_source_is_refused() -> None:
    with pytest.raises(ValueError, match="Target domain -1 shares no word"):
        make_problem(LR(), np.eye(3), ["a", "b", "?"], [1, 1, -1])


def test_which_labels_are_missing_and_how_others_are_spelled() -> None:
    assert [is_missing(label) for label in (None, float("nan"), np.nan, "", 0, False, "nan")] == [True] * 4 + [
        False
    ] * 3
    assert [spelling(label) for label in (1.0, "1.0", "1.5", np.int64(1))] == ["1", "1", "1.5", "1"]
    assert spelled_like(["1.0", None, 2.0, "b"], [1, 2]) == [1, None, 2, "b"]
    assert spelled_like([1.0, "1"], ["1.0", "1"]) == ["1.0", "1"]  # the first of those with one spelling, or itself
    y = ["a", None, "b"]
    assert visible_labels(y, np.array([True, False, True])).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="y holds None"):
        visible_labels(y, np.ones(3, dtype=bool))


def test_priors_by_hand() -> None:
    """Of eight documents of the target, at a prior of one half, four are of each class: one of these is known."""
    X, y = np.ones((12, 2)), np.array([0, 0, 0, 1] + [1] * 8)
    labeled = np.arange(12) < 5
    problem = make_problem(LR(), X, y, np.repeat([1, -1], [4, 8]), sample_labeled=labeled)
    assert read_prior({0: 0.5, 1: 0.5}, problem) == pytest.approx([4 / 7, 3 / 7])
    assert read_prior("source", problem) == pytest.approx([6 / 7, 1 / 7])
    new = np.where(np.arange(12) == 4, 2, y)  # of a class that the source lacks: one of eleven, and one is known
    problem = make_problem(LR(), X, new, np.repeat([1, -1], [4, 8]), sample_labeled=labeled)
    left = np.array([8 * 10 / 11 * 0.75, 8 * 10 / 11 * 0.25, 0])  # the eleventh part of eight is known already
    assert read_prior("source", problem) == pytest.approx(left / left.sum())
    problem = make_problem(
        LR(), X.repeat(2, axis=0), new.repeat(2), np.repeat([1, -1], [8, 16]), sample_labeled=labeled.repeat(2)
    )
    left = 16 * np.array([10 / 12 * 0.75, 10 / 12 * 0.25, 2 / 12]) - [0, 0, 2]
    assert read_prior("source", problem) == pytest.approx(left / left.sum())


def test_pseudo_labels_at_a_prior_by_hand() -> None:
    scores = np.array([[5.0, 0], [4, 0], [3, 0], [2, 0], [1, 0]])
    assert label_by_rank(scores, np.array([0.5, 0.5])).tolist() == [0, 0, 0, 1, 1]
    assert label_by_rank(scores, np.array([0.35, 0.65])).tolist() == [0, 0, 1, 1, 1]
    three = np.array([[9.0, 8, 0], [9, 1, 0], [9, 0, 7], [9, 0, 0]])
    assert label_by_rank(three, np.array([0.5, 0.25, 0.25])).tolist() == [1, 0, 2, 0]


def test_probabilities_of_margins_and_of_classifiers() -> None:
    margins = np.array([-1.0, 0, 3])
    expected = 1 / (1 + np.exp(-margins))
    assert margin_probabilities(margins)[:, 1] == pytest.approx(expected)
    assert margin_probabilities(margins[:, None])[:, 1] == pytest.approx(expected)
    rows, numbers = np.array([[0.0], [1], [2], [3]]), np.array([0, 0, 2, 2])
    classifier = LogisticRegression().fit(rows, numbers)
    found = classifier_probabilities(classifier, rows, 3)
    assert found[:, [0, 2]] == pytest.approx(classifier.predict_proba(rows))
    assert not found[:, 1].any()


def test_sharpness_gives_a_class_in_its_place_odds_of_fifty() -> None:
    own = np.array([[3.0, 1.0], [1.5, 2.5]])  # 1.5 higher, on average
    odds = tempered(np.array([[1.5, 0.0]]), separation_sharpness(own))[0]
    assert odds[0] / odds[1] == pytest.approx(np.exp(4))


def test_a_workspace_computes_once_for_each_argument() -> None:
    calls: list[int] = []

    def counted(number: int, other: int = 0) -> int:
        calls.append(number)
        return 10 * number + other

    workspace = Workspace()
    assert [workspace.once(counted, n) for n in (1, 2, 1)] == [10, 20, 10]
    assert workspace.once(counted, 1, other=5) == 15
    assert calls == [1, 2, 1]
    assert Workspace().once(counted, 1) == 10  # another one knows nothing of it
    assert calls == [1, 2, 1, 1]


def test_other_labels_leave_the_documents_of_a_problem_as_they_are() -> None:
    problem = make_problem(LR(), np.eye(4) + 1, [0, 1, 0, 1], [1, 1, -1, -1])
    other = problem.relabeled(problem.domains, np.array([0.9, 0.1]))
    assert other.documents is problem.documents
    assert problem.scaled(2.0).documents is not problem.documents
    assert np.array_equal(problem.scaled(2.0).documents.stacked, 2 * problem.documents.stacked)


def test_a_relay_counts_through_and_stays_stopped() -> None:
    steps: list[Step] = []

    def stop_at_two(step: Step) -> bool:
        steps.append(step)
        return step.iteration == 2

    relay = Relay(stop_at_two, 10)
    assert not relay(Step(1, 5, 0.5, 0.0))
    assert relay(Step(1, 5, 0.25, 0.0))
    assert relay.stopped
    assert [(step.iteration, step.max_iter, step.objective) for step in steps] == [(1, 10, 0.5), (2, 10, 0.25)]


def test_attributes_of_an_earlier_fit_do_not_stay(toy: Toy) -> None:
    method = isthmus.Factorized(terms=[isthmus.parts.LabelRegression()], exponent=0.5, n_topics=4, max_iter=3)
    learn: dict[str, Any] = {"sample_domain": toy.domain, "target_domain": "target"}
    method.fit(toy.X, toy.y, **learn)
    assert hasattr(method, "coefficients_")
    method.set_params(terms=[]).fit(toy.X, toy.y, **learn)
    assert not hasattr(method, "coefficients_")


@pytest.mark.parametrize("gap", [None, "pandas", "pyarrow"])
def test_a_score_reads_labels_as_a_fit_does(toy: Toy, gap: str | None) -> None:
    """Searches hand on rows of a y whose hidden entries are gaps; numbers must not become others."""
    numbers = np.unique(toy.y, return_inverse=True)[1]
    given: Any = np.array([None if hidden else int(own) for own, hidden in zip(numbers, toy.in_target, strict=True)])
    if gap == "pandas":
        given = pytest.importorskip("pandas").Series(given, dtype="object")
    elif gap == "pyarrow":
        given = pytest.importorskip("pyarrow").array(given.tolist())
    model = isthmus.LR().fit(toy.X, given, sample_domain=toy.domain, target_domain="target")
    assert model.classes_.tolist() == [0, 1]
    assert model.classes_.dtype == np.int64
    rows = np.flatnonzero(~toy.in_target)
    scored = given.take(rows)
    assert model.score(toy.X[rows], scored) == np.mean(model.predict(toy.X[rows]) == numbers[rows])
    with pytest.raises(ValueError, match="y holds None"):
        model.score(toy.X, given)


def test_a_search_scores_labels_with_gaps(toy: Toy) -> None:
    numbers = np.unique(toy.y, return_inverse=True)[1]
    y = np.array([None if hidden else int(own) for own, hidden in zip(numbers, toy.in_target, strict=True)])
    folds = isthmus.source_folds(y, toy.domain, "target", n_splits=2)
    search = GridSearchCV(isthmus.LR(), {"C": [1e-6, 1.0]}, cv=folds)
    search.fit(toy.X, y, sample_domain=toy.domain, target_domain="target")
    assert search.best_score_ > 0.9


def test_a_fit_that_is_refused_leaves_the_model_as_it_was(toy: Toy) -> None:
    learn: dict[str, Any] = {"sample_domain": toy.domain, "target_domain": "target"}
    model = isthmus.LR().fit(toy.X, toy.y, **learn)
    before, bad = model.predict_proba(toy.X), toy.X[:, :5].toarray()
    bad[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, toy.y, **learn)
    assert np.array_equal(model.predict_proba(toy.X), before)
    fresh = isthmus.LR()
    with pytest.raises(ValueError, match="NaN"):
        fresh.fit(bad, toy.y, **learn)
    assert not hasattr(fresh, "n_features_in_")


@pytest.mark.parametrize("label", [np.datetime64("2020-01-01"), np.timedelta64(1, "D"), Fraction(1, 3)])
def test_labels_that_no_file_can_hold_are_refused(toy: Toy, label: Any) -> None:
    first = toy.y == toy.y[0]
    other = label + label if isinstance(label, Fraction) else label + 1
    given = np.array([label if own else other for own in first])
    with pytest.raises((TypeError, ValueError), match="y holds"):
        isthmus.LR().fit(toy.X, given, sample_domain=toy.domain, target_domain="target")
