"""Which of the source's classes the target has."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from conftest import Toy, make_toy
from isthmus.auto import candidates, class_sets
from isthmus.auto.class_sets import (
    concord,
    kinship,
    missing_classes,
    presence,
    reciprocity,
    relative_shares,
    shares_around,
    support,
)
from isthmus.auto.label_shift import LookedAt, looked_at
from isthmus.auto.run import Clock, Run
from isthmus.core.problem import Problem, make_problem
from isthmus.core.workspace import Workspace
from isthmus.methods import LR
from isthmus.typing import Array

WIDE = {"n_classes": 4, "n_documents": 600}


def without(toy: Toy, name: str, in_target: bool) -> Toy:
    kept = (toy.in_target != in_target) | (toy.y != name)
    return Toy(toy.X[kept], toy.y[kept], toy.domain[kept])


def problem_of(toy: Toy) -> Problem:
    return make_problem(LR(), toy.X, toy.y, toy.domain, "target")


def answers_to(problem: Problem) -> dict[str, Array]:
    run = Run(problem, Workspace(), "auto", Clock(None), random_state=0)
    run.start()
    return run.answers


@pytest.fixture(scope="module")
def four() -> Toy:
    return make_toy(seed=4, **WIDE)


@pytest.fixture(scope="module")
def random_answers() -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.dirichlet(np.ones(3), size=50) for _ in range(3)]


def test_concord_is_the_mean_correlation_of_pairs(random_answers: list[Array]) -> None:
    one, two, three = random_answers
    expected = [
        np.mean([np.corrcoef(a[:, k], b[:, k])[0, 1] for a, b in ((one, two), (one, three), (two, three))])
        for k in range(3)
    ]
    assert concord(random_answers) == pytest.approx(np.clip(expected, 0, 1))
    assert concord([one, one]) == pytest.approx(np.ones(3))
    flat = np.full_like(one, 1 / 3)
    assert concord([one, flat]) == pytest.approx(np.zeros(3))


def all_of(problem: Problem) -> LookedAt:
    return LookedAt(np.arange(len(problem.labeled[1])), np.arange(problem.unlabeled.shape[0]))


def test_support_is_what_the_nearest_labelled_documents_say(toy_of_three: Toy) -> None:
    problem = problem_of(toy_of_three)
    X, known = problem.labeled
    probabilities = np.random.default_rng(0).dirichlet(np.ones(3), size=problem.unlabeled.shape[0])
    order = np.argsort(-cosine_similarity(problem.unlabeled, X), axis=1)[:, : class_sets.N_NEIGHBORS]
    shares = np.array([0.5, 0.2, 0.1])
    for number, found in enumerate(support(shares_around(problem, all_of(problem)), probabilities, shares)):
        n = int(class_sets.SUREST * shares[number] * len(probabilities))
        surest = np.argsort(-probabilities[:, number])[:n]
        assert found == pytest.approx(np.mean(known[order[surest]] == number), abs=0.02)  # but for ties


def test_kinship_is_how_much_a_classs_own_documents_look_like_one_another(toy_of_three: Toy) -> None:
    labels = np.random.default_rng(0).permutation(toy_of_three.y)  # which have nothing to do with the documents
    problem = problem_of(Toy(toy_of_three.X, labels, toy_of_three.domain))
    X, known = problem.labeled
    cosines = cosine_similarity(X)
    np.fill_diagonal(cosines, -1)
    order = np.argsort(-cosines, axis=1)[:, : class_sets.N_NEIGHBORS]
    for number, found in enumerate(kinship(problem, all_of(problem))):
        assert found == pytest.approx(np.mean(known[order[known == number]] == number), abs=0.02)  # but for ties


def test_reciprocity_is_what_the_source_finds_in_the_target(toy_of_three: Toy) -> None:
    problem = problem_of(toy_of_three)
    X, known = problem.labeled
    labels = np.random.default_rng(0).choice(3, p=[0.6, 0.3, 0.1], size=problem.unlabeled.shape[0])
    labels[: len(labels) // 2] = 0
    order = np.argsort(-cosine_similarity(X, problem.unlabeled), axis=1)[:, : class_sets.N_NEIGHBORS]
    at_random = reciprocity(problem, all_of(problem), labels)
    for number, found in enumerate(at_random):
        more = np.mean(labels[order[known == number]] == number) - np.mean(labels[order] == number)
        assert found == pytest.approx(np.clip(2 * more, 0, 1), abs=0.02)  # but for ties
    truth = np.searchsorted(problem.classes, toy_of_three.y[toy_of_three.in_target])
    assert (reciprocity(problem, all_of(problem), truth) > at_random + 0.2).all()


def test_presence_is_the_weighted_geometric_mean_of_five_traces(four: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Support counts for as many documents as the source's prior has, and for those that were given, if fewer; beside
    the class's kinship, which is never less than a twentieth."""
    problem, asked = problem_of(four), list[Array]()
    answers = [np.tile([0.7, 0.1, 0.1, 0.1], (problem.unlabeled.shape[0], 1))]
    for name, trace in (("concord", 0.5), ("reciprocity", 0.9), ("relative_shares", 0.0)):
        monkeypatch.setattr(class_sets, name, lambda *_, trace=trace: np.full(4, trace))

    def supported(near: Array, probabilities: Array, expected: Array) -> Array:
        asked.append(expected)
        return np.full(4, 0.4)

    monkeypatch.setattr(class_sets, "support", supported)
    monkeypatch.setattr(class_sets, "kinship", lambda *_: np.array([1.0, 0.8, 0.5, 0.0]))
    found = presence(problem, all_of(problem), answers, answers)
    supports = 0.4 / np.array([1.0, 0.8, 0.5, 0.05])
    product = class_sets.LEAST_TRACE**0.25 * 0.5**0.5 * supports * supports * 0.9
    assert found == pytest.approx(product ** (1 / 3.75))
    assert asked[0] == pytest.approx(problem.class_prior)
    assert asked[1] == pytest.approx(problem.class_prior * [1, 0, 0, 0])


