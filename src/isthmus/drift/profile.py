"""What the target of a fit looked like, in a few numbers for each document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from isthmus.core.features import is_word
from isthmus.core.parts import drawn_rows, rows_of, taken_rows, word_sums
from isthmus.exceptions import EmptyDocumentWarning, silenced
from isthmus.text import LogTfidf, WordsAndEmbeddings
from isthmus.text.unicode_counts import least_documents
from isthmus.typing import Array, Positions

MOST_DOCUMENTS = 5_000
"""Of the target, drawn at random, that a profile keeps numbers of."""
LEAST_DOCUMENTS = 200
"""That came later, and make up a profile of their own."""


@dataclass(frozen=True, eq=False)
class TargetProfile:
    """Numbers of the target's documents. No word and no text is in it."""

    unknown: Array
    """Share of each document's words that would be unknown had this document not been in the fit."""
    closeness: Array
    """How alike each document is to the mean of the others (cosine, times the length of that mean); on average not more
    than documents of the fit are with all their words, so that they do not look unusual when they come again."""
    confidence: Array
    """The probability of each document's label at the fit, which is calibrated as those of later documents are."""
    numbers: np.ndarray[Any, Any]
    """The class of each document."""
    center: Array
    """The mean row of the target."""


@dataclass(frozen=True, eq=False)
class DrawnDocuments:
    """Some of n documents (`drawn_for_profile`), and the mean row of all."""

    texts: list[str]
    X: Any
    center: Array
    n: int


def profile_target(result: Any, target_texts: Collection[str] | None = None) -> TargetProfile | None:
    """Of what `isthmus.transfer` returned; None if it has lost the texts of its source, or of its target, and none are
    given that can be gone through. A file has the profile that `isthmus.save` found.

    A document of the fit knows all its own words, and the mean of the target has a part of it. Both are taken out
    (leave one out), so that documents that come later can be compared with it.
    """
    texts, n_source = target_texts or result.target_texts, len(result.source_texts)
    if not len(texts) or len(texts) != len(result.labels) or not n_source:
        return None
    shared = _frequent_words(result.vectorizer, n_source + len(texts))
    if shared is None:
        shared = _shared_words(result.vectorizer, chain(result.source_texts, texts))
    X = rows_of(result.X, n_source, result.X.shape[0]) if result.X is not None else result.transform(texts)
    found = _profile(result.estimator, result.vectorizer, texts, X, shared)
    # A document that was learned from is surer than later ones ever are; what the fit says of it allows for that.
    rows = drawn_for_profile(len(texts))
    at_fit = np.asarray(result.probabilities, dtype=np.float64).max(axis=1)[rows]
    return replace(found, confidence=np.where(result.given[rows], found.confidence, at_fit))


def profile_drawn(estimator: Any, vectorizer: Any, drawn: DrawnDocuments, n_others: int) -> TargetProfile | None:
    """The same of a target that lies elsewhere, where words were learned from `n_others` texts beside it.

    The confidence is that of later documents. None if the vectorizer does not tell in how many texts a word stands.
    """
    shared = _frequent_words(vectorizer, drawn.n + n_others)
    return None if shared is None else _profile_of(estimator, vectorizer, drawn, shared)


def profile_update(before: Any, estimator: Any, vectorizer: Any, texts: Sequence[str], X: Any) -> TargetProfile | None:
    """After `Result.update`: of the documents that came later, as for `profile_target`.

    The profile of the result before where they are too few.
    """
    if before.profile is None:
        return None
    if len(texts) < LEAST_DOCUMENTS:
        more = X.shape[1] - len(before.profile.center)
        return replace(before.profile, center=np.pad(before.profile.center, (0, more)))
    shared = _shared_words(vectorizer, texts).union(_words(before.vectorizer)[1])
    return _profile(estimator, vectorizer, texts, X, shared)


def _profile(estimator: Any, vectorizer: Any, texts: Collection[str], X: Any, shared: set[str]) -> TargetProfile:
    """Of texts and their rows; words that are `shared` are no document's own."""
    rows, n = drawn_for_profile(len(texts)), len(texts)
    wanted = set(rows.tolist())
    center = word_sums(X) / n  # before there are texts to remember
    looked_at = [text for row, text in enumerate(texts) if row in wanted]
    return _profile_of(estimator, vectorizer, DrawnDocuments(looked_at, taken_rows(X, rows), center, n), shared)


