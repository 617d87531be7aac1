"""Where the factors start."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import NMF
from sklearn.linear_model import LogisticRegression

from isthmus.engine.constraints import NonNegative
from isthmus.engine.documents import MatrixDocuments
from isthmus.engine.factors import Factors
from isthmus.engine.solver import Factorization, update
from isthmus.engine.terms import Fit, Strand
from isthmus.problem import Problem, stack
from isthmus.typing import Array, Matrix, Positions


def random_start(rng: np.random.RandomState, shape: tuple[int, int], dtype: np.dtype[np.floating]) -> Array:
    """Positive numbers; columns sum to one."""
    factor = rng.uniform(size=shape).astype(dtype)
    return np.asarray(factor / factor.sum(axis=0))


def mean_square(X: Matrix) -> float:
    """The mean squared length of a row. One, where rows have unit length."""
    return MatrixDocuments(X).squared_norm / max(X.shape[0], 1)


def mean_squared_length(problem: Problem) -> float:
    """The same of all domains together."""
    squares = sum(MatrixDocuments(domain.matrix).squared_norm for domain in problem.domains)
    return squares / sum(len(domain.rows) for domain in problem.domains)


def logistic_regression(problem: Problem, C: float) -> LogisticRegression:
    """A classifier of the labelled documents, its classes numbered as in the problem."""
    return fit_logistic(*problem.labeled_documents(), C)


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
    model = LogisticRegression(C=C * scale**2, tol=tol, max_iter=1000)
    if start is not None:
        model.set_params(tol=1e-4, warm_start=True)
        model.coef_, model.intercept_ = start.coef_ * scale, start.intercept_.copy()
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
    classifier = logistic_regression(problem, C / mean_squared_length(problem))
    starts = []
    for domain in problem.domains:
        start = np.array(domain.labels)
        if not domain.fully_labeled:
            start[~domain.labeled] = classifier.predict_proba(domain.matrix[~domain.labeled])
        starts.append(start)
    return starts


def plain_nmf(problem: Problem, n_topics: int, random_state: Any, steps: int = 50) -> tuple[Array, list[Array]]:
    """U and each domain's V of a factorization of all rows at once.

    Multiplicative, so that it leaves no zero, which later updates could not move. scikit-learn finds the first point
    and makes the first step; the engine's steps are the same, and faster.
    """
    nmf = NMF(n_topics, solver="mu", max_iter=1, tol=0, random_state=random_state)
    rows = nmf.fit_transform(stack([domain.matrix for domain in problem.domains]))
    ends = np.cumsum([len(domain.rows) for domain in problem.domains])
    names = [f"V{number}" for number in range(len(problem.domains))]
    factors = Factors({**dict(zip(names, np.split(rows, ends[:-1]), strict=True)), "U": nmf.components_.T})
    terms = [
        Fit(MatrixDocuments(domain.matrix), name, (Strand("U"),))
        for name, domain in zip(names, problem.domains, strict=True)
    ]
    order = [*names, "U"]
    model = Factorization(factors, terms, dict.fromkeys(order, NonNegative()), order)
    for _ in range(steps - 1):
        for name in order:
            update(model, name)
    return factors["U"], [factors[name] for name in names]
