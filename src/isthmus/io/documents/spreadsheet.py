"""Spreadsheets (.xlsx), by way of openpyxl: the first sheet, whose first row names the columns."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from isthmus.exceptions import DataError, UnreadFilesWarning, warn
from isthmus.extras import import_extra
from isthmus.io.documents.lines import LONGEST, too_long
from isthmus.io.documents.streams import readable

ZIP_MAGIC = b"PK\x03\x04"
LARGEST = 1 << 28
"""Bytes that a spreadsheet may unpack to: its texts are all held."""
MOST_ROWS = 1 << 20
"""What the format allows for. A forged number of a row would be counted up to."""


def read_spreadsheet(
    stream: io.BufferedReader, name: str, stack: ExitStack, longest: int = LONGEST
) -> tuple[list[str], Callable[[Sequence[str]], Iterator[tuple[str, list[Any]]]]]:
    """The columns, and rows by column name."""
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # the stack closes it
    with readable(name):  # copied, because a zip archive is read from its end
        shutil.copyfileobj(stream, copy)
    _check_archive(copy, name)
    library = import_extra("openpyxl", "Spreadsheets need", "xlsx", or_else=", or save it as CSV")
    try:
        book = library.load_workbook(copy, read_only=True, data_only=True)
        stack.callback(book.close)
        sheets = book.worksheets
        sheets[0].reset_dimensions()  # what a file says of its size need not be so
        body = sheets[0].iter_rows(max_row=MOST_ROWS, values_only=True)
        header = next(body, ())
    except DataError:
        raise
    except Exception as error:  # openpyxl raises what it meets: KeyError, XML errors, ...
        raise _damaged(name) from error
    if len(sheets) > 1:
        warn(f"{name} has {len(sheets)} sheets: the first, {sheets[0].title!r}, is read.", UnreadFilesWarning)
    columns = ["" if cell is None else str(cell).strip() for cell in header]

    def rows(wanted: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
        positions = [columns.index(column) for column in wanted]
        try:
            for number, row in enumerate(body, 2):
                if sum(len(cell) for cell in row if isinstance(cell, str)) > longest:
                    raise DataError(too_long(f"{name}, row {number},", longest))
                if any(cell is not None for cell in row):
                    yield f"{name}, row {number}", [row[k] if k < len(row) else None for k in positions]
        except DataError:
            raise
        except Exception as error:
            raise _damaged(name) from error

    return columns, rows


def _check_archive(copy: Any, name: str) -> None:
    try:
        with zipfile.ZipFile(copy) as archive:
            size = sum(member.file_size for member in archive.infolist())
            is_book = "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:
        raise _damaged(name) from None
    if not is_book:
        raise DataError(f"{name} is a zip archive, or a spreadsheet of another kind: unpack it, or save it as CSV.")
    if size > LARGEST:
        raise DataError(f"{name} unpacks to more than {LARGEST:,} bytes: save it as CSV.")


def _damaged(name: str) -> DataError:
    return DataError(f"{name} is a spreadsheet or a zip archive that is damaged: save it again, or as CSV.")
