"""Words of each class, for any model: what it takes a document of one word for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.core.features import first_words
from isthmus.inspection.topics import Words
from isthmus.typing import Array, Positions

MOST_WORDS = 20_000
"""The most frequent ones; the others decide few documents."""
AT_ONCE = 2_000


def class_words(estimator: Any, names: Sequence[str], n_words: int, share: Array | None = None) -> dict[Any, Words]:
    """The words that speak most for each class.

    A word's weight is how far the probability of the class, for a document of this word alone, lies above its mean over
    all words, times the square root of the share of documents that have the word: by probability alone, words of a
    single document would stand first.

    Parameters
    ----------
    estimator : fitted estimator with `predict_proba`
    names
        The words of its columns.
    n_words
        Of each class.
    share : ndarray, optional
        Of documents that have each word; by default all count alike.
    """
    share = np.ones(len(names)) if share is None else np.asarray(share)
    kept: Positions = np.sort(first_words(np.argsort(-share, kind="stable"), names, MOST_WORDS))
    if not len(kept):
        return {label: [] for label in estimator.classes_.tolist()}
    rows = sp.eye_array(len(names), format="csr")[kept]
    probabilities = np.concatenate(
        [estimator.predict_proba(rows[start : start + AT_ONCE]) for start in range(0, len(kept), AT_ONCE)]
    )
    weights = (probabilities - probabilities.mean(axis=0)) * np.sqrt(share[kept])[:, None]
    found = {}
    for number, label in enumerate(estimator.classes_.tolist()):
        order = np.argsort(-weights[:, number], kind="stable")[:n_words]
        found[label] = [
            (str(names[kept[row]]), float(weights[row, number])) for row in order if weights[row, number] > 0
        ]
    return found
