"""Neighbours among documents and words, as terms."""

from __future__ import annotations

from isthmus.engine import Graph, Term
from isthmus.methods.factorization import rows_of, words_of
from isthmus.operators import neighbour_graph
from isthmus.problem import Problem


def neighbour_terms(problem: Problem, n_neighbours: int, *, words: float, documents: float) -> list[Term]:
    """In each domain, words that occur together should be of one topic, and documents that are alike of one class.

    `words` and `documents` are the weights of the two; at zero, there is no such term.
    """
    terms: list[Term] = []
    for number, domain in enumerate(problem.domains):
        if words:
            terms.append(Graph(words_of(number), neighbour_graph(domain.matrix.T, n_neighbours), words))
        if documents and not domain.fully_labeled:  # of frozen rows, the term is a constant
            terms.append(Graph(rows_of(number), neighbour_graph(domain.matrix, n_neighbours), documents))
    return terms
