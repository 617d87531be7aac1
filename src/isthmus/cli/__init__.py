"""The command line. One file per command; this one puts them together."""

from __future__ import annotations

import sys
import warnings
from functools import cache
from typing import TextIO

import typer
from rich.console import Console

from isthmus.cli.bench import bench
from isthmus.cli.data import data
from isthmus.cli.demo import demo
from isthmus.exceptions import DataError

app = typer.Typer(
    name="isthmus",
    help="Classify the documents of one domain with labels from another.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (demo, bench, data):
    app.command()(command)


def main() -> None:
    """Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong usage."""
    warnings.showwarning = _show_warning
    try:
        app()
    except (DataError, OSError) as error:
        _say(f"isthmus: {error}", "red")
        sys.exit(1)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning is for the user of the command: the sentence alone."""
    _say(f"isthmus: {message}", "yellow")


@cache
def _say(sentence: str, style: str) -> None:
    """Once: a benchmark of ten repeats need not warn ten times."""
    Console(stderr=True).print(sentence, style=style, markup=False, highlight=False, soft_wrap=True)
