"""Incremental learning: documents that came later change a fitted model, without those of the fit.

Adaptation as in Chelba and Acero, "Adaptation of maximum entropy capitalizer: little data can help a lot" (2004): the
model that there is stands as the prior of the new one. Here it may be any model: a linear correction is added to its
log-odds, and kept as small as logistic regression keeps its weights at C = 1. Known labels are learned from, and of all
other documents the pseudo-labels, by how sure they are. The cost is that of a logistic regression on the new documents
alone.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.auto.averaging import centered_log_odds
from isthmus.auto.ensemble import EnsembleSolution, FirstColumnsSolution
from isthmus.auto.estimate import sharpness_for, tempered, updated
from isthmus.core.estimator import ONE_BLAS_THREAD, TransferClassifier
from isthmus.core.problem import has_words
from isthmus.core.solution import Solution, published
from isthmus.solvers.linear.logistic import TOL
from isthmus.solvers.linear.newton import Logistic, fit_newton
from isthmus.typing import Array, Matrix, Positions

LEAST = 1e-3
"""Of a probability: no model is so sure that known labels could not change its mind."""
WORTH = 50
"""What a model says of its own accuracy counts as much as so many documents with a label."""


@dataclass(frozen=True, eq=False)
class UpdatedSolution(Solution):
    """A solution, and what was learned after it."""

    _base: Solution
    _coefficients: Array
    """Words x classes, added to the log-odds of the base."""
    _sharpness: float
    """What those are multiplied with."""

    @property
    def shown(self) -> Solution:
        return self._base.shown

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return tempered(self.log_odds(X, domain), 1.0)

    def log_odds(self, X: Matrix, domain: int | None = None) -> Array:
        """Of each class, but for a constant of each document."""
        known = np.maximum(self._base.assign(X, domain), LEAST)
        return np.asarray(self._sharpness * centered_log_odds(known) + X @ self._coefficients)

    def widened(self, n_features: int) -> UpdatedSolution:
        """The same for rows to which words were added at the right."""
        more = n_features - len(self._coefficients)
        if not more:
            return self
        base = self._base
        if not isinstance(base, FirstColumnsSolution):
            base = FirstColumnsSolution(len(self._coefficients), base, unit_length=True)
        return replace(self, _base=base, _coefficients=np.pad(self._coefficients, ((0, more), (0, 0))))

    def corrected(self, difference: Array, sharpness: float) -> UpdatedSolution:
        """With a correction more, and all of it sharper or flatter."""
        coefficients = sharpness * (self._coefficients + difference)
        return replace(self, _coefficients=coefficients, _sharpness=sharpness * self._sharpness)

    def expecting(self, claimed: Array, given: Positions, right: Any) -> UpdatedSolution:
        """With the estimated accuracy after a look at the documents that are given a label.

        What the model claims of all that arrived is what these are beside: the fit's own documents were others.
        """
        shown = self.shown
        if not isinstance(shown, EnsembleSolution):
            return self
        if shown.novel is None and not len(right):
            return self
        shown = replace(shown, novel=None)  # those were documents of the fit
        if len(right):
            n_classes = self._coefficients.shape[1]
            before = shown.estimated_accuracy.moved_to(float(claimed.mean()))
            after = updated(before, claimed[given], right, n_classes, None, claimed)
            shown = replace(shown, estimated_accuracy=after)
        base = self._base
        return replace(self, _base=replace(base, inner=shown) if isinstance(base, FirstColumnsSolution) else shown)


def update_estimator(estimator: TransferClassifier, X: Matrix, labels: Sequence[Any]) -> TransferClassifier:
    """The same estimator after it has learned from target rows that came later; the old one stays as it is.

    `labels` has None where nobody knows. X may have more columns than at the fit: words that were not known.
    """
    found = copy.copy(estimator)
    base, n_classes = found.solution_, len(found.classes_)
    if not isinstance(base, UpdatedSolution):
        base = UpdatedSolution(base, np.zeros((found.n_features_in_, n_classes)), 1.0)
    base = base.widened(X.shape[1])
    numbers = {label: number for number, label in enumerate(found.classes_.tolist())}
    known = np.array([label is not None for label in labels], dtype=bool)
    full = has_words(X)
    rows = sp.csr_array(X)[full]
    with ONE_BLAS_THREAD:
        before = base.log_odds(rows) if full.any() else np.zeros((0, n_classes))  # no classifier takes no rows
        claimed = tempered(before, 1.0)
        targets = np.eye(n_classes)[claimed.argmax(axis=1)]
        weights = (claimed.max(axis=1) - 1 / n_classes) / (1 - 1 / n_classes)
        given = np.flatnonzero(known[full])
        truth = np.array([numbers[label] for label, has in zip(labels, full, strict=True) if has and label is not None])
        targets[given], weights[given] = np.eye(n_classes)[truth.astype(int)], 1.0
        difference = _correction(before, rows, targets, weights)
        right, sure = claimed[given].argmax(axis=1) == truth, claimed.max(axis=1)
        # What nobody checked does not make the model surer of itself.
        mean = sure.mean() + np.sum(right - sure[given]) / (len(given) + WORTH) if len(sure) else 1.0
        sharpness = sharpness_for(before + rows @ difference, float(np.clip(mean, 1 / n_classes, 1)))
    solution = base.corrected(difference, sharpness).expecting(sure, given, right)
    found.n_features_in_ = X.shape[1]
    found.solution_ = solution
    for name, value in published(solution).items():
        setattr(found, name, value)
    return found


def _correction(log_odds: Array, rows: Matrix, targets: Array, weights: Array) -> Array:
    """The small linear change of the log-odds that makes the targets likeliest: words x classes."""
    found = np.zeros((rows.shape[1], targets.shape[1]))
    if rows.shape[0]:
        columns = np.unique(rows.indices)  # no other word can change
        problem = Logistic(rows[:, columns], 1.0, targets, weights, offset=log_odds, has_intercept=False)
        found[columns] = fit_newton(problem, np.zeros((len(columns) + 1, targets.shape[1])), TOL)[0][:-1]
    return found
