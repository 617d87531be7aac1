"""Probabilistic latent semantic analysis.

T. Hofmann, "Probabilistic Latent Semantic Indexing", SIGIR 1999.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from isthmus.core.parts import by_parts, over_parts, release
from isthmus.solvers.factorization.starts import random_start
from isthmus.typing import Array, Matrix


class Plsa(NamedTuple):
    """What documents are about, and with which words."""

    words: Array
    """P(w|z): words x topics, columns sum to one."""
    documents: list[Array]
    """P(z|d) for each matrix: documents x topics, rows sum to one. Where a matrix lies elsewhere, these do."""
    log_likelihood: list[float]
    """sum over d, w of X_dw log P(w|d), before each iteration; empty unless it is watched, which takes its time."""


def plsa(
    matrices: Sequence[Matrix],
    n_topics: int,
    rng: np.random.RandomState,
    n_iter: int = 50,
    watch: bool = False,
    dtype: Any = np.float32,
) -> Plsa:
    """P(w|d) = sum over z of P(w|z) P(z|d), by expectation maximisation on the weights of documents x words.

    The responsibilities P(z|d,w) are never stored: the two steps together multiply each distribution by what the
    ratios X_dw / P(w|d) say of it, so that an iteration costs the non-zeros of X times the topics.

    Topics start at random, and all documents alike: the order of the documents does not matter. Single precision is
    enough for the start of another method.
    """
    words = random_start(rng, (matrices[0].shape[1], n_topics), np.dtype(dtype))
    documents = [by_parts(partial(_alike, n_topics=n_topics), X, words.dtype) for X in matrices]
    least, history = np.finfo(words.dtype).tiny, []
    for _ in range(n_iter):
        step = partial(_step, words=words, watch=watch)
        passes = (over_parts(step, X, own) for X, own in zip(matrices, documents, strict=True))
        of_words, likelihood = reduce(_added, chain.from_iterable(passes))
        if watch:
            history.append(likelihood)
        words = words * of_words
        words /= np.maximum(words.sum(axis=0), least)
    return Plsa(words, documents, history)


def _alike(part: Matrix, n_topics: int) -> Array:
    return np.full((part.shape[0], n_topics), 1 / n_topics)


def _added(one: tuple[Array, float], other: tuple[Array, float]) -> tuple[Array, float]:
    return one[0] + other[0], one[1] + other[1]


def _step(part: Matrix, documents: Array, words: Array, watch: bool) -> tuple[Array, float]:
    """Documents move; returned is what multiplies P(w|z), and the log-likelihood before, if it is watched."""
    X = sp.csr_array(part, dtype=words.dtype)
    least, lengths = np.finfo(X.dtype).tiny, np.diff(X.indptr)
    word_of_entry = X.indices.astype(np.intp)  # other widths take several times as long to look up
    expected = np.zeros_like(X.data)
    # Added up topic by topic: all at once they would be as large as the responsibilities.
    for word, document in zip(np.ascontiguousarray(words.T), np.ascontiguousarray(documents.T), strict=True):
        share = np.repeat(document, lengths)
        share *= word.take(word_of_entry)
        expected += share
    expected += least
    likelihood = float(np.dot(X.data, np.log(expected))) if watch else 0.0
    ratio = sp.csr_array((X.data / expected, X.indices, X.indptr), shape=X.shape)
    before = np.ascontiguousarray(documents)
    of_words, moved = np.asarray(ratio.T @ before), before * (ratio @ words)
    documents[...] = moved / np.maximum(moved.sum(axis=1, keepdims=True), least)
    release(part)
    return of_words, likelihood
