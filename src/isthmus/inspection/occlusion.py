"""Why a document got its label: take a word out and see what happens.

This asks nothing of a method but `predict_proba`, so it works for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.core.features import for_people, is_letter_run, is_run_of
from isthmus.exceptions import EmptyDocumentWarning, silenced
from isthmus.inspection.topics import Words
from isthmus.typing import Array, Mask, Matrix, Positions

ENTRIES_AT_ONCE = 4_000_000
"""Stored entries of the occluded documents that are held at a time: some 50 MB."""

SMALLEST = float(np.finfo(np.float64).tiny)
"""Zero has no logarithm. A larger floor would hide what decides the labels that are surest."""


def deciding_words(
    estimator: Any,
    X: Matrix,
    feature_names: Sequence[str],
    n_words: int = 5,
    n_candidates: int = 20,
    *,
    labels: Any = None,
) -> list[Words]:
    """Explanations by occlusion: for each document, the words that its label hangs on, and by how much.

    Each word in turn is taken out of the document, with the runs of its letters, the rest stays as it is. How far the
    log-odds of the document's label fall is the word's say. Words without which the label would be surer are left out.

    Parameters
    ----------
    estimator
        Anything fitted, with `predict_proba` and `classes_`.
    X : documents x words, sparse or dense
    feature_names : sequence of str
        The words, as a vectorizer's ``get_feature_names_out`` gives them.
    n_words : int
        The most words to name for each document.
    n_candidates : int
        Only so many words of each document are tried, those of the largest absolute value in X.
    labels : array-like, one label per row, optional
        The labels to explain. By default those that `predict` would give.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> from isthmus.inspection import deciding_words
    >>> X = np.array([[2., 0, 1], [1, 0, 1], [0, 1, 1], [0, 2, 1]])
    >>> model = isthmus.LR().fit(X, ["billing", "billing", "fault", "fault"])
    >>> [[word for word, _ in words] for words in deciding_words(model, X[1:3], ["refund", "crash", "the"])]
    [['refund'], ['crash']]
    """
    if len(feature_names) != X.shape[1]:
        raise ValueError(
            f"feature_names has {len(feature_names)} entries and X {X.shape[1]} columns: "
            "give the names of the vectorizer that made X."
        )
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
    # A document of one word is empty without it; it then gets the class prior, which is what is meant here.
    with silenced(EmptyDocumentWarning):
        whole = np.asarray(estimator.predict_proba(X))
        numbers = whole.argmax(axis=1) if labels is None else _class_numbers(estimator.classes_, labels, X.shape[0])
        before = _log_odds(whole, numbers)
        rows, columns = _candidates(X, n_candidates, feature_names)
        falls = before[rows]
        for block in _blocks(X, rows) if len(rows) else ():
            occluded = _without(X, rows[block], columns[block], feature_names)
            falls[block] -= _log_odds(np.asarray(estimator.predict_proba(occluded)), numbers[rows[block]])
    found: list[Words] = [[] for _ in range(X.shape[0])]
    order = np.lexsort((columns, -falls, rows))
    for candidate in order[_rank_in_group(rows[order]) < n_words]:
        if falls[candidate] > 0:
            found[rows[candidate]].append((str(feature_names[columns[candidate]]), float(falls[candidate])))
    return found


def _class_numbers(classes: np.ndarray[Any, Any], labels: Any, n_rows: int) -> Positions:
    numbers = {label: number for number, label in enumerate(classes.tolist())}
    given = np.asarray(labels, dtype=object).tolist()
    if len(given) != n_rows:
        raise ValueError(f"labels has {len(given)} entries and X {n_rows} rows: give one label for each document.")
    try:
        return np.array([numbers[label] for label in given], dtype=np.intp)
    except KeyError as error:
        raise ValueError(f"labels holds {error.args[0]!r}, which is not among the classes {list(numbers)}.") from None


def _log_odds(distributions: Array, numbers: Positions) -> Array:
    """Of one class in each row against all others, summed: one minus a probability near one has few digits left."""
    rows = np.arange(len(distributions))
    own = distributions[rows, numbers].astype(np.float64)
    others = distributions.astype(np.float64)
    others[rows, numbers] = 0
    return np.asarray(np.log(np.maximum(own, SMALLEST)) - np.log(np.maximum(others.sum(axis=1), SMALLEST)))


def _blocks(X: Matrix, rows: Positions) -> list[Positions]:
    """Candidates, of which these are the rows, in runs: as many at a time as may be held without a word each."""
    widths = np.diff(X.indptr) if sp.issparse(X) else np.full(X.shape[0], X.shape[1])
    blocks = np.cumsum(widths[rows], dtype=np.int64) // ENTRIES_AT_ONCE
    return np.split(np.arange(len(rows)), np.flatnonzero(np.diff(blocks)) + 1)


def _candidates(X: Matrix, n_candidates: int, names: Sequence[str]) -> tuple[Positions, Positions]:
    """Rows and columns of each document's heaviest words."""
    if sp.issparse(X):
        rows, columns, values = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices, X.data
    else:
        rows, columns = np.nonzero(X)
        values = X[rows, columns]
    asked = np.flatnonzero((values != 0) & _told_by(for_people(names), columns, names))
    order = asked[np.lexsort((-np.abs(values[asked]), rows[asked]))]
    kept = order[_rank_in_group(rows[order]) < n_candidates]
    return rows[kept], columns[kept]


def _without(X: Matrix, rows: Positions, columns: Positions, names: Sequence[str]) -> Matrix:
    """The given rows of X, each without the word of a column. In a sparse X, the runs of its letters go with it."""
    copies = X[rows]
    if not sp.issparse(X):
        copies[np.arange(len(rows)), columns] = 0
        return copies
    words = np.repeat(columns, np.diff(copies.indptr))
    gone = copies.indices == words
    runs = np.flatnonzero(_told_by(is_letter_run, copies.indices, names))
    gone[runs] = [is_run_of(str(names[copies.indices[run]]), str(names[words[run]])) for run in runs]
    copies.data[gone] = 0
    copies.eliminate_zeros()
    return copies


def _told_by(test: Callable[[object], bool], columns: Positions, names: Sequence[str]) -> Mask:
    """Of each entry of X, whether its feature's name passes a test."""
    found, places = np.unique(columns, return_inverse=True)
    return np.array([test(names[column]) for column in found], dtype=bool)[places]


def _rank_in_group(groups: Positions) -> Positions:
    """0, 1, 2, ... anew in each run of equal entries."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    lengths = np.diff(np.append(starts, len(groups)))
    return np.arange(len(groups)) - np.repeat(starts, lengths)
