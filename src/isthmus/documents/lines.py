"""Bytes to lines of text, whatever they are encoded in."""

from __future__ import annotations

import codecs
import io
import re
import warnings
from collections.abc import Iterator

from isthmus.documents.streams import readable
from isthmus.exceptions import DataError, GuessedEncodingWarning

LONGEST = 1 << 26
"""Characters of the longest line or field that is read. More is no document, but a file of another kind."""

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Python reads a byte that is not UTF-8 as one of these, and only those.
_ESCAPED = re.compile("[\udc80-\udcff]")
_AS_LATIN_1 = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}


def check_encoding(encoding: str | None) -> None:
    """A name that Python does not know as an encoding of text is a mistake."""
    try:
        codecs.lookup(encoding or "utf-8")
        "".encode(encoding or "utf-8")
    except (LookupError, UnicodeError, ValueError):
        raise DataError(f"There is no encoding {encoding!r}: try utf-8, utf-16, latin-1 or cp1252.") from None


def read_lines(stream: io.BufferedReader, name: str, encoding: str | None = None) -> Iterator[str]:
    """Lines with their ends, as the csv module wants them.

    Bytes that are not UTF-8 are read as latin-1, with a warning, where nobody said what they are.
    """
    check_encoding(encoding)
    with readable(name):
        head = stream.peek(4)
    by_mark = next((codec for mark, codec in _BOMS.items() if head.startswith(mark)), None)
    codec = by_mark if encoding is None or by_mark == "utf-8-sig" else encoding
    text = io.TextIOWrapper(
        stream, codec or "utf-8", errors="strict" if encoding or by_mark else "surrogateescape", newline=""
    )
    try:
        yield from _checked(text, name, codec)
    finally:
        text.detach()


def _checked(text: io.TextIOWrapper, name: str, codec: str | None) -> Iterator[str]:
    number, warned = 1, False
    try:
        with readable(name):
            while line := text.readline(LONGEST):
                if "\0" in line:
                    raise DataError(f"{name}, line {number}, holds a NUL character: {_NUL_REMEDY}.")
                if len(line) == LONGEST:
                    raise DataError(f"{name}, line {number}, is longer than {LONGEST:,} characters: {_LONG_REMEDY}")
                if codec is None and not line.isascii() and _ESCAPED.search(line):
                    if not warned:
                        warnings.warn(_not_utf_8(name, number), GuessedEncodingWarning, stacklevel=2)
                        warned = True
                    line = line.translate(_AS_LATIN_1)
                yield line
                number += 1
    except UnicodeError:
        remedy = "name the right one with --encoding"
        raise DataError(f"{name}, line {number} or soon after, is not in the encoding {codec}: {remedy}.") from None


_LONG_REMEDY = "is this a file of documents?"
_NUL_REMEDY = "the file is damaged, not text at all, or in an encoding such as utf-16, to be named with --encoding"


def _not_utf_8(name: str, number: int) -> str:
    return f"{name}, line {number}, is not UTF-8: read as latin-1. Name the right encoding with --encoding."
