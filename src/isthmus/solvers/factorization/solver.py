"""The one update rule, and the loop around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import InitVar, dataclass, field
from functools import cached_property, reduce
from time import perf_counter
from typing import cast

import numpy as np
from scipy.linalg import lapack

from isthmus.core.numerics import in_threads
from isthmus.core.progress import Step
from isthmus.core.remote import RemoteRows
from isthmus.solvers.factorization.constraints import (
    ColumnsSumToOne,
    Constraint,
    Free,
    Frozen,
    NonNegative,
    RowsSumToOne,
)
from isthmus.solvers.factorization.documents import SweptDocuments
from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.kernel import multiply
from isthmus.solvers.factorization.terms import Graph, QuadraticTerm, Reconstruction, SplitGradient, Term
from isthmus.typing import Array


@dataclass(frozen=True)
class History:
    """The objective after each iteration, the start's first."""

    objective: list[float]

    @property
    def n_iter(self) -> int:
        return len(self.objective) - 1


@dataclass(frozen=True, eq=False)
class Factorization:
    """What to fit: the factors with their start values, and the parts that say what a good fit is."""

    starts: InitVar[Mapping[str, Array]]
    """Start values by factor; they stay as they are."""
    terms: Sequence[Term]
    """The objective is the sum of their values."""
    constraints: Mapping[str, Constraint]
    """One per factor."""
    order: Sequence[str]
    """The factors to update in each iteration, in this order. Frozen ones are passed over."""
    exponent: float = 1.0
    """Exponent of the update's ratio: 1 for the plain rule, 1/2 for the square-root rule."""
    restore_last: bool = False
    """Whether constraints wait until all factors are updated. The objective may rise then."""

    factors: Factors = field(init=False)
    """Copies of the starts, which `minimize` changes in place."""

    def __post_init__(self, starts: Mapping[str, Array]) -> None:
        object.__setattr__(self, "factors", Factors(starts))

    @cached_property
    def swept(self) -> dict[str, Reconstruction]:
        """The term whose documents are passed over to update their factor, by factor.

        None, where words stand still: then X M still holds, and nobody asks for X^T V.
        """
        found: dict[str, Reconstruction] = {}
        moving = {name for name in self.order if not isinstance(self.constraints[name], Frozen)}
        for term in self.terms if not self.restore_last else ():
            if isinstance(term, Reconstruction) and isinstance(term.documents, SweptDocuments):
                plain = type(self.constraints.get(term.rows)) in (NonNegative, RowsSumToOne, ColumnsSumToOne)
                if plain and moving & {*term.factors} - {term.rows}:
                    found.setdefault(term.rows, term)
        return found

    @cached_property
    def involved(self) -> dict[str, list[Term]]:
        """The terms that depend on each factor."""
        return {name: [term for term in self.terms if name in term.factors] for name in self.factors}

    def profile(self, rows: str) -> Array:
        """M of the reconstruction whose documents' factor has this name: words x classes."""
        fit = next(term for term in self.terms if isinstance(term, Reconstruction) and term.rows == rows)
        return fit.profile(self.factors)


def minimize(
    model: Factorization,
    *,
    max_iter: int = 100,
    tol: float = 0.0,
    on_step: Callable[[Step], bool | None] | None = None,
) -> History:
    """Update the factors in turn until the objective changes by less than `tol` of itself in an iteration.

    `on_step` is called after each iteration. If it returns True, the loop stops.
    """
    check_parts(model)
    moving = [name for name in model.order if not isinstance(model.constraints[name], Frozen)]
    began = perf_counter()
    with ExitStack() as held:
        for name in moving:
            if fit := _sole_term(model, name):
                held.enter_context(fit.holding(model.factors))
        history = [objective(model)]
        for iteration in range(1, max_iter + 1):
            for name in moving:
                update(model, name)
            if model.restore_last:
                for name in moving:
                    model.constraints[name].restore(model.factors[name])
                    model.factors.changed(name)
            history.append(objective(model))
            if on_step is not None and on_step(Step(iteration, max_iter, history[-1], perf_counter() - began)):
                break
            if abs(history[-2] - history[-1]) < tol * abs(history[-1]):
                break
    return History(history)


