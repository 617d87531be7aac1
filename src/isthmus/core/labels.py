"""The one reading of labels: lists, arrays and Series, of any type, with whatever stands for a missing one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from isthmus.exceptions import SimilarLabelWarning, SmallClassWarning, warn
from isthmus.typing import Array, Mask

MOST_NAMED = 5
"""Classes with a single document, each in a sentence of its own."""
MOST_NEGATIVE = -(2**63)
"""Of numbers that an array of integers can hold."""
WHOLE_FLOAT = re.compile(r"^([+-]?\d+)\.0+$")


def read_labels(estimator: Any, y: Any, labeled: Mask, dtype: Any) -> tuple[np.ndarray[Any, Any], Array]:
    """Classes and one-hot rows, from the rows that may be read alone."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    visible = visible_labels(y, labeled)
    if visible.dtype.kind not in "biuOU":  # it warns of many classes, too, where there is nothing to check
        check_classification_targets(visible)
    classes, numbers = np.unique(visible, return_inverse=True)
    check_several(classes.tolist(), "y", ", in the rows that may be read")
    single = [classes.tolist()[number] for number in np.flatnonzero(np.bincount(numbers) == 1)]
    for name in single[:MOST_NAMED]:
        warn(f"Class {name!r} has a single labeled document: add more, or expect it to fare badly.", SmallClassWarning)
    if len(single) > MOST_NAMED:
        warn(f"So do {len(single) - MOST_NAMED:,} other classes: a single labeled document each.", SmallClassWarning)
    known = np.zeros((len(labeled), len(classes)), dtype=dtype)
    known[np.flatnonzero(labeled), numbers] = 1
    return classes, known


def visible_labels(y: Any, labeled: Mask) -> np.ndarray[Any, Any]:
    """The labels of the rows that may be read: of one type, and none of them missing."""
    y = column_or_1d(_with_own_types(y), warn=True)
    if len(y) != len(labeled):
        raise ValueError(
            f"y has {len(y)} entries and X has {len(labeled)} rows: give one entry per row "
            "(anything will do for rows whose label is not known)."
        )
    if not labeled.any():
        raise ValueError(
            "No label may be read: every row lies in a target domain or has sample_labeled False. "
            "Add labeled source rows."
        )
    visible = np.asarray(y[labeled])
    if visible.dtype.kind in "OmMV":  # the last three, dates among them, are refused by what they hold
        return _plain_labels(visible)
    if visible.dtype.kind == "f" and not np.isfinite(visible).all():
        raise ValueError(_missing_label("NaN or infinity"))
    return visible


def _with_own_types(y: Any) -> Any:
    """Entries keep their types, in lists and in what is pandas' own: gaps in hidden rows must not change the others."""
    if hasattr(y, "to_pylist"):  # a column of pyarrow
        y = y.to_pylist()
    if isinstance(y, list | tuple):
        return np.array([_single(label) for label in y], dtype=object)
    if isinstance(y, np.ndarray) and y.dtype.kind == "T":  # numpy's StringDType, which scikit-learn does not know
        return y.astype(object)
    is_pandas = hasattr(y, "columns") or (hasattr(y, "astype") and not isinstance(getattr(y, "dtype", None), np.dtype))
    return np.asarray(y.astype(object)) if is_pandas else y


def _plain_labels(visible: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Labels out of an object array, which mixed y with masked entries often is."""
    values = [_single(plain(value)) for value in visible]
    for value in values:
        if is_missing(value):
            raise ValueError(_missing_label(repr(value)))
    check_one_type(values, "y")
    return np.array(values, dtype=object) if isinstance(values[0], str) else np.array(values)


def _single(label: Any, argument: str = "y") -> Any:
    """The label: neither made of several, nor of a type that a model file cannot hold."""
    if isinstance(label, list | tuple | dict | set | np.ndarray):
        raise TypeError(f"{argument} holds {label!r:.100}: a label is a string, a number or a boolean.")
    if not isinstance(label, str | int | float | np.generic) and not is_missing(label):
        raise TypeError(f"{argument} holds {label!r:.100}, a {type(label).__name__}: give its name, as a string.")
    if isinstance(label, int) and not MOST_NEGATIVE <= label < -MOST_NEGATIVE:
        raise ValueError(f"{argument} holds {label}, which is too large for a class: give it as a string.")
    return label


def plain(label: Any) -> Any:
    """Python's own type of what may be numpy's, or a member of a StrEnum."""
    if isinstance(label, np.generic):
        return label.item()
    return str.__str__(label) if isinstance(label, str) and type(label) is not str else label


def is_missing(label: Any) -> bool:
    """None, NaN, what pandas puts in their place, or nothing between two commas of a file."""
    if isinstance(label, str):
        return not label
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def spelling(label: Any) -> str:
    """One spelling of what people take for one label. Programs make 1.0 of 1 as soon as a label is missing.

    >>> [spelling(label) for label in (1, 1.0, "1", "1.0", np.float64(1.0), "1.5", "yes")]
    ['1', '1', '1', '1', '1', '1.5', 'yes']
    """
    return WHOLE_FLOAT.sub(r"\1", str(plain(label)))


def spelled_like(labels: Iterable[Any], known: Iterable[Any], argument: str = "labels") -> list[Any]:
    """The labels, each as it is among the known ones if it has the same spelling; None for those that are missing.

    `argument` is where they come from.

    >>> spelled_like(["1.0", 2, "", "other"], [1, 2])
    [1, 2, None, 'other']
    """
    exact = {label: label for label in known}
    alike = {spelling(label): label for label in reversed(exact.values())}
    return [
        None if is_missing(label) else exact[label] if label in exact else alike.get(spelling(label), label)
        for label in (_single(plain(own), argument) for own in labels)
    ]


def _missing_label(value: str) -> str:
    return (
        f"y holds {value} in a row whose label may be read: give it a label, put it into a target domain, "
        "or set sample_labeled to False there."
    )


def read_column(values: Any, argument: str, what: str) -> list[Any]:
    """As a list, of Python's own types where it is a column of pyarrow."""
    check_column(values, argument, what)
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)