def test_shares_are_beside_those_of_the_source(toy_of_three: Toy) -> None:
    problem = problem_of(toy_of_three)
    given = np.eye(3)[np.repeat([0, 1], [30, 70])]
    expected = np.minimum([0.3, 0.7, 0] / problem.class_prior, 1)
    assert relative_shares(problem, [given] * 3) == pytest.approx(expected)


@pytest.mark.parametrize("gone", ["class 0", "class 2"])
def test_a_class_that_the_target_lacks_is_named(four: Toy, gone: str) -> None:
    problem = problem_of(without(four, gone, in_target=True))
    assert missing_classes(problem, looked_at(problem), answers_to(problem)) == [gone]


@pytest.mark.parametrize("rare", ["class 0", "class 2"])
def test_a_class_that_has_become_rare_is_not_missing(four: Toy, rare: str) -> None:
    kept = ~four.in_target | (four.y != rare)
    kept[np.flatnonzero(~kept)[::8]] = True
    problem = problem_of(Toy(four.X[kept], four.y[kept], four.domain[kept]))
    assert missing_classes(problem, looked_at(problem), answers_to(problem)) == []


def test_a_class_that_somebody_saw_in_the_target_is_not_missing(four: Toy) -> None:
    toy = without(four, "class 2", in_target=True)
    answers = answers_to(problem_of(toy))
    labeled = toy.domain != "target"
    seen = int(np.flatnonzero(~labeled)[0])
    labeled[seen] = True
    y = np.asarray(toy.y).copy()
    for label, gone in (("class 2", []), ("class 1", ["class 2"])):
        y[seen] = label
        problem = make_problem(LR(), toy.X, y, toy.domain, "target", labeled)
        left = {name: probabilities[1:] for name, probabilities in answers.items()}
        assert missing_classes(problem, looked_at(problem), left) == gone


def test_no_class_is_accused_that_is_there(four: Toy) -> None:
    problem = problem_of(four)
    answers = answers_to(problem)
    assert missing_classes(problem, looked_at(problem), answers) == []
    alone = {candidates.SOURCE_ONLY: answers[candidates.SOURCE_ONLY]}
    assert missing_classes(problem, looked_at(problem), alone) == []


@pytest.mark.parametrize(
    ("sizes", "traces", "gone"),
    [
        ((300, 300), 0.42, True),
        ((150, 300), 0.42, False),
        ((300, 150), 0.42, False),
        ((120, 300), 0.35, True),
        ((119, 300), 0.35, False),
    ],
)
def test_a_class_of_few_documents_has_to_leave_fewer_traces(
    sizes: tuple[int, int], traces: float, gone: bool, four: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quarter of 300 has fewer than .55 - 1 / sqrt(75) = .435, one of 150 fewer than .387; of 29 nothing."""
    monkeypatch.setattr(class_sets, "presence", lambda *_: np.array([0.9, 0.9, traces, 0.9]))
    problem, answers = problem_of(four), dict.fromkeys(candidates.UNLIKE, np.full((300, 4), 0.25))
    found = missing_classes(problem, LookedAt(*map(np.arange, sizes)), answers)
    assert found == (["class 2"] if gone else [])


def test_two_classes_and_embeddings_have_no_missing_class(toy: Toy, four: Toy) -> None:
    two = problem_of(toy)
    one_sided = {name: np.tile([1.0, 0.0], (two.unlabeled.shape[0], 1)) for name in candidates.UNLIKE}
    assert missing_classes(two, looked_at(two), one_sided) == []
    dense = make_problem(LR(), four.X.toarray() - 0.01, four.y, four.domain, "target")
    assert missing_classes(dense, looked_at(dense), {}) == []
