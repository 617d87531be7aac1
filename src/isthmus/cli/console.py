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


def documents_of(n: int, name: str) -> str:
    """How many, and of which file, as sentences say it."""
    return f"{n:,} {'document' if n == 1 else 'documents'} of {name}"


def complain(sentence: str, style: str) -> None:
    """One line on standard error."""
    Console(stderr=True).print(f"isthmus: {sentence}", style=style, markup=False, highlight=False, soft_wrap=True)
