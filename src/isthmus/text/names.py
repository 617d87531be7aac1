"""What the columns that a vectorizer makes are called."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.exceptions import DataError


def feature_names(vectorizer: Any) -> np.ndarray[Any, Any] | None:
    """The names of the columns that a vectorizer makes; None if it gives them none, as hashing does."""
    try:
        return np.asarray(vectorizer.get_feature_names_out())
    except AttributeError:  # a pipeline has the method and a step of it may not
        return None


def named_features(vectorizer: Any) -> list[str]:
    """The same, for whatever shows names to people and has nothing to show without."""
    names = feature_names(vectorizer)
    if names is None:
        raise DataError(
            f"The model's vectorizer, a {type(vectorizer).__name__}, gives its columns no names, as hashing does: fit "
            "with one that keeps its vocabulary, such as TfidfVectorizer, to see words."
        )
    return list(map(str, names))
