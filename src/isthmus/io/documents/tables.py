"""A file of documents as columns and rows, whatever its format."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from isthmus.exceptions import DataError
from isthmus.io.documents.bad_rows import BadRowError
from isthmus.io.documents.delimited import read_delimited
from isthmus.io.documents.folder import read_folder
from isthmus.io.documents.json_array import LARGEST, read_json_array
from isthmus.io.documents.jsonl import read_jsonl
from isthmus.io.documents.lines import LONGEST, read_lines
from isthmus.io.documents.parquet import MAGIC, read_parquet
from isthmus.io.documents.spreadsheet import ZIP_MAGIC, read_spreadsheet
from isthmus.io.documents.streams import STDIN, bare_suffix, open_bytes, readable, shown

Row = tuple[str, Sequence[Any] | BadRowError]
"""Where a row stands, and its values in the columns that were asked for, or what is wrong with it."""

FORMATS = ("csv", "tsv", "jsonl", "parquet", "xlsx")

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
}
"""What the end of a name says about the format."""

SEPARATOR_LINE = re.compile('"?sep=."?', re.IGNORECASE)
"""What some programs write before the header, for a spreadsheet to read. The header tells as much."""


def is_table(name: str) -> bool:
    """Whether a file's name says that it is one."""
    return bare_suffix(name) in SUFFIXES


@dataclass(frozen=True)
class DocumentTable:
    """The columns that there are, and a function from the names of some of them to rows."""

    name: str
    columns: list[str]
    rows: Callable[[Sequence[str]], Iterator[Row]]
    is_folder: bool = False
    all_columns: bool = True
    """Whether `columns` are all. If not, those that rows are asked for join them when they come."""
    size: int | None = None
    """Bytes, if known."""
    raw: BinaryIO | None = None
    """The open file, whose position says how far reading is."""


@contextmanager
def open_table(
    path: str,
    form: str | None = None,
    encoding: str | None = None,
    longest: int = LONGEST,
    on_odd: Callable[[str], None] | None = None,
) -> Iterator[DocumentTable]:
    """Look at a file's beginning: what it is, and which columns it has.

    `on_odd` is called in the place of a warning that the encoding was guessed.
    """
    if form is not None and form not in SUFFIXES.values():
        raise DataError(f"form is {form!r}: choose from {', '.join(sorted(set(SUFFIXES.values())))}.")
    if path != STDIN and Path(path).is_dir():
        columns, rows = read_folder(path, encoding, longest)
        yield DocumentTable(path, columns, rows, is_folder=True)
        return
    if path != STDIN and not Path(path).exists():
        raise DataError(f"{path} does not exist.")
    with ExitStack() as stack:
        name = shown(path)
        stream, raw = stack.enter_context(open_bytes(path))
        size = Path(path).stat().st_size if path != STDIN and Path(path).is_file() else None  # a pipe has none
        with readable(name):
            head = stream.peek(4)
        if not head:
            raise DataError(f"{name} is empty.")
        form = form or SUFFIXES.get(bare_suffix(path)) or ("parquet" if head.startswith(MAGIC) else None)
        if form == "xlsx" or head.startswith(ZIP_MAGIC):
            columns, rows = read_spreadsheet(stream, name, stack, longest)
            yield DocumentTable(name, columns, rows, size=size)
            return
        if form == "parquet":
            columns, rows = read_parquet(stream, raw, name, stack, longest)
            yield DocumentTable(name, columns, rows, size=size)
            return
        is_array = form in (None, "jsonl") and head.removeprefix(BOM_UTF8).lstrip().startswith(b"[")
        # An array may stand in one line, which is then no document.
        lines = read_lines(stream, name, encoding, on_odd, LARGEST if is_array else longest)
        stack.callback(lines.close)
        first = _first_line(lines, name)
        form = form or _guessed(first.text)
        whole, all_columns = chain([first.text], lines), True
        if form == "jsonl" and first.text.lstrip().startswith("["):
            columns, rows = read_json_array(whole, name, longest)
        elif form == "jsonl":
            columns, rows, all_columns = read_jsonl(whole, name, first.number)
        else:
            columns, rows = read_delimited(whole, name, first.number, _delimiter(first.text, form), longest)
        yield DocumentTable(name, columns, rows, all_columns=all_columns, size=size, raw=raw)


@dataclass(frozen=True)
class _Line:
    text: str
    number: int


def _first_line(lines: Iterator[str], name: str) -> _Line:
    for number, text in enumerate(lines, 1):
        if text.strip() and not SEPARATOR_LINE.fullmatch(text.rstrip("\r\n")):
            return _Line(text, number)
    raise DataError(f"{name} is empty.")


def _guessed(first: str) -> str:
    if first.lstrip().startswith(("{", "[")):
        return "jsonl"
    return "tsv" if "\t" in first else "csv"


def _delimiter(first: str, form: str) -> str:
    """Spreadsheets of countries with a decimal comma write semicolons into files that they call CSV.

    The most frequent sign of the header, but for what stands in quotation marks: a column's name may hold another.
    """
    if form == "tsv":
        return "\t"
    return max(",;\t|", key=re.sub('"[^"]*"', "", first).count)
