"""Signed features to non-negative ones."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

_FLOATS = (np.float64, np.float32)


class SignSplit(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """The positive part of each feature, and beside all of these the negative parts: twice as wide, nothing lost.

    So the factorizations, which need non-negative features, take sentence embeddings and other signed ones.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> isthmus.SignSplit().fit_transform(np.array([[1.0, -2.0]]))
    array([[1., 0., 0., 2.]])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Remember how many features there are."""
        validate_data(self, X, accept_sparse="csr", dtype=_FLOATS)
        return self

    def transform(self, X: Any) -> Any:
        """Split the features by sign."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=_FLOATS)
        if sp.issparse(X):
            return sp.hstack([X.maximum(0), (-X).maximum(0)], format="csr")
        return np.hstack([np.maximum(X, 0), np.maximum(-X, 0)])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Each name with a plus, then each with a minus."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return np.array([f"{name}{sign}" for sign in "+-" for name in names], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
