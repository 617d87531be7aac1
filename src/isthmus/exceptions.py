"""What isthmus raises and warns with, besides ValueError and TypeError."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

BETWEEN = {"isthmus", "sklearn", "joblib"}
"""Packages whose lines may stand between a user's and a warning."""


class DataError(ValueError):
    """Something outside the program is missing or cannot be used: a file, a library, a cluster, a port."""


class MissingDataError(DataError):
    """A data set was looked for and not found."""


class NoWordError(DataError):
    """No word stands in as many texts as a vectorizer asks for."""


class ModelFileError(ValueError):
    """A model file is broken, hostile, too new, or no model file at all."""


class EncoderNeededError(ModelFileError):
    """A model reads texts with an encoder that its file does not hold, and none was given."""


class EncoderUnneededError(ModelFileError):
    """An encoder was given for a model that reads words."""


class EncoderMissingError(ModelFileError):
    """A model file names its encoder, which is not on this machine as it was."""

    def __init__(self, sentence: str, reason: str = "") -> None:
        super().__init__(sentence)
        self.reason = reason
        """What is wrong with it, without a full stop."""


class EmptyDocumentWarning(UserWarning):
    """Some documents hold no known word and were given the class prior."""


class SmallClassWarning(UserWarning):
    """A class has a single labeled document."""


class SimilarLabelWarning(UserWarning):
    """A target label that the source lacks may be a slip of one that it has."""


class PlaceholderLabelWarning(UserWarning):
    """Labels that look like placeholders were taken for none."""


class GuessedEncodingWarning(UserWarning):
    """A file is not UTF-8 and does not say what else it is."""


class UnreadFilesWarning(UserWarning):
    """A folder holds files that are not taken for texts."""


class EncoderNotSavedWarning(UserWarning):
    """A model file lacks the encoder that its model reads texts with."""


class LibraryVersionWarning(UserWarning):
    """A model file was written with another version of scikit-learn."""


class ApproximateNeighborsWarning(UserWarning):
    """Of very many rows, not all of the nearest neighbors were found."""


class SampleWarning(UserWarning):
    """Of very many documents, a sample was learned from."""


class TransferWarning(UserWarning):
    """Negative transfer: labels should not cross here, or not without a second look."""


_silenced: ContextVar[tuple[type[Warning], ...]] = ContextVar("silenced", default=())
_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


@contextmanager
def silenced(*kinds: type[Warning]) -> Iterator[None]:
    """While this lasts, `warn` says nothing of these kinds in this thread.

    `warnings.catch_warnings` changes what all threads hear, and where two overlap, the silence of one may stay.
    """
    token = _silenced.set((*_silenced.get(), *kinds))
    try:
        yield
    finally:
        _silenced.reset(token)


_one_at_a_time = threading.RLock()


def _begin_anew() -> None:
    global _one_at_a_time
    _one_at_a_time = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


@contextmanager
def unheard(kind: type[Warning] = Warning) -> Iterator[None]:
    """While this lasts, no thread hears libraries warn of this kind; only one at a time, so that no silence stays."""
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore", kind)
        yield


@contextmanager
def collected() -> Iterator[list[str]]:
    """While this lasts, what `warn` would say in this thread is put into a list, for a page to show."""
    found: list[str] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def warn_deprecated(old: str, new: str, *, goes_in: str) -> None:
    """Something public has a better way: the old one works until `goes_in`, a version (docs/stability.md)."""
    warn(f"{old} is deprecated, and goes in isthmus {goes_in}: use {new}.", FutureWarning)


def warn(sentence: str, kind: type[Warning]) -> None:
    """Warn of the user's line, however many calls lie between: `transfer` and searches call `fit`, too.

    From Python 3.12 on, `warnings.warn` can do so itself (skip_file_prefixes).
    """
    if issubclass(kind, _silenced.get()):
        return
    if (heard := _collected.get()) is not None:
        heard.append(sentence)
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, kind, stacklevel=level)
