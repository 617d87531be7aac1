"""Active learning: which target documents to label by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isthmus.selection.batch import Pick, pick_batch, read_rows
from isthmus.typing import Matrix, Positions


def suggest_labels(result: Any, n: int = 20, *, among: Any = None) -> Positions:
    """Active learning: numbers of the target documents whose labels would help the most, none labeled already.

    Half of them are a random sample, which comes first: an estimate of accuracy needs documents of which the method is
    sure as well. The others teach the most (`isthmus.selection.pick_batch`, which tells them apart).

    Parameters
    ----------
    result : Result of `isthmus.transfer`, or ndarray of target documents x classes
        What was found out, or the class probabilities alone, where those that teach are the most doubtful ones.
    n : int
        How many to name; fewer, if no more are there that are worth it.
    among : positions or boolean mask, optional
        Choose from these documents alone.

    Examples
    --------
    >>> import isthmus, numpy as np
    >>> isthmus.suggest_labels(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.55, 0.45]]), 2).tolist()
    [2, 1]
    """
    return np.array([pick.row for pick in suggest_picks(result, n, among=among)], dtype=np.intp)


def suggest_picks(result: Any, n: int, *, among: Any = None) -> list[Pick]:
    """The same documents, each with why: it measures, or it teaches."""
    try:
        probabilities = np.asarray(getattr(result, "probabilities", result), dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"result is {result!r:.200}: give what isthmus.transfer returned, or the class probabilities of the "
            "target's documents, as predict_proba does."
        ) from None
    if probabilities.ndim != 2:
        raise ValueError(
            f"result holds an array of shape {probabilities.shape}: give a Result, or documents x classes."
        )
    if not np.isfinite(probabilities).all():
        raise ValueError("result holds probabilities that are NaN or infinite: leave those documents out.")
    n_documents = len(probabilities)
    if not n_documents and hasattr(result, "target_texts"):
        raise ValueError(
            "result holds no documents, as one that was fitted in blocks: give the class probabilities of some, as its "
            "predict_proba returns them."
        )
    known = np.zeros(n_documents, dtype=bool) if among is None else ~read_rows(among, n_documents, "among")
    if (given := getattr(result, "given", None)) is not None:
        known |= given
    X, texts = _rows_and_texts(result, n_documents)
    return pick_batch(probabilities, X, texts, n, known=known)


def _rows_and_texts(result: Any, n_documents: int) -> tuple[Matrix, Sequence[str]]:
    """Of the target. Where they are not known, all documents are as dense as each other, and none is a copy."""
    texts = getattr(result, "target_texts", ())
    if len(texts) != n_documents:
        return np.ones((n_documents, 1)), [str(number) for number in range(n_documents)]
    X = result.transform(texts) if result.X is None else result.X[len(result.source_texts) :]
    return X, texts
