"""Where the factors start."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import NMF

from isthmus.core.numerics import order_of_rows, stack
from isthmus.core.problem import Problem
from isthmus.solvers.factorization.constraints import NonNegative
from isthmus.solvers.factorization.documents import MatrixDocuments
from isthmus.solvers.factorization.solver import Factorization, update
from isthmus.solvers.factorization.terms import Component, Reconstruction
from isthmus.typing import Array

STEPS = 50
"""Of a plain factorization, before others begin with it."""


def random_start(rng: np.random.RandomState, shape: tuple[int, int], dtype: np.dtype[np.floating]) -> Array:
    """Positive numbers; columns sum to one."""
    factor = rng.uniform(size=shape).astype(dtype)
    return np.asarray(factor / factor.sum(axis=0))


def plain_nmf(problem: Problem, n_topics: int, random_state: Any) -> tuple[Array, list[Array]]:
    """U and each domain's V of a factorization of all rows at once.

    Multiplicative, so that it leaves no zero, which later updates could not move. scikit-learn finds the first point
    and makes the first step; the engine's steps are the same, and faster.
    """
    nmf = NMF(n_topics, solver="mu", max_iter=1, tol=0, random_state=random_state).set_output(transform="default")
    X = stack([domain.matrix for domain in problem.domains])
    order_of_start = order_of_rows(X)  # random numbers are drawn for rows
    with np.errstate(all="ignore"):  # of its error, which nobody asks for, rounding may make a negative number
        rows = nmf.fit_transform(X[order_of_start])[np.argsort(order_of_start)]
    ends = np.cumsum([len(domain.rows) for domain in problem.domains])
    names = [f"V{number}" for number in range(len(problem.domains))]
    starts = {**dict(zip(names, np.split(rows, ends[:-1]), strict=True)), "U": nmf.components_.T}
    terms = [
        Reconstruction(MatrixDocuments(domain.matrix), name, (Component("U"),))
        for name, domain in zip(names, problem.domains, strict=True)
    ]
    order = [*names, "U"]
    model = Factorization(starts, terms, dict.fromkeys(order, NonNegative()), order)
    for _ in range(STEPS - 1):
        for name in order:
            update(model, name)
    return model.factors["U"], [model.factors[name] for name in names]
