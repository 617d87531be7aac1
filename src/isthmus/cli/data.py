"""isthmus data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isthmus.cli.console import output


def data(folder: Annotated[Path | None, typer.Option("--data", help="A folder to look in first.")] = None) -> None:
    """Show which data sets are here, where they were looked for, and where to get the rest."""
    from isthmus.data import DATASETS, find, search_path
    from isthmus.exceptions import MissingDataError

    console = output()
    console.print("Looked in:")
    for place in search_path(folder):
        console.print(f"  {place}" + ("" if place.is_dir() else " (no such folder)"), markup=False)
    for name, dataset in DATASETS.items():
        try:
            path = find(dataset.file, folder)
        except MissingDataError:
            console.print(f"[yellow]missing[/yellow] {name}: {dataset.title}. {dataset.file}, from {dataset.home}.")
        else:
            console.print(f"[green]here[/green]    {name}: {dataset.title}. {path}")
