"""Target priors, and pseudo-labels at a prior."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from conftest import Toy, build, make_toy, quiet
from isthmus import Auto
from isthmus.core import priors
from isthmus.core.estimator import TransferClassifier
from isthmus.core.priors import label_by_rank, read_prior
from isthmus.core.problem import make_problem
from isthmus.methods import LR


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(1, 40), st.booleans())
def test_no_pseudo_labels_at_this_prior_have_a_larger_sum_of_scores(seed: int, c: int, n: int, coarse: bool) -> None:
    """Compared with an assignment of the documents to as many places as the classes have."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, c)) * rng.uniform(0.1, 5, size=c)
    if coarse:  # many equal scores
        scores = np.round(scores)
    wanted = rng.dirichlet(np.full(c, 0.7))
    labels = label_by_rank(scores, wanted)
    counts = np.bincount(labels, minlength=c)
    assert counts.sum() == n
    assert np.all(np.abs(counts - n * wanted) < 1)
    places = np.repeat(np.arange(c), counts)
    rows, columns = linear_sum_assignment(scores[:, places], maximize=True)
    assert scores[np.arange(n), labels].sum() == pytest.approx(scores[rows, places[columns]].sum())


def test_the_prior_is_met_exactly_where_counts_are_whole() -> None:
    scores = np.random.default_rng(0).normal(size=(3000, 3)) + np.array([2, 0, 0])
    assert np.bincount(label_by_rank(scores, np.array([0.2, 0.3, 0.5]))).tolist() == [600, 900, 1500]
    assert np.bincount(label_by_rank(scores, np.array([0.0, 1.0, 0.0])), minlength=3).tolist() == [0, 3000, 0]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_has_no_rank(wrong: float) -> None:
    scores = np.zeros((4, 2))
    scores[2, 1] = wrong
    with pytest.raises(ValueError, match="scores holds NaN or an infinite number"):
        label_by_rank(scores, np.array([0.5, 0.5]))


def test_documents_with_equal_scores_move_together(monkeypatch: pytest.MonkeyPatch) -> None:
    look = Mock(wraps=priors._cheapest_chain)
    monkeypatch.setattr(priors, "_cheapest_chain", look)
    scores = np.zeros((30_000, 3))
    scores[:90] = np.random.default_rng(0).normal(size=(90, 3))
    labels = label_by_rank(scores, np.array([0.5, 0.3, 0.2]))
    assert np.bincount(labels).tolist() == [15_000, 9_000, 6_000]
    assert np.array_equal(labels[:90], scores[:90].argmax(axis=1))
    assert 0 < look.call_count < 20


def test_a_target_prior_is_not_that_of_documents_of_the_source_without_a_label(toy: Toy) -> None:
    """These have the source's, half of each class."""
    labeled = ~toy.in_target & (np.arange(len(toy.y)) % 2 == 0)
    problem = make_problem(LR(), toy.X, toy.y, toy.domain, "target", labeled)
    source = np.array([np.mean(toy.y[labeled] == name) for name in problem.classes])
    there, here = int((~labeled & ~toy.in_target).sum()), int(toy.in_target.sum())
    expected = (here * np.array([0.2, 0.8]) + there * source) / (here + there)
    assert read_prior({"class 0": 0.2, "class 1": 0.8}, problem) == pytest.approx(expected)
    assert read_prior("source", problem) == pytest.approx(source)


def test_which_target_priors_a_user_may_give(toy: Toy) -> None:
    problem = make_problem(LR(), make_toy().X, toy.y, toy.domain, "target")
    assert read_prior("unknown", problem) is None
    assert read_prior("source", problem) == pytest.approx([0.5, 0.5])
    assert read_prior({"class 1": 0.8, "class 0": 0.2}, problem) == pytest.approx([0.2, 0.8])
    numbers = make_problem(LR(), make_toy().X, np.where(toy.y == "class 0", 1, 2), toy.domain, "target")
    assert read_prior({"1": 0.2, 2.0: 0.8}, numbers) == pytest.approx([0.2, 0.8])  # spelled as labels may be
    with pytest.raises(ValueError, match=r"target_prior names \['class 0', 'class 2'\] and the classes are"):
        read_prior({"class 0": 0.5, "class 2": 0.5}, problem)
    for of_one in ({"class 0": 1.0}, {"class 0": 1, "class 1": 0}):
        with pytest.raises(ValueError, match=r"target_prior is .*: give two classes a share"):
            read_prior(of_one, problem)
    with pytest.raises(ValueError, match="sum to one"):
        read_prior({"class 0": 0.5, "class 1": 0.6}, problem)
    halves = read_prior({"class 0": np.float32(0.5), "class 1": np.float64(0.5)}, problem)
    assert halves is not None
    assert halves.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("prior", [{"class 0": 0.5, "class 1": 0.5}, {"class 0": 0.5, "class 1": 0.5, "class 2": 0}])
def test_a_class_that_the_target_lacks_may_be_left_out_of_the_prior(prior: dict[str, float], toy_of_three: Toy) -> None:
    toy = toy_of_three
    kept = ~toy.in_target | (toy.y != "class 2")
    toy = Toy(toy.X[kept], toy.y[kept], toy.domain[kept])
    found = read_prior(prior, make_problem(LR(), toy.X, toy.y, toy.domain, "target"))
    assert found is not None
    assert found.sum() == pytest.approx(1)
    assert 0 < found[2] < 1 / len(toy.y)  # no pseudo-label has it, and nothing is ruled out
    for name in ("TSVM", "SelfTraining", "TransductiveLR"):
        labels = [toy.fit(build(name, target_prior=own)).transduction_[toy.in_target] for own in ("source", prior)]
        with_it, without = ((own == "class 2").mean() for own in labels)
        assert without < min(with_it, 0.1)
    auto = quiet(toy, Auto(target_prior=prior, random_state=0))
    assert (auto.transduction_[toy.in_target] == "class 2").mean() < 0.1
    assert auto.target_prior_["class 2"] == pytest.approx(found[2])
    assert auto.label_distributions_[toy.in_target, 2].min() > 0


@pytest.mark.parametrize("share", ["x", "0.5", [0.5], None, 1j, float("nan"), float("inf"), -0.5])
@pytest.mark.parametrize("model", [build("TSVM"), build("SelfTraining"), Auto()])
def test_an_error_names_the_wrong_entry_of_a_prior(share: Any, model: TransferClassifier, toy: Toy) -> None:
    model.set_params(target_prior={"class 0": 0.5, "class 1": share})
    with pytest.raises(ValueError, match=r"^target_prior\['class 1'\] is .*: give a number from 0 to 1\.$") as raised:
        toy.fit(model)
    assert f"is {share!r}:" in str(raised.value)


def test_known_target_labels_are_taken_off_the_prior(toy: Toy) -> None:
    in_target = np.flatnonzero(toy.in_target)
    first = in_target[toy.y[in_target] == "class 0"]
    labeled = ~toy.in_target
    labeled[first[:-5]] = True
    model = toy.fit(build("SelfTraining"), sample_labeled=labeled)
    found = model.transduction_[~labeled]
    assert np.sum(found == "class 0") == 5
    assert np.mean(found == toy.y[~labeled]) > 0.95
