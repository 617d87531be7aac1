"""Words and sentence embeddings side by side: two views of one text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from isthmus.core.features import dimension_names
from isthmus.text.embedding import unit_embeddings
from isthmus.text.unicode_counts import reading_of
from isthmus.typing import Array, Matrix


class WordsAndEmbeddings(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Rows of words and, to their right, rows of a sentence encoder: what `Auto(n_embedding_features=...)` takes.

    Embeddings are centred, since they all point much the same way, and of one length. A text without a known word has
    a row of zeros, and is left out like any empty document.

    Parameters
    ----------
    words : vectorizer
        Texts to unit rows of words.
    encoder : object with a method `encode`
        Texts to rows of numbers.
    weight : float
        Length of an embedding, where a row of words has length one.

    Attributes
    ----------
    center_ : ndarray
        The mean embedding of the texts of the fit, of all domains: those of one domain would hide label shift.
    n_embedding_features_ : int
    """

    def __init__(self, words: Any, encoder: Any, weight: float = 1.0) -> None:
        self.words = words
        self.encoder = encoder
        self.weight = weight

    def fit(self, texts: Sequence[str], y: Any = None) -> Self:
        """Learn the vocabulary, and where the embeddings' middle is."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Sequence[str], y: Any = None, **_: Any) -> Matrix:
        """The same, and the rows."""
        words = self.words.fit_transform(texts)
        embeddings = unit_embeddings(texts, self.encoder)
        self.center_ = embeddings.mean(axis=0, dtype=np.float64)
        self.n_embedding_features_ = int(embeddings.shape[1])
        return self._beside(words, embeddings)

    def transform(self, texts: Sequence[str]) -> Matrix:
        """One row per text, sparse."""
        check_is_fitted(self, "center_")
        embeddings = unit_embeddings(texts, self.encoder)
        if len(texts) and embeddings.shape[1] != self.n_embedding_features_:
            raise ValueError(
                f"encoder returns {embeddings.shape[1]} numbers for each text, and the one of the fit returned "
                f"{self.n_embedding_features_}: give that one."
            )
        return self._beside(self.words.transform(texts), embeddings)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Words, and after them the numbers of dimensions."""
        return np.concatenate([self.words.get_feature_names_out(), dimension_names(self.n_embedding_features_)])

    @property
    def reading(self) -> str:
        """How texts have been read, in a few words."""
        return (
            f"{reading_of(self.words) or 'words'}; embeddings by {getattr(self.encoder, 'name', self.encoder)!s:.100}"
        )

    def _beside(self, words: Matrix, embeddings: Array) -> Matrix:
        words = sp.csr_array(words)
        rows = self.weight * normalize(embeddings - self.center_)
        rows[np.diff(words.indptr) == 0] = 0
        return sp.hstack([words, sp.csr_array(rows, dtype=words.dtype)], format="csr")
