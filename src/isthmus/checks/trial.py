"""A method on trial, and the sentences that say how it failed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from isthmus.checks.corpus import Toy, two_domains
from isthmus.core.estimator import TransferClassifier
from isthmus.typing import Mask, Positions

KNOWN_LABEL = "class 1"
"""What the ten known target rows are said to be."""

LARGER = two_domains(seed=3, n_documents=160)
"""Enough documents for libraries to use several threads."""


class Trial:
    """An estimator, a corpus, and the fits that several checks share. The estimator itself is never fitted."""

    def __init__(self, estimator: TransferClassifier) -> None:
        self.estimator = estimator
        self.toy = two_domains(n_documents=60)

    def new(self) -> TransferClassifier:
        """Another of the kind, not fitted, with a seed."""
        estimator: TransferClassifier = clone(self.estimator)
        if estimator.get_params().get("random_state", 0) is None:
            estimator.set_params(random_state=0)
        return estimator

    def fit(self, toy: Toy | None = None, **changes: Any) -> TransferClassifier:
        """A new one, fitted to the corpus or to another, with other arguments where `changes` has them."""
        return (toy or self.toy).fit(self.new(), **changes)

    @cached_property
    def given(self) -> Toy:
        """The same corpus in memory of its own, to be seen whether `plain` changes it."""
        return two_domains(n_documents=60)

    @cached_property
    def plain(self) -> TransferClassifier:
        return self.fit(self.given)

    @cached_property
    def given_dense(self) -> np.ndarray[Any, Any]:
        return np.asarray(self.toy.X.toarray())

    @cached_property
    def dense(self) -> TransferClassifier:
        return self.fit(X=self.given_dense)

    @cached_property
    def in_one_thread(self) -> TransferClassifier:
        """A fit to the larger corpus, whatever the number of threads that libraries are allowed elsewhere."""
        with threadpool_limits(limits=1):
            return self.fit(LARGER)

    @cached_property
    def known_rows(self) -> tuple[Positions, Mask]:
        """Ten target rows, and the mask of a fit that may read their labels."""
        rows = np.flatnonzero(self.toy.in_target)[:10]
        labeled = ~self.toy.in_target
        labeled[rows] = True
        return rows, labeled

    @cached_property
    def few_labels(self) -> TransferClassifier:
        """A fit that is told one label for ten target rows, some of which are of another class."""
        rows, labeled = self.known_rows
        y = self.toy.y.copy()
        y[rows] = KNOWN_LABEL
        return self.fit(y=y, sample_labeled=labeled)


def expect(condition: Any, expected: str, found: Any) -> None:
    """Fail with a sentence unless the condition holds."""
    if not condition:
        raise AssertionError(f"expected {expected}, found {found}")


def expect_same_bits(found: Any, expected: Any, what: str) -> None:
    """Two arrays of floats, bit for bit."""
    same = found.dtype == expected.dtype and found.shape == expected.shape and found.tobytes() == expected.tobytes()
    expect(same, f"the same bits in {what}", _difference(found, expected))


def expect_close(found: Any, expected: Any, tolerance: float, what: str) -> None:
    """Two arrays of floats, within a tolerance that is absolute."""
    close = found.shape == expected.shape and np.allclose(found, expected, rtol=0, atol=tolerance)
    expect(close, f"{what} within {tolerance:g}", _difference(found, expected))


def expect_same_fit(found: TransferClassifier, expected: TransferClassifier, X: Any, when: str) -> None:
    """Two fitted estimators that say the same of the documents they saw and of new ones, bit for bit."""
    expect_same_bits(found.label_distributions_, expected.label_distributions_, f"label_distributions_ {when}")
    expect_same_bits(found.predict_proba(X), expected.predict_proba(X), f"predict_proba {when}")


def expect_probabilities(found: Any, shape: tuple[int, int], what: str) -> None:
    """Rows that are distributions over the classes."""
    expect(found.shape == shape, f"{what} of shape {shape}", found.shape)
    expect(np.isfinite(found).all(), f"finite numbers in {what}", "NaN or infinity")
    expect(found.min() >= 0, f"no negative number in {what}", f"{found.min():g}")
    sums = found.sum(axis=1)
    worst = sums[np.abs(sums - 1).argmax()]
    expect(abs(worst - 1) < 1e-5, f"rows of {what} that sum to one", f"a sum of {worst:g}")


def _difference(found: Any, expected: Any) -> str:
    if found.shape != expected.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    if found.dtype != expected.dtype:
        return f"{found.dtype} instead of {expected.dtype}"
    return f"a difference of up to {np.abs(found - expected).max():.3g}"
