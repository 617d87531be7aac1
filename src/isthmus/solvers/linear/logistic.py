"""Logistic regression of class numbers."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_sample_weight

from isthmus.core.numerics import mean_square
from isthmus.core.problem import Problem
from isthmus.typing import Array, Matrix, Positions


def logistic_regression(problem: Problem, C: float, balanced: bool = False) -> LogisticRegression:
    """A classifier of the labelled documents, its classes numbered as in the problem; of equal weight if balanced."""
    X, numbers = problem.labeled
    return fit_logistic(X, numbers, C, compute_sample_weight("balanced", numbers) if balanced else None)


def fit_logistic(
    X: Matrix,
    numbers: Positions,
    C: float,
    weights: Array | None = None,
    start: LogisticRegression | None = None,
    tol: float = 1e-5,
) -> LogisticRegression:
    """Logistic regression of class numbers.

    Looser tolerances than the default cost accuracy in the target domain. From a `start` that is near, a looser one
    suffices. Both are about gradients, which are as large as X: where its rows are far from unit length, so brought.
    """
    square = mean_square(X)
    scale = 1.0 if 0.1 < square < 10 or not square else square**0.5
    model = LogisticRegression(C=C * scale**2, solver="newton-cg", tol=tol, max_iter=1000)
    if start is not None:
        model.set_params(tol=1e-4, warm_start=True)
        model.coef_, model.intercept_ = start.coef_ * scale, start.intercept_.copy()
    with np.errstate(over="ignore", invalid="ignore"):  # a step too far has an infinite loss, and is taken back
        model.fit(X if scale == 1 else X / X.dtype.type(scale), numbers, weights)
    model.coef_ /= scale
    return model.set_params(C=C)


def log_odds(classifier: LogisticRegression, X: Matrix) -> Array:
    """Documents x classes: the values whose softmax are the classifier's probabilities."""
    if not X.shape[0]:
        return np.zeros((0, len(classifier.classes_)))
    values = np.asarray(classifier.decision_function(X), dtype=np.float64)
    return np.column_stack([-values / 2, values / 2]) if values.ndim == 1 else values


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
            start[~domain.labeled] = classifier.predict_proba(domain.matrix[~domain.labeled])
        starts.append(start)
    return starts
