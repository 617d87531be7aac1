"""isthmus data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isthmus.cli.console import output


def data(folder: Annotated[Path | None, typer.Option("--data", help="A folder to look in first.")] = None) -> None:
    """Show which data sets are here, where they were looked for, and where to get the rest."""
    from rich.text import Text

    from isthmus.datasets import DATASETS, find, search_path
    from isthmus.exceptions import MissingDataError

    console = output()
    console.print("Looked in:")
    for place in search_path(folder):
        known = "" if place.is_dir() else " (no such folder)"
        console.print(f"  {place}{known}", markup=False, soft_wrap=True)
    for name, dataset in DATASETS.items():
        try:
            path = find(dataset.file, folder)
        except MissingDataError:
            state, where = ("missing", "yellow"), f"{dataset.file}, from {dataset.home}."
        else:
            state, where = ("here   ", "green"), str(path)
        console.print(Text.assemble(state, f" {name}: {dataset.title}. {where}"), soft_wrap=True)
