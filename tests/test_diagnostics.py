"""Diagnostics that need no target label, against dense versions and against many draws of documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import Toy
from isthmus.auto import Diagnostics, rules
from isthmus.auto.diagnostics import (
    claimed_skill,
    class_mean_cosine,
    mean_agreement,
    neighbor_skill,
    normalized_cut,
    skill,
)
from isthmus.core.problem import Problem, make_problem
from isthmus.methods import LR

N_WORDS = 150


def test_normalized_cut_is_that_of_the_whole_graph() -> None:
    rng = np.random.default_rng(0)
    X, numbers = rng.uniform(size=(30, 8)), rng.integers(3, size=30)
    N = X / np.linalg.norm(X, axis=1, keepdims=True)
    W = N @ N.T - np.eye(30)
    left = [W[numbers == k][:, numbers != k].sum() / W[numbers == k].sum() for k in range(3)]
    assert normalized_cut(sp.csr_array(X), numbers, 3) == pytest.approx(sum(left) / 2)


def test_neighbor_skill_is_that_of_all_pairs(toy: Toy) -> None:
    X, y = toy.X[~toy.in_target].toarray(), toy.y[~toy.in_target]
    numbers = (y == "class 1").astype(int)
    similar = X @ X.T
    np.fill_diagonal(similar, -1)
    nearest = np.argsort(-similar, axis=1)[:, :5]
    right = (numbers[nearest].mean(axis=1) > 0.5) == (numbers == 1)
    assert neighbor_skill(sp.csr_array(X), numbers, 2) == pytest.approx(skill(right.mean(), 1 / 2))


def test_neighbors_of_documents_whose_classes_are_mixed() -> None:
    """Where a third of all labels are wrong, so that it matters who votes and how."""
    rng = np.random.default_rng(2)
    X, numbers = rng.uniform(size=(60, 12)), rng.integers(3, size=60)
    N = X / np.linalg.norm(X, axis=1, keepdims=True)
    similar = N @ N.T
    np.fill_diagonal(similar, -1)
    votes = np.eye(3)[numbers[np.argsort(-similar, axis=1)[:, :5]]].sum(axis=1)
    expected = skill(float(np.mean(votes.argmax(axis=1) == numbers)), 1 / 3)
    assert neighbor_skill(sp.csr_array(X), numbers, 3) == pytest.approx(expected)


def test_indicators_count_by_how_clear_they_are_and_how_much_they_have_to_say() -> None:
    topics: dict[str, Any] = {name: rule.center + rule.scale for name, rule in rules.TOPIC.items()}
    others: dict[str, Any] = {name: rule.center - rule.scale for name, rule in rules.TOPIC.items()}
    assert Diagnostics(**topics).topic_score == pytest.approx(1)
    assert Diagnostics(**others).topic_score == pytest.approx(-1)
    total = sum(rule.weight for rule in rules.TOPIC.values())
    for name, rule in rules.TOPIC.items():
        assert Diagnostics(**{**topics, name: others[name]}).topic_score == pytest.approx(1 - 2 * rule.weight / total)
        assert Diagnostics(**{name: others[name]}).topic_score == pytest.approx(-1)  # what is not known has no say
    assert Diagnostics().topic_score == 0


def test_domains_look_unrelated_where_nothing_leads_back() -> None:
    strange = Diagnostics(class_mean_cosine=0.0, neighbor_skill=0.5, reverse_auc=0.5)
    related = replace(strange, class_mean_cosine=0.4)
    assert strange.unrelated_score > 0 > related.unrelated_score
    assert replace(strange, neighbor_skill=1.0).unrelated_score > strange.unrelated_score
    assert replace(strange, reverse_auc=rules.LEADS_BACK).unrelated_score == -1  # the way leads back
    assert Diagnostics(reverse_auc=0.5).unrelated_score == -1  # too little is known


def test_skill_is_zero_at_chance() -> None:
    assert [skill(share, 1 / 4) for share in (0.25, 0.625, 1.0)] == pytest.approx([0, 0.5, 1])
    assert skill(0.82, 0.82) == 0  # guesses where nine in ten are of one class
    first, second = np.eye(3)[[0, 1, 2, 0]], np.eye(3)[[0, 1, 1, 0]]
    assert mean_agreement([first, second], 1 / 3) == pytest.approx(skill(0.75, 1 / 3))
    assert claimed_skill(np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])) == pytest.approx(skill(0.65, 1 / 3))


def test_agreement_of_several_is_the_mean_over_pairs() -> None:
    rng = np.random.default_rng(0)
    answers = [np.eye(3)[rng.integers(3, size=40)] for _ in range(3)]
    pairs = [mean_agreement([answers[one], answers[other]], 0.5) for one, other in ((0, 1), (0, 2), (1, 2))]
    assert mean_agreement(answers, 0.5) == pytest.approx(sum(pair or 0 for pair in pairs) / 3)
    assert mean_agreement(answers[:1], 0.5) is None


def drawn(rng: np.random.Generator, centers: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Documents around the centers of their classes."""
    rows = np.repeat(centers, sizes, axis=0)
    return np.asarray(rows + rng.normal(scale=0.1, size=rows.shape))


