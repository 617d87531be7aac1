"""Labels that people gave, by the id of the document: from tables, from Label Studio and from Argilla."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from isthmus.exceptions import DataError, PlaceholderLabelWarning, warn
from isthmus.io.documents.bad_rows import BadRowError
from isthmus.io.documents.columns import USUAL
from isthmus.io.documents.lines import warn_of_encoding
from isthmus.io.documents.placeholders import is_placeholder
from isthmus.io.documents.tables import DocumentTable, open_table
from isthmus.io.documents.tasks import QUESTION

SUGGESTED = {"id", "label", "guess", "kind"}
"""Columns of a file that `isthmus suggest` wrote."""


class GivenLabel(NamedTuple):
    """What somebody said of a document."""

    id: str
    label: str
    guess: str
    """What the model said; empty if the file does not tell."""
    kind: str
    """Why the document was suggested; empty if the file does not tell."""
    place: str
    text: str = ""
    """The document itself; empty if the file does not hold it."""


def read_given(
    path: str,
    id_column: str | None = None,
    label: str | None = None,
    allow_labels: Sequence[str] = (),
    labels_encoding: str | None = None,
) -> list[GivenLabel]:
    """All labels of a file. Rows without one, or with a placeholder, were not labeled, and are left out.

    Parameters
    ----------
    path
        A table of any format that `open_documents` reads, with a column of ids and one of labels; or what Label Studio
        (JSON or JSON-MIN) or Argilla (`to_json`) exports.
    id_column, label
        Names of the columns, in a table that has them; columns with usual names are found in any other.
    allow_labels
        Labels that are classes though they look like placeholders.
    labels_encoding
        By default what a byte-order mark says, UTF-8, or Windows-1252.
    """
    with open_table(path, None, labels_encoding, on_odd=partial(warn_of_encoding, name="labels_encoding")) as table:
        if {"data", "annotations"} <= set(table.columns):
            found = list(_from_label_studio(table))
        elif {"fields", "responses"} <= set(table.columns):
            found = list(_from_argilla(table))
        else:
            found = list(_from_table(table, id_column, label))
    kept, left_out = list[GivenLabel](), Counter[str]()
    for one in found:
        if one.label and (one.label in allow_labels or not is_placeholder(one.label)):
            kept.append(one)
        elif one.label:
            left_out[one.label] += 1
    if not kept:
        raise DataError(f"{path} holds no label: fill in the column of labels, and give it again.")
    for label, n in left_out.items():
        rows = "1 row is" if n == 1 else f"{n:,} rows are"
        warn(
            f"{path}: {rows} labeled {label!r}, which is taken for no label; allow_label= makes it a class.",
            PlaceholderLabelWarning,
        )
    _check_once(kept)
    return kept


def _check_once(labels: Sequence[GivenLabel]) -> None:
    seen: dict[str, GivenLabel] = {}
    for one in labels:
        other = seen.setdefault(one.id, one)
        if other.label != one.label:
            raise DataError(
                f"{one.place}, labels the document {one.id!r} {one.label!r}, and an earlier row {other.label!r}: "
                "leave one of them out."
            )


def _rows(table: DocumentTable, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, row in table.rows(columns):
        if isinstance(row, BadRowError):
            raise row
        yield place, dict(zip(columns, row, strict=True))


def _from_table(table: DocumentTable, id_column: str | None, label: str | None) -> Iterator[GivenLabel]:
    suggested = set(table.columns) >= SUGGESTED
    if suggested:  # whatever the user's own files call them: one may call its labels "kind"
        id_column, label = "id", "label"
    name = _column(table, "id", id_column, ["document_id", *USUAL["id"]])
    answer = _column(table, "label", label, USUAL["label"])
    if not suggested and answer == "label" and _is_predicted(table.columns):
        raise DataError(
            f"{table.name} holds labels that a model predicted, with their probabilities: give those that people gave. "
            "If people have corrected these, leave the columns p_... out."
        )
    told = ("guess", "kind", "text") if suggested else ("guess", "kind")  # a text of another table may be anything
    more = [column for column in told if column in table.columns and column not in (name, answer)]
    for place, row in _rows(table, [name, answer, *more]):
        if not _plain(row[name]):
            raise DataError(f"{place}, has no id (column {name!r}), by which its label could be told whose it is.")
        value = row[answer]
        chosen = _first(value.get("choices")) if isinstance(value, dict) else value  # JSON-MIN
        guess, kind, text = (_plain(row.get(column)) for column in ("guess", "kind", "text"))
        yield GivenLabel(_plain(row[name]), _plain(chosen), guess, kind, place, text)


def _is_predicted(columns: Sequence[str]) -> bool:
    """Whether it is what `isthmus predict` and `fit --predictions` write."""
    return {"id", "label", "confidence"} <= set(columns) and any(column.startswith("p_") for column in columns)


def _column(table: DocumentTable, role: str, asked: str | None, usual: Sequence[str]) -> str:
    if asked is not None and asked in table.columns:
        return asked
    by_name = {column.strip().lower(): column for column in table.columns}
    found = next((by_name[name] for name in usual if name in by_name), None)
    if found is None:
        listed = ", ".join(map(repr, table.columns[:12])) or "no columns"
        raise DataError(f"{table.name} has no column that is clearly the {role}: it has {listed}.")
    return found


def _from_label_studio(table: DocumentTable) -> Iterator[GivenLabel]:
    for place, row in _rows(table, ["data", "annotations"]):
        data = _dict(row["data"])
        name = data.get("document_id", data.get("id"))
        if name is None:
            raise DataError(f"{place}, is a task without data.document_id, which isthmus suggest writes.")
        answers = [
            _first(_dict(result.get("value")).get("choices"))
            for annotation in _dicts(row["annotations"])
            if not annotation.get("was_cancelled")
            for result in _dicts(annotation.get("result"))
        ]
        guess, kind, text = (_plain(data.get(key)) for key in ("guess", "kind", "text"))
        yield GivenLabel(_plain(name), _agreed(answers), guess, kind, place, text)


def _from_argilla(table: DocumentTable) -> Iterator[GivenLabel]:
    known = ("id", "fields", "responses", "suggestions", "metadata")
    columns = [column for column in known if column in table.columns]
    for place, row in _rows(table, columns):
        responses = _dict(row["responses"])
        question = QUESTION if QUESTION in responses else next(iter(responses), QUESTION)
        answers = [response.get("value") for response in _dicts(responses.get(question))]
        guess = _dict(_dict(row.get("suggestions")).get(question)).get("value")
        kind = _dict(row.get("metadata")).get("kind")
        text = _dict(row.get("fields")).get("text")
        yield GivenLabel(_plain(row.get("id")), _agreed(answers), _plain(guess), _plain(kind), place, _plain(text))


def _agreed(answers: Sequence[Any]) -> str:
    """What most said; nothing where they disagree."""
    counts = Counter(_plain(answer) for answer in answers if answer is not None).most_common(2)
    return counts[0][0] if counts and (len(counts) == 1 or counts[0][1] > counts[1][1]) else ""


def _dict(value: Any) -> dict[str, Any]:
    """What others export may have other things in any place."""
    return value if isinstance(value, dict) else {}


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _plain(value: Any) -> str:
    """Without spaces around it; numbers as people write them."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_none = value is None or isinstance(value, list | dict) or value != value  # as NaN is
    return "" if is_none else str(value).strip()
