"""Word counts of texts in any language and script."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.utils._param_validation import Interval

from isthmus.exceptions import NoWordError
from isthmus.text.segmentation import SPACELESS, is_plain, letter_runs, scripts_of, tokens

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"
_PLAIN_WORDS = re.compile(r"[0-9A-Za-z_]{2,}").findall
"""The words of a text in ASCII, as the default pattern cuts them, in half the time."""


def least_documents(min_df: float, n_texts: int) -> float:
    """In how many of some texts a word has to stand, as scikit-learn reads `min_df`: a number, or a share."""
    return float(min_df if isinstance(min_df, Integral) else min_df * n_texts)


def reading_of(vectorizer: Any) -> str | None:
    """How a vectorizer, or the first step of a pipeline, has read texts; None if it does not tell."""
    first = vectorizer.steps[0][1] if isinstance(vectorizer, Pipeline) and vectorizer.steps else vectorizer
    return getattr(first, "reading", None)


class UnicodeCounts(CountVectorizer):
    """A `CountVectorizer` for any script: counts words, and pairs of characters where no space divides words.

    Each text is read by what stands in it, so that texts may mix scripts, and later ones may have others:

    - Words are those of `CountVectorizer`, but a vowel sign (Hindi) or an accent that is written as a character of its
      own does not end a word.
    - Chinese, Japanese, Thai, Lao, Khmer and Burmese give pairs of neighboring characters, as they have no spaces. On
      six pairs of Chinese domains, pairs did better than single characters with pairs, or than runs of up to four.
    - Emoji are words. An address on the web is one word, `<url>`. Hashtags and names with an @ are the word that they
      hold, numbers of two digits and more are words.

    Text without any of these is counted as `CountVectorizer` does. Words are numbered by how many texts have them, the
    most frequent first: what belongs to these then stands together in memory, and products take less time.

    Parameters
    ----------
    stop_words, min_df, ngram_range
        As for `CountVectorizer`. Runs of several words are made of words alone.
    letters : int
        Beside each word, the runs of so many of its letters (character n-grams), begun with a tilde, with an underscore
        for the edge of the word: "~_goo", "~good", "~ood_". None if 0. Texts of a sentence or two gain from 4.

    Attributes
    ----------
    scripts_ : dict of str to float
        The share of each script in the letters of (a sample of) the texts of the fit, the largest first.

    Examples
    --------
    >>> from isthmus.text import UnicodeCounts
    >>> counts = UnicodeCounts().fit(["\u5f88\u597d\u5403 \U0001f600", "so good: www.example.org"])
    >>> counts.get_feature_names_out().tolist()
    ['<url>', 'good', 'so', '\u597d\u5403', '\u5f88\u597d', '\U0001f600']
    >>> counts.reading
    'words (Latin 86%) and pairs of characters (Han 14%)'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountVectorizer._parameter_constraints,
        "letters": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self, *, stop_words: Any = None, min_df: float = 1, ngram_range: Any = (1, 1), letters: int = 0
    ) -> None:
        super().__init__(stop_words=stop_words, min_df=min_df, ngram_range=ngram_range)
        self.letters = letters

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> Any:
        """Learn the vocabulary, see which scripts there are, and count."""
        if isinstance(raw_documents, str) or self.vocabulary is not None:
            return super().fit_transform(raw_documents, y)
        self._validate_params()
        self._validate_ngram_range()
        texts, met = list(raw_documents), defaultdict[str, int]()
        met.default_factory = met.__len__  # a number for each word, as it comes
        counts = self._counted(texts, met)
        frequency = np.bincount(counts.indices, minlength=len(met))
        names, least = list(met), least_documents(self.min_df, len(texts))
        by_name = np.array(sorted(np.flatnonzero(frequency >= least).tolist(), key=names.__getitem__), dtype=np.intp)
        kept = by_name[np.argsort(-frequency[by_name], kind="stable")]
        if not len(kept):
            raise NoWordError(
                f"{len(texts)} texts have {len(met)} words beside stop words, and none of them stands in as many texts "
                f"as min_df={self.min_df!r} asks for: give more texts, or a smaller min_df."
            )
        self.vocabulary_ = {names[word]: number for number, word in enumerate(kept.tolist())}
        self.fixed_vocabulary_, self.scripts_ = False, scripts_of(texts)
        counts = counts[:, kept]
        counts.sort_indices()
        return counts

    def transform(self, raw_documents: Iterable[str]) -> Any:
        """Count the words that are known, in a matrix of documents x words."""
        if isinstance(raw_documents, str) or self.binary:
            return super().transform(raw_documents)
        self._check_vocabulary()
        return self._counted(raw_documents, self.vocabulary_)

    def _counted(self, texts: Iterable[str], numbers_of: dict[str, int]) -> Any:
        """Texts x words by their numbers; words that have none are left out."""
        analyze, found, ends = self.build_analyzer(), list[int](), [0]
        for text in texts:
            if isinstance(numbers_of, defaultdict):
                found += map(numbers_of.__getitem__, analyze(text))
            else:
                found += [number for number in map(numbers_of.get, analyze(text)) if number is not None]
            ends.append(len(found))
        width = np.int32 if len(found) <= np.iinfo(np.int32).max else np.int64
        numbers, indptr = np.array(found, dtype=width), np.array(ends, dtype=width)
        shape = (len(ends) - 1, len(numbers_of))
        counts = sp.csr_matrix((np.ones(len(found), dtype=self.dtype), numbers, indptr), shape=shape)
        counts.sum_duplicates()
        return counts

    @property
    def reading(self) -> str:
        """How the texts of the fit were read, for people."""
        words = f"words and runs of {self.letters} letters" if self.letters else "words"
        parts = {
            words: [name for name in self.scripts_ if name not in SPACELESS],
            "pairs of characters": [name for name in self.scripts_ if name in SPACELESS],
        }
        listed = {
            kind: ", ".join(f"{name} {self.scripts_[name]:.0%}" for name in names) for kind, names in parts.items()
        }
        return " and ".join(f"{kind} ({names})" for kind, names in listed.items() if names) or words

    def build_analyzer(self) -> Callable[[str], list[str]]:
        """Texts to their words and pairs of characters."""
        if self.analyzer != "word":  # which no argument says, but a file may
            return super().build_analyzer()
        prepare, cut, stop_words = self.build_preprocessor(), self.build_tokenizer(), self.get_stop_words()
        cut_ascii = _PLAIN_WORDS if self.tokenizer is None and self.token_pattern == DEFAULT_PATTERN else cut

        def analyze(text: str) -> list[str]:
            prepared = prepare(self.decode(text))
            cut_plain = cut_ascii if prepared.isascii() else cut
            words, pairs = (cut_plain(prepared), []) if is_plain(prepared) else tokens(prepared)
            runs = [run for word in words for run in letter_runs(word, self.letters)] if self.letters else []
            return [*self._word_ngrams(words, stop_words), *runs, *pairs]

        return analyze
