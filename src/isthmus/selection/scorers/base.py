"""What all scorers have in common: whose rows are whose, and the labels that may be read."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.metadata_routing import UNUSED

from isthmus.core.domains import find_domains, row_names
from isthmus.core.estimator import ONE_BLAS_THREAD, TransferClassifier
from isthmus.core.labels import visible_labels
from isthmus.core.problem import read_mask
from isthmus.typing import Array, DomainName, Mask, Matrix, Positions


@dataclass(frozen=True, eq=False)
class Holdout:
    """Documents to judge a model by. No label of a target row is in here."""

    X: Matrix
    """Of all domains, as the model reads them."""
    names: list[DomainName]
    """The domain of each row."""
    source: Positions
    """Rows whose labels may be read. Others of the source are documents without a label."""
    target: Positions
    truth: list[Any]
    """The labels of the rows in `source`."""

    def documents(self, rows: Positions) -> Matrix:
        return _safe_indexing(self.X, rows)

    def labels(self, model: Any, rows: Positions) -> np.ndarray[Any, Any]:
        return np.asarray(model.predict(self.documents(rows), **self._reading(model, rows)))

    def probabilities(self, model: Any, rows: Positions) -> Array:
        """Class probabilities."""
        if not hasattr(model, "predict_proba"):
            raise TypeError(
                f"{type(model).__name__} has no predict_proba, which this scorer needs: choose a scorer that compares "
                "labels alone, such as ReverseValidation."
            )
        return np.asarray(model.predict_proba(self.documents(rows), **self._reading(model, rows)), dtype=np.float64)

    def right(self, labels: np.ndarray[Any, Any]) -> Mask:
        """Which of these labels of the source rows are true."""
        return np.array([given == true for given, true in zip(labels.tolist(), self.truth, strict=True)])

    def carry(self, model: Any, given: Positions, labels: Any, wanted: Positions) -> np.ndarray[Any, Any]:
        """Labels of the rows `wanted` from a fresh copy of the model, which learns the `labels` of those `given`."""
        labels = np.asarray(labels)
        if len(set(labels.tolist())) == 1:  # nothing to tell apart
            return np.repeat(labels[:1], len(wanted))
        fresh = clone(model)
        prior = getattr(fresh, "target_prior", None)
        if isinstance(prior, dict):  # what the labels lack cannot have a share
            kept = {label: prior[label] for label in dict.fromkeys(labels.tolist()) if label in prior}
            whole, n_kept = sum(kept.values()), sum(share > 0 for share in kept.values())
            fresh.set_params(
                target_prior={label: share / whole for label, share in kept.items()} if n_kept > 1 else "unknown"
            )
        if not isinstance(fresh, TransferClassifier):
            return np.asarray(fresh.fit(self.documents(given), labels).predict(self.documents(wanted)))
        y = np.full(len(self.names), labels[0], dtype=labels.dtype)
        y[given] = labels
        labeled = np.zeros(len(self.names), dtype=bool)
        labeled[given] = True
        aims = list(dict.fromkeys(self.names[row] for row in wanted))
        fresh.fit(self.X, y, sample_domain=self.names, target_domain=aims, sample_labeled=labeled)
        return np.asarray(fresh.transduction_[wanted])

    def _reading(self, model: Any, rows: Positions) -> dict[str, Any]:
        """Rows of a source are read as if the target's: what is judged is how the model labels the target."""
        if len(getattr(model, "target_domains_", ())) < 2 or rows is not self.target:
            return {}
        return {"sample_domain": [self.names[row] for row in rows]}


