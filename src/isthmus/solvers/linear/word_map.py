"""A few dimensions in which words that go together lie together, beside the words themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cholesky

from isthmus.core.problem import Problem
from isthmus.solvers.linear.side_by_side import SideBySide
from isthmus.typing import Array, Matrix, Positions

POWER_STEPS = 2
"""Of the randomized decomposition: enough for the leading directions of text."""
OVERSAMPLED = 10
"""Dimensions beyond those that are asked for."""
DRAWN_ROWS = 1024
"""Of random numbers, at a time."""
LEAST_SQUARE = 1e-6
"""Of the largest singular value's: what is smaller is rounding."""


@dataclass(frozen=True, eq=False)
class WordMap:
    """Documents to [X, w H], with H = X W in rows as long as those of X."""

    directions: Array
    """W: words x dimensions, in single precision: it is most of a model file, and comes from such a decomposition."""
    weight: float

    def transform(self, X: Matrix, domain: int | None = None) -> Matrix:
        """Sparse where X is, and in X's precision. The same for the documents of every domain."""
        return as_matrix(self.side_by_side(X))

    def side_by_side(self, X: Matrix) -> SideBySide:
        """The same, for classifiers that read the two parts of it."""
        return beside(X, np.asarray(X @ self.directions), self.weight)

    def widened(self, more: int) -> WordMap:
        """The same for rows with so many features at the right that are no words."""
        return replace(self, directions=np.pad(self.directions, ((0, more), (0, 0)))) if more else self

    def labeled_first(self, problem: Problem) -> SideBySide:
        """The problem's labeled documents and, below them, the unlabeled ones."""
        return self.side_by_side(problem.labeled_first)


def beside(X: Matrix, hidden: Array, weight: float) -> SideBySide:
    """[X, w H], with H made as long as X in every row, and in X's precision."""
    lengths = np.sqrt(np.asarray(squares_of(X).sum(axis=1)).ravel())
    own = np.sqrt(np.einsum("ij,ij->i", hidden, hidden, dtype=np.float64))  # scikit-learn takes short rows for empty
    factors = weight * lengths / np.where(own > 0, own, 1)
    return SideBySide(X, (factors[:, None] * hidden).astype(X.dtype, copy=False))


def squares_of(X: Matrix) -> Matrix:
    """Entry by entry. scipy's product of a sparse matrix with itself takes four times the memory."""
    return type(X)((X.data**2, X.indices, X.indptr), shape=X.shape) if sp.issparse(X) else X**2


def as_matrix(both: SideBySide) -> Matrix:
    """Sparse where the words are."""
    words, hidden = both.words, both.hidden
    if not sp.issparse(words):
        return np.hstack([words, hidden])
    # scipy would look for the zeros in it, which takes most of the time of a prediction.
    columns = np.tile(np.arange(hidden.shape[1], dtype=words.indices.dtype), len(hidden))
    ends = np.arange(len(hidden) + 1, dtype=words.indptr.dtype) * hidden.shape[1]
    return sp.hstack([words, sp.csr_array((hidden.ravel(), columns, ends), shape=hidden.shape)], format="csr")


def lsa_map(X: Matrix, n_components: int = 100, weight: float = 0.5) -> WordMap:
    """Latent semantic analysis: the leading right singular vectors of X, the documents of all domains."""
    _, directions = _leading(X, n_components)
    return WordMap(np.ascontiguousarray(directions.T), weight)


def denoising_lsa_map(
    X: Matrix, n_components: int = 300, weight: float = 1.0, *, noise: float = 0.9, n_words: int = 2500
) -> WordMap:
    """The marginalized denoising autoencoder in its leading directions.

    Without its tanh, the map of mSDA (see `denoising_map`) for the most frequent words is a function of their
    correlations R: with S = X^T X = D^1/2 R D^1/2 and q = 1 - noise,

        S (q S + (1 - q) D)^-1 = D^1/2 R (q R + (1 - q) I)^-1 D^-1/2,

    so that each eigenvector of R keeps its direction and its eigenvalue l becomes l / (q l + 1 - q). The leading
    eigenvectors come from a singular value decomposition of the sparse X D^-1/2 at a hundredth of the cost of solving
    for the map. What a linear classifier sees of X W are its inner products, and these need as many dimensions as
    there are eigenvectors: the map is written in such dimensions.
    """
    counts = document_frequency(X)
    squares = np.asarray(squares_of(X).sum(axis=0)).ravel()
    counts[squares == 0] = 0  # embeddings have entries whose squares are zero in single precision
    words = np.sort(np.argsort(-counts, kind="stable")[: min(n_words, np.count_nonzero(counts))])
    frequent, lengths = X[:, words], np.sqrt(squares[words])
    scaled = frequent @ sp.diags_array(1 / lengths) if sp.issparse(X) else frequent / lengths
    values, vectors = _leading(scaled, n_components)
    vectors = vectors.astype(np.float64)
    q, eigenvalues = 1 - noise, values**2
    kept = vectors.T / lengths[:, None] * (eigenvalues / (q * eigenvalues + 1 - q))
    back = vectors * lengths
    gram = back @ back.T
    gram[np.diag_indices_from(gram)] += 1e-9 * np.trace(gram) / len(gram)  # rounding must not make it indefinite
    directions = np.zeros((X.shape[1], len(values)), dtype=np.float32)
    directions[words] = kept @ cholesky(gram, lower=True)
    return WordMap(directions, weight)


def _leading(X: Matrix, n_components: int) -> tuple[Array, Array]:
    """The leading singular values that are not next to zero, and their right vectors; repeatable.

    A randomized decomposition (Halko, Martinsson and Tropp, 2011) whose basis is orthogonal in the documents, which are
    fewer than words. It is not converged: of a slowly falling spectrum it has seven tenths of the leading space, and
    other random numbers, or documents in another order, give others. More steps were tried: no more accurate labels.
    """
    k = min(n_components, *X.shape)
    # Single precision: half the time, and more exact than the directions are. At a scale that it can hold.
    values = X.data if sp.issparse(X) else X
    peak = float(max(values.max(initial=0), -values.min(initial=0))) or 1.0
    X = (X / peak).astype(np.float32, copy=False)
    documents = _drawn((X.shape[0], k + OVERSAMPLED))
    for _ in range(POWER_STEPS):
        documents = X @ (X.T @ documents)
    words = np.asarray(X.T @ np.linalg.qr(documents)[0])
    squares, turns = (found[..., ::-1][..., :k] for found in np.linalg.eigh((words.T @ words).astype(np.float64)))
    some = squares > LEAST_SQUARE * squares.max(initial=0)
    values = np.sqrt(squares[some])
    return values * peak, (words @ (turns[:, some] / values).astype(np.float32)).T


def _drawn(shape: tuple[int, int]) -> Array:
    """Normal numbers, always the same: some rows at a time, as they are drawn in double precision."""
    rng, drawn = np.random.RandomState(0), np.empty(shape, dtype=np.float32)
    for first in range(0, len(drawn), DRAWN_ROWS):
        part = drawn[first : first + DRAWN_ROWS]
        part[...] = rng.normal(size=part.shape)
    return drawn


def document_frequency(X: Matrix) -> Positions:
    """In how many documents each word occurs."""
    return np.bincount(X.indices, minlength=X.shape[1]) if sp.issparse(X) else np.count_nonzero(X, axis=0)