def _profile_of(estimator: Any, vectorizer: Any, some: DrawnDocuments, shared: set[str]) -> TargetProfile:
    own, center, n = some.X, some.center, some.n
    drawn = _without_own(vectorizer, own, shared)
    with silenced(EmptyDocumentWarning):
        probabilities = estimator.predict_proba(drawn)
    cross = drawn.multiply(own) if sp.issparse(drawn) else drawn * own
    itself = np.asarray(cross.sum(axis=1)).ravel()
    analyzer, words = _words(vectorizer)
    unknown = [_share(set(analyzer(text)), shared) if words else 0.0 for text in some.texts]
    closeness = (np.asarray(drawn @ center).ravel() - itself / n) * (n / max(n - 1, 1))
    # With rare words of its own a document is less like the mean: the target itself must raise no alarm for them.
    as_it_is = float(np.asarray(own @ center).mean())
    return TargetProfile(
        unknown=np.array(unknown, dtype=np.float64),
        closeness=closeness * min(1.0, as_it_is / max(float(closeness.mean()), 1e-12)),
        confidence=np.asarray(probabilities.max(axis=1), dtype=np.float64),
        numbers=probabilities.argmax(axis=1),
        center=center.astype(np.float64),
    )


def drawn_for_profile(n: int) -> Positions:
    """The rows that a profile of n documents keeps numbers of."""
    return drawn_rows(n, MOST_DOCUMENTS)


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


def _frequent_words(vectorizer: Any, n_texts: int) -> set[str] | None:
    """The same as `_shared_words`, from weights that know in how many texts each word stands; None if they do not."""
    pipeline = vectorizer.words if isinstance(vectorizer, WordsAndEmbeddings) else vectorizer
    if not (isinstance(pipeline, Pipeline) and isinstance(pipeline[-1], LogTfidf)) or len(pipeline) != 2:
        return None
    frequency, least = np.rint(n_texts / np.exp(pipeline[-1].idf_)), _least_documents(vectorizer, n_texts)
    return {word for word, number in _words(vectorizer)[1].items() if frequency[number] > least}


def _shared_words(vectorizer: Any, texts: Iterable[str]) -> set[str]:
    """Words that would be known without any one of the texts."""
    analyzer, words = _words(vectorizer)
    if not words:
        return set()
    n_texts, frequency = 0, Counter[str]()
    for text in texts:
        n_texts += 1
        frequency.update(set(analyzer(text)).intersection(words))
    least = _least_documents(vectorizer, n_texts)
    return {word for word, n in frequency.items() if n > least}


def _least_documents(vectorizer: Any, n_texts: int) -> float:
    """In how many texts a word has to stand."""
    return least_documents(getattr(_counts(vectorizer), "min_df", 1), n_texts)


def _without_own(vectorizer: Any, X: Any, shared: set[str]) -> Any:
    """Rows as if each document had come later: without words that it brought itself, and as long as before."""
    _, words = _words(vectorizer)
    own = [number for word, number in words.items() if word not in shared]
    if not own or not sp.issparse(X) or len(words) > X.shape[1]:  # a later step may have left some words out
        return X
    keep = np.ones(len(words))
    keep[own] = 0
    before = X[:, : len(words)]
    after = before @ sp.diags_array(keep)
    old, new = (np.sqrt(np.asarray(part.multiply(part).sum(axis=1)).ravel()) for part in (before, after))
    if np.allclose(old[old > 0], 1):  # rows of unit length
        after = sp.diags_array(1 / np.where(new > 0, new, 1)) @ after
    rows = sp.csr_array(sp.hstack([after, X[:, len(words) :]])) if X.shape[1] > len(words) else sp.csr_array(after)
    rows.eliminate_zeros()
    return rows


def _share(words: set[str], known: Any) -> float:
    """Of the words, those that are unknown. Runs of their letters would count long ones several times."""
    own = {word for word in words if is_word(word)}
    return len(own.difference(known)) / len(own) if own else 0.0


def _counts(vectorizer: Any) -> Any:
    """What cuts texts into words: the first step, with embeddings beside it or not."""
    return (vectorizer.words if isinstance(vectorizer, WordsAndEmbeddings) else vectorizer)[0]


def _words(vectorizer: Any) -> tuple[Callable[[str], Sequence[str]], Any]:
    """How texts are cut into words, and the words that are known; nothing where rows are not made of words."""
    try:
        counts = _counts(vectorizer)
        return counts.build_analyzer(), counts.vocabulary_
    except (AttributeError, TypeError, LookupError):
        return (lambda text: ()), {}
