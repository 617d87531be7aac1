"""Which column is the text, which the label: as the user says, or as the names say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from unicodedata import category

from isthmus.exceptions import DataError
from isthmus.io.documents.tables import DocumentTable

USUAL = {
    "text": [
        "text",
        "body",
        "content",
        "contents",
        "message",
        "document",
        "review",
        "comment",
        "post",
        "tweet",
        "sentence",
        "abstract",
        "review_text",
        "review_body",
        "message_text",
        "comment_text",
        "full_text",
    ],
    "label": ["label", "labels", "class", "category", "target", "sentiment", "topic"],
    "id": [
        "id",
        "doc_id",
        "docid",
        "document_id",
        "message_id",
        "review_id",
        "comment_id",
        "post_id",
        "tweet_id",
        "uid",
        "uuid",
        "guid",
    ],
}
"""Names of columns that need no explanation, in small letters."""

SENTENCE = 4
"""Words of a name that may well be the first document of a file without names."""


@dataclass
class Columns:
    """The columns of one file that are read, by what they hold."""

    text: str
    label: str | None = None
    id: str | None = None
    truth: str | None = None
    guessed: list[str] = field(default_factory=list)
    """Which of these nobody named."""
    is_folder: bool = False
    """Whether nobody could: a folder's files have no columns."""

    def __str__(self) -> str:
        if self.is_folder:
            return "one document to a file"
        roles = [(role, getattr(self, role)) for role in ("text", "label", "id", "truth")]
        listed = ", ".join(f"{role} in column {column!r}" for role, column in roles if column is not None)
        return listed + (f" (guessed by name: {', '.join(self.guessed)})" if self.guessed else "")


def choose(
    table: DocumentTable,
    *,
    text: str | None = None,
    label: str | None = None,
    id: str | None = None,  # noqa: A002  # what the column is called
    truth: str | None = None,
    needs_label: bool = True,
    with_ids: bool = True,
) -> Columns:
    """Find the columns of a table. Without `needs_label` there may be no label, and none is guessed.

    Without `with_ids` no column is read for ids, whatever `id` says.
    """
    _check_names(table)
    if table.is_folder:  # its columns have no names that anybody chose
        return Columns("text", "label", "id", truth and "label", is_folder=True)
    asked = {"text": text, "label": label, "id": id if with_ids else None, "truth": truth}
    wanted = {"text": True, "label": needs_label, "id": with_ids}
    guessed = [role for role, needed in wanted.items() if needed and asked[role] is None]
    for role in guessed:
        asked[role] = _guess(table, role, [column for column in asked.values() if column is not None])
    if table.all_columns:
        asked = {role: _found(table, role, column, needs_label) for role, column in asked.items()}
    for role in ("label", "truth"):
        if asked["text"] == asked[role]:
            raise DataError(
                f"{table.name}: column {asked['text']!r} cannot be both text and {role}: name the other one."
            )
    assert asked["text"] is not None
    found = [role for role in guessed if asked[role] is not None]
    return Columns(asked["text"], asked["label"], asked["id"], asked["truth"], found)


def check_late_columns(table: DocumentTable, columns: Columns, needs_label: bool = True) -> None:
    """After the last row, by when every column that there is has come."""
    columns.truth = _found(table, "truth", columns.truth, needs_label)
    columns.label = _found(table, "label", columns.label, needs_label)


def _found(table: DocumentTable, role: str, column: str | None, needs_label: bool) -> str | None:
    """The column, if the table has it. Without a label one can often do, and without the others never."""
    if column is None or column in table.columns:
        return column
    if role == "label" and not needs_label:
        return None
    raise DataError(f"{table.name} has no column {column!r}, which {role}= names: it has {_listed(table)}.")


def _guess(table: DocumentTable, role: str, taken: list[str]) -> str | None:
    """A column by its usual name; `taken` are those that are something else."""
    candidates = [column for column in table.columns if column.strip().lower() in USUAL[role]]
    if not candidates and role == "text" and len(table.columns) == 1:
        candidates = table.columns
        if len(candidates[0].split()) >= SENTENCE:  # else the first document would be lost without a word
            raise DataError(
                f"{table.name} has one column, whose name would be {_short(candidates[0])}: if that is a document, "
                "write a line with the word text above it; else say so with text=."
            )
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise DataError(
            f"{table.name} has several columns that may be the {role}, {_names(candidates)}: choose one with {role}=."
        )
    if role == "id":
        return None
    left = [column for column in table.columns if column not in taken]
    if taken and not left:
        raise DataError(f"{table.name} has no column for the {role}: it has {_listed(table)} alone.")
    named = _names(left) if taken else _listed(table)
    raise DataError(f"{table.name} has no column that is clearly the {role}: choose {role}= from {named}.")


def _check_names(table: DocumentTable) -> None:
    seen = set()
    for column in table.columns:
        if any(category(letter) == "Cc" and not letter.isspace() for letter in column):
            raise DataError(f"{table.name} does not begin with the names of columns: is it text at all?")
        if column and column in seen:
            raise DataError(f"{table.name} has two columns with the name {_short(column)}: rename one of them.")
        seen.add(column)


def _listed(table: DocumentTable) -> str:
    """The columns that there are, for a sentence."""
    return _names(table.columns) if table.columns else "no columns"


def _names(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return ", ".join(map(_short, columns[:12])) + more


def _short(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:37] + "...")
