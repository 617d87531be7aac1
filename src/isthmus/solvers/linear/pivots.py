"""Distributional correspondence indexing: words by the company that they keep with pivots, in each domain its own.

A. Moreo, A. Esuli and F. Sebastiani, "Distributional Correspondence Indexing for Cross-Lingual and Cross-Domain
Sentiment Classification", JAIR 2016.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy

from isthmus.core.problem import DocumentStack, Problem
from isthmus.solvers.linear.side_by_side import SideBySide
from isthmus.solvers.linear.word_map import as_matrix, beside, document_frequency, squares_of
from isthmus.typing import Array, Mask, Matrix, Positions

MAX_WORDS = 20_000
"""That have a profile, the most frequent ones: those of rare words are chance, and a map holds words x pivots twice."""
LEAST_SPREAD = 1e-5
"""Of a pivot's column, where it does not vary."""


@dataclass(frozen=True, eq=False)
class PivotMap:
    """Documents to [X, w H], with H = X W in rows as long as those of X. W is another for source and target."""

    words: Mask
    """Which words have a profile."""
    pivots: Positions
    source: Array
    """Words with a profile x pivots, or their leading directions, in single precision."""
    target: Array
    targets: tuple[int, ...]
    """Which domains are targets, by their position."""
    weight: float

    def transform(self, X: Matrix, domain: int | None = None) -> Matrix:
        """Sparse where X is, and in X's precision. Without a domain, documents are the target's."""
        return as_matrix(self.side_by_side(X, domain))

    def side_by_side(self, X: Matrix, domain: int | None = None) -> SideBySide:
        """The same, for classifiers that read the two parts of it."""
        profiles = self.target if domain is None or domain in self.targets else self.source
        part = X[:, self.words] if sp.issparse(X) else np.asarray(X[:, self.words], dtype=np.float64)
        return beside(X, np.asarray(part @ profiles), self.weight)

    def widened(self, more: int) -> PivotMap:
        """The same for rows with so many features at the right that are no words."""
        return replace(self, words=np.pad(self.words, (0, more))) if more else self

    def labeled_first(self, problem: Problem) -> SideBySide:
        """The problem's labeled documents and, below them, the unlabeled ones, each read as its domain's."""
        domains = list(enumerate(problem.domains))
        parts = [(domain.matrix[domain.labeled], number) for number, domain in domains if domain.labeled.any()]
        parts += [(domain.unlabeled, number) for number, domain in domains if not domain.fully_labeled]
        hidden = [self.side_by_side(rows, number).hidden for rows, number in parts]
        return SideBySide(problem.labeled_first, np.vstack(hidden))


def pivot_map(
    problem: Problem, n_pivots: int = 450, weight: float = 0.5, *, support: int = 10, n_components: int | None = None
) -> PivotMap:
    """Profiles of words: how often they stand beside each pivot, in the documents of their own domain.

    Pivots are words that mean the same in both domains and have to do with the classes. Words of the target that stand
    beside the same pivots as words of the source get a similar profile, though no document has both.

    Parameters
    ----------
    problem : Problem
        The labeled documents choose pivots. All documents of the sources, and all of the targets, make profiles.
    n_pivots : int
        How many pivots.
    weight : float
        Length of a document in its profile, relative to its length in words.
    support : int
        Documents of source and of target that a pivot must stand in, where there are enough such words.
    n_components : int or None
        Profiles in so many leading dimensions, those in which the profiles of both sides vary most; None for one
        dimension per pivot. A hundred do as well as 450 pivots, and a classifier of them takes half the time.
    """
    sides = [_side(problem, is_target) for is_target in (False, True)]
    counts = np.array([document_frequency(side) for side in sides])
    shares = counts / np.array([[side.shape[0]] for side in sides])
    pivots = _pivots(problem, counts, shares, support)[:n_pivots]
    most = np.argsort(-counts.sum(axis=0), kind="stable")[:MAX_WORDS]
    words = np.zeros(problem.n_words, dtype=bool)
    words[most] = counts.sum(axis=0)[most] > 0
    profiles = [_profiles(side, words, pivots, share) for side, share in zip(sides, shares, strict=True)]
    # A later document may hold a word that its own domain had not: then the other's profile is all there is.
    for own, other, count in zip(profiles, profiles[::-1], counts, strict=True):
        unseen = count[words] == 0
        own[unseen] = other[unseen]
    targets = tuple(number for number, domain in enumerate(problem.domains) if domain.is_target)
    source, target = profiles if n_components is None else _leading(profiles, n_components)
    return PivotMap(words, pivots, source, target, targets, weight)


