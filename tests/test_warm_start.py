"""Refits and samples: what the automatic choice keeps of one fit for the next, and of many documents."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from conftest import Toy, quiet
from isthmus import Auto
from isthmus.auto.reuse import SameProblem, with_known_documents
from isthmus.auto.run import Run
from isthmus.auto.sample import sample_for_decisions, sample_for_learning, sample_for_spreads
from isthmus.core.parts import drawn_rows
from isthmus.core.problem import make_problem
from isthmus.core.workspace import Workspace
from isthmus.methods import LR


def test_a_warm_refit_finds_the_same_without_starting_over(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    labeled = ~toy.in_target
    few = labeled.copy()
    few[np.flatnonzero(toy.in_target)[:12]] = True
    warm = Auto(random_state=0, warm_start=True)
    quiet(toy, warm, sample_labeled=labeled)
    cold = quiet(toy, Auto(random_state=0), sample_labeled=few)
    solved = counted_solves(monkeypatch)
    quiet(toy, warm, sample_labeled=few)
    assert np.array_equal(warm.label_distributions_, cold.label_distributions_)
    assert warm.estimated_accuracy_ == cold.estimated_accuracy_
    assert 0 < len(solved) <= len(warm.chosen_)  # the members, which learn from the new labels


def test_a_warm_start_keeps_no_more_after_many_refits(toy: Toy) -> None:
    """What was learned from labels that were known for a while went with them."""
    warm = Auto(random_state=0, warm_start=True)
    in_target, sizes = np.flatnonzero(toy.in_target), []
    for n_known in (0, 10, 12, 14):
        labeled = ~toy.in_target
        labeled[in_target[:n_known]] = True
        quiet(toy, warm, sample_labeled=labeled)
        sizes.append(warm._kept.once.cache_info().currsize)
    assert sizes[1] == sizes[3]


def test_a_warm_start_lets_go_of_other_documents(toy: Toy) -> None:
    warm = Auto(random_state=0, warm_start=True)
    kept = []
    for n_words in (None, -1, -2, -3):
        quiet(Toy(toy.X[:, :n_words], toy.y, toy.domain), warm)
        kept.append(warm._kept.once.cache_info().currsize)
    assert kept[1:] == kept[:-1]


def test_a_warm_start_reads_other_documents_afresh(toy: Toy) -> None:
    warm = Auto(random_state=0, warm_start=True)
    quiet(toy, warm)
    other = Toy(toy.X[:, ::-1].tocsr(), toy.y, toy.domain)
    quiet(other, warm)
    assert np.array_equal(warm.label_distributions_, quiet(other, Auto(random_state=0)).label_distributions_)
    first, *_, last = np.unique(toy.y)
    swapped = Toy(toy.X, np.where(toy.y == first, last, first), toy.domain)
    quiet(toy, warm)
    quiet(swapped, warm)
    assert np.array_equal(warm.label_distributions_, quiet(swapped, Auto(random_state=0)).label_distributions_)
    relabeled = Toy(toy.X, np.where(toy.y == toy.y[0], "one", "another"), toy.domain)
    quiet(relabeled, warm)
    assert set(warm.classes_) == {"one", "another"}
    quiet(toy, warm)
    assert np.array_equal(warm.label_distributions_, quiet(toy, Auto(random_state=0)).label_distributions_)


def test_a_warm_start_knows_rows_that_have_moved(toy: Toy) -> None:
    """The same documents, of which those of the target now come right after the first."""
    order = np.argsort(~toy.in_target, kind="stable")
    order = np.concatenate([[0], order[order > 0]])
    moved = Toy(toy.X[order], toy.y[order], toy.domain[order])
    one, two = (make_problem(LR(), own.X, own.y, own.domain, "target", None) for own in (toy, moved))
    workspace = Workspace()
    one, two, again = (with_known_documents(problem, workspace) for problem in (one, two, one))
    assert one.documents is two.documents
    assert SameProblem(one) == SameProblem(again)
    assert SameProblem(one) != SameProblem(two)


def test_what_a_warm_start_keeps_is_not_pickled(toy: Toy) -> None:
    warm = quiet(toy, Auto(random_state=0, warm_start=True))
    again = pickle.loads(pickle.dumps(warm))
    assert np.array_equal(again.predict_proba(toy.X), warm.predict_proba(toy.X))
    assert len(pickle.dumps(warm)) < 1.01 * len(pickle.dumps(quiet(toy, Auto(random_state=0)))) + 100


def counted_solves(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of the candidates that are solved from here on, how many documents they were to label."""
    found: list[int] = []
    solve = Run._solve

    def noted(run: Run, candidate: Any) -> None:
        found.append(run.n_unlabeled)
        solve(run, candidate)

    monkeypatch.setattr(Run, "_solve", noted)
    return found


