"""Where commands print."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

WIDE = 200

CONTROLS = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},
    **dict.fromkeys([*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\N{REPLACEMENT CHARACTER}"),
}
"""What commands a terminal or turns the direction of a line, and what is shown of it. Labels and names of files come
from anywhere."""

OPTIONS = {"on_bad_rows=skip": "--on-bad-rows skip", "novelty=True": "--set novelty=true"}
"""Arguments with a value, which sentences of the library name."""


class SafeConsole(Console):
    """Colors are its own; text that would command the terminal is shown instead."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """All that is printed comes by here."""
        for segment in super().render(renderable, options):
            text = segment.text
            yield segment if segment.control else Segment(text.translate(CONTROLS), segment.style)


class _Output(SafeConsole):
    def on_broken_pipe(self) -> None:
        """What it means for the command that nobody reads on is decided in one place: `isthmus.cli`."""
        raise  # called while the error is handled


def output() -> Console:
    """Standard output: as wide as the terminal, and wide enough for any table where there is none."""
    console = _Output(highlight=False)
    return console if console.is_terminal else _Output(highlight=False, width=WIDE)


@cache
def errors() -> Console:
    """Standard error: one console, so that a sentence finds its place beside a bar that moves."""
    return SafeConsole(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """One line for scripts. JSON itself leaves some letters as they are that command a terminal."""
    line = json.dumps(value, ensure_ascii=False)
    typer.echo(line.translate({code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}))


def n_documents(n: int) -> str:
    """How many, as sentences say it.

    >>> n_documents(1), n_documents(1200)
    ('1 document', '1,200 documents')
    """
    return f"{n:,} {'document' if n == 1 else 'documents'}"


def as_options(sentence: str) -> str:
    """A sentence of the library, which names arguments, in the words of the command line.

    >>> as_options("it has several: choose one with text= or use_target_labels=.")
    'it has several: choose one with --text or --use-target-labels.'
    >>> as_options("leave them out with on_bad_rows=skip.")
    'leave them out with --on-bad-rows skip.'
    >>> as_options("set them aside with novelty=True, or label some.")
    'set them aside with --set novelty=true, or label some.'
    """
    for given, option in OPTIONS.items():
        sentence = sentence.replace(given, option)
    return re.sub(r"\b([a-z_]+)=(?![\w\"'({\[.]\w)(?=[\s.,:;)]|$)", lambda m: "--" + m[1].replace("_", "-"), sentence)


def complain(sentence: str, style: str) -> None:
    """One line on standard error."""
    sentence = as_options(sentence)
    errors().print(f"isthmus: {sentence}", style=style, markup=False, soft_wrap=True)
