"""Texts to dense rows, for use beside words or in their place."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from isthmus.core.labels import read_column
from isthmus.text.static import static_encoder
from isthmus.typing import Array


def read_encoder(encoder: Any) -> Any:
    """An object with a method `encode`: as it is given, or the static model that a name or a folder stands for."""
    if isinstance(encoder, str | Path):
        return static_encoder(encoder)
    if isinstance(encoder, type):
        raise TypeError(f"encoder is the class {encoder.__name__}: give an object, {encoder.__name__}(...).")
    if not hasattr(encoder, "encode"):
        raise TypeError(
            f"encoder is {encoder!r}: give an object with a method encode(list of texts), 'static', or the name or the "
            "folder of a static model."
        )
    return encoder


def embed_texts(texts: Iterable[str], encoder: Any = "static") -> Array:
    """Sentence embeddings of texts: one row of unit length for each, in single precision.

    Parameters
    ----------
    texts : iterable of str
    encoder : str, path or object with a method `encode`
        "static" or the name or folder of a static model (see `isthmus.text.static.static_encoder`), or anything whose
        ``encode(list of texts)`` returns a row of numbers for each.

    Returns
    -------
    ndarray, texts x dimensions
        Zeros for a text that the encoder has no numbers for.

    Examples
    --------
    >>> import numpy as np
    >>> from isthmus.text import embed_texts
    >>> class Lengths:
    ...     def encode(self, texts):
    ...         return np.array([[len(text), 3.0] for text in texts])
    >>> embed_texts(["four", ""], Lengths()).tolist()
    [[0.800000011920929, 0.6000000238418579], [0.0, 1.0]]
    """
    return np.asarray(unit_embeddings(texts, read_encoder(encoder)), dtype=np.float32)


def unit_embeddings(texts: Iterable[str], encoder: Any) -> Array:
    """The encoder's rows, checked and made unit length, in the encoder's precision."""
    given = read_column(texts, "texts", "texts")
    rows = np.asarray(encoder.encode(given))
    if rows.ndim != 2 or len(rows) != len(given):
        raise ValueError(
            f"encoder.encode returned an array of shape {rows.shape} for {len(given)} texts: "
            "it must return one row of features per text."
        )
    if not np.isfinite(rows).all():
        raise ValueError("encoder.encode returned NaN or infinity: it must return numbers for each text.")
    return np.asarray(normalize(rows)) if len(rows) else rows
