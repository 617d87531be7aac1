"""Probabilistic latent semantic analysis.

T. Hofmann, "Probabilistic Latent Semantic Indexing", SIGIR 1999.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from isthmus.core.numerics import in_threads
from isthmus.solvers.factorization.starts import random_start
from isthmus.typing import Array, Matrix


class Plsa(NamedTuple):
    """What documents are about, and with which words."""

    words: Array
    """P(w|z): words x topics, columns sum to one."""
    documents: Array
    """P(z|d): documents x topics, rows sum to one."""
    log_likelihood: list[float]
    """sum over d, w of X_dw log P(w|d), before each iteration; empty unless it is watched, which takes its time."""


def plsa(X: Matrix, n_topics: int, rng: np.random.RandomState, n_iter: int = 50, watch: bool = False) -> Plsa:
    """P(w|d) = sum over z of P(w|z) P(z|d), by expectation maximisation on weights X, documents x words.

    The responsibilities P(z|d,w) are never stored: the two steps together multiply each distribution by what the
    ratios X_dw / P(w|d) say of it, so that an iteration costs the non-zeros of X times the topics.

    Topics start at random, and all documents alike: the order of the documents does not matter.
    """
    X = sp.csr_array(X)
    least, lengths = np.finfo(X.dtype).tiny, np.diff(X.indptr)
    word_of_entry = X.indices.astype(np.intp)  # other widths take several times as long to look up
    words = random_start(rng, (X.shape[1], n_topics), X.dtype)
    documents = np.full((X.shape[0], n_topics), 1 / n_topics, dtype=X.dtype)
    history = []

    def expected_of(topics: Iterable[tuple[Array, Array]]) -> Array:
        """What some topics expect, added up one by one: all at once they would be as large as the responsibilities."""
        expected = np.zeros_like(X.data)
        for word, document in topics:
            share = np.repeat(document, lengths)
            share *= word.take(word_of_entry)
            expected += share
        return expected

    for _ in range(n_iter):
        topics = list(zip(np.ascontiguousarray(words.T), np.ascontiguousarray(documents.T), strict=True))
        expected, others = in_threads(expected_of, [topics[::2], topics[1::2]])
        expected += others
        expected += least
        if watch:
            history.append(float(np.dot(X.data, np.log(expected))))
        ratio = sp.csr_array((X.data / expected, X.indices, X.indptr), shape=X.shape)
        of_words, of_documents = in_threads(operator.matmul, [ratio.T, ratio], [documents, words])
        words, documents = words * of_words, documents * of_documents
        words /= np.maximum(words.sum(axis=0), least)
        documents /= np.maximum(documents.sum(axis=1, keepdims=True), least)
    return Plsa(words, documents, history)
