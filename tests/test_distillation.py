"""What an ensemble says, learned by a classifier of one half of the target and told of the other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from conftest import Toy, quiet
from isthmus.auto import Diagnostics
from isthmus.auto.candidates import DISTILLED
from isthmus.auto.distillation import C, can_distill, distill


def documents(n: int, n_classes: int, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """Of classes that have words of their own."""
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % n_classes
    rates = 0.2 + 1.5 * np.kron(np.eye(n_classes), np.ones(10))[classes]
    X = rng.poisson(rates).astype(float)
    return sp.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)), classes


@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_half_is_told_by_a_classifier_of_the_other(n_classes: int) -> None:
    X, labels = documents(60, n_classes)
    labels = labels.copy()
    labels[:10] = 0
    solution, answers = distill(X, labels, n_classes)
    values = []
    for learned, asked in StratifiedKFold(2, shuffle=True, random_state=0).split(labels, labels):
        own = LogisticRegression(C=C, tol=1e-8, max_iter=1000).fit(X[learned], labels[learned])
        assert answers[asked] == pytest.approx(own.predict_proba(X[asked]), abs=2e-3)
        values.append(own.decision_function(X))
    mean = np.mean(values, axis=0)
    mean = np.stack([-mean / 2, mean / 2], axis=1) if n_classes == 2 else mean
    assert solution.assign(X, None) == pytest.approx(softmax(mean, axis=1), abs=2e-3)


def test_mistakes_that_words_do_not_tell_are_not_repeated() -> None:
    X, truth = documents(600, 3)
    wrong = np.random.default_rng(1).uniform(size=600) < 0.2
    labels = np.where(wrong, (truth + 1) % 3, truth)
    _, answers = distill(X, labels, 3)
    assert np.mean(answers.argmax(axis=1) == truth) > 0.9 > np.mean(labels == truth)


@pytest.mark.parametrize(("labels", "can"), [([0, 0, 1, 1], True), ([0, 0, 0, 1], False), ([0, 0, 0, 0], False)])
def test_both_halves_need_every_class(labels: list[int], can: bool) -> None:
    assert can_distill(np.array(labels), 2) == can


def test_a_member_that_cannot_answer_again_is_none(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a sample decides others learn, and there a class may have too few documents."""
    monkeypatch.setattr(Diagnostics, "topic_score", 1.0)
    monkeypatch.setattr("isthmus.auto.sample.AT_MOST", 60)
    whole = quiet(toy)
    assert whole.chosen_[-1] == DISTILLED
    answers = iter([True, False])
    monkeypatch.setattr("isthmus.auto.run.can_distill", lambda *_: next(answers))
    fewer = quiet(toy)
    assert fewer.chosen_ == whole.chosen_[:-1]
    (row,) = [row for row in fewer.leaderboard_.rows if row["name"] == DISTILLED]
    assert row["why"] == "a class has too few documents"
    assert np.isfinite(fewer.label_distributions_).all()