class TransferScorer(BaseEstimator, metaclass=ABCMeta):
    """Base of all scorers without target labels: neither these nor hidden labels of the source reach one.

    Of a pipeline, the last step is judged, on what the steps before it make of X.

    Parameters
    ----------
    target_domain : name or list of names, optional
        The target(s). By default, those that the estimator was fitted to.
    """

    # Requested by default, as by the estimators.
    __metadata_request__score: ClassVar = {"sample_domain": True, "sample_labeled": True, "estimator": UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _needs_source: ClassVar[bool] = True

    def __init__(self, *, target_domain: Any = None) -> None:
        self.target_domain = target_domain

    def __call__(
        self, estimator: Any, X: Any, y: Any = None, *, sample_domain: Any = None, sample_labeled: Any = None
    ) -> float:
        """How well the estimator labels the target, as far as this can be told without labels there.

        Parameters
        ----------
        estimator : fitted classifier or pipeline
        X : documents of source and target, as for the estimator
            Those of the source should not have been there at `fit`.
        y : one entry per row
            Entries of target rows are never read, nor those of source rows that `sample_labeled` hides.
        sample_domain : one name per row
            The domain of each row. A pandas Series may hold names of more rows, if `y` is a Series, too: their indices
            tell which are meant. So ``functools.partial(scorer, sample_domain=series)`` serves for searches without
            metadata routing.
        sample_labeled : boolean mask, one entry per row, optional
            Which labels of the source may be read, as for `fit`; by default all. Rows that are hidden are never
            checked; where a scorer fits a method, they are there as documents without a label. What it says of target
            rows does not matter. May be a Series of more rows, as `sample_domain` may.
        """
        self._validate_params()
        (X,) = indexable(X)
        while isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator) > 1 else X
            estimator = estimator.steps[-1][1]
        names = self._names(sample_domain, X, y)
        holdout = self._hide(X, y, names, self._targets(estimator, names), sample_labeled)
        with ONE_BLAS_THREAD:
            return float(self._score(estimator, holdout))

    score = __call__  # scikit-learn asks what `score` wants before it calls a scorer

    @abstractmethod
    def _score(self, model: Any, holdout: Holdout) -> float:
        """Larger is better."""

    def _targets(self, model: Any, names: list[DomainName]) -> list[DomainName]:
        if self.target_domain is not None:
            return find_domains(self.target_domain, dict.fromkeys(names), "target_domain")
        targets = list(getattr(model, "target_domains_", ()))
        if not targets:
            raise ValueError(
                f"{type(model).__name__} was fitted without a target: name it, "
                f"{type(self).__name__}(target_domain=...)."
            )
        return targets

    def _names(self, sample_domain: Any, X: Matrix, y: Any) -> list[DomainName]:
        """One name per row of X."""
        if sample_domain is None:
            raise ValueError(
                f"sample_domain is missing: {type(self).__name__} must know whose rows are whose. In a search, switch "
                "on sklearn.set_config(enable_metadata_routing=True) and pass sample_domain= to fit; without it, use "
                "functools.partial(scorer, sample_domain=series) with pandas Series for y and the domains."
            )
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return row_names(_own_rows(sample_domain, y, n_rows), n_rows)

    def _hide(
        self, X: Matrix, y: Any, names: list[DomainName], targets: list[DomainName], sample_labeled: Any
    ) -> Holdout:
        in_target = np.array([name in targets for name in names], dtype=bool)
        labeled = read_mask(_own_rows(sample_labeled, y, len(names)), ~in_target) & ~in_target
        source, target = np.flatnonzero(~in_target), np.flatnonzero(in_target)
        for rows, kind in ((target, "target"), (source, "source")):
            if not len(rows) and (kind == "target" or self._needs_source):
                raise ValueError(
                    f"sample_domain names no row of a {kind}, and {type(self).__name__} needs some: in a search, pass "
                    "cv=isthmus.source_folds(..., target_in_test=True)."
                )
        if not self._needs_source:
            return Holdout(X, names, source, target, [])
        if y is None:
            raise ValueError(f"y is None: {type(self).__name__} needs the labels of the source rows.")
        return Holdout(X, names, np.flatnonzero(labeled), target, visible_labels(y, labeled).tolist())


def _own_rows(values: Any, y: Any, n_rows: int) -> Any:
    """Of a Series that holds entries for more rows than these, those that `y` has by its index."""
    if hasattr(values, "loc") and hasattr(y, "loc") and len(values) > n_rows:
        return values.loc[y.index]
    return values
