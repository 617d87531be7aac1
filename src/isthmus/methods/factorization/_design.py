"""What a factorization with topics is made of, and how that becomes a problem for the solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from isthmus.core.problem import Domain, Problem
from isthmus.methods.factorization.recipes import (
    ASSOCIATION,
    DOCUMENTS,
    ROWS,
    WORDS,
    Draft,
    Orthogonal,
    Recipe,
    numbered,
    own_factors,
)
from isthmus.solvers.factorization import (
    ColumnsSumToOne,
    Component,
    Constraint,
    Factorization,
    Factors,
    Frozen,
    NonNegative,
    Reconstruction,
    RowsSumToOne,
    documents_of,
    random_start,
)
from isthmus.typing import Array

FIT_SCALES = ("none", "length", "corpus")
CORPUS = 1000
"""With the scale "corpus", the fit counts as that of so many documents of unit length."""


@dataclass(frozen=True, eq=False)
class Design:
    """The parts of a tri-factorization of all domains: the machine behind NMTF, TCL, DTL, MTrick, DTLM, GCMF, DKT.

    Domain d's documents are rebuilt as V_d M_d^T, with M_d the sum of the components. In names, a star stands for d.
    """

    components: Sequence[Component]
    n_topics: int | Mapping[str, int]
    """Columns of the factors over words, of all or by name. A factor without an association has one for each class."""
    terms: Sequence[Recipe] = ()
    constraints: Mapping[str, Constraint] = field(default_factory=dict)
    """What is not as usual: columns of words and rows of documents sum to one, associations are non-negative."""
    fit_weight: float = 0.5
    fit_scale: str = "none"
    """What the fit is divided by: nothing, the mean squared length of a document, or that times their thousands."""
    target_weight: float = 1.0
    """How much more the fit of a target counts."""
    freeze_labels: bool = True
    """Whether V of a fully labeled domain stays where it starts."""
    exponent: float = 1.0
    restore_last: bool = False
    """Whether factors are normalized when all of them are updated, and not each at once."""

    @property
    def kinds(self) -> dict[str, str]:
        """Every factor's name, with its star, and what its rows are."""
        words = dict.fromkeys((component.words for component in self.components), WORDS)
        links = dict.fromkeys((c.association for c in self.components if c.association is not None), ASSOCIATION)
        return {**words, **links, ROWS: DOCUMENTS}

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the fit looks at the classes of documents, which are distributions."""
        alone = not any(recipe.weight for recipe in self.terms)
        return alone and not self.restore_last and isinstance(self.constraint(ROWS), RowsSumToOne)

    def constraint(self, name: str) -> Constraint:
        """What a factor, named with its star, must satisfy."""
        if name in self.constraints:
            return self.constraints[name]
        if name == ROWS:
            return RowsSumToOne()
        # Words and documents are shares, and associations know the scale of X; without one, words must know it.
        linked = any(component.words == name and component.association is not None for component in self.components)
        return ColumnsSumToOne() if linked else NonNegative()

    def components_of(self, number: int) -> tuple[Component, ...]:
        """The components of one domain."""
        return tuple(
            replace(
                component,
                words=numbered(component.words, number),
                association=None if component.association is None else numbered(component.association, number),
            )
            for component in self.components
        )

    def width(self, component: Component, problem: Problem) -> int:
        """The columns of a component's words."""
        if component.association is None:
            return problem.n_classes
        return self.n_topics[component.words] if isinstance(self.n_topics, Mapping) else self.n_topics

    def build(self, problem: Problem, starts: Mapping[str, Array], rng: np.random.RandomState) -> Factorization:
        """The factorization for a problem. `starts` holds where V0, V1, ... start; what it lacks starts at random.

        Updated in the papers' order: words, documents, association; each factor is normalized as soon as it is updated,
        which is what keeps the objective falling.
        """
        numbers = range(len(problem.domains))
        fits = [
            Reconstruction(
                documents_of(domain.matrix),
                numbered(ROWS, number),
                self.components_of(number),
                self._weight(problem, domain),
            )
            for number, domain in enumerate(problem.domains)
        ]
        named = {numbered(name, number): name for name in self.kinds for number in numbers}
        constraints = {name: self.constraint(starred) for name, starred in named.items()}
        if self.freeze_labels:  # a multiplicative update never moves a zero: one-hot rows need no update
            labeled = [fit.rows for fit, domain in zip(fits, problem.domains, strict=True) if domain.fully_labeled]
            constraints |= dict.fromkeys(labeled, Frozen())
        factors = self._starts(problem, starts, rng, constraints)
        parts = [recipe for recipe in self.terms if recipe.weight]
        for recipe in parts:
            factors |= own_factors(recipe, problem.n_classes, problem.domains[0].matrix.dtype)
            constraints |= recipe.brings
        draft = Draft(problem, factors, constraints)
        terms = [*fits, *(term for recipe in parts for term in recipe.terms(draft))]
        components = [component for fit in fits for component in fit.components]
        links = dict.fromkeys(part.association for part in components if part.association is not None)
        own = (name for recipe in parts for name in recipe.brings)
        order = [*dict.fromkeys(part.words for part in components), *(fit.rows for fit in fits), *links, *own]
        return Factorization(factors, terms, constraints, order, self.exponent, self.restore_last)

    def _weight(self, problem: Problem, domain: Domain) -> float:
        documents = sum(len(each.rows) for each in problem.domains)
        share = CORPUS / documents if self.fit_scale == "corpus" else 1.0
        square = 1.0 if self.fit_scale == "none" else problem.mean_squared_length
        weight = self.fit_weight * (self.target_weight if domain.is_target else 1.0)
        return 2 * weight * share / square  # Reconstruction has a factor 1/2

    def _starts(
        self,
        problem: Problem,
        starts: Mapping[str, Array],
        rng: np.random.RandomState,
        constraints: Mapping[str, Constraint],
    ) -> dict[str, Array]:
        dtype, length = problem.domains[0].matrix.dtype, problem.mean_squared_length**0.5
        orthogonal = {recipe.factor for recipe in self.terms if isinstance(recipe, Orthogonal)}
        numbers = range(len(problem.domains))
        parts = [(part, own) for n in numbers for part, own in zip(self.components, self.components_of(n), strict=True)]
        factors = dict(starts)
        for part, own in parts:
            if own.words not in factors:
                start = random_start(rng, (problem.n_words, self.width(part, problem)), dtype)
                if part.words in orthogonal:
                    start = normalize(start, axis=0)
                if part.association is None:  # otherwise, associations alone know the scale of X
                    start *= dtype.type(length)
                constraints[own.words].restore(start)
                factors[own.words] = start
        for part, own in parts:
            if own.association is not None and own.association not in factors:
                size = (self.width(part, problem), problem.n_classes)
                start = (length * rng.uniform(size=size)).astype(dtype)
                constraints[own.association].restore(start)
                factors[own.association] = start
        for name in (numbered(ROWS, number) for number in numbers):
            if ROWS in orthogonal:
                factors[name] = normalize(factors[name], axis=0)
            if not isinstance(constraints[name], RowsSumToOne):  # as rows do already
                factors[name] = np.array(factors[name])
                constraints[name].restore(factors[name])
        return factors

    def topics(self, problem: Problem, factors: Factors) -> dict[str, Any]:
        """U, W_d and H as a `TopicSolution` has them.

        Components with one association share their topics; those of another association stand beside them, with
        zeros where a topic has no words in common, or none of its domain's own.
        """
        numbers = range(len(problem.domains))
        groups: dict[str | None, list[Component]] = {}
        for component in self.components:
            groups.setdefault(component.association, []).append(component)
        common = [self._topics_of(problem, factors, group, None) for group in groups.values()]
        own = [[self._topics_of(problem, factors, group, n) for group in groups.values()] for n in numbers]
        return {
            "common_topics": np.hstack(common) if any("*" not in part.words for part in self.components) else None,
            "domain_topics": np.stack([np.hstack(parts) for parts in own]),
            "association": np.vstack([_association(problem, factors, name) for name in groups]),
        }

    def _topics_of(self, problem: Problem, factors: Factors, group: Sequence[Component], number: int | None) -> Array:
        """The sum of a group's factors over words: those of one domain, or those of all."""
        names = [part.words for part in group if ("*" in part.words) == (number is not None)]
        found = np.zeros((problem.n_words, self.width(group[0], problem)), dtype=problem.domains[0].matrix.dtype)
        for name in dict.fromkeys(names):
            found += factors[name if number is None else numbered(name, number)]
        return found


def _association(problem: Problem, factors: Factors, name: str | None) -> Array:
    """H; with one topic for each class, the identity. Where each domain has its own, the mean of them."""
    if name is None:
        return np.eye(problem.n_classes, dtype=problem.domains[0].matrix.dtype)
    if "*" not in name:
        return factors[name]
    own = [factors[numbered(name, number)] for number in range(len(problem.domains))]
    return np.asarray(np.mean(own, axis=0))


def orthogonal_design(
    n_topics: int, terms: Sequence[Recipe], orthogonality_weight: float, *, freeze_labels: bool = True
) -> Design:
    """That of the methods which rebuild X_d as V_d H^T W_d^T, with V_d^T V_d and W_d^T W_d near the identity."""
    factors = ("W*", ROWS)
    return Design(
        [Component("W*", "H")],
        n_topics,
        [*terms, *(Orthogonal(factor, orthogonality_weight) for factor in factors)],
        dict.fromkeys(factors, NonNegative()),
        fit_weight=1.0,
        fit_scale="corpus",
        freeze_labels=freeze_labels,
        exponent=0.5,
    )
