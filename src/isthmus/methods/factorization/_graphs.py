"""Neighbours among documents and words, as terms."""

from __future__ import annotations

from isthmus.core.problem import Problem
from isthmus.methods.factorization._base import rows_of, words_of
from isthmus.solvers.factorization import Graph, Term
from isthmus.solvers.spectral import neighbor_graph


def neighbor_terms(problem: Problem, n_neighbors: int, *, words: float, documents: float) -> list[Term]:
    """In each domain, words that occur together should be of one topic, and documents that are alike of one class.

    `words` and `documents` are the weights of the two; at zero, there is no such term.
    """
    terms: list[Term] = []
    for number, domain in enumerate(problem.domains):
        if words:
            terms.append(Graph(words_of(number), neighbor_graph(domain.matrix.T, n_neighbors), words))
        if documents and not domain.fully_labeled:  # of frozen rows, the term is a constant
            terms.append(Graph(rows_of(number), neighbor_graph(domain.matrix, n_neighbors), documents))
    return terms
