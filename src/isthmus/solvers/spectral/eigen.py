"""Eigenvectors of symmetric matrices that can only multiply."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh, lobpcg
from sklearn.exceptions import ConvergenceWarning

from isthmus.core.progress import Step
from isthmus.exceptions import unheard, warn
from isthmus.solvers.spectral.watching import Stopped, Watched
from isthmus.typing import Array

SMALL = 400
"""Up to this many rows the matrix is written out: Lanczos needs more rows than vectors. And it goes on from a random
vector when all products of the first one are used up, as they soon are in a small graph of a few distinct values."""

REPEATABLE: dict[str, Any] = {"rng": 0} if "rng" in signature(eigsh).parameters else {}
"""Where that random vector comes from; of scipy below 1.17, from one call to the next."""

GUARD = 3
MAX_ITER = 300


def leading_vectors(
    multiply: Callable[[Array], Array],
    first: Array,
    floor: float,
    n_vectors: int,
    start: Array,
    precondition: Callable[[Array], Array] | None = None,
    on_step: Callable[[Step], bool | None] | None = None,
) -> tuple[Array, Array]:
    """The largest eigenvalues of a symmetric matrix, falling, and their vectors in columns.

    Parameters
    ----------
    multiply : callable
        The product with a vector, or with several in columns.
    first : ndarray
        The vector of the largest eigenvalue, one, which is known. It is moved out of the way, so that it comes out
        clean even if others share its eigenvalue, as they do in a graph that falls apart.
    floor : float
        A number below the `n_vectors` largest eigenvalues.
    n_vectors : int
        How many, with the first.
    start : ndarray
        Where the search starts.
    precondition : callable, optional
        Roughly the solution of (I - matrix) x = y. Needed where the other end of the spectrum is far away, which would
        cost Lanczos thousands of steps.
    on_step : callable, optional
        Called after some products, and once at the end. If it returns True, what has been found must do.
    """
    first = first / np.linalg.norm(first)
    n = len(first)

    def others(x: Array) -> Array:
        return np.asarray(multiply(x) - (1 - floor) * np.multiply.outer(first, first @ x))

    n_others = n_vectors - 1
    if n_others < 1:
        return np.ones(1), first[:, None]
    watched = None if on_step is None else Watched(others, n_others, on_step)
    product = watched or others
    try:
        if n <= max(SMALL, 5 * (n_vectors + GUARD)):
            matrix = others(np.eye(n))
            values, vectors = eigh((matrix + matrix.T) / 2)  # all: the search for a few of them can fail
            values, vectors = values[n - n_others :], vectors[:, n - n_others :]
        elif precondition is None:
            matrix = LinearOperator((n, n), matvec=product, dtype=np.float64)
            values, vectors = eigsh(matrix, n_others, which="LA", v0=start, **REPEATABLE)
        else:
            values, vectors = _preconditioned(product, precondition, n_others, start)
        if watched is not None:
            watched.end(values)
    except Stopped as stopped:
        values, vectors = stopped.values, stopped.vectors
    order = np.argsort(-values, kind="stable")
    return np.append(1.0, values[order]), np.column_stack([first, vectors[:, order]])


def _preconditioned(
    multiply: Callable[[Array], Array], precondition: Callable[[Array], Array], n_vectors: int, start: Array
) -> tuple[Array, Array]:
    n = len(start)

    def flipped(x: Array) -> Array:
        return np.asarray(x - multiply(x))

    # A few vectors more than asked for, because the last ones converge last.
    block = np.column_stack([np.roll(start, shift) for shift in range(n_vectors + GUARD)])
    operators = [
        LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64) for product in (flipped, precondition)
    ]
    with unheard(UserWarning):  # of a tolerance missed by any vector, the extra ones too
        values, vectors = lobpcg(operators[0], block, M=operators[1], tol=1e-8, maxiter=MAX_ITER, largest=False)
    values, vectors = values[:n_vectors], vectors[:, :n_vectors]
    missed = np.linalg.norm(flipped(vectors) - vectors * values, axis=0).max()
    if missed > 1e-4:
        warn(
            f"The eigenvectors are only right to {missed:.1g} after {MAX_ITER} iterations: merge the classes "
            "(beta=np.inf) or ask for fewer vectors.",
            ConvergenceWarning,
        )
    return 1 - values, vectors