def two_domains(rng: np.random.Generator, centers: np.ndarray, sizes: np.ndarray) -> tuple[Problem, np.ndarray]:
    """A problem, and the true classes of its target. `centers` are domains x classes x words, `sizes` domains x
    classes."""
    X = np.vstack([drawn(rng, *side) for side in zip(centers, sizes, strict=True)])
    numbers = np.concatenate([np.repeat(np.arange(len(own)), own) for own in sizes])
    domain = np.repeat([1, -1], sizes.sum(axis=1))
    return make_problem(LR(), X, numbers, domain), numbers[domain < 0]


def some_centers() -> np.ndarray:
    """Of three classes, in two domains that set them apart in similar ways."""
    rng = np.random.default_rng(5)
    shared, own = rng.normal(size=(1, 3, N_WORDS)), rng.normal(size=(2, 3, N_WORDS))
    centers = shared + 0.8 * own + 2 * rng.normal(size=(1, 1, N_WORDS))
    return np.asarray(centers / np.linalg.norm(centers, axis=2, keepdims=True))


def dense_cosine(problem: Problem, numbers: np.ndarray, corrected: bool) -> float:
    """By variances: the mean of n documents is off by a n-th of theirs; the mean of all classes takes some away."""
    (X, known), apart, squares = problem.labeled, [], []
    for rows, classes in ((X, known), (problem.unlabeled, numbers)):
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        groups = [unit[classes == number] for number in np.unique(classes)]
        means = np.stack([group.mean(axis=0) for group in groups])
        apart.append(means - means.mean(axis=0))
        errors = [group.var(axis=0, ddof=1).sum() / len(group) for group in groups]
        by_chance = (1 - 1 / len(groups)) * sum(errors) if corrected else 0.0
        squares.append((apart[-1] ** 2).sum() - by_chance)
    return float((apart[0] * apart[1]).sum() / np.sqrt(squares[0] * squares[1]))


def test_cosine_of_class_means_is_the_dense_one() -> None:
    sizes = np.array([[12, 20, 9], [15, 8, 30]])
    problem, numbers = two_domains(np.random.default_rng(1), some_centers(), sizes)
    found = class_mean_cosine(problem, numbers)
    assert found == pytest.approx(dense_cosine(problem, numbers, corrected=True))
    assert found != pytest.approx(dense_cosine(problem, numbers, corrected=False), abs=0.05)


def test_cosine_of_class_means_does_not_depend_on_how_many_documents_there_are() -> None:
    """Of few, the mean over many draws is that of very many; without the correction, it is far below."""
    rng, centers = np.random.default_rng(3), some_centers()
    many = class_mean_cosine(*two_domains(rng, centers, np.full((2, 3), 3000)))
    draws = [two_domains(rng, centers, np.array([[25, 40, 30], [50, 30, 20]])) for _ in range(150)]
    corrected = np.array([class_mean_cosine(*draw) for draw in draws], dtype=np.float64)
    plain = [dense_cosine(*draw, corrected=False) for draw in draws]
    assert many is not None
    error = np.std(corrected) / np.sqrt(len(corrected))
    assert np.mean(corrected) == pytest.approx(many, abs=3 * error)
    assert np.mean(plain) < many - 20 * error


def test_classes_with_one_document_are_not_compared() -> None:
    rng, centers = np.random.default_rng(4), some_centers()
    problem, numbers = two_domains(rng, centers, np.array([[10, 10, 10], [10, 12, 1]]))
    first_two = make_problem(
        LR(),
        np.vstack([problem.domains[0].matrix[:20], problem.domains[1].matrix[:22]]),
        np.repeat([0, 1, 0, 1], [10, 10, 10, 12]),
        np.repeat([1, -1], [20, 22]),
    )
    assert class_mean_cosine(problem, numbers) == pytest.approx(class_mean_cosine(first_two, numbers[:22]))
    assert class_mean_cosine(problem, np.zeros(23, dtype=int)) is None


def test_documents_without_words_part_no_graph() -> None:
    rng = np.random.default_rng(0)
    X, numbers = rng.random((40, 6)), np.arange(40) % 2
    with_empty = np.vstack([X, np.zeros((5, 6))])
    cut = normalized_cut(sp.csr_array(X), numbers, 2)
    assert cut is not None
    assert normalized_cut(sp.csr_array(with_empty), np.r_[numbers, [1] * 5], 2) == pytest.approx(cut)
    assert normalized_cut(sp.csr_array(with_empty), np.r_[numbers, [2] * 5], 3) == pytest.approx(cut / 2 + 0.5)
