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
    mutual_pairs,
    neighbors_across,
    presence,
    reciprocity,
    support,
)
from isthmus.auto.label_shift import LookedAt, looked_at
from isthmus.auto.run import Clock, Run
from isthmus.core.problem import Problem, make_problem
from isthmus.core.workspace import Workspace
from isthmus.methods import LR
from isthmus.typing import Array, Positions

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


def nearest_across(problem: Problem) -> tuple[Positions, Positions]:
    """Of each target document the nearest labeled ones, and the other way round."""
    cosines = cosine_similarity(problem.unlabeled, problem.labeled[0])
    first = class_sets.N_NEIGHBORS
    return np.argsort(-cosines, axis=1)[:, :first], np.argsort(-cosines.T, axis=1)[:, :first]


def random_pseudo_labels(problem: Problem) -> Array:
    labels = np.random.default_rng(0).choice(3, p=[0.6, 0.3, 0.1], size=problem.unlabeled.shape[0])
    labels[: len(labels) // 2] = 0
    return np.eye(3)[labels]


def test_support_is_what_the_nearest_labeled_documents_say(toy_of_three: Toy) -> None:
    """Of as many documents as the prior has, or of those that were given the class, if they are fewer."""
    problem = problem_of(toy_of_three)
    (_, known), across = problem.labeled, neighbors_across(problem, all_of(problem))
    probabilities = np.random.default_rng(0).dirichlet(np.ones(3), size=problem.unlabeled.shape[0])
    given = np.bincount(probabilities.argmax(axis=1), minlength=3) / len(probabilities)
    prior, order = np.array([0.5, 0.2, 0.1]), nearest_across(problem)[0]
    assert given[0] < prior[0]
    for number, found in enumerate(support(across, probabilities, prior)):
        n = int(class_sets.SUREST * min(prior[number], given[number]) * len(probabilities))
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
    (_, known), across = problem.labeled, neighbors_across(problem, all_of(problem))
    order, given = nearest_across(problem)[1], random_pseudo_labels(problem)
    labels, at_random = given.argmax(axis=1), reciprocity(across, given)
    for number, found in enumerate(at_random):
        more = np.mean(labels[order[known == number]] == number) - np.mean(labels[order] == number)
        assert found == pytest.approx(np.clip(2 * more, 0, 1), abs=0.02)  # but for ties
    truth = np.eye(3)[np.searchsorted(problem.classes, toy_of_three.y[toy_of_three.in_target])]
    assert (reciprocity(across, truth) > at_random + 0.2).all()


def test_mutual_pairs_are_nearest_to_one_another_and_of_one_class(toy_of_three: Toy) -> None:
    problem = problem_of(toy_of_three)
    known, given = problem.labeled[1], random_pseudo_labels(problem)
    here, there = nearest_across(problem)
    found = mutual_pairs(neighbors_across(problem, all_of(problem)), given)
    for number in range(3):
        pairs = [
            (row, other)
            for row in np.flatnonzero(known == number)
            for other in there[row]
            if row in here[other] and given[other, number]
        ]
        assert found[number] == pytest.approx(len(pairs) / np.sum(known == number), abs=0.03)  # but for ties


def test_presence_is_the_geometric_mean_of_four_traces(four: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Support is beside the class's kinship, which is never less than a twentieth."""
    problem = problem_of(four)
    answers = [np.tile([0.7, 0.1, 0.1, 0.1], (problem.unlabeled.shape[0], 1))]
    for name, trace in (("concord", 0.5), ("reciprocity", 0.9), ("mutual_pairs", 0.0), ("support", 0.4)):
        monkeypatch.setattr(class_sets, name, lambda *_, trace=trace: np.full(4, trace))
    monkeypatch.setattr(class_sets, "kinship", lambda *_: np.array([1.0, 0.8, 0.5, 0.0]))
    supports = 0.4 / np.array([1.0, 0.8, 0.5, 0.05])
    product = 0.5 * supports * 0.9 * class_sets.LEAST_TRACE
    assert presence(problem, all_of(problem), answers) == pytest.approx(product**0.25)


@pytest.mark.parametrize("gone", ["class 0", "class 2"])
def test_a_class_that_the_target_lacks_is_named(four: Toy, gone: str) -> None:
    problem = problem_of(without(four, gone, in_target=True))
    assert missing_classes(problem, looked_at(problem), answers_to(problem)) == [gone]
    assert missing_classes(problem, looked_at(problem), answers_to(problem), 0.7) == [gone]
    assert missing_classes(problem, looked_at(problem), answers_to(problem), 0.69) == []  # nothing leads back


@pytest.mark.parametrize("rare", ["class 0", "class 2"])
def test_a_class_that_has_become_rare_is_not_missing(four: Toy, rare: str) -> None:
    kept = ~four.in_target | (four.y != rare)
    kept[np.flatnonzero(~kept)[::4]] = True
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
    [((300, 300), 0.51, True), ((300, 300), 0.52, False), ((120, 300), 0.51, True), ((300, 119), 0.51, False)],
)
def test_a_missing_class_leaves_fewer_traces_than_others(
    sizes: tuple[int, int], traces: float, gone: bool, four: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Than .57 of .9, the median. Of fewer than thirty documents, a quarter of 119, nothing is said."""
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


def test_classes_that_all_leave_few_traces_are_not_missing(four: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_sets, "presence", lambda *_: np.full(4, 0.3))
    problem, answers = problem_of(four), dict.fromkeys(candidates.UNLIKE, np.full((300, 4), 0.25))
    assert missing_classes(problem, LookedAt(np.arange(300), np.arange(300)), answers) == []
