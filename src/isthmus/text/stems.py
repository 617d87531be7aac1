"""Word counts of stems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import Stemmer
from sklearn.feature_extraction.text import CountVectorizer


class StemCounts(CountVectorizer):
    """A `CountVectorizer` that counts stems: "crashes" and "crashed" are both "crash". Stop words go first.

    Parameters
    ----------
    stemmer : str
        A Snowball algorithm: "porter" is Porter's of 1980; there is one for each of some thirty languages, by name.
    stop_words, min_df, ngram_range
        As for `CountVectorizer`. `min_df` counts the documents of a stem; runs of several words are not stemmed.

    Examples
    --------
    >>> from isthmus.text import StemCounts
    >>> StemCounts().fit(["it crashes", "crashed again"]).get_feature_names_out().tolist()
    ['again', 'crash', 'it']
    """

    def __init__(
        self, stemmer: str = "porter", *, stop_words: Any = None, min_df: float = 1, ngram_range: Any = (1, 1)
    ) -> None:
        super().__init__(stop_words=stop_words, min_df=min_df, ngram_range=ngram_range)
        self.stemmer = stemmer

    def build_analyzer(self) -> Callable[[str], list[str]]:
        """Texts to the stems of their words."""
        if self.stemmer not in Stemmer.algorithms():
            raise ValueError(f"stemmer is {self.stemmer!r}: choose from {', '.join(Stemmer.algorithms())}.")
        # The stemmer lives no longer than one pass over texts, so that a fitted object is settings and words alone. It
        # remembers the stems of words that it has met.
        words, stems = super().build_analyzer(), Stemmer.Stemmer(self.stemmer, 100_000)
        return lambda text: stems.stemWords(words(text))
