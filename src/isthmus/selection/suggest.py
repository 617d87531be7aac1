"""Active learning: which target documents to label by hand."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from isthmus.typing import Positions


def suggest_labels(result: Any, n: int = 20, *, among: Any = None) -> Positions:
    """Active learning: numbers of the target documents whose labels would help the most, none labelled already.

    Half of them are the most doubtful ones; the others are drawn evenly over all degrees of doubt, because an estimate
    of accuracy needs documents of which the method is sure as well.

    Parameters
    ----------
    result : Result of `isthmus.transfer`, or ndarray of target documents x classes
        What was found out, or the class probabilities alone.
    n : int
        How many to name.
    among : sequence of int, optional
        Choose from these documents alone.

    Examples
    --------
    >>> import isthmus, numpy as np
    >>> isthmus.suggest_labels(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.55, 0.45]]), 2).tolist()
    [1, 3]
    """
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
    if not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n is {n!r}: ask for a whole number of documents, one at least.")
    ordered = np.sort(probabilities, axis=1)
    doubt = ordered[:, -2] - ordered[:, -1] if probabilities.shape[1] > 1 else np.zeros(len(probabilities))
    order = np.argsort(-doubt, kind="stable")
    given = getattr(result, "given", None)
    if given is not None:
        order = order[~given[order]]
    if among is not None:
        order = order[np.isin(order, among)]
    n = min(n, len(order))
    first = order[: (n + 1) // 2]
    rest = order[len(first) :]
    spread = (
        rest[np.linspace(0, len(rest) - 1, n - len(first)).round().astype(int)[::-1]] if n > len(first) else rest[:0]
    )
    return np.concatenate([first, spread])