@pytest.mark.parametrize("n_known", [0, 8])
def test_many_documents_are_decided_on_a_sample_and_all_are_labeled(
    toy_of_three: Toy, n_known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy, known = toy_of_three, ~toy_of_three.in_target
    known[np.flatnonzero(toy.in_target)[-n_known:] if n_known else []] = True
    whole = quiet(toy, sample_labeled=known)
    asked = counted_solves(monkeypatch)
    monkeypatch.setattr("isthmus.auto.sample.AT_MOST", 60)
    sampled = quiet(toy, sample_labeled=known)
    assert all(50 <= number <= 70 for number in asked)
    assert len(sampled.transduction_) == len(known)
    assert sampled.estimated_accuracy_ != whole.estimated_accuracy_
    later = sampled.predict_proba(toy.X[~known], sample_domain="target")
    assert np.array_equal(sampled.label_distributions_[~known], later)
    for auto in (whole, sampled):
        right = auto.transduction_[~known] == toy.y[~known]
        assert right.mean() > 0.9
        assert np.array_equal(auto.transduction_[known], toy.y[known])


@pytest.mark.parametrize("n_embeddings", [0, 5])
def test_beyond_a_sample_documents_are_labeled_like_those_that_come_later(
    toy: Toy, n_embeddings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isthmus.auto.sample.AT_MOST", 60)
    auto = quiet(toy, Auto(random_state=0, n_embedding_features=n_embeddings))
    later = auto.predict_proba(toy.X[toy.in_target], sample_domain="target")
    assert auto.label_distributions_[toy.in_target] == pytest.approx(later, rel=1e-9)


def test_a_sample_is_one_matrix(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isthmus.auto.sample.AT_MOST", 15)
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, target_domain="target")
    seen, _ = sample_for_decisions(problem, None)
    assert all(np.shares_memory(seen.documents.stacked.data, domain.matrix.data) for domain in seen.domains)
    assert sample_for_learning(problem, problem) is not problem
    learned = sample_for_learning(problem, seen)
    assert sample_for_learning(problem, learned) is learned
    ((number, others),) = sample_for_spreads(problem, learned)
    assert problem.domains[number].is_target
    assert others.shape[0] == toy.in_target.sum() - 15, "those that were not learned from"


def test_of_very_many_documents_the_rest_is_as_if_it_came_later(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents of a sample decide and teach, and no others: these may be anywhere."""
    monkeypatch.setattr("isthmus.auto.sample.AT_MOST", 20)
    whole, target = quiet(toy), np.flatnonzero(toy.in_target)
    assert len(target) > 40
    kept = np.sort(np.concatenate([np.flatnonzero(~toy.in_target), target[drawn_rows(len(target), 40)]]))
    some = quiet(Toy(toy.X[kept], toy.y[kept], toy.domain[kept]))
    assert some.chosen_ == whole.chosen_
    later = some.predict_proba(toy.X[target], sample_domain="target")
    assert np.array_equal(later, whole.label_distributions_[target])


def test_a_sample_keeps_every_class_and_what_is_checked(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isthmus.auto.sample.AT_MOST", 15)
    y = toy.y.astype(object)
    y[np.flatnonzero(~toy.in_target)[-3:]] = "rare"
    problem = make_problem(LR(), toy.X, y, toy.domain, target_domain="target")
    checked = np.zeros((int(problem.unlabeled.shape[0]), 3))
    checked[[2, 5, -1], 0] = 1
    seen, looked_at = sample_for_decisions(problem, checked)
    assert looked_at[[2, 5, -1]].all()
    assert 15 <= looked_at.sum() <= 18
    assert (seen.unlabeled != problem.unlabeled[looked_at]).nnz == 0
    assert np.bincount(seen.labeled[1], minlength=3).min() == 3
    assert seen.class_prior.sum() == pytest.approx(1)


def test_a_warm_start_sees_that_documents_were_changed_in_place(toy: Toy) -> None:
    """The arrays may be the user's: equal to themselves, and no more what they were."""
    order = np.argsort(toy.in_target, kind="stable")
    X = normalize(toy.X[order])
    given = Toy(X, toy.y[order], toy.domain[order])
    warm = Auto(random_state=0, warm_start=True)
    quiet(given, warm)
    X.data[:] = X.data**3
    normalize(X, copy=False)
    quiet(given, warm)
    assert np.array_equal(warm.label_distributions_, quiet(given, Auto(random_state=0)).label_distributions_)


@pytest.mark.filterwarnings("ignore::isthmus.exceptions.EmptyDocumentWarning")
def test_a_warm_start_counts_labeled_documents_without_a_word() -> None:
    """They are part of the source's prior, with target labels or without."""
    rng = np.random.default_rng(20)
    y, centers = rng.integers(0, 2, 60), rng.gamma(0.5, 1, (2, 14))
    X = rng.poisson(centers[y] * 2 + 0.1).astype(float)
    X[np.arange(60), rng.integers(0, 14, 60)] += 1
    X[24:30], y[24:30] = 0, 0
    domain = np.repeat([0, -1], 30)
    given, few = Toy(sp.csr_array(normalize(X)), y, domain), domain == 0
    few[30:34] = True
    warm, cold = (Auto(random_state=0, target_prior="source", warm_start=own) for own in (True, False))
    asked: dict[str, Any] = {"target_domain": -1}
    quiet(given, warm, **asked)
    quiet(given, warm, sample_labeled=few, **asked)
    quiet(given, cold, sample_labeled=few, **asked)
    assert np.array_equal(warm.label_distributions_, cold.label_distributions_)
    assert warm.estimated_accuracy_ == cold.estimated_accuracy_
