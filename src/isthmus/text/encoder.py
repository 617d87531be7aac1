"""Sentence encoders in the place of a vectorizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline

from isthmus.core.features import dimension_names
from isthmus.text.embedding import read_encoder, unit_embeddings
from isthmus.text.sign_split import SignSplit
from isthmus.typing import Array


class TextEncoder(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Calls ``encoder.encode(list of texts)``, and makes the rows that it returns unit length."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def fit(self, texts: Sequence[str], y: Any = None) -> Self:
        """Nothing is learned: the encoder knows what it knows."""
        return self

    def transform(self, texts: Sequence[str]) -> Array:
        """One row per text."""
        return unit_embeddings(texts, self.encoder)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Dimensions have no names but their numbers."""
        return dimension_names(self.transform([""]).shape[1])


def encoder_vectorizer(encoder: Any) -> Pipeline:
    """Texts to non-negative rows by way of a sentence encoder, or of a static model by its name or folder."""
    return make_pipeline(TextEncoder(read_encoder(encoder)), SignSplit())
