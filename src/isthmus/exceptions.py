"""What isthmus raises and warns with, besides ValueError and TypeError."""

from __future__ import annotations


class DataError(ValueError):
    """A data set is missing, broken or not what its name says."""


class MissingDataError(DataError):
    """A data set was looked for and not found."""


class ModelFileError(ValueError):
    """A model file is broken, hostile, too new, or no model file at all."""


class EmptyDocumentWarning(UserWarning):
    """Some documents hold no known word and were given the class prior."""


class SmallClassWarning(UserWarning):
    """A class has a single labelled document."""


class GuessedEncodingWarning(UserWarning):
    """A file is not UTF-8 and does not say what else it is."""


class EncoderNotSavedWarning(UserWarning):
    """A model file lacks the encoder that its model reads texts with."""


class LibraryVersionWarning(UserWarning):
    """A model file was written with another version of scikit-learn."""


class TransferAlarm(UserWarning):
    """The evidence says that labels should not cross here, or not without a second look."""
