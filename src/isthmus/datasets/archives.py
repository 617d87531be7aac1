"""Reading archives without trusting them."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from isthmus.exceptions import DataError

LARGEST_MEMBER = 64 << 20
LARGEST_ARCHIVE = 2 << 30


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the many ways in which a compressed file can be broken into one sentence."""
    try:
        yield
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise DataError(f"{path} cannot be read ({error}): fetch it again.") from error


def read_gzip(path: Path) -> bytes:
    """What one compressed file holds."""
    with reading(path), gzip.open(path) as unpacked:
        if not (content := unpacked.read()):
            raise EOFError("it is empty")
        return content


def read_tar(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The regular files of a .tar.gz, in the archive's order. Nothing is written to disk."""
    total = 0
    with reading(path), gzip.open(path) as unpacked, tarfile.open(fileobj=unpacked) as archive:
        for member in archive:
            name = PurePosixPath(member.name)
            if name.is_absolute() or ".." in name.parts:
                raise DataError(
                    f"{path} holds {member.name!r}, a path outside the archive: it is not the published file."
                )
            if member.isdir():
                continue
            if not member.isreg():
                raise DataError(f"{path} holds {member.name!r}, a link or device: it is not the published file.")
            total += member.size
            if member.size > LARGEST_MEMBER or total > LARGEST_ARCHIVE:
                raise DataError(
                    f"{path} unpacks to more than expected at {member.name!r}: it is not the published file."
                )
            content = archive.extractfile(member)
            assert content is not None  # a regular file
            yield name, content.read()
        while unpacked.read(1 << 20):  # to the end: only there is gzip's checksum compared
            pass
