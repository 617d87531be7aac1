"""One file: arrays as safetensors, the tree as one of them, and a header that says what it is.

The file is a safetensors file that any tool reads. Its metadata have one entry, ``isthmus``: JSON with the schema's
version, the model's name and settings, the versions of libraries, and the SHA-256 of the file itself, computed with
zeros in the place of the digest. Everything but numbers is in the array ``tree``, JSON as bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from functools import cache
from importlib import metadata
from typing import Any, BinaryIO

import numpy as np
from safetensors.numpy import load, save

from isthmus.exceptions import ModelFileError
from isthmus.io.models.checks import require
from isthmus.io.models.encoding import Json

SCHEMA = 2
"""Goes up when files change so that older versions of isthmus cannot read them. This one reads all from 1 on."""

KEY, TREE = "isthmus", "tree"
LIBRARIES = ("isthmus", "numpy", "scipy", "scikit-learn")
NO_DIGEST = "0" * 64

LONE_SURROGATES = "surrogatepass"
"""Python's strings may hold halves of surrogate pairs; as escapes, two of them would come back as one letter."""

MAX_HEADER = 4 * 2**20
MAX_TREE = 128 * 2**20
MAX_PARTS = 1_000_000
"""Lists and objects in the tree: empty ones take twenty times as many bytes in memory as in a file."""
MAX_VALUES = 4_000_000
"""All values in the tree, which take up to twenty times as many bytes in memory as well. A vocabulary has two for each
word; long lists of numbers belong into arrays."""
MAX_AXES = 8
ITEM_SIZES = {
    "BOOL": 1,
    **{f"{kind}{8 * size}": size for kind in "IU" for size in (1, 2, 4, 8)},
    "F16": 2,
    "F32": 4,
    "F64": 8,
}
STRANGERS = {
    b"\x80": "a pickle, which can run any code: isthmus loads none",
    b"PK": "a zip archive",
    b"\x1f\x8b": "a compressed file",
    b"\x93NUMPY": "an array that numpy saved",
}


@cache
def versions() -> dict[str, str]:
    """Of the libraries that a model depends on."""
    return {library: metadata.version(library) for library in LIBRARIES}


def pack(tree: Json, tensors: dict[str, np.ndarray[Any, Any]], about: dict[str, Json]) -> bytes:
    """The whole file. The same model gives the same bytes."""
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode("utf-8", LONE_SURROGATES)
    if len(text) > MAX_TREE:
        raise ValueError(f"The model has {len(text)} bytes beside its arrays: a model file holds {MAX_TREE}.")
    header = {"sha256": NO_DIGEST, "schema": SCHEMA, **about, "versions": versions()}
    content = save({**tensors, TREE: np.frombuffer(text, dtype=np.uint8)}, {KEY: json.dumps(header)})
    if int.from_bytes(content[:8], "little") > MAX_HEADER:
        raise ValueError(f"The model has {len(tensors)} arrays, and the list of them does not fit into a model file.")
    digest = hashlib.sha256(content).hexdigest()
    return content.replace(NO_DIGEST.encode(), digest.encode(), 1)  # the first: the header begins with it


def unpack(file: BinaryIO, size: int) -> tuple[Json, dict[str, np.ndarray[Any, Any]], dict[str, Json]]:
    """Tree, arrays and what the header says, after everything that can be checked without reading them has been."""
    start = file.read(8)
    length = int.from_bytes(start, "little")
    if len(start) < 8 or length > min(size - 8, MAX_HEADER):
        raise ModelFileError(_stranger(start))
    header = file.read(length)
    try:
        entries = json.loads(header)
        about = json.loads(entries.pop("__metadata__")[KEY])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFileError(_stranger(start)) from error
    require(isinstance(about, dict), "its header is malformed")
    schema = about.get("schema")
    if type(schema) is int and schema > SCHEMA:
        raise ModelFileError(f"it has schema {schema}, and this version of isthmus knows {SCHEMA}: upgrade isthmus")
    require(type(schema) is int and schema > 0, f"its schema is {schema!r:.60}, which isthmus never wrote")
    _check_sizes(entries, size - 8 - length)

    file.seek(0)
    content = file.read(size)
    _check_digest(content, header, about.get("sha256"))
    tensors = load(content)
    del content
    tree = tensors.pop(TREE)
    require(tree.dtype == np.uint8 and tree.ndim == 1 and tree.size <= MAX_TREE, "its tree is malformed")
    text = tree.tobytes()
    require(text.count(b"[") + text.count(b"{") <= MAX_PARTS, f"it has more than {MAX_PARTS} parts")
    few = text.count(b",") < MAX_VALUES
    require(few, f"it has more than {MAX_VALUES} values beside its arrays, where long lists of numbers belong")
    return json.loads(text.decode("utf-8", LONE_SURROGATES)), tensors, about


def _stranger(start: bytes) -> str:
    if not start:
        return "it is empty"
    kinds = (f"it is {kind}" for magic, kind in STRANGERS.items() if start.startswith(magic))
    return next(kinds, "isthmus.save did not write it, or it is damaged")


def _check_sizes(entries: dict[str, Json], available: int) -> None:
    """Before any memory is asked for: what arrays say of themselves, against the bytes that are there."""
    require(TREE in entries, "it has no tree")
    total = 0
    for name, entry in entries.items():
        require(isinstance(entry, dict), f"its array {name!r:.60} is malformed")
        kind, shape, offsets = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
        require(isinstance(kind, str) and kind in ITEM_SIZES, f"it holds an array of {kind!r:.60}")
        plain = _naturals(shape) and len(shape) <= MAX_AXES and _naturals(offsets) and len(offsets) == 2
        require(plain, f"its array {name!r:.60} has no proper shape")
        needed = math.prod(shape) * ITEM_SIZES[kind]
        require(needed == offsets[1] - offsets[0], f"its array {name!r:.60} has another size than its shape says")
        total += needed
    require(
        total == available,
        f"its arrays should take {total} bytes and {available} are there: it is incomplete or damaged",
    )


def _naturals(values: Json) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _check_digest(content: bytes, header: bytes, claimed: Json) -> None:
    readable = isinstance(claimed, str) and re.fullmatch("[0-9a-f]{64}", claimed) is not None
    require(readable and header.count(claimed.encode()) == 1, "it has no checksum")
    found = hashlib.sha256(content[:8])
    found.update(header.replace(claimed.encode(), NO_DIGEST.encode()))
    found.update(memoryview(content)[8 + len(header) :])
    require(found.hexdigest() == claimed, "its checksum is wrong: it is damaged, or somebody changed it")
