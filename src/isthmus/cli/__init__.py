"""The command line. One file per command; this one puts them together."""

from __future__ import annotations

import sys

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
    try:
        app()
    except (DataError, OSError) as error:
        Console(stderr=True).print(f"isthmus: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)
