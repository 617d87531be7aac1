"""Where commands print."""

from __future__ import annotations

from rich.console import Console

WIDE = 200


def output() -> Console:
    """Standard output: as wide as the terminal, and wide enough for any table where there is none."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=WIDE)
