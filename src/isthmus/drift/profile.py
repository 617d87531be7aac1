"""What the target of a fit looked like, in a few numbers for each document."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.exceptions import EmptyDocumentWarning
from isthmus.text import WordsAndEmbeddings
from isthmus.typing import Array

MOST_DOCUMENTS = 5_000
"""Of the target, drawn at random, that a profile keeps numbers of."""
LEAST_DOCUMENTS = 200
"""That came later, and make up a profile of their own."""


@dataclass(frozen=True, eq=False)
class TargetProfile:
    """Numbers of the target's documents. No word and no text is in it."""

    unknown: Array
    """The share of each document's words that no other documents would have taught."""
    closeness: Array
    """How alike each document is to the mean of the others (cosine, times the length of that mean)."""
    confidence: Array
    """The probability of each document's label, as for one that comes later."""
    numbers: np.ndarray[Any, Any]
    """The class of each document."""
    center: Array
    """The mean row of the target."""


def profile_target(result: Any) -> TargetProfile | None:
    """Of what `isthmus.transfer` returned; None if it has lost its texts.

    A document of the fit knows all its own words, and the mean of the target has a part of it. Both are taken out
    (leave one out), so that documents that come later can be compared with it.
    """
    texts, n_source = list(result.target_texts), len(result.source_texts)
    if not texts or len(texts) != len(result.labels) or not n_source:
        return None
    X = result.X[n_source:] if result.X is not None else result.vectorizer.transform(texts)
    return _profile(result.estimator, result.vectorizer, texts, X, {}, result.source_texts)


def profile_update(before: Any, estimator: Any, vectorizer: Any, texts: Sequence[str], X: Any) -> TargetProfile | None:
    """After `Result.update`: of the documents that came later, as for `profile_target`.

    The profile of the result before where they are too few.
    """
    if before.profile is None:
        return None
    if len(texts) < LEAST_DOCUMENTS:
        more = X.shape[1] - len(before.profile.center)
        return replace(before.profile, center=np.pad(before.profile.center, (0, more)))
    return _profile(estimator, vectorizer, list(texts), X, _words(before.vectorizer)[1], ())


def _profile(
    estimator: Any, vectorizer: Any, texts: Sequence[str], X: Any, known: Any, other_texts: Sequence[str]
) -> TargetProfile:
    """Of texts and their rows; words that are `known`, or that stand in other texts, are no document's own."""
    center = np.asarray(X.mean(axis=0)).ravel()
    rows = np.sort(np.random.default_rng(0).permutation(len(texts))[:MOST_DOCUMENTS])
    drawn, n = X[rows], len(texts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyDocumentWarning)
        probabilities = estimator.predict_proba(drawn)
    lengths = np.asarray(drawn.multiply(drawn).sum(axis=1)).ravel() if sp.issparse(drawn) else (drawn**2).sum(axis=1)
    return TargetProfile(
        unknown=_unknown_left_out(vectorizer, texts, rows, known, other_texts),
        closeness=(np.asarray(drawn @ center).ravel() - lengths / n) * (n / max(n - 1, 1)),
        confidence=np.asarray(probabilities.max(axis=1), dtype=np.float64),
        numbers=probabilities.argmax(axis=1),
        center=center.astype(np.float64),
    )


def describe_documents(
    vectorizer: Any, texts: Sequence[str], X: Any, probabilities: Array, profile: TargetProfile
) -> dict[str, Array]:
    """The same numbers of documents that came later: unknown, closeness, confidence, and the class numbers."""
    analyzer, known = _words(vectorizer)
    return {
        "unknown": np.array([_share(set(analyzer(text)), known) for text in texts]),
        "closeness": np.asarray(X @ profile.center).ravel(),
        "confidence": np.asarray(probabilities.max(axis=1)),
        "numbers": probabilities.argmax(axis=1),
    }


def _unknown_left_out(
    vectorizer: Any, texts: Sequence[str], rows: Any, known: Any, other_texts: Sequence[str]
) -> Array:
    """Words that a document alone brought into the vocabulary would be unknown without it."""
    analyzer, words = _words(vectorizer)
    if not words:
        return np.zeros(len(rows))
    least = int(getattr(_counts(vectorizer), "min_df", 1))
    frequency: Counter[str] = Counter()
    for text in (*other_texts, *texts):
        frequency.update(set(analyzer(text)))
    others = {word for word, n in frequency.items() if n > least}.union(known)
    return np.array([_share(set(analyzer(texts[row])), others) for row in rows.tolist()])


def _share(words: set[str], known: Any) -> float:
    """Of the words, those that are unknown."""
    return len(words.difference(known)) / len(words) if words else 0.0


def _counts(vectorizer: Any) -> Any:
    """What cuts texts into words: the first step, with embeddings beside it or not."""
    return (vectorizer.words if isinstance(vectorizer, WordsAndEmbeddings) else vectorizer)[0]


def _words(vectorizer: Any) -> tuple[Callable[[str], Sequence[str]], Any]:
    """How texts are cut into words, and the words that are known; nothing where rows are not made of words."""
    try:
        counts = _counts(vectorizer)
        return counts.build_analyzer(), counts.vocabulary_
    except (AttributeError, TypeError, IndexError):
        return (lambda text: ()), {}
