"""Sentence encoders in the place of a vectorizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import normalize

from isthmus.text.sign_split import SignSplit
from isthmus.typing import Array


class TextEncoder(TransformerMixin, BaseEstimator):
    """Calls ``encoder.encode(list of texts)``, and makes the rows that it returns unit length."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def fit(self, texts: Sequence[str], y: Any = None) -> Self:
        """Nothing is learned: the encoder knows what it knows."""
        return self

    def transform(self, texts: Sequence[str]) -> Array:
        """One row per text."""
        rows = np.asarray(self.encoder.encode(list(texts)))
        if rows.ndim != 2 or len(rows) != len(texts):
            raise ValueError(
                f"encoder.encode returned an array of shape {rows.shape} for {len(texts)} texts: "
                "it must return one row of features per text."
            )
        return np.asarray(normalize(rows))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Dimensions have no names but their numbers."""
        width = self.transform([""]).shape[1]
        return np.array([f"dimension{number}" for number in range(width)], dtype=object)


def encoder_vectorizer(encoder: Any) -> Pipeline:
    """Texts to non-negative rows by way of a sentence encoder."""
    check_encoder(encoder)
    return make_pipeline(TextEncoder(encoder), SignSplit())


def check_encoder(encoder: Any) -> None:
    """Say early what an encoder must have."""
    if not hasattr(encoder, "encode"):
        raise TypeError(f"encoder is {encoder!r}: give an object with a method encode(list of texts).")
