"""A vocabulary that grows: words of documents that came after the fit."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline

from isthmus.text.unicode_counts import least_documents
from isthmus.text.vectorizer import LogTfidf, inverse_frequency


def grown_vectorizer(vectorizer: Any, texts: Sequence[str], n_before: int) -> Any:
    """The same vectorizer with the words of some texts added at the right; the old one stays as it is.

    A word must stand in as many of them as in texts of the fit. Its weight is as if it had been in none of the
    `n_before` texts of the target that came before. Vectorizers other than `text_vectorizer` makes know their own words
    alone, and are returned as they are.
    """
    steps = [step for _, step in vectorizer.steps] if isinstance(vectorizer, Pipeline) else []
    if [type(step) for step in steps[1:]] != [LogTfidf] or not isinstance(steps[0], CountVectorizer):
        return vectorizer
    counts, weights = steps
    analyze, known = counts.build_analyzer(), counts.vocabulary_
    frequency: Counter[str] = Counter()
    for text in texts:
        frequency.update(set(analyze(text)).difference(known))
    least = least_documents(counts.min_df, len(texts))
    added = sorted(word for word, n in frequency.items() if n >= least)
    if not added:
        return vectorizer
    counts, weights = copy.copy(counts), copy.copy(weights)
    counts.vocabulary_ = known | {word: len(known) + number for number, word in enumerate(added)}
    n_texts = n_before + len(texts)
    weights.idf_ = np.concatenate([weights.idf_, inverse_frequency(n_texts, [frequency[word] for word in added])])
    weights.n_features_in_ = len(weights.idf_)
    names = [name for name, _ in vectorizer.steps]
    return Pipeline(list(zip(names, [counts, weights], strict=True)))
