"""JSON lines: one object to a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from isthmus.exceptions import DataError
from isthmus.io.documents.lines import LONGEST

LOOK_AHEAD = 100
"""Objects whose keys are taken for the columns: a key may be missing in some, and one that is asked for come later.
Fewer, if they are as long as a document may be."""


def read_jsonl(
    lines: Iterator[str], name: str, first: int
) -> tuple[list[str], Callable[[Sequence[str]], Iterator[tuple[str, list[Any]]]], bool]:
    """The keys, rows by key, and whether these are all keys. `first` is the number of the first line.

    If they are not, those that rows are asked for join them when they come.
    """

    n_characters = 0

    def objects() -> Iterator[tuple[str, dict[str, Any]]]:
        nonlocal n_characters
        for number, line in enumerate(lines, first):
            n_characters += len(line)
            if line.strip():
                place = f"{name}, line {number}"
                yield place, _parsed(line, place)

    body, seen, are_all = objects(), list[tuple[str, dict[str, Any]]](), True
    for item in body:
        seen.append(item)
        if len(seen) == LOOK_AHEAD or n_characters > LONGEST:
            are_all = False
            break
    columns = list(dict.fromkeys(key for _, item in seen for key in item))

    def rows(wanted: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
        awaited = set(wanted).difference(columns)
        for place, item in chain(seen, body):
            if awaited:
                columns.extend(awaited.intersection(item))
                awaited.difference_update(item)
            yield place, [item.get(column) for column in wanted]

    return columns, rows, are_all


def _parsed(line: str, place: str) -> dict[str, Any]:
    try:
        found = json.loads(line, object_pairs_hook=_object)
    except _TwiceError as error:
        raise DataError(f"{place}, has the key {error.args[0]!r} twice.") from None
    except json.JSONDecodeError as error:
        if line.lstrip().startswith("["):
            raise DataError(f"{place}, {_ARRAY}") from None
        raise DataError(f"{place}, is not JSON: {error.msg} at character {error.colno}.") from None
    except (ValueError, RecursionError):
        raise DataError(f"{place}, is not JSON that can be read: a number is too long, or it is too deep.") from None
    if not isinstance(found, dict):
        what = _ARRAY if isinstance(found, list) else f"is {line.strip()[:40]!r} and not an object in curly brackets."
        raise DataError(f"{place}, {what}")
    return found


_ARRAY = "begins an array: write one object to a line, without brackets around all and commas between."


class _TwiceError(Exception):
    """A key stands twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _TwiceError(key)
            seen.add(key)
    return found
