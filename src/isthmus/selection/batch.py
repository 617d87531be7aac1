"""Active learning: a batch of documents to label, some that measure and some that teach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from isthmus.core.problem import has_words
from isthmus.quality import near_duplicates
from isthmus.typing import Array, Mask, Matrix, Positions

RANDOM, TEACHING = "random", "teaching"
"""Why a document is in a batch. Accuracy is measured on the random ones alone: the others are there for being hard."""
KEPT = 0.25
"""Share of the documents that do not teach as long as others do: the random sample goes on among them, and would else
be left the easier ones."""
POOL = 30
"""Candidates for each document that teaches."""


class Pick(NamedTuple):
    """A target document that is worth a label, and why."""

    row: int
    kind: str


def pick_batch(
    probabilities: Array,
    X: Matrix,
    texts: Sequence[str],
    n: int,
    *,
    known: Any = None,
    kinds: Sequence[str] = (RANDOM, TEACHING),
    random_state: int = 0,
) -> list[Pick]:
    """Target documents to label by hand: a random sample, which measures accuracy, and those that teach the most.

    Those that teach are uncertain (the two likeliest classes are close), dense (like many other documents), and unlike
    one another. Documents without words and near-duplicates of others in the batch, or of labeled ones, are left out
    of them. The random ones of a second batch continue the sample of the first, if that was labeled.

    Parameters
    ----------
    probabilities : ndarray of documents x classes
    X : sparse or dense matrix with a row for each document
    texts
        For near-duplicates.
    n : int
        How many; an odd one is a random one.
    known : positions or boolean mask, optional
        Documents that have a label already.
    kinds : sequence of "random" and "teaching"
        One kind, for documents of this kind alone.
    random_state : int
        Of the random sample.
    """
    probabilities, n_texts = np.asarray(probabilities, dtype=np.float64), len(texts)
    if probabilities.ndim != 2 or not len(probabilities) == X.shape[0] == n_texts:
        raise ValueError(
            f"probabilities have the shape {probabilities.shape}, X {X.shape[0]} rows and texts {n_texts} entries: "
            "give one of each for each document."
        )
    if not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n is {n!r}: ask for a whole number of documents, one at least.")
    wanted = _read_kinds(kinds)
    labeled = read_rows([] if known is None else known, n_texts, "known")
    n = min(int(n), n_texts - int(labeled.sum()))
    n_random = (n + 1) // 2 if len(wanted) == 2 else n if RANDOM in wanted else 0
    order = np.random.default_rng(random_state).permutation(n_texts)
    blank = np.array([not text.strip() for text in texts], dtype=bool)  # nobody can label these
    drawn = order[~(labeled | blank)[order]][:n_random]
    taken = labeled.copy()
    taken[drawn] = True
    kept = taken.copy()
    kept[order[: int(KEPT * n_texts)]] = True
    taught = _teaching(probabilities, X, texts, n - n_random, kept)
    if len(taught) < n - n_random:  # then those that are kept as well
        taken[taught] = True
        taught += _teaching(probabilities, X, texts, n - n_random - len(taught), taken)
    return [*(Pick(int(row), RANDOM) for row in drawn), *(Pick(int(row), TEACHING) for row in taught)]


def read_rows(rows: Any, n_documents: int, argument: str) -> Mask:
    """Which documents are meant, by their positions or by a boolean for each: True for those."""
    try:
        given = np.asarray(rows)
        given = np.array(given.tolist()) if given.dtype == object else given  # as pandas has booleans
    except ValueError:  # lists of several lengths
        given = np.array(None)
    found = np.zeros(n_documents, dtype=bool)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "biu"):
        raise ValueError(f"{argument} is {rows!r:.200}: give positions of documents, or True or False for each.")
    if given.dtype.kind == "b":
        if len(given) != n_documents:
            raise ValueError(
                f"{argument} has {len(given)} entries and there are {n_documents} documents: give True or False for "
                "each, or positions."
            )
        return given
    beyond = (given < 0) | (given >= n_documents)
    if beyond.any():  # a negative one would count from the end
        raise ValueError(
            f"{argument} holds {given[beyond][0]}, and there are {n_documents} documents: give positions from 0 to "
            f"{n_documents - 1}."
        )
    found[given.astype(np.intp)] = True
    return found


def _read_kinds(kinds: Any) -> set[str]:
    found = [] if isinstance(kinds, str) or not isinstance(kinds, Iterable) else list(kinds)
    if not found or any(kind not in (RANDOM, TEACHING) for kind in found):
        raise ValueError(f"kinds is {kinds!r}: give [{RANDOM!r}], [{TEACHING!r}] or both.")
    return set(found)


def _teaching(probabilities: Array, X: Matrix, texts: Sequence[str], n: int, taken: Mask) -> list[int]:
    """One after the other: uncertain and dense, times how little it resembles those that were taken before."""
    if n < 1:
        return []
    X = normalize(X)  # where embeddings stand beside words, rows are longer
    value = _uncertainty(probabilities) * _density(X)
    value[taken | ~has_words(X)] = -1
    pool = np.argsort(-value, kind="stable")[: POOL * n]
    pool = pool[value[pool] >= 0]
    pool = _without_copies(pool, np.flatnonzero(taken), texts)
    rows = sp.csr_array(X[pool])
    worth, found = value[pool].copy(), []
    nearest = np.zeros(len(pool))
    for _ in range(min(n, len(pool))):
        best = int(np.argmax(worth * (1 - nearest)))
        found.append(int(pool[best]))
        worth[best] = -1
        alike = (rows @ rows[[best]].T).toarray()[:, 0]
        nearest = np.maximum(nearest, np.clip(alike, 0, 0.999))
    return found


def _uncertainty(probabilities: Array) -> Array:
    """One where the two likeliest classes are as likely as each other."""
    ordered = np.sort(probabilities, axis=1)
    second = ordered[:, -2] if probabilities.shape[1] > 1 else np.zeros(len(probabilities))
    return np.asarray(1 - (ordered[:, -1] - second))


def _density(X: Matrix) -> Array:
    """The mean similarity to all documents; its square root, so that it decides less than uncertainty does."""
    mean = np.asarray(X.mean(axis=0)).ravel()
    return np.sqrt(np.maximum(np.asarray(X @ mean).ravel(), 0))


def _without_copies(pool: Positions, taken: Positions, texts: Sequence[str]) -> Positions:
    """One document of each group of near-duplicates, and none of a group that is labeled or in the batch."""
    groups = near_duplicates([texts[row] for row in (*taken, *pool)])
    seen = set(groups[: len(taken)].tolist())
    kept = []
    for row, group in zip(pool.tolist(), groups[len(taken) :].tolist(), strict=True):
        if group not in seen:
            kept.append(row)
            seen.add(group)
    return np.array(kept, dtype=np.intp)
