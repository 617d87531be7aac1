"""Where commands print."""

from __future__ import annotations

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


def complain(sentence: str, style: str) -> None:
    """One line on standard error."""
    Console(stderr=True).print(f"isthmus: {sentence}", style=style, markup=False, highlight=False, soft_wrap=True)
