"""Parts of an objective, said before there are data: each becomes terms once a problem is there.

A star in a factor's name stands for the number of a domain: ``W*`` is W0, W1 and so on, one for each domain, and ``V*``
are the factors over documents.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from math import isfinite
from numbers import Integral, Real
from typing import ClassVar

import numpy as np

from isthmus.core.problem import Problem
from isthmus.solvers.factorization import (
    Closeness,
    Constraint,
    Free,
    Frozen,
    Graph,
    MeanDiscrepancy,
    Orthogonality,
    Regression,
    Ridge,
    Term,
)
from isthmus.solvers.spectral import neighbor_graph
from isthmus.typing import Array

DOCUMENTS, WORDS, ASSOCIATION = "documents", "words", "association"
"""What a factor's rows are: documents, words, or topics."""

ROWS = "V*"
"""The factors over documents."""


def numbered(name: str, number: int) -> str:
    """A factor's name in one domain."""
    return name.replace("*", str(number))


@dataclass(frozen=True, eq=False)
class Draft:
    """What a recipe sees of a factorization: the problem, and each factor's start and constraint."""

    problem: Problem
    starts: Mapping[str, Array]
    constraints: Mapping[str, Constraint]

    def moving(self, factor: str) -> dict[str, int | None]:
        """The names of a factor that is not frozen, each with the number of its domain; None for that of all."""
        numbers: Sequence[int | None] = range(len(self.problem.domains)) if "*" in factor else [None]
        names = {factor if number is None else numbered(factor, number): number for number in numbers}
        if missing := names.keys() - self.constraints.keys():
            raise ValueError(f"A recipe asks for the factor {min(missing)!r}: give a component that names {factor!r}.")
        return {name: number for name, number in names.items() if not isinstance(self.constraints[name], Frozen)}

    def pairs(self, factor: str) -> list[tuple[str, str]]:
        """Every source's factor with every target's."""
        sources, targets = (
            [numbered(factor, number) for number, domain in enumerate(self.problem.domains) if domain.is_target == side]
            for side in (False, True)
        )
        return list(product(sources, targets))


class Recipe(ABC):
    """Base of all recipes, which are frozen dataclasses. One whose weight is zero adds nothing."""

    kinds: ClassVar[tuple[str, ...]] = (DOCUMENTS, WORDS, ASSOCIATION)
    """What the rows of its factor may be."""
    compares_domains: ClassVar[bool] = False
    """Whether its factor must have a star."""
    square_root: ClassVar[bool] = False
    """Whether the objective falls only with exponent=0.5."""
    brings: ClassVar[Mapping[str, Constraint]] = {}
    """Factors of its own, classes x classes, that start as the identity."""

    weight: float

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # of those who are derived
            value, place = getattr(self, field.name), f"{field.name} of {type(self).__name__}"
            number = isinstance(value, Real) and not isinstance(value, bool)
            if field.name in ("weight", "ridge") and not (number and value >= 0 and isfinite(value)):
                raise ValueError(f"{place} is {value!r}: give a number that is zero or larger.")
            if field.name == "n_neighbors" and not (number and isinstance(value, Integral) and int(value) >= 1):
                raise ValueError(f"{place} is {value!r}: give a whole number that is one or larger.")

    @abstractmethod
    def terms(self, draft: Draft) -> list[Term]:
        """The terms for one problem."""


@dataclass(frozen=True)
class Neighbors(Recipe):
    """weight * tr F^T L F: documents that are alike have one class, words that occur together one topic.

    L is the Laplacian of the graph of nearest neighbors by cosine, in each domain for a factor with a star.
    """

    kinds: ClassVar[tuple[str, ...]] = (DOCUMENTS, WORDS)

    factor: str = ROWS
    weight: float = 1.0
    n_neighbors: int = 10

    def terms(self, draft: Draft) -> list[Term]:
        found: list[Term] = []
        for name, number in draft.moving(self.factor).items():  # of frozen rows, the term is a constant
            documents = draft.problem.documents.stacked if number is None else draft.problem.domains[number].matrix
            graph = neighbor_graph(documents if self.factor == ROWS else documents.T, self.n_neighbors)
            found.append(Graph(name, graph, self.weight))
        return found


@dataclass(frozen=True)
class EqualMeans(Recipe):
    """weight * ||mean row of F_s - mean row of F_t||^2 for every source s and target t."""

    compares_domains: ClassVar[bool] = True

    factor: str = ROWS
    weight: float = 1.0

    def terms(self, draft: Draft) -> list[Term]:
        return [MeanDiscrepancy(source, target, self.weight) for source, target in draft.pairs(self.factor)]


@dataclass(frozen=True)
class EqualFactors(Recipe):
    """weight * ||F_s - F_t||^2 for every source s and target t."""

    kinds: ClassVar[tuple[str, ...]] = (WORDS, ASSOCIATION)
    compares_domains: ClassVar[bool] = True

    factor: str = "W*"
    weight: float = 1.0

    def terms(self, draft: Draft) -> list[Term]:
        return [Closeness(source, target, self.weight) for source, target in draft.pairs(self.factor)]


@dataclass(frozen=True)
class Orthogonal(Recipe):
    """weight * ||F^T F - I||^2: each word in one topic, each document in one class.

    The factor starts with columns of unit length. Frozen ones have no such term.
    """

    kinds: ClassVar[tuple[str, ...]] = (DOCUMENTS, WORDS)
    square_root: ClassVar[bool] = True

    factor: str = "W*"
    weight: float = 1.0

    def terms(self, draft: Draft) -> list[Term]:
        return [Orthogonality(name, self.weight) for name in draft.moving(self.factor)]


@dataclass(frozen=True)
class Shrinkage(Recipe):
    """weight * ||F||^2: a ridge on a factor."""

    factor: str = "H"
    weight: float = 1.0

    def terms(self, draft: Draft) -> list[Term]:
        return [Ridge(name, self.weight) for name in draft.moving(self.factor)]


@dataclass(frozen=True)
class LabelRegression(Recipe):
    """weight * ||Y - V A^T||^2 over the labeled rows + ridge * ||A||^2.

    A is solved for, and labels are read as A V.
    """

    square_root: ClassVar[bool] = True
    brings: ClassVar[Mapping[str, Constraint]] = {"A": Free()}

    weight: float = 1.0
    ridge: float = 1.0

    def terms(self, draft: Draft) -> list[Term]:
        domains = enumerate(draft.problem.domains)
        return [Ridge("A", self.ridge)] + [
            Regression(numbered(ROWS, number), "A", domain.labels, domain.labeled, self.weight)
            for number, domain in domains
            if domain.labeled.any()
        ]


@dataclass(frozen=True)
class NearLabels(Recipe):
    """weight * ||V - Y||^2 over the labeled rows, Y being where V starts. Of use where V is not frozen."""

    brings: ClassVar[Mapping[str, Constraint]] = {"I": Frozen()}

    weight: float = 1.0

    def terms(self, draft: Draft) -> list[Term]:
        return [
            Regression(name, "I", draft.starts[name], draft.problem.domains[number].labeled, self.weight)
            for number, name in ((number, numbered(ROWS, number)) for number in range(len(draft.problem.domains)))
            if draft.problem.domains[number].labeled.any()
        ]


def own_factors(recipe: Recipe, n_classes: int, dtype: np.dtype[np.floating]) -> dict[str, Array]:
    """Where the factors start that a recipe brings."""
    return {name: np.eye(n_classes, dtype=dtype) for name in recipe.brings}
