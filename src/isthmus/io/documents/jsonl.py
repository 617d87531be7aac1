"""JSON lines: one object to a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, cast

from isthmus.exceptions import DataError
from isthmus.io.documents.bad_rows import BadRowError, FoundRow
from isthmus.io.documents.lines import LONGEST

LOOK_AHEAD = 100
"""Objects whose keys are taken for the columns: a key may be missing in some, and one that is asked for come later.
Fewer, if they are as long as a document may be."""


def read_jsonl(
    lines: Iterator[str], name: str, first: int
) -> tuple[list[str], Callable[[Sequence[str]], Iterator[tuple[str, Any]]], bool]:
    """The keys, rows by key, and whether these are all keys. `first` is the number of the first line.

    If they are not, those that rows are asked for join them when they come.
    """

    n_characters = 0

    def objects() -> Iterator[tuple[str, dict[str, Any] | BadRowError]]:
        nonlocal n_characters
        for number, line in enumerate(lines, first):
            n_characters += len(line)
            if line.strip():
                place = f"{name}, line {number}"
                yield place, _read_object(line, place)

    body, seen, are_all = objects(), list[tuple[str, dict[str, Any] | BadRowError]](), True
    for item in body:
        seen.append(item)
        if len(seen) == LOOK_AHEAD or n_characters > LONGEST:
            are_all = False
            break
    columns = list(dict.fromkeys(key for _, item in seen if isinstance(item, dict) for key in item))
    if seen and all(isinstance(item, BadRowError) for _, item in seen):  # not JSON lines at all
        raise cast(BadRowError, seen[0][1])
    if len(seen) == 1 and are_all and _holds_columns(seen[0][1]):
        raise DataError(
            f"{name} is one object of columns, and not of a document: write an object for each document, as "
            'to_json(..., orient="records", lines=True) of pandas does.'
        )

    def rows(wanted: Sequence[str]) -> Iterator[tuple[str, Any]]:
        awaited = set(wanted).difference(columns)
        for place, item in chain(seen, body):
            if isinstance(item, BadRowError):
                yield place, item
                continue
            if awaited:
                columns.extend(awaited.intersection(item))
                awaited.difference_update(item)
            yield place, FoundRow([item.get(column) for column in wanted], [item])

    return columns, rows, are_all


def parse_json(text: str, place: str) -> Any:
    """Whatever it is; what goes wrong is said of its place."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except _TwiceError as error:
        raise BadRowError(place, _NO_JSON, f"has the key {error.args[0]!r} twice.", [text]) from None
    except json.JSONDecodeError as error:
        where = f"at character {error.colno}" + (f" of line {error.lineno}" if error.lineno > 1 else "")
        raise BadRowError(place, _NO_JSON, f"is not JSON: {error.msg.removesuffix(' at')} {where}.", [text]) from None
    except (ValueError, RecursionError):
        why = "is not JSON that can be read: a number is too long, or it is too deep."
        raise BadRowError(place, _NO_JSON, why, [text]) from None


def _holds_columns(found: Any) -> bool:
    """Whether an object is a whole table, as pandas writes it if it is told nothing: {column: {row: value}}."""
    values = list(found.values()) if isinstance(found, dict) else []
    if all(isinstance(value, dict) for value in values):
        return len({tuple(value) for value in values}) == 1
    return all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1


def _read_object(line: str, place: str) -> dict[str, Any] | BadRowError:
    try:
        found = parse_json(line, place)
    except BadRowError as bad:
        return bad
    if isinstance(found, dict):
        return found
    why = f"is {line.strip()[:40]!r} and not an object in curly brackets."
    return BadRowError(place, _NO_JSON, why, [line])


_NO_JSON = "without a JSON object"


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
