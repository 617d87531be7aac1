"""Where commands print."""

from __future__ import annotations

import re

from rich.console import Console

WIDE = 200


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """What it means for the command that nobody reads on is decided in one place: `isthmus.cli`."""
        raise  # called while the error is handled


def output() -> Console:
    """Standard output: as wide as the terminal, and wide enough for any table where there is none."""
    console = _Output(highlight=False)
    return console if console.is_terminal else _Output(highlight=False, width=WIDE)


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
    """
    return re.sub(r"\b([a-z_]+)=(?![\w\"'({\[.]\w)(?=[\s.,:;)]|$)", lambda m: "--" + m[1].replace("_", "-"), sentence)


def complain(sentence: str, style: str) -> None:
    """One line on standard error."""
    sentence = as_options(sentence)
    Console(stderr=True).print(f"isthmus: {sentence}", style=style, markup=False, highlight=False, soft_wrap=True)
