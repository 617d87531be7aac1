"""What the methods with orthogonal factors share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.preprocessing import normalize

from isthmus.core.problem import Domain, Problem
from isthmus.core.workspace import Workspace
from isthmus.methods.factorization._base import FactorizationSolution, labels_constraint, rows_of, words_of
from isthmus.methods.factorization._topics import TopicClassifier, topic_model
from isthmus.solvers.factorization import (
    Component,
    Constraint,
    Factorization,
    History,
    NonNegative,
    Orthogonality,
    RowsSumToOne,
    Term,
    random_start,
)
from isthmus.typing import Array

DOCUMENTS = 1000
"""The fit counts as that of so many documents, so that weights mean the same for few documents and for many."""


class OrthogonalClassifier(TopicClassifier):
    """Base of the methods that rebuild X_d as V_d H^T W_d^T, with V_d^T V_d and W_d^T W_d near the identity.

    Columns of V_d have about unit length in the fit, whatever the size of a class. What is shown are its rows, summing
    to one.
    """

    orthogonality_weight: float

    def starts(self, problem: Problem, workspace: Workspace, rng: np.random.RandomState) -> dict[str, Array]:
        return {name: normalize(start, axis=0) for name, start in super().starts(problem, workspace, rng).items()}

    def orthogonal_model(
        self,
        problem: Problem,
        starts: dict[str, Array],
        rng: np.random.RandomState,
        terms: Sequence[Term],
        documents: Callable[[Domain], Constraint] = lambda domain: labels_constraint(domain, NonNegative()),
    ) -> Factorization:
        """The fit of a thousand documents of unit length on average, orthogonality, and `terms`."""
        dtype = problem.domains[0].matrix.dtype
        square = problem.mean_squared_length
        share = DOCUMENTS / sum(len(domain.rows) for domain in problem.domains)
        words = [words_of(number) for number in range(len(problem.domains))]
        for name in words:
            starts[name] = normalize(random_start(rng, (problem.n_words, self.n_topics), dtype), axis=0)
        size = (self.n_topics, problem.n_classes)
        starts["H"] = (np.sqrt(square) * rng.uniform(size=size)).astype(dtype)  # of all factors, H alone has X's scale
        moving = [*words, *(rows_of(n) for n, d in enumerate(problem.domains) if documents(d) == NonNegative())]
        return topic_model(
            problem,
            starts,
            rng,
            self.n_topics,
            lambda domain: (Component(words_of(domain), "H"),),
            words=NonNegative(),
            documents=documents,
            weight=lambda domain: 2 * share / square,  # Reconstruction has a factor 1/2, the papers have not
            terms=[*terms, *(Orthogonality(name, self.orthogonality_weight) for name in moving)],
            exponent=0.5,
        )

    def solution(
        self, problem: Problem, workspace: Workspace, model: Factorization, history: History
    ) -> FactorizationSolution:
        for number in range(len(problem.domains)):
            RowsSumToOne().restore(model.factors[rows_of(number)])
        return super().solution(problem, workspace, model, history)
