"""Logistic regression of class numbers."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.class_weight import compute_sample_weight

from isthmus.core.numerics import mean_square
from isthmus.core.parts import by_parts
from isthmus.core.problem import Problem
from isthmus.solvers.linear import newton
from isthmus.solvers.linear.side_by_side import SideBySide
from isthmus.typing import Array, Matrix, Positions

TOL = 1e-5
"""Looser tolerances cost accuracy in the target domain,"""
TOL_NEAR = 1e-4
"""but not in a fit that starts from one of almost the same labels."""


def logistic_regression(problem: Problem, C: float, balanced: bool = False) -> LogisticRegression:
    """A classifier of the labelled documents, its classes numbered as in the problem; of equal weight if balanced."""
    X, numbers = problem.labeled
    return fit_logistic(X, numbers, C, compute_sample_weight("balanced", numbers) if balanced else None)


def fit_logistic(
    X: Matrix | SideBySide,
    numbers: Positions,
    C: float,
    weights: Array | None = None,
    start: LogisticRegression | None = None,
    tol: float | None = None,
) -> LogisticRegression:
    """Logistic regression of class numbers, two or more; as scikit-learn's, which it is returned as.

    Tolerances are about gradients, which are as large as X: where its rows are far from unit length, so brought.
    """
    tol = tol or (TOL if start is None else TOL_NEAR)
    classes, at = np.unique(numbers, return_inverse=True)
    targets = np.eye(len(classes))[at] if len(classes) > 2 else at[:, None].astype(np.float64)
    square = sum(map(mean_square, (X.words, X.hidden) if isinstance(X, SideBySide) else (X,)))
    scale = 1.0 if 0.1 < square < 10 or not square else square**0.5
    weights = np.ones(len(at)) if weights is None else weights
    problem = newton.Logistic(X, scale, targets, weights * (C * scale**2))
    first = np.zeros((X.shape[1] + 1, targets.shape[1]))
    if start is not None:
        first[:-1], first[-1] = start.coef_.T * scale, start.intercept_
    with np.errstate(over="ignore", invalid="ignore"):  # a step too far has an infinite loss, and is taken back
        found, n_steps = newton.fit_newton(problem, first, tol)
    model = LogisticRegression(C=C, solver="newton-cg", tol=tol)
    model.classes_, model.n_features_in_, model.n_iter_ = classes, X.shape[1], np.array([n_steps], dtype=np.int32)
    model.coef_, model.intercept_ = np.ascontiguousarray(found[:-1].T / scale), found[-1].copy()
    return model


def cross_validated_accuracy(X: Matrix, numbers: Positions, C: float, n_folds: int, tol: float | None = None) -> float:
    """The share of documents whose class number a classifier of the other folds repeats."""
    right = 0
    for learned, asked in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(numbers, numbers):
        classifier = fit_logistic(X[learned], numbers[learned], C, tol=tol)
        right += np.sum(classifier.classes_[log_odds(classifier, X[asked]).argmax(axis=1)] == numbers[asked])
    return float(right / len(numbers))


def log_odds(classifier: LogisticRegression, X: Matrix | SideBySide) -> Array:
    """Documents x classes: the values whose softmax are the classifier's probabilities."""
    if not X.shape[0]:
        return np.zeros((0, len(classifier.classes_)))
    values = np.asarray(X @ classifier.coef_.T + classifier.intercept_, dtype=np.float64)
    return np.column_stack([-values / 2, values / 2]) if values.shape[1] == 1 else values


def first_labels(problem: Problem, C: float) -> list[Array]:
    """For each domain, documents x classes: known labels, and what logistic regression expects of the others.

    C is relative to the mean squared length of a document, so that the scale of X does not matter.
    """
    if all(domain.fully_labeled for domain in problem.domains):
        return [domain.labels for domain in problem.domains]
    classifier = logistic_regression(problem, C / problem.mean_squared_length)
    starts = []
    for domain in problem.domains:
        start = np.array(domain.labels)
        if not domain.fully_labeled:
            start[~domain.labeled] = by_parts(classifier.predict_proba, domain.unlabeled)
        starts.append(start)
    return starts
