"""Odd matrices, labels and domains: an estimator fits them, or says in a sentence why it does not."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import isthmus
from fuzz.isolation import OWN_WARNINGS, Case, FindingError
from isthmus.methods import METHODS

VALUES = [0.0, 5e-324, 1e-300, 1e-30, 1e-15, 1e-8, 1.0, 7.0, 1e8, 1e14, 1e100, 1e300, -1.0, np.nan, np.inf]
CONTAINERS = [
    *(np.asarray, sp.csr_array, sp.csr_matrix, sp.csc_matrix, sp.coo_array, np.asfortranarray),
    *(lambda X: X.astype(np.float32), lambda X: sp.csr_array(X.astype(np.float32))),
    *(lambda X: np.nan_to_num(X, posinf=9, neginf=0).clip(-9, 9).astype(int), lambda X: X.tolist()),
]


def fitting() -> Case:
    """A fit, its probabilities, and predictions of other rows."""

    def case(seed: int) -> tuple[str, int]:
        rng = random.Random(seed)
        X, y, domains, labeled = problem(rng)
        name = rng.choice([*METHODS, "Auto"])
        model = getattr(isthmus, name)()
        model.set_params(**{key: value for key, value in SETTINGS.items() if key in model.get_params()})
        with np.errstate(all="ignore"):
            given = rng.choice(CONTAINERS)(X)
        _expect_no_foreign_warnings()
        try:
            model.fit(given, y, sample_domain=domains, sample_labeled=labeled)
            found = model.label_distributions_
            new = rng.choice(CONTAINERS[:5])(np.nan_to_num(X, posinf=1, neginf=0)[::-1] * rng.choice([1, 1, 3]))
            probabilities = model.predict_proba(new)
        except (ValueError, TypeError) as error:
            _check_sentence(str(error), name)
            return "refused", X.nbytes
        except Warning as warning:
            raise FindingError(f"{name} warns: {type(warning).__name__}: {warning}"[:300]) from warning
        for values in (found, probabilities):
            if not np.isfinite(values).all() or not np.allclose(values.sum(axis=1), 1, atol=1e-4):
                raise FindingError(f"{name}: probabilities that are none")
        return "fitted", X.nbytes

    return case


SETTINGS = {"random_state": 0, "max_iter": 5, "n_topics": 3, "n_features": 20, "n_components": 5}


def problem(rng: random.Random) -> tuple[Any, Any, Any, Any]:
    """Small, and now and then wrong."""
    own = np.random.default_rng(rng.randrange(2**32))
    n, m = rng.choice([3, 5, 12, 12, 30, 30]), rng.choice([1, 2, 5, 30, 30])
    X = own.poisson(rng.choice([0.1, 0.5, 2.0]), (n, m)) * rng.choice([1.0, 1.0, 1.0, 1e-6, 1e6, 1e-14, 1e14, 0.1])
    kind = rng.randrange(8)
    if kind == 0:
        X[rng.randrange(n)] = 0
    elif kind == 1:
        X[:, rng.randrange(m)] = 0
    elif kind == 2:
        X[:] = X[0]
    elif kind in (3, 4):
        X[rng.randrange(n), rng.randrange(m)] = rng.choice(VALUES)
    elif kind == 5:
        X[rng.randrange(n)] *= rng.choice([1e-12, 1e12, 1e-300])
    kinds: list[Any] = [["a", "b"], ["a", "b", "c"], [0, 1], [-1, 1], [True, False], [0.5, 1.5], ["a"], [None, "a"]]
    labels = rng.choice(kinds[:4] if rng.random() < 0.8 else kinds)
    y = np.array([rng.choice(labels) for _ in range(n)], dtype=object if None in labels else None)
    names: list[Any] = rng.choice(
        [[1, -1], [1, -1], [1, 2, -1], [1, -1, -2], [1], *([[-1]] if rng.random() < 0.1 else [])]
    )
    domains = [rng.choice(names) for _ in range(n)]
    labeled = None if rng.random() < 0.8 else own.random(n) < 0.5
    return X, y, domains, labeled


def _expect_no_foreign_warnings() -> None:
    warnings.simplefilter("error")
    for kind in (*OWN_WARNINGS, ConvergenceWarning, DataConversionWarning):
        warnings.simplefilter("ignore", kind)


def _check_sentence(sentence: str, name: str) -> None:
    foreign = (
        "SVD did not converge",
        "Internal Error",
        "broadcast",
        "array must not contain",
        "Array must not contain",
    )
    bad = any(part in sentence for part in (*foreign, "invalid value", "infs or NaNs", "zero-size", "singular"))
    if bad or not sentence.strip():
        raise FindingError(f"{name} fails with a foreign message: {sentence[:200]!r}")
