"""Tables for people, in a terminal and as plain text. rich is imported when one is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table


def plain_table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[str] = ()) -> Table:
    """Columns without lines between them; nothing in a cell is markup. Those in `right` are of numbers."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(Text(title), justify="right" if title in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def data_frame(columns: Any, index: Any = None) -> Any:
    """A pandas DataFrame; pandas is imported when one is asked for."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("A DataFrame needs pandas: pip install pandas.") from None
    return pd.DataFrame(columns, index=index)


def printed(table: Table) -> str:
    """A table as plain text."""
    from rich.console import Console

    console = Console(width=120, color_system=None)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
