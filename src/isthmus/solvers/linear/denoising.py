"""Words that fit a document though they do not stand in it: the marginalized denoising autoencoder.

M. Chen, Z. Xu, K. Weinberger and F. Sha, "Marginalized Denoising Autoencoders for Domain Adaptation", ICML 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from isthmus.core.numerics import in_threads
from isthmus.solvers.linear.word_map import document_frequency
from isthmus.typing import Array, Matrix, Positions


@dataclass(frozen=True, eq=False)
class Layer:
    """tanh(X W + b)."""

    weights: Array
    """Inputs x outputs, in single precision: it is the largest thing that a map keeps."""
    offset: Array

    def apply(self, X: Matrix) -> Array:
        if sp.issparse(X):
            # Row by row, so that single precision gives one document the same bits as many.
            half, X = X.shape[0] // 2, X.astype(np.float32)
            sums = np.vstack(list(in_threads(lambda part: part @ self.weights, [X[:half], X[half:]])))
        else:
            sums = X.astype(np.float64) @ self.weights.astype(np.float64)
        sums += self.offset.astype(sums.dtype)
        return np.asarray(np.tanh(sums, out=sums))


@dataclass(frozen=True, eq=False)
class DenoisingMap:
    """Documents to how much of each frequent word their other words let one expect. See `denoising_map`."""

    layers: tuple[Layer, ...]

    def hidden(self, X: Matrix) -> Array:
        """The outputs of all layers side by side: documents x (layers * n_features)."""
        outputs = [self.layers[0].apply(X)]
        for layer in self.layers[1:]:
            outputs.append(layer.apply(outputs[-1]))
        return outputs[0] if len(outputs) == 1 else np.hstack(outputs)

    def transform(self, X: Matrix, domain: int | None = None) -> Matrix:
        """[X, hidden], for any classifier: sparse where X is, and in X's precision. The same in every domain."""
        hidden = self.hidden(X).astype(X.dtype, copy=False)
        return sp.hstack([X, sp.csr_array(hidden)], format="csr") if sp.issparse(X) else np.hstack([X, hidden])


def denoising_map(
    X: Matrix, n_features: int = 1000, noise: float = 0.9, n_layers: int = 1, *, set_size: int = 2500
) -> DenoisingMap:
    """Learn to reconstruct the most frequent words of documents that have lost most of their words.

    Every word of a document is dropped with probability `noise`, independently. A layer is the linear map with the
    least squared error over *all* such corruptions at once, which has a closed form. The paper's way for many words:
    only the `n_features` most frequent words are reconstructed, once from each of several disjoint sets of at most
    `set_size` words, and the reconstructions are averaged. So no system of equations has more than `set_size` unknowns,
    however many words there are, and rare words still have their say.

    A word's set goes by its rank in frequency, where the paper draws it at random: every set gets its share of
    frequent words, and the map has no seed. The constant feature of the paper is solved for beforehand, which centers
    the data and leaves a matrix that is always well conditioned.

    Parameters
    ----------
    X : documents x words
        Of all domains. No label is needed.
    n_features : int
        How many words to reconstruct. The map holds words x n_features numbers of 32 bits.
    noise : float
        Probability that a word is dropped, between 0 and 1.
    n_layers : int
        Layers after the first reconstruct the output of the one before from itself.
    set_size : int
        How many words are used together. Time and memory grow with it, and the map gets better.
    """
    order = _by_frequency(X)
    n_sets = -(-len(order) // set_size)
    sets = [order[first::n_sets] for first in range(n_sets)]
    outputs = X[:, order[:n_features]]
    weights = np.zeros((X.shape[1], outputs.shape[1]), dtype=np.float32)
    offset = np.zeros(outputs.shape[1])
    solved = in_threads(lambda words: reconstruct(X[:, words], outputs, noise), sets)
    for words, (part, constant) in zip(sets, solved, strict=True):
        weights[words] = part / n_sets
        offset += constant / n_sets
    layers = [Layer(weights, offset)]
    hidden: Matrix = X
    for _ in range(1, n_layers):
        hidden = layers[-1].apply(hidden)
        layers.append(Layer(*reconstruct(hidden, hidden, noise)))
    return DenoisingMap(tuple(layers))


def reconstruct(inputs: Matrix, outputs: Matrix, noise: float) -> tuple[Array, Array]:
    """W and b of the least expected || outputs - corrupted inputs W - b ||^2.

    With p the noise and S = inputs^T inputs, the expectation of corrupted^T corrupted is (1 - p)^2 S off the diagonal
    and (1 - p) S on it, and that of corrupted^T outputs is (1 - p) inputs^T outputs. Without b that leaves

        W = [(1 - p) C + p diag(S)]^-1 C_out,    b = mean(outputs) - (1 - p) mean(inputs) W,

    C and C_out being S and inputs^T outputs of centred columns. Divided by the roots of diag(S) on both sides, the
    matrix has no eigenvalue below p.
    """
    n = inputs.shape[0]
    means, expected = _means(inputs), _means(outputs)
    system, sides = _dense(inputs.T @ inputs), _dense(inputs.T @ outputs)
    scale = np.sqrt(np.maximum(system.diagonal(), np.finfo(np.float32).tiny))
    for product, right, divisors in ((system, means, scale), (sides, expected, np.ones(len(expected)))):
        product /= scale[:, None]
        product /= divisors
        product -= np.outer(np.sqrt(n) * means / scale, np.sqrt(n) * right / divisors)
    system *= 1 - noise
    system[np.diag_indices_from(system)] += noise
    precision = np.float32 if noise >= 0.1 else np.float64
    factor = cho_factor(system.astype(precision), overwrite_a=True, check_finite=False)
    weights = cho_solve(factor, sides.astype(precision), overwrite_b=True, check_finite=False)
    weights = (weights / scale[:, None]).astype(np.float32)
    return weights, expected - (1 - noise) * (means @ weights)


def _by_frequency(X: Matrix) -> Positions:
    """Words that occur, the most frequent first; of equally frequent ones, that of the larger total."""
    counts = document_frequency(X)
    totals = np.asarray(abs(X).sum(axis=0)).ravel()
    return np.lexsort((-totals, -counts))[: np.count_nonzero(counts)]


def _means(X: Matrix) -> Array:
    return np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()


def _dense(product: Matrix) -> Array:
    """Few x few, or words of a set x few: small enough to be written out."""
    return np.asarray(product.toarray() if sp.issparse(product) else product, dtype=np.float64)
