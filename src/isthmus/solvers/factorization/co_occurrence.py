"""In how many documents two words occur together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from isthmus.core.numerics import in_threads, stack
from isthmus.solvers.factorization.documents import MatrixDocuments
from isthmus.typing import Array, Matrix

BLOCK = 128
"""Words, or documents, that are multiplied with all others at a time."""

OFTEN = 1 / 50
"""Words of more than this share of the documents count as frequent."""


class CoOccurrence:
    """W = B^T B, words x words, as something that multiplies; B, documents x words, says which words occur.

    W has as many entries as there are pairs of words that meet in a document, many times those of B. So W F is
    computed as B^T (B F). The documents may come in several matrices: W is the sum over these.
    """

    def __init__(self, matrices: Sequence[Matrix]) -> None:
        self._parts = [MatrixDocuments(_binary(matrix)) for matrix in matrices]

    @property
    def matrices(self) -> list[Matrix]:
        """B, in as many matrices as the documents came in."""
        return [part.matrix for part in self._parts]

    @property
    def shape(self) -> tuple[int, int]:
        words = self._parts[0].shape[1]
        return words, words

    @cached_property
    def total(self) -> float:
        """The sum of all entries: a document of l words adds l^2."""
        return float(sum(np.square(part.matrix.sum(axis=1, dtype=np.float64)).sum() for part in self._parts))

    @cached_property
    def squared_norm(self) -> float:
        """||B^T B||^2 = ||B B^T||^2: squared counts of the words that two documents share.

        With B = [P, Q], P the frequent words: ||P^T P||^2 + 2 ||Q^T P||^2 + ||Q Q^T||^2. The first is a small array;
        the second goes by blocks of frequent words; the third is sparse, as few documents share a rare word. It is also
        ||Q^T Q||^2, as few rare words share a document: of the two, whichever takes fewer multiplications. Theirs would
        grow with the square of the number of documents otherwise.
        """
        # Counts are exact in 32 bits.
        both = sp.csr_array(stack(self.matrices), dtype=np.float32)
        frequency = np.bincount(both.indices, minlength=both.shape[1])
        frequent = frequency > max(OFTEN * both.shape[0], 1)
        P, Q = both[:, frequent].tocsc(), both[:, ~frequent]
        transposed = Q.T.tocsr()

        def of_frequent(first: int) -> float:
            block = P[:, first : first + BLOCK].toarray()
            return _squares(P.T @ block) + 2 * _squares(transposed @ block)

        by_words = _squares(np.diff(Q.indptr)) < _squares(frequency[~frequent])
        left, right = (transposed, Q) if by_words else (Q, transposed)

        def of_rare(first: int) -> float:
            return _squares((left[first : first + BLOCK] @ right).data)

        frequent_blocks, rare_blocks = range(0, P.shape[1], BLOCK), range(0, left.shape[0], BLOCK)
        return sum(in_threads(of_frequent, frequent_blocks)) + sum(in_threads(of_rare, rare_blocks))

    def times(self, words: Array) -> Array:
        first, *others = [part.there_and_back(words) for part in self._parts]
        return sum(others, start=first)

    def transposed_times(self, documents: Array) -> Array:
        return self.times(documents)  # symmetric


def _binary(matrix: Matrix) -> Matrix:
    """Ones where the matrix is not zero; a sparse one shares its index arrays."""
    if not sp.issparse(matrix):
        return (matrix != 0).astype(matrix.dtype)
    return type(matrix)((np.ones_like(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape, copy=False)


def _squares(values: Array) -> float:
    return float(np.square(values, dtype=np.float64).sum())
