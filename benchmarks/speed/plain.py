"""The updates of any factorization written straight down with scipy.sparse: what the engine is measured against.

Every product is computed where the formula has it, at the width that the formula has. Words together are a sparse
matrix, words x words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from isthmus.solvers.factorization import (
    CoOccurrence,
    Factorization,
    Free,
    Frozen,
    Graph,
    History,
    MeanDiscrepancy,
    Reconstruction,
    Regression,
    Ridge,
    Scaled,
    objective,
)

Arrays = dict[str, np.ndarray]
Split = tuple[Any, Any]


def plain_minimize(model: Factorization, *, max_iter: int = 100, tol: float = 0.0, on_step: Any = None) -> History:
    """Takes the place of the engine's `minimize`. No objective is watched but the last."""
    factors: Arrays = {name: np.ascontiguousarray(array) for name, array in model.factors.items()}
    matrices = {id(term): explicit(term.documents) for term in model.terms if isinstance(term, Reconstruction)}
    tiny = np.finfo(next(iter(factors.values())).dtype).tiny
    for _ in range(max_iter):
        for name in model.order:
            constraint = model.constraints[name]
            if isinstance(constraint, Frozen):
                continue
            involved = [term for term in model.terms if name in term.factors]
            if isinstance(constraint, Free):
                factors[name] = exact(factors, name, involved)
                continue
            splits = [split(term, factors, name, matrices) for term in involved]
            above, below = sum(one for one, _ in splits), sum(other for _, other in splits)
            factors[name] = factors[name] * (above / (below + tiny)) ** model.exponent
            constraint.restore(factors[name])
    for name, array in factors.items():
        model.factors[name] = array
    return History([objective(model)] * (max_iter + 1))


def explicit(documents: Any) -> Any:
    """The matrix that the engine does not store."""
    if isinstance(documents, Scaled):
        return explicit(documents.documents) * documents.scale
    if isinstance(documents, CoOccurrence):
        return sum(sp.csr_array(B.T @ B) for B in documents.matrices)
    return documents.matrix


def split(term: Any, F: Arrays, name: str, matrices: dict[int, Any]) -> Split:
    """The negative and the positive part of a term's gradient."""
    kinds: dict[type, Callable[..., Split]] = {Graph: of_graph, MeanDiscrepancy: of_means, Regression: of_regression}
    if isinstance(term, Reconstruction):
        return of_reconstruction(term, matrices[id(term)], F, name)
    return kinds[type(term)](term, F, name)


def of_reconstruction(term: Reconstruction, X: Any, F: Arrays, name: str) -> Split:
    """weight / 2 ||X - V M^T||^2."""
    V, w = F[term.rows], term.weight
    M = sum(
        c.weight * (F[c.words] if c.association is None else F[c.words] @ F[c.association]) for c in term.components
    )
    assert isinstance(M, np.ndarray)
    above: Any = 0
    below: Any = 0
    if name == term.rows:
        above, below = w * (X @ M), w * (V @ (M.T @ M))
    for c in term.components:
        if name == c.words:
            right = np.eye(V.shape[1], dtype=V.dtype) if c.association is None else F[c.association].T
            above, below = above + w * c.weight * (X.T @ V @ right), below + w * c.weight * (M @ (V.T @ V) @ right)
        if name == c.association:
            left = w * c.weight * F[c.words].T
            above, below = above + left @ (X.T @ V), below + left @ (M @ (V.T @ V))
    return above, below


def of_graph(term: Graph, F: Arrays, name: str) -> Split:
    """weight tr F^T (D - A) F."""
    degrees = np.asarray(term.affinity.sum(axis=1)).reshape(-1, 1)
    return 2 * term.weight * (term.affinity @ F[name]), 2 * term.weight * degrees * F[name]


def of_means(term: MeanDiscrepancy, F: Arrays, name: str) -> Split:
    """weight ||mean F - mean G||^2."""
    other = term.second if name == term.first else term.first
    scale, ones = 2 * term.weight / len(F[name]), np.ones((len(F[name]), 1), dtype=F[name].dtype)
    return scale * ones * F[other].mean(axis=0), scale * ones * F[name].mean(axis=0)


def of_regression(term: Regression, F: Arrays, name: str) -> Split:
    """weight ||Y - V A^T - b||^2 over the labeled rows, in V."""
    V, mask = F[term.rows], term.labeled[:, None]
    A, b = F[term.coefficients][:, : V.shape[1]], F[term.coefficients][:, V.shape[1] :].sum(axis=1)
    pull, gram = 2 * term.weight * (mask * (term.labels - b)) @ A, 2 * term.weight * A.T @ A
    seen = mask * V
    above = np.maximum(pull, 0) + seen @ np.maximum(-gram, 0)
    return above, np.maximum(-pull, 0) + seen @ np.maximum(gram, 0)


def exact(F: Arrays, name: str, terms: list[Any]) -> np.ndarray:
    """A factor of either sign: least squares with a ridge."""
    width = F[name].shape[1]
    curvature, wanted = np.zeros((width, width)), np.zeros((width, F[name].shape[0]))
    for term in terms:
        if isinstance(term, Ridge):
            weights = np.full(width, term.weight)
            weights[-1] *= not term.intercept
            curvature += np.diag(weights)
        else:
            V = F[term.rows][term.labeled]
            V = np.hstack([V, np.ones((len(V), 1))]) if term.intercept else V
            curvature += term.weight * V.T @ V
            wanted += term.weight * V.T @ term.labels[term.labeled]
    return np.asarray(scipy.linalg.lstsq(curvature, wanted)[0].T, dtype=F[name].dtype)