def _leading(profiles: list[Array], n_components: int) -> list[Array]:
    """Both sides' profiles in the leading principal directions of all of them, about the origin."""
    gram = sum((own.T @ own).astype(np.float64) for own in profiles)
    _, vectors = np.linalg.eigh(gram)
    directions = vectors[:, ::-1][:, :n_components].astype(np.float32)
    return [own @ directions for own in profiles]


def _side(problem: Problem, is_target: bool) -> Matrix:
    """The documents of all sources, or of all targets; without any, those of the others."""
    parts = [domain.matrix for domain in problem.domains if domain.is_target == is_target]
    return DocumentStack(tuple(parts or [domain.matrix for domain in problem.domains])).stacked


def _pivots(problem: Problem, counts: Positions, shares: Array, support: int) -> Positions:
    """Words of both sides, the best pivots first."""
    # The paper's cross-consistency: a word of very unequal prevalence may mean something else.
    strength = informativeness(problem) * shares.min(axis=0) / np.maximum(shares.max(axis=0), 1e-12)
    common = counts.min(axis=0) > 0
    found = np.flatnonzero(common if common.any() else counts.any(axis=0))
    rare = counts[:, found].min(axis=0) < support
    return found[np.lexsort((-strength[found], rare))]


def informativeness(problem: Problem) -> Array:
    """Of each word, its occurrence's mutual information with a class, in nats; with several, that of the best."""
    X, numbers = problem.labeled
    word, best = document_frequency(X) / len(numbers), np.zeros(X.shape[1])
    for number in range(problem.n_classes):
        share, both = np.mean(numbers == number), document_frequency(X[numbers == number]) / len(numbers)
        cells = [
            (both, share * word),
            (word - both, (1 - share) * word),
            (share - both, share * (1 - word)),
            (1 - share - word + both, (1 - share) * (1 - word)),
        ]
        cells = [(np.maximum(joint, 0), np.maximum(chance, 1e-300)) for joint, chance in cells]
        best = np.maximum(best, sum(xlogy(joint, joint / chance) for joint, chance in cells))
    return best


def _profiles(X: Matrix, words: Mask, pivots: Positions, shares: Array) -> Array:
    """Cosines of words and pivots less what chance gives, standardized by pivot, in rows of unit length.

    Piece by piece, as each is as large as a map, and several candidates may be at work.
    """
    squares = np.asarray(squares_of(X if sp.issparse(X) else X.astype(np.float64)).sum(axis=0)).ravel()
    lengths = np.sqrt(np.where(squares > 0, squares, 1))
    beside, own = X[:, pivots].astype(np.float32, copy=False), X[:, words].astype(np.float32, copy=False)
    cosines = np.empty((own.shape[1], len(pivots)), dtype=np.float32)
    for columns in _pieces(len(pivots), 150):
        some = beside[:, columns]
        cosines[:, columns] = own.T @ (some.toarray() if sp.issparse(X) else some)
    del beside, own
    by_chance = np.sqrt(shares).astype(np.float32)
    seen = shares[words] > 0
    for rows in _pieces(len(cosines), 1024):
        part = cosines[rows]
        part /= lengths[pivots].astype(np.float32)
        part /= lengths[words][rows, None].astype(np.float32)
        part -= np.outer(by_chance[words][rows], by_chance[pivots])
    for columns in _pieces(cosines.shape[1], 32) if seen.any() else ():
        part, own = cosines[:, columns], cosines[seen, columns]
        part -= own.mean(axis=0)
        part /= np.maximum(own.std(axis=0), LEAST_SPREAD)
    for rows in _pieces(len(cosines), 1024):
        norms = np.linalg.norm(cosines[rows], axis=1, keepdims=True)
        cosines[rows] /= np.where(norms > 0, norms, 1)
    return cosines


def _pieces(n: int, largest: int) -> list[slice]:
    """Of about the same size each: sums over a single column would be rounded otherwise."""
    size = -(-n // max(-(-n // largest), 1))
    return [slice(first, first + size) for first in range(0, n, max(size, 1))]
