"""Documents that are generated, with the statistics of text and a truth that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.typing import Array, Matrix, Positions

ZIPF_EXPONENT, ZIPF_SHIFT = 1.07, 2.7
"""Of Mandelbrot's law, as English has it: the word of rank r occurs in proportion to (r + shift) ** -exponent."""
LENGTH_SPREAD = 0.8
"""Standard deviation of the logarithm of a document's length: that of newsgroup posts."""
BLOCK = 20_000
"""Documents that are drawn at a time."""


@dataclass(frozen=True, eq=False)
class GeneratedDomains:
    """Word counts of several domains, one below the other, and the truth about them."""

    X: Matrix
    """Documents x words: counts, as CSR."""
    y: Positions
    """The class of every document, those of targets as well: for scoring."""
    sample_domain: Positions
    """The domain of every document, from 0."""
    word_class: Positions
    """The class that each word tells of; -1 for words that tell of none."""
    word_domain: Positions
    """The one domain that each word occurs in; -1 for words of all domains."""

    def texts(self) -> Iterator[str]:
        """Every document as a text, its words w0, w1 and so on."""
        names = np.array([f"w{word}" for word in range(self.X.shape[1])], dtype=object)
        for first, last in zip(self.X.indptr[:-1], self.X.indptr[1:], strict=True):
            counts = self.X.data[first:last].astype(np.intp)
            yield " ".join(np.repeat(names[self.X.indices[first:last]], counts))


def make_domains(
    n_documents: int | Sequence[int] = 1000,
    n_words: int = 5000,
    n_classes: int = 2,
    n_domains: int = 2,
    *,
    shared: float = 0.5,
    telling: float = 0.3,
    strength: float = 1.5,
    mean_length: float = 100.0,
    random_state: Any = None,
    dtype: Any = np.float64,
) -> GeneratedDomains:
    """Domains for domain adaptation: Zipf words, log-normal lengths, several classes, vocabularies shared in part.

    A word tells of one class, in all domains, or of none. Each domain has words of its own beside those of all: what
    a classifier learns of the first domain's words says nothing of the second's.

    Parameters
    ----------
    n_documents : int or sequence of int
        Of each domain, or domain by domain.
    n_words, n_classes, n_domains : int
    shared : float
        Share of the vocabulary that all domains have in common.
    telling : float
        Share of the words that tell of a class.
    strength : float
        How much more often a telling word is in documents of its class: exp(strength) times.
    mean_length : float
        Words of a document, repeated ones counted.
    random_state : int or None
        A seed: the same documents again.
    dtype
        Of the counts.

    Examples
    --------
    >>> from isthmus.datasets import make_domains
    >>> made = make_domains(100, n_words=500, random_state=0)
    >>> made.X.shape, made.sample_domain[[0, -1]].tolist()
    ((200, 500), [0, 1])
    """
    sizes = [n_documents] * n_domains if isinstance(n_documents, int | np.integer) else list(n_documents)
    if len(sizes) != n_domains:
        raise ValueError(
            f"n_documents has {len(sizes)} entries and n_domains is {n_domains}: give one for each domain."
        )
    if not (0 < shared <= 1 and 0 <= telling <= 1):
        raise ValueError(f"shared is {shared} and telling {telling}: both are shares, and some words must be shared.")
    rng = np.random.default_rng(random_state)
    frequency = (np.arange(n_words) + 1 + ZIPF_SHIFT) ** -ZIPF_EXPONENT
    word_class = np.where(rng.random(n_words) < telling, rng.integers(n_classes, size=n_words), -1)
    word_domain = np.where(rng.random(n_words) < shared, -1, rng.integers(n_domains, size=n_words))
    y = np.concatenate([rng.permutation(np.arange(size) % n_classes) for size in sizes])
    sample_domain = np.repeat(np.arange(n_domains), sizes)
    cumulative = np.stack(
        [
            _cumulative(frequency, word_class == number, strength, (word_domain == -1) | (word_domain == domain))
            for domain in range(n_domains)
            for number in range(n_classes)
        ]
    )
    kind = sample_domain * n_classes + y
    blocks = [
        _draw(rng, cumulative, kind[first : first + BLOCK], mean_length, dtype) for first in range(0, len(y), BLOCK)
    ]
    X = blocks[0] if len(blocks) == 1 else sp.vstack(blocks, format="csr")
    return GeneratedDomains(X, y, sample_domain, word_class, word_domain)


def _cumulative(frequency: Array, told: Array, strength: float, here: Array) -> Array:
    """The distribution over words of one class in one domain, added up."""
    weights = np.cumsum(frequency * np.where(told, np.exp(strength), 1) * here)
    return np.asarray(weights / weights[-1])


def _draw(rng: np.random.Generator, cumulative: Array, kind: Positions, mean_length: float, dtype: Any) -> Matrix:
    """Some documents; `kind` says which distribution each draws its words from."""
    # The mean of a log-normal variable is exp(location + spread^2 / 2).
    location = np.log(mean_length) - LENGTH_SPREAD**2 / 2
    lengths = np.maximum(rng.lognormal(location, LENGTH_SPREAD, len(kind)).astype(np.intp), 1)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    words, kind_of_word = np.empty(ends[-1], dtype=np.int32), np.repeat(kind, lengths)
    for number in np.unique(kind):
        here = kind_of_word == number
        words[here] = np.searchsorted(cumulative[number], rng.random(int(here.sum())), side="right")
    counts = np.ones(len(words), dtype=dtype)
    drawn = sp.csr_array((counts, words, ends.astype(np.int32)), shape=(len(kind), cumulative.shape[1]))
    drawn.sum_duplicates()
    return drawn
