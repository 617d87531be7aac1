"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

READING, METHOD, WRITING = "Reading", "Method", "Writing"
"""The headings that options stand under in the help."""


class Format(StrEnum):
    """Formats of files of documents."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"


Text = Annotated[
    str | None,
    typer.Option("--text", metavar="COLUMN", help="The column that holds the text.", rich_help_panel=READING),
]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="The column that holds the ids.", rich_help_panel=READING),
]
InputFormat = Annotated[
    Format | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, jsonl or parquet, if neither the name nor the first bytes say it.",
        rich_help_panel=READING,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="By default what a byte-order mark says, or UTF-8.", rich_help_panel=READING),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Read sentences with this sentence-transformers model, or package:attribute, not words.",
        rich_help_panel=METHOD,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.", rich_help_panel=WRITING)]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.", rich_help_panel=WRITING)]
