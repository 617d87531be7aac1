"""Bytes to lines of text, whatever they are encoded in."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Generator, Iterator

from isthmus.exceptions import DataError, GuessedEncodingWarning, warn
from isthmus.io.documents.streams import readable

LONGEST = 1 << 24
"""Characters of the longest document that is read, with all columns of its row, unless a reader is told otherwise. More
is a file of another kind, or one that is meant to fill the memory."""

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Python reads a byte that is not UTF-8 as one of these, and only those.
_ESCAPED = re.compile("[\udc80-\udcff]")
_AS_WINDOWS = {0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or byte for byte in range(0x80, 0x100)}
"""Windows-1252, and latin-1 for the five bytes that it leaves open: browsers read pages without encoding so."""


def check_encoding(encoding: str | None) -> None:
    """A name that Python does not know as an encoding of text is a mistake."""
    try:
        codecs.lookup(encoding or "utf-8")
        "".encode(encoding or "utf-8")
    except (LookupError, UnicodeError, ValueError):
        raise DataError(f"There is no encoding {encoding!r}: try utf-8, utf-16, latin-1 or cp1252.") from None


def read_lines(
    stream: io.BufferedReader,
    name: str,
    encoding: str | None = None,
    on_odd: Callable[[str], None] | None = None,
    longest: int = LONGEST,
) -> Generator[str, None, None]:
    """Lines with their ends, as the csv module wants them. Who stops before the last closes it before the stream.

    Where nobody said what they are, bytes that are not UTF-8 are read as Windows-1252. At the end of the file there is
    a warning of that; or `on_odd` is called with the place of the first of them, and there is none.
    """
    check_encoding(encoding)
    with readable(name):
        head = stream.peek(4)
    by_mark = next((codec for mark, codec in _BOMS.items() if head.startswith(mark)), None)
    is_marked = by_mark is not None and (encoding is None or _family(encoding) == _family(by_mark))
    codec = by_mark if is_marked or by_mark == "utf-8-sig" else encoding
    text = io.TextIOWrapper(
        stream, codec or "utf-8", errors="strict" if encoding or by_mark else "surrogateescape", newline=""
    )
    try:
        yield from _checked(text, name, codec, on_odd or warn_of_encoding, longest)
    finally:
        text.detach()


def _family(encoding: str) -> str:
    """Without the order of bytes, which a mark tells."""
    return codecs.lookup(encoding).name.removesuffix("-le").removesuffix("-be")


def warn_of_encoding(place: str, name: str = "encoding") -> None:
    """Someone should know that an encoding was guessed, which an argument names."""
    message = f"{place}, is not UTF-8: read as Windows-1252. Name the right one with {name}=."
    warn(message, GuessedEncodingWarning)


def too_long(place: str, longest: int) -> str:
    """The sentence about a document that is longer than documents are."""
    return (
        f"{place} is longer than {longest:,} characters: is this a file of documents? If so, allow for more with "
        "max_document=."
    )


def _checked(
    text: io.TextIOWrapper, name: str, codec: str | None, on_odd: Callable[[str], None], longest: int
) -> Iterator[str]:
    number, odd = 1, None
    try:
        with readable(name):
            while line := text.readline(longest + 1):
                if "\0" in line:
                    raise DataError(f"{name}, line {number}, holds a NUL character: {_NUL_REMEDY}.")
                if len(line) > longest:
                    raise DataError(too_long(f"{name}, line {number},", longest))
                if codec is None and not line.isascii() and _ESCAPED.search(line):
                    odd = odd or f"{name}, line {number}"
                    line = line.translate(_AS_WINDOWS)
                yield line
                number += 1
    except UnicodeError:
        remedy = "name the right one with encoding="
        raise DataError(f"{name}, line {number} or soon after, is not in the encoding {codec}: {remedy}.") from None
    if odd is not None:
        on_odd(odd)


_NUL_REMEDY = "the file is damaged, not text at all, or in an encoding such as utf-16, to be named with encoding="
