"""CSV and TSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from isthmus.exceptions import DataError
from isthmus.io.documents.bad_rows import BadRowError, FoundRow
from isthmus.io.documents.lines import LONGEST, too_long

LARGEST = (1 << 31) - 1
"""What may be said of a field's length. How long it is in truth is looked after line by line."""

_LIMIT = RLock()
_REASONS = {
    "unexpected end of data": "a quotation mark opens a field that no other closes",
    "expected after": "text follows a closing quotation mark; within a field, quotation marks are doubled",
}


@contextmanager
def _of_any_length() -> Iterator[None]:
    """The limit of a field is that of all readers in this process: one record is read at a time, and it is put back."""
    with _LIMIT:
        before = csv.field_size_limit(LARGEST)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def read_delimited(
    lines: Iterator[str], name: str, first: int, delimiter: str, longest: int = LONGEST
) -> tuple[list[str], Callable[[Sequence[str]], Iterator[tuple[str, Any]]]]:
    """The header's columns, and rows by column name. `first` is the number of the first line."""
    length = 0

    def counted() -> Iterator[str]:
        """A record may go over any number of lines, if a quotation mark is not closed."""
        nonlocal length
        for line in lines:
            length += len(line)
            if length > longest:
                raise DataError(too_long(f"{place()}: a record", longest) + " Or is a quotation mark not closed?")
            yield line

    reader = csv.reader(counted(), delimiter=delimiter, strict=True)

    def place(lines_read: int | None = None) -> str:
        return f"{name}, line {first + (reader.line_num if lines_read is None else lines_read) - 1}"

    def records() -> Iterator[list[str]]:
        nonlocal length
        while True:
            length, began = 0, place(reader.line_num + 1)
            try:
                with _of_any_length():
                    record = next(reader, None)
            except csv.Error as error:
                reason = next((text for part, text in _REASONS.items() if part in str(error)), str(error))
                raise DataError(f"{began}: {reason}.") from None
            if record is None:
                return
            if record:  # an empty line is no row
                yield record

    body = records()
    header = [column.strip() for column in next(body)]

    def rows(wanted: Sequence[str]) -> Iterator[tuple[str, Any]]:
        positions = [header.index(column) for column in wanted]
        for record in body:
            if len(record) != len(header):
                why = (
                    f"has {len(record)} {'field' if len(record) == 1 else 'fields'}, and the header has {len(header)}: "
                    "put quotation marks around fields that hold the separator or a line break."
                )
                yield place(), BadRowError(place(), "with too few or too many fields", why, record)
                continue
            yield place(), FoundRow([record[position] for position in positions], record)

    return header, rows
