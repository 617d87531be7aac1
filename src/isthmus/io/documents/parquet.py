"""Parquet, by way of pyarrow."""

from __future__ import annotations

import importlib
import io
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO

from isthmus.exceptions import DataError
from isthmus.io.documents.streams import readable

MAGIC = b"PAR1"
ROWS_AT_ONCE = 5_000


def require_pyarrow() -> Any:
    """pyarrow, or a sentence that tells how to get it."""
    try:
        importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise DataError("Parquet files need pyarrow: pip install 'isthmus[parquet]'.") from None
    return importlib.import_module("pyarrow")


def read_parquet(
    stream: io.BufferedReader, raw: BinaryIO, name: str, stack: ExitStack
) -> tuple[list[str], Callable[[Sequence[str]], Iterator[tuple[str, list[Any]]]]]:
    """The columns, and rows by column name, a few thousand at a time."""
    arrow = require_pyarrow()
    with readable(name):
        whole = _seekable(stream, raw, stack)
    try:
        file = arrow.parquet.ParquetFile(whole)
    except (arrow.ArrowException, OSError):
        raise DataError(f"{name} is not a whole Parquet file.") from None
    columns = list(file.schema_arrow.names)

    def rows(wanted: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
        number = 0
        try:
            for batch in file.iter_batches(ROWS_AT_ONCE, columns=list(wanted)):
                for row in zip(*(_values(arrow, batch, column, name) for column in wanted), strict=True):
                    number += 1
                    yield f"{name}, row {number}", list(row)
        except (arrow.ArrowException, OSError, UnicodeError):
            raise DataError(f"{name} is damaged after row {number}: make it again.") from None

    return columns, rows


def _values(arrow: Any, batch: Any, column: str, name: str) -> list[Any]:
    """As Python has them, which knows fewer dates and time zones than Parquet."""
    values = batch.column(column)
    try:
        found: list[Any] = values.to_pylist()
    except (arrow.ArrowInvalid, OverflowError, ValueError, LookupError) as error:
        if not arrow.types.is_temporal(values.type):
            raise
        raise DataError(
            f"{name} holds values of the type {values.type} in column {column!r} that Python has no date for: "
            "store them as text."
        ) from error
    return found


def _seekable(stream: io.BufferedReader, raw: BinaryIO, stack: ExitStack) -> BinaryIO:
    """Parquet is read from its end: what cannot be is copied to a file without a name first."""
    if raw.seekable():
        place = raw.tell()
        raw.seek(0)
        if raw.read(len(MAGIC)) == MAGIC:
            return raw
        raw.seek(place)
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # the stack closes it
    shutil.copyfileobj(stream, copy)
    return copy
