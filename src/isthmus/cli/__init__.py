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
from isthmus.cli.explain import explain
from isthmus.cli.fit import fit
from isthmus.cli.predict import predict
from isthmus.exceptions import DataError, ModelFileError

app = typer.Typer(
    name="isthmus",
    help="""Classify the documents of one domain with labels from another.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage. Each command has its own --help.""",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (demo, fit, predict, explain, bench, data):
    app.command()(command)


def main(arguments: list[str] | None = None) -> None:
    """Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong usage."""
    warnings.showwarning = _show_warning
    _say.cache_clear()
    try:
        app(arguments, prog_name="isthmus")
    except (DataError, ModelFileError, OSError) as error:
        _say(f"isthmus: {error}", "red")
    except MemoryError:
        _say("isthmus: There is not enough memory for this: give fewer or shorter documents.", "red")
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
