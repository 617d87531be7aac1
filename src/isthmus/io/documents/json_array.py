"""JSON: one array of objects. It is read whole, where JSON lines are read one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from isthmus.exceptions import DataError
from isthmus.io.documents.bad_rows import BadRowError, FoundRow
from isthmus.io.documents.jsonl import parse_json
from isthmus.io.documents.lines import LONGEST, too_long

LARGEST = 1 << 28
"""Characters of an array. Larger files are better written as JSON lines."""


def read_json_array(
    lines: Iterator[str], name: str, longest: int = LONGEST
) -> tuple[list[str], Callable[[Sequence[str]], Iterator[tuple[str, Any]]]]:
    """The keys of all objects, and rows by key."""
    items = parse_json(_whole(lines, name), name)
    if not isinstance(items, list):
        raise DataError(f"{name} begins with a bracket, and is no array of objects.")
    columns = list(dict.fromkeys(key for item in items if isinstance(item, dict) for key in item))

    def rows(wanted: Sequence[str]) -> Iterator[tuple[str, Any]]:
        for number, item in enumerate(items, 1):
            place = f"{name}, item {number}"
            if isinstance(item, dict):
                if sum(len(value) for value in item.values() if isinstance(value, str)) > longest:
                    raise DataError(too_long(f"{place},", longest))
                yield place, FoundRow([item.get(column) for column in wanted], [item])
            else:
                why = f"is {str(item)[:40]!r} and not an object in curly brackets."
                yield place, BadRowError(place, "that are no objects", why, [item])

    if items and not columns:
        raise DataError(f"{name} is an array without objects: write one object in curly brackets for each document.")
    return columns, rows


def _whole(lines: Iterator[str], name: str) -> str:
    kept, size = [], 0
    for line in lines:
        size += len(line)
        if size > LARGEST:
            raise DataError(f"{name} is an array of more than {LARGEST:,} characters: write it as JSON lines.")
        kept.append(line)
    return "".join(kept)
