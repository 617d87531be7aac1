"""Parquet, by way of pyarrow."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any, BinaryIO

from isthmus.exceptions import DataError
from isthmus.extras import import_extra
from isthmus.io.documents.lines import LONGEST, too_long
from isthmus.io.documents.streams import readable

MAGIC = b"PAR1"
ROWS_AT_ONCE = 5_000
BYTES_AT_ONCE = 1 << 26
"""Rows that are held at a time, and what they take, unless one row alone takes more."""


def require_pyarrow() -> Any:
    """pyarrow, or a sentence that tells how to get it."""
    import_extra("pyarrow.parquet", "Parquet files need", "parquet")
    return import_module("pyarrow")


def read_parquet(
    stream: io.BufferedReader, raw: BinaryIO, name: str, stack: ExitStack, longest: int = LONGEST
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
            # A text that stands in a dictionary once is held once, however many rows have it.
            texts = [column for column in wanted if _is_string(arrow, file.schema_arrow.field(column).type)]
            shared = arrow.parquet.ParquetFile(whole, read_dictionary=texts)
            for batch in shared.iter_batches(_rows_at_once(file.metadata), columns=list(wanted)):
                for row in zip(*(_values(arrow, batch, column, name) for column in wanted), strict=True):
                    number += 1
                    if sum(len(value) for value in row if isinstance(value, str)) > longest:
                        raise DataError(too_long(f"{name}, row {number},", longest))
                    yield f"{name}, row {number}", list(row)
        except (arrow.ArrowException, OSError, UnicodeError):
            raise DataError(f"{name} is damaged after row {number}: make it again.") from None

    return columns, rows


def _is_string(arrow: Any, kind: Any) -> bool:
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind))


def _rows_at_once(metadata: Any) -> int:
    n_bytes = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    return int(min(max(BYTES_AT_ONCE * metadata.num_rows // max(n_bytes, 1), 1), ROWS_AT_ONCE))


def _values(arrow: Any, batch: Any, column: str, name: str) -> list[Any]:
    """As Python has them, which knows fewer dates and time zones than Parquet."""
    values = batch.column(column)
    try:
        if arrow.types.is_dictionary(values.type):
            used = values.indices.unique()
            entries = dict(zip(used.to_pylist(), values.dictionary.take(used).to_pylist(), strict=True))
            return [entries[place] for place in values.indices.to_pylist()]
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
