"""Rows that cannot be read while the others can: what is wrong with each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isthmus.exceptions import DataError


class BadRowError(DataError):
    """One row is bad; the next ones may be good.

    Readers yield it in place of the row's values, because a generator that raises has come to its end.
    """

    def __init__(self, place: str, kind: str, why: str, content: Sequence[Any] = ()) -> None:
        super().__init__(f"{place}, {why}")
        self.place = place
        self.kind = kind
        """What rows of this kind are, where they are counted: "3 without a label"."""
        self.why = why
        self.content = content
        """The values that it had, as far as they could be read."""

    def __reduce__(self) -> Any:
        """For pickles: an error is made anew from its message otherwise."""
        return type(self), (self.place, self.kind, self.why, self.content)


class FoundRow(list[Any]):
    """The values of a row that were asked for, and all that it holds."""

    __slots__ = ("whole",)

    def __init__(self, values: Sequence[Any], whole: Sequence[Any]) -> None:
        super().__init__(values)
        self.whole = whole


def refuse(row: BadRowError) -> None:
    """The first bad row is the end."""
    raise row
