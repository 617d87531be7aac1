"""Logistic regression of class numbers."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.class_weight import compute_sample_weight

from isthmus.core.parts import by_parts
from isthmus.core.problem import Problem
from isthmus.solvers.linear.newton import Logistic, fit_newton
from isthmus.solvers.linear.side_by_side import SideBySide
from isthmus.typing import Array, Matrix, Positions

TOL = 1e-5
"""Of a fit from scratch: looser tolerances cost accuracy in the target domain."""
TOL_NEAR = 1e-4
"""Of a fit that starts from one of almost the same labels, where this costs nothing."""


def logistic_regression(problem: Problem, C: float, balanced: bool = False) -> LogisticRegression:
    """A classifier of the labeled documents, its classes numbered as in the problem; of equal weight if balanced."""
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
    """Logistic regression of class numbers, two or more; as scikit-learn's, which it is returned as."""
    classes, at = np.unique(numbers, return_inverse=True)
    fits = RepeatedLogistic(X, C, len(classes), start)
    fits.fit(at, np.ones(len(at)) if weights is None else weights, tol)
    return fits.classifier(classes)


def cross_validated_accuracy(X: Matrix, numbers: Positions, C: float, n_folds: int) -> float:
    """The share of documents whose class number a classifier of the other folds repeats."""
    right = 0
    for learned, asked in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(numbers, numbers):
        classifier = fit_logistic(X[learned], numbers[learned], C)
        right += np.sum(classifier.classes_[log_odds(classifier, X[asked]).argmax(axis=1)] == numbers[asked])
    return float(right / len(numbers))


def log_odds(classifier: LogisticRegression, X: Matrix | SideBySide) -> Array:
    """Documents x classes: the values whose softmax are the classifier's probabilities."""
    if not X.shape[0]:
        return np.zeros((0, len(classifier.classes_)))
    return as_log_odds(X @ classifier.coef_.T + classifier.intercept_)


def first_labels(problem: Problem, C: float) -> list[Array]:
    """For each domain, documents x classes: known labels, and what logistic regression expects of the others.

    C is relative to the mean squared length of a document, so that the scale of X does not matter.
    """
    if all(domain.fully_labeled for domain in problem.domains):
        return [domain.labels for domain in problem.domains]
    classifier = logistic_regression(problem, C / problem.mean_squared_length)
    starts = []
    for domain in problem.domains:
        if domain.labeled.any():
            start = np.array(domain.labels)
            if not domain.fully_labeled:
                start[~domain.labeled] = by_parts(classifier.predict_proba, domain.unlabeled)
        else:
            start = by_parts(classifier.predict_proba, domain.matrix, domain.labels.dtype)
        starts.append(start)
    return starts


class RepeatedLogistic:
    """Each fit starts where the one before ended, and the log-odds of all documents are known after it.

    Documents of weight zero are not learned from, and have log-odds all the same.

    Parameters
    ----------
    X : sparse or dense matrix, or SideBySide
    C : float
        Inverse regularization.
    n_classes : int
        Two or more.
    start : LogisticRegression, optional
        Of as many classes, to start from.
    """

    def __init__(
        self, X: Matrix | SideBySide, C: float, n_classes: int, start: LogisticRegression | None = None
    ) -> None:
        self._loss, self._C, self._n_classes, self._is_near = Logistic.of(X), C, n_classes, start is not None
        self._coefficients: Array = np.zeros((self._loss.n_features + 1, n_classes if n_classes > 2 else 1))
        if start is not None:
            self._coefficients[:-1], self._coefficients[-1] = start.coef_.T * self._loss.scale, start.intercept_
        self._values = self._loss.values(self._coefficients)
        self._tol, self._n_steps = TOL, 0

    def fit(self, numbers: Positions, weights: Array, tol: float | None = None) -> None:
        """Learn these classes of all documents, which weigh so much."""
        targets = np.eye(self._n_classes)[numbers] if self._n_classes > 2 else numbers[:, None].astype(float)
        self._tol = tol or (TOL_NEAR if self._is_near else TOL)
        loss = self._loss.with_classes(targets, weights * (self._C * self._loss.scale**2))
        with np.errstate(over="ignore", invalid="ignore"):  # a step too far has an infinite loss, and is taken back
            found = fit_newton(loss, self._coefficients, self._tol, self._values)
        self._coefficients, self._values, self._n_steps = found
        self._is_near = True

    @property
    def log_odds(self) -> Array:
        """Documents x classes: the values whose softmax are the probabilities."""
        return as_log_odds(self._values)

    def classifier(self, classes: Positions) -> LogisticRegression:
        """The last fit, as scikit-learn's, with these names of the classes."""
        model = LogisticRegression(C=self._C, solver="newton-cg", tol=self._tol)
        model.classes_, model.n_features_in_ = classes, self._loss.n_features
        model.n_iter_ = np.array([self._n_steps], dtype=np.int32)
        model.coef_ = np.ascontiguousarray(self._coefficients[:-1].T / self._loss.scale)
        model.intercept_ = self._coefficients[-1].copy()
        return model


def as_log_odds(values: Array) -> Array:
    """A column for each class, in double precision; two classes may have come as a single one."""
    values = np.asarray(values, dtype=np.float64)
    return np.column_stack([-values / 2, values / 2]) if values.shape[1] == 1 else values
