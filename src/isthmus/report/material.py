"""What the page is made from: a result, its documents as matrices, and what the user knows besides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from isthmus.core.features import is_dimension, only_dimensions
from isthmus.core.labels import spelled_like
from isthmus.quality.labels import check_truth
from isthmus.text import feature_names, reading_of
from isthmus.typing import Array, Mask, Matrix, Positions

UNKNOWN = -1
"""The class number of a document whose true label nobody gave."""


class Transferred(Protocol):
    """What the page needs of a `Result`, which stands above it."""

    @property
    def labels(self) -> np.ndarray[Any, Any]: ...
    @property
    def probabilities(self) -> Array: ...
    @property
    def classes(self) -> np.ndarray[Any, Any]: ...
    @property
    def estimator(self) -> Any: ...
    @property
    def vectorizer(self) -> Any: ...
    @property
    def source_texts(self) -> Sequence[str]: ...
    @property
    def source_labels(self) -> Sequence[Any]: ...
    @property
    def target_texts(self) -> Sequence[str]: ...
    @property
    def given(self) -> Mask: ...
    @property
    def novel(self) -> Mask | None: ...
    @property
    def X(self) -> Matrix:
        """The documents of the source, then those of the target, as the estimator saw them; None if it is lost."""

    def transform(self, texts: Iterable[str]) -> Matrix:
        """Rows of texts."""


@dataclass(frozen=True, eq=False)
class Material:
    """A result, with its documents as matrices and its labels as class numbers."""

    result: Transferred
    class_names: list[str]
    """The classes, and after them those that only the true labels name."""
    n_classes: int
    """How many of them the method knows."""
    X_source: Matrix
    X_target: Matrix
    words: np.ndarray[Any, Any] | None
    """The names of the columns; None if they are not words."""
    source_numbers: Positions
    numbers: Positions
    """The class of each target document."""
    confidence: Array
    """The probability of that class."""
    truth: Positions | None
    """The true class of each target document, or UNKNOWN."""
    ids: list[str] | None

    @property
    def method(self) -> str:
        return type(self.result.estimator).__name__

    @property
    def reading(self) -> str | None:
        """How the vectorizer read the texts, if it tells."""
        return reading_of(self.result.vectorizer)

    @property
    def n_target(self) -> int:
        return len(self.numbers)

    @property
    def known(self) -> Mask:
        """The target documents whose true label was given, for scoring: one that was learned from proves nothing."""
        if self.truth is None:
            return np.zeros(self.n_target, dtype=bool)
        return np.asarray((self.truth != UNKNOWN) & ~self.learned)

    @property
    def learned(self) -> Mask:
        """The target documents whose label was learned from."""
        return self.result.given

    @property
    def set_aside(self) -> Mask:
        """The target documents without a label that look like a class which the source lacks."""
        novel = self.result.novel
        return np.zeros(self.n_target, dtype=bool) if novel is None else np.asarray(novel & ~self.learned)

    @property
    def words_alone(self) -> Material:
        """Without the dimensions of embeddings, which stand to the right of words, and tell a reader nothing."""
        assert self.words is not None
        n = sum(not is_dimension(word) for word in self.words)
        own = {"X_source": self.X_source[:, :n], "X_target": self.X_target[:, :n], "words": self.words[:n]}
        return self if n == len(self.words) else replace(self, **own)

    def name_of(self, row: int) -> str:
        """How the page calls a target document."""
        return self.ids[row] if self.ids else str(row + 1)


def read_material(result: Transferred, ids: Any, truth: Any) -> Material:
    """Validate the arguments of a report and turn the texts into matrices again."""
    classes = result.classes.tolist()
    names = [str(label) for label in classes]
    n_source, n_target = len(result.source_texts), len(result.target_texts)
    if not n_source or n_target != len(result.labels):
        of_source = "" if n_source else "source_texts=..., source_labels=..., X=None, "
        raise ValueError(
            "This result does not hold its texts, which the report shows: give them back with "
            f"dataclasses.replace(result, {of_source}target_texts=...)."
        )
    X = result.X
    if X is None:  # one call for both domains: an encoder may take long to start
        X = result.transform([*result.source_texts, *result.target_texts])
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
    true_numbers = None
    if truth is not None:
        true_labels = _one_each(truth, n_target, "truth")
        check_truth(spelled_like(true_labels, classes, "truth"), classes)
        true_numbers = _number(true_labels, classes, names)
    numbers = np.asarray(result.probabilities).argmax(axis=1)
    return Material(
        result=result,
        class_names=names,
        n_classes=len(classes),
        X_source=X[:n_source],
        X_target=X[n_source:],
        words=read_words(result.vectorizer, X),
        source_numbers=_number(list(result.source_labels), classes, names),
        numbers=numbers,
        confidence=np.asarray(result.probabilities)[np.arange(n_target), numbers].astype(np.float64),
        truth=true_numbers,
        ids=None if ids is None else [str(name) for name in _one_each(ids, n_target, "ids")],
    )


def read_words(vectorizer: Any, X: Matrix) -> np.ndarray[Any, Any] | None:
    """The names of the columns of X, or None if they are not words.

    Encoders make dense rows, whose columns mean nothing to a reader; hashing makes columns without names.
    """
    names = feature_names(vectorizer) if sp.issparse(X) else None
    return None if names is None or only_dimensions(names) else names


def _one_each(values: Any, n_target: int, argument: str) -> list[Any]:
    if isinstance(values, str):
        raise TypeError(f"{argument} is one string: give a list with one entry for each target text.")
    found = values.tolist() if hasattr(values, "tolist") else list(values)
    if len(found) != n_target:
        raise ValueError(
            f"{argument} has {len(found)} entries and there are {n_target} target texts: give one entry for each."
        )
    return found


def _number(labels: list[Any], classes: list[Any], names: list[str]) -> Positions:
    """Class numbers. A label that is no class becomes one, at the end of `names`; a missing one is UNKNOWN."""
    by_value = {label: number for number, label in enumerate(classes)}
    by_name = {name: number for number, name in enumerate(names)}
    numbers = np.full(len(labels), UNKNOWN, dtype=np.intp)
    for row, label in enumerate(spelled_like(labels, classes)):
        if label in by_value:
            numbers[row] = by_value[label]
        elif label is not None:
            if str(label) not in by_name:
                by_name[str(label)] = len(names)
                names.append(str(label))
            numbers[row] = by_name[str(label)]
    return numbers