def objective(model: Factorization) -> float:
    """What `minimize` makes small."""
    graphs = [term for term in model.terms if isinstance(term, Graph)]
    list(in_threads(lambda graph: graph.value(model.factors), graphs))  # side by side: they share nothing
    return sum(term.value(model.factors) for term in model.terms)


def update(model: Factorization, name: str) -> None:
    """Improve one factor while the others stand still."""
    factors, constraint = model.factors, model.constraints[name]
    if isinstance(constraint, Free):
        factors[name] = _exact(factors, name, model.involved[name])
        return
    fit = model.swept.get(name)
    gradient = _added([term.gradient(factors, name) for term in model.involved[name] if term is not fit])
    if fit is not None:
        fit.sweep(factors, constraint, model.exponent, gradient)
        return
    factor = factors[name]
    even = isinstance(constraint, RowsSumToOne) and not model.restore_last
    multiply(factor, gradient.negative, gradient.positive, model.exponent, factors.scratch(name), even)
    if not (even or model.restore_last):
        constraint.restore(factor)
    factors.changed(name)


def _sole_term(model: Factorization, name: str) -> Reconstruction | None:
    """The term whose documents are passed over to update this factor, if nothing else looks at it."""
    alone = len(model.involved[name]) == 1 and not isinstance(model.constraints[name], ColumnsSumToOne)
    return model.swept.get(name) if alone else None


def _added(splits: Sequence[SplitGradient]) -> SplitGradient:
    return SplitGradient(
        [product for split in splits for product in split.negative],
        [product for split in splits for product in split.positive],
    )


def check_parts(model: Factorization) -> None:
    """Fail at once, and say what is missing, when the parts do not fit together."""
    factors, constraints = model.factors, model.constraints
    for term in model.terms:
        for name in term.factors:
            if name not in factors:
                raise ValueError(f"{type(term).__name__} reads the factor {name!r}, which has no start.")
    for name in model.order:
        if name not in factors or name not in constraints:
            raise ValueError(f"The order names the factor {name!r}, which needs a start and a constraint.")
        involved = model.involved[name]
        if not involved:
            raise ValueError(f"No term depends on the factor {name!r}: freeze it or add a term.")
        if isinstance(constraints[name], Free):
            for term in involved:
                if not isinstance(term, QuadraticTerm):
                    raise ValueError(
                        f"The factor {name!r} is free, but {type(term).__name__} has no method `quadratic`: "
                        "it can't be solved for exactly."
                    )
        elif not isinstance(factors[name], RemoteRows) and (factors[name] < 0).any():
            raise ValueError(f"The factor {name!r} starts with negative values: only a Free factor may.")


def _exact(factors: Factors, name: str, terms: Sequence[Term]) -> Array:
    """The minimum of a sum of quadratics <F Q, F> - 2 <F, R>."""
    quadratics = [cast(QuadraticTerm, term).quadratic(factors, name) for term in terms]  # as `check_parts` saw
    curvature, pull = (reduce(np.add, parts) for parts in zip(*quadratics, strict=True))
    return np.asarray(_solved(curvature, pull.T).T, dtype=factors[name].dtype)


def _solved(curvature: Array, pull: Array) -> Array:
    """By Cholesky's factors, in a quarter of the time of least squares, unless the curvature is nearly singular."""
    by_factors = lapack.sposv if curvature.dtype == pull.dtype == np.float32 else lapack.dposv
    upper, solution, failed = by_factors(curvature, pull)
    sizes, least = np.diagonal(upper) ** 2, len(curvature) * np.finfo(curvature.dtype).eps
    if failed or sizes.min() <= least * sizes.max():
        return np.asarray(np.linalg.lstsq(curvature, pull, rcond=float(np.finfo(curvature.dtype).eps))[0])
    return np.asarray(solution)
