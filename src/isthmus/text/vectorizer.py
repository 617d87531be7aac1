"""Word counts to the weights that the methods work best with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted, validate_data

from isthmus.text.stems import StemCounts
from isthmus.text.unicode_counts import UnicodeCounts
from isthmus.typing import Array, Matrix


def as_rows(X: Any) -> Matrix:
    """What a vectorizer made of texts, as rows that can be taken one by one: CSR, or an array."""
    if sp.issparse(X):
        return X.tocsr()
    if hasattr(X, "columns"):  # a DataFrame, as `transform_output` asks for
        return X.sparse.to_coo().tocsr() if hasattr(X, "sparse") else X.to_numpy()
    return X


def inverse_frequency(n_texts: float, frequency: Any) -> Array:
    """ln(N / df): the weights of words that stand in so many of N texts."""
    return np.asarray(np.log(n_texts / np.maximum(frequency, 1)))


class LogTfidf(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """(1 + ln tf) ln(N / df), then rows of unit length. Counts below one, if there are any, count as they are.

    Not what scikit-learn's `TfidfTransformer` offers: there, ln(N / df) comes with a one added, so that words of every
    document keep weight. The factorizations do better without those words.

    Parameters
    ----------
    dtype : "float64" or "float32"
        Of the weights. Single precision takes two thirds of the room, and most methods less time.

    Examples
    --------
    >>> import numpy as np
    >>> from isthmus.text import LogTfidf
    >>> LogTfidf().fit_transform(np.array([[3, 1, 0], [1, 0, 2]])).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """

    def __init__(self, dtype: str = "float64") -> None:
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count in how many documents each word occurs."""
        if np.dtype(self.dtype).kind != "f":
            raise ValueError(f"dtype is {self.dtype!r}: choose float64 or float32, as weights are fractions.")
        counts = self._counts(X, reset=True)
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        self.idf_ = inverse_frequency(counts.shape[0], frequency)
        return self

    def transform(self, X: Any) -> Any:
        """Weigh the counts."""
        check_is_fitted(self)
        weights = self._counts(X, reset=False)
        tf = weights.data
        weights.data = np.where(tf < 1, tf, 1 + np.log(tf)) * self.idf_[weights.indices]
        weights.eliminate_zeros()
        return normalize(weights, copy=False).astype(self.dtype, copy=False)

    def _counts(self, X: Any, *, reset: bool) -> Any:
        counts = sp.csr_array(validate_data(self, X, reset=reset, accept_sparse="csr"), dtype=np.float64, copy=True)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        if counts.nnz and counts.data.min() < 0:
            raise ValueError(
                f"Negative values in data passed to LogTfidf: X holds {counts.data.min():g}. "
                "Pass word counts, as CountVectorizer makes them."
            )
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def text_vectorizer(
    min_df: float = 2,
    stop_words: str | None = None,
    longest: int = 1,
    stemmer: str | None = None,
    any_script: bool = False,
    letters: int = 0,
    dtype: str = "float64",
) -> Pipeline:
    """Texts to unit rows of (1 + ln tf) ln(N / df), without words of fewer than `min_df` documents.

    Stop words stay by default: a list fits one language, and ln(N / df) leaves the most frequent words little weight.
    `longest` = 2 counts pairs of neighboring words as well, which opinions gain from: "not good". With `stemmer`,
    stems are counted instead of words; see `StemCounts`. With `any_script`, texts need no spaces between words, and
    `letters` counts runs of letters beside words; see `UnicodeCounts`. `dtype` is that of the weights.
    """
    if stemmer is not None and any_script:
        raise ValueError(f"stemmer is {stemmer!r} and any_script is True, which counts no stems: leave one out.")
    if letters and not any_script:
        raise ValueError(f"letters is {letters!r}, which any_script=True counts: give both, or leave letters out.")
    counts = UnicodeCounts(letters=letters) if any_script else CountVectorizer()
    counts = counts if stemmer is None else StemCounts(stemmer)
    counts.set_params(stop_words=stop_words, min_df=min_df, ngram_range=(1, longest))
    return make_pipeline(counts, LogTfidf(dtype))


PRESETS: dict[str, dict[str, Any]] = {
    "default": {"any_script": True, "dtype": "float32"},
    "opinions": {
        "min_df": 5,
        "longest": 2,
        "any_script": True,
        "dtype": "float32",
    },  # no paper's: pairs of words such as "not good"
    "short": {
        "any_script": True,
        "letters": 4,
        "dtype": "float32",
    },  # no paper's: runs of letters, for texts of a sentence
    "tcl": {"min_df": 15, "stop_words": "english"},  # section 4.1, 20 Newsgroups; 10 documents for the smaller SRAA
    "cci": {"min_df": 3, "stop_words": "english"},  # under "20 NewsGroups"
    "dtlm": {"min_df": 15, "stop_words": "english"},  # takes the data over from others, who say what TCL says
    "cdsc": {"min_df": 3, "stop_words": "english", "stemmer": "porter"},  # section 4.3
}
"""Settings of `text_vectorizer` by preset.

All split lower-cased text into words of two characters or more; the first three, which are no paper's, know of scripts
without spaces and of emoji as well. The weights are (1 + ln tf) ln(N / df), of unit length,
throughout: the papers say "tf-idf" at most, and with these weights their figures come back.
"""


LOOKED_AT = 1000
"""Texts of source and target that tell whether they are short."""
FEW_WORDS = 20
"""Chosen: texts with fewer words, on average, are short. Domains that gained from runs of letters have 7 to 20; those
of 38 words and more did not gain, and took three times the time."""
LONG_WORD = 15
"""Chosen: where words seem to have more characters, on average, no space divides them, and there is nothing to gain."""


def preset_for(source: Sequence[str], target: Iterable[str]) -> str:
    """The preset for texts of which nothing is said: "short" where they are in source and target, or else "default".

    Texts of the source are looked at from its first to its last, since it may have several domains, and the first ones
    of the target, which may be a file without end.

    >>> from isthmus.text import preset_for
    >>> preset_for(["It works.", "It broke."], ["It fell."]), preset_for(["It works.", "It broke."], ["word " * 100])
    ('short', 'default')
    """
    some = source[:: 1 + len(source) // LOOKED_AT]
    return "short" if _are_short(some) and _are_short(list(islice(target, LOOKED_AT))) else "default"


def _are_short(texts: Sequence[str]) -> bool:
    lengths = [len(word) for text in texts for word in text.split()]
    return 0 < len(lengths) < FEW_WORDS * len(texts) and sum(lengths) <= LONG_WORD * len(lengths)


def preset_vectorizer(preset: str) -> Pipeline:
    """A vectorizer with a paper's settings.

    >>> from isthmus.text import preset_vectorizer
    >>> texts = ["the crashes", "it crashed", "no crash"]
    >>> preset_vectorizer("cdsc").fit(texts).get_feature_names_out().tolist()
    ['crash']
    """
    if preset not in PRESETS:
        raise ValueError(f"preset is {preset!r}: choose from {', '.join(PRESETS)}.")
    return text_vectorizer(**PRESETS[preset])