def check_column(values: Any, argument: str, what: str) -> None:
    """A list of a table would be the names of its columns, and that of a string its letters."""
    if not isinstance(values, Iterable):
        raise TypeError(f"{argument} is {values!r:.100}: give a list of {what}.")
    if isinstance(values, str):
        raise TypeError(f"{argument} is one string: give a list of {what}.")
    if isinstance(values, Set):
        raise TypeError(f"{argument} is a {type(values).__name__}, whose order is any: give a list of {what}.")
    if isinstance(values, Mapping) or hasattr(values, "columns") or getattr(values, "ndim", 1) != 1:
        raise TypeError(f"{argument} is a {type(values).__name__}, and no list of {what}: give one column of it.")


def read_texts(texts: Any, argument: str) -> list[str]:
    """As a list: one at least, and strings alone."""
    found = read_column(texts, argument, "texts")
    if not found:
        raise ValueError(f"{argument} is empty: give at least one text.")
    for position, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"{argument}[{position}] is {text!r}, not a string: leave it out or make it text.")
    return found


def filled_column(values: list[Any], n: int, rest: Any) -> np.ndarray[Any, Any]:
    """So many entries, the first of which are given."""
    column = np.full(n, rest, dtype=object if rest is None else type(rest))
    column[: len(values)] = values
    return column


def read_source_labels(source_labels: Iterable[Any], n_texts: int) -> list[Any]:
    """One for each source text, none of them missing, and all of one type."""
    labels = spelled_like(read_column(source_labels, "source_labels", "labels"), (), "source_labels")
    for position, label in enumerate(labels):
        if label is None:
            raise ValueError(f"source_labels[{position}] is missing: give it a label, or leave the text out.")
    if len(labels) != n_texts:
        raise ValueError(
            f"source_labels has {len(labels)} entries and source_texts {n_texts}: give one label for each text."
        )
    check_one_type(labels, "source_labels")
    for position, label in enumerate(labels):
        if isinstance(label, float) and not label.is_integer():
            raise ValueError(f"source_labels[{position}] is {label!r}: classes are strings or whole numbers.")
    for label, meant in spelled_unlike(labels).items():
        warn(
            f"source_labels holds {label!r} and, oftener, {meant!r}, which become two classes: spell them alike if "
            "they are one.",
            SimilarLabelWarning,
        )
    return labels


def spelled_unlike(labels: Iterable[Any]) -> dict[str, str]:
    """Labels that differ from a more frequent one by case and spaces alone, and that one.

    >>> spelled_unlike(["spam", "ham", "spam", "Spam ", "class 1", "class 2"])
    {'Spam ': 'spam'}
    """
    frequent: dict[str, str] = {}
    counts = Counter(label for label in labels if isinstance(label, str))
    for label, _ in counts.most_common():
        frequent.setdefault(" ".join(label.split()).casefold(), label)
    meant = {label: frequent[" ".join(label.split()).casefold()] for label in counts}
    return {label: own for label, own in meant.items() if own != label}


def check_one_type(labels: Iterable[Any], argument: str) -> None:
    """1 and "1" would be two classes."""
    kinds = {type(label).__name__ for label in labels}
    if len(kinds) > 1:
        raise TypeError(f"{argument} mixes labels of the types {', '.join(sorted(kinds))}: use one type for all.")


def check_several(labels: Iterable[Any], argument: str, where: str = "") -> None:
    """There must be something to tell apart."""
    classes = {label for label in labels if label is not None}
    if len(classes) < 2:
        raise ValueError(
            f"{argument} has one class only, {classes.pop()!r}{where}: there must be at least two to tell apart."
        )
