"""Bytes of files, of what gzip and Zstandard made of them, and of standard input."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from isthmus.exceptions import DataError

STDIN = "-"
COMPRESSED = {".gz": "gzip", ".zst": "Zstandard"}
"""What a file name ends with, and what it says."""

_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "Zstandard"}
_OTHERS = {
    b"\xd0\xcf\x11\xe0": "a spreadsheet of an old kind: save it as CSV",
    b"\x89PNG": "a picture: give a file of documents",
    b"%PDF": "a PDF file: save its text first",
    b"BZh9": "compressed with bzip2: unpack it, or use gzip or Zstandard",
    b"\xfd7zX": "compressed with xz: unpack it, or use gzip or Zstandard",
}
"""What files begin with that people take for tables, and a remedy."""
_BLOCK = 1 << 16
_ZSTANDARD_BLOCK = 1 << 8
"""Bytes that are decompressed at once. Four of them can become 128 kB."""
_WINDOW = 1 << 27
"""Bytes of the past that Zstandard may refer to, and that are held for it: what its own command allows for."""


class Chunks(io.RawIOBase):
    """A stream of the bytes that an iterator yields."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # wider than typeshed's
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)  # which can be cut without a copy
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


@contextmanager
def readable(name: str) -> Iterator[None]:
    """What goes wrong while the bytes of `name` are read is said in a sentence."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
        cut = isinstance(error, EOFError)
        if "too much memory" in str(error):
            raise DataError(
                f"{name} needs more than {_WINDOW:,} bytes to decompress: make it without --long."
            ) from None
        reason = "ends too early: it was cut off" if cut else "is damaged: it cannot be decompressed"
        raise DataError(f"{name} {reason}. Copy or download it again.") from None
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}.") from None


@contextmanager
def open_bytes(path: str) -> Iterator[tuple[io.BufferedReader, BinaryIO]]:
    """The decompressed bytes of a file or of standard input, and the file itself, which knows how far reading is."""
    name = shown(path)
    if path == STDIN and sys.stdin is None:
        raise DataError("standard input is closed: give a file.")
    with readable(name):
        # "-" is not ours to close.
        raw = cast(BinaryIO, sys.stdin.buffer) if path == STDIN else Path(path).open("rb")  # noqa: SIM115  # closed below
    try:
        yield _decompressed(raw, path), raw
    finally:
        if path != STDIN:
            raw.close()


def _decompressed(raw: BinaryIO, path: str) -> io.BufferedReader:
    with readable(shown(path)):
        head = raw.read(4)
    if head in _OTHERS:
        raise DataError(f"{shown(path)} is {_OTHERS[head]}.")
    found = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    said = COMPRESSED.get(Path(path).suffix.lower())
    if head and said and found != said:
        raise DataError(f"{path} is not a {said} file, though its name says so: rename it, or make it again.")
    stream: io.BufferedReader = io.BufferedReader(Chunks(chain([head], iter(lambda: raw.read(_BLOCK), b""))), _BLOCK)
    if found == "gzip":
        return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=stream)), _BLOCK)
    if found == "Zstandard":
        return io.BufferedReader(Chunks(_zstandard(stream)), _BLOCK)
    return stream


def _zstandard(stream: BinaryIO) -> Iterator[bytes]:
    """Frame after frame. The library's own reader takes a file that was cut off for a whole one."""
    frame = None
    while compressed := stream.read(_ZSTANDARD_BLOCK):
        while compressed:
            if frame is None:
                frame = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
            yield frame.decompress(compressed)
            compressed = b""
            if frame.eof:
                compressed, frame = frame.unused_data, None
    if frame is not None:
        raise EOFError


def shown(path: str) -> str:
    """A path as sentences name it."""
    return "standard input" if path == STDIN else path


def bare_suffix(path: str) -> str:
    """What a name ends with, but for .gz and .zst."""
    name = Path(path)
    return (name.with_suffix("") if name.suffix.lower() in COMPRESSED else name).suffix.lower()
