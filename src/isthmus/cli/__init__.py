"""The command line. One file per command; this one puts them together."""

from __future__ import annotations

import io
import os
import sys
import warnings
from functools import cache
from itertools import takewhile
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from isthmus import __version__
from isthmus.cli.bench import bench
from isthmus.cli.check import check_data
from isthmus.cli.console import complain
from isthmus.cli.data import data
from isthmus.cli.demo import demo
from isthmus.cli.evaluate import evaluate
from isthmus.cli.explain import explain
from isthmus.cli.fit import fit
from isthmus.cli.info import info
from isthmus.cli.predict import predict
from isthmus.cli.serve import serve
from isthmus.cli.studio import studio
from isthmus.cli.suggest import suggest
from isthmus.cli.update import update_model
from isthmus.cli.watch import watch
from isthmus.exceptions import DataError, ModelFileError

CLOSED_PIPE = 141
"""What a shell says of a program that ended because nobody read on."""


class Commands(TyperGroup):
    """All commands. They end in silence when whoever read their output has enough, as `head` soon has."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _discard_what_cannot_be_printed()
            raise typer.Exit(CLOSED_PIPE) from None


class Command(TyperCommand):
    """One command. Files without options are what people try first: they are told how it is said."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        takes_files = not any(parameter.param_type_name == "argument" for parameter in self.params)
        takes_files &= {"--source", "--target"} <= {name for parameter in self.params for name in parameter.opts}
        bare = list(takewhile(lambda word: not word.startswith("-"), args))
        if takes_files and bare:
            source, target = (*bare, "TARGET")[:2] if len(bare) < 3 else (" --source ".join(bare[:-1]), bare[-1])
            said = f"isthmus {self.name} --source {source} --target {target}"
            ctx.fail(f"Say which file has the labels and which has not: {said}")
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="isthmus",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"isthmus {__version__}")
        raise typer.Exit


@app.callback()
def isthmus(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Unsupervised domain adaptation of text.

    Classifies the documents of one domain with labels from another.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage, 3 drift (--fail-on-drift), 130 interrupted. Each command has its own
    --help.
    """


for command in (
    *(demo, check_data, fit, predict, evaluate, suggest, studio, serve),
    *(watch, update_model, explain, info, bench, data),
):
    app.command(command.__name__.partition("_")[0], cls=Command)(command)


def main(arguments: list[str] | None = None) -> None:
    """Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong usage."""
    warnings.showwarning = _show_warning
    _warn.cache_clear()
    code = 1
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a label need not be in the terminal's encoding
        try:
            app(arguments, prog_name="isthmus")
        except SystemExit:
            if sys.stdout is not None:
                sys.stdout.flush()  # a full disk is met here, and gets a sentence
            raise
    except BrokenPipeError:
        code = CLOSED_PIPE
    except (DataError, ModelFileError) as error:
        complain(str(error), "red")
    except OSError as error:
        what = "Standard output" if error.filename is None else os.fsdecode(error.filename)
        complain(f"{what} cannot be read or written: {error.strerror or error}.", "red")
    except ImportError as error:  # of a library, when little memory is left
        complain(f"isthmus cannot be loaded: {error}. Is there enough memory, and is all of it installed?", "red")
    except MemoryError:
        complain("There is not enough memory for this: give fewer or shorter documents.", "red")
    _discard_what_cannot_be_printed()
    sys.exit(code)


def _discard_what_cannot_be_printed() -> None:
    """When Python ends it would try again, and print a traceback."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning is for the user of the command: the sentence alone."""
    _warn(str(message))


@cache
def _warn(sentence: str) -> None:
    """Once: a benchmark of ten repeats need not warn ten times."""
    complain(sentence, "yellow")
