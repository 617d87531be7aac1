"""Rows that cannot be read: counted by what is wrong with them, and written to a file if they are skipped."""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, Self, TextIO, cast

import typer

from isthmus.cli.console import as_options, complain
from isthmus.cli.outputs import check_outputs
from isthmus.exceptions import DataError
from isthmus.io.atomic import Staging
from isthmus.io.documents import BadRowError, csv_writer
from isthmus.io.journal import Journal
from isthmus.quality import listed_places

IN_MEMORY = 1 << 20
MOST_PLACES = 1_000
COLUMNS = ["file", "place", "why", "content"]


class BadRows:
    """All that were met, of any number of files."""

    def __init__(self) -> None:
        self.n = 0
        self._first: BadRowError | None = None
        self._counts: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._places: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        spool = SpooledTemporaryFile(  # noqa: SIM115 - closed at exit
            IN_MEMORY, "w+", encoding="utf-8", errors="backslashreplace", newline=""
        )  # JSON can hold half a character
        self._spool = cast(TextIO, spool)
        self._rows = csv_writer(self._spool)
        self._rows.writerow(COLUMNS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.close()

    def of(self, file: str) -> Callable[[BadRowError], None]:
        """What takes the bad rows of a file."""

        def meet(row: BadRowError) -> None:
            place = row.place.removeprefix(f"{file}, ")
            self.n += 1
            self._first = self._first or row
            self._counts[file, row.kind] += 1
            places = self._places[file, row.kind]
            if len(places) < MOST_PLACES:
                places.append(place)
            content = json.dumps(list(row.content), ensure_ascii=False, default=str)
            self._rows.writerow([file, place, as_options(row.why), content])

        return meet

    @property
    def sentences(self) -> list[str]:
        """One for each kind in each file, with the first places."""
        return [f"{file}: {self._said(file, kind)}." for file, kind in self._counts]

    def as_dicts(self) -> list[dict[str, Any]]:
        """For scripts."""
        return [
            {"file": file, "count": n, "places": self._places[file, kind], "message": f"{self._said(file, kind)}."}
            for (file, kind), n in self._counts.items()
        ]

    def refuse(self, *, may_skip: bool = True) -> None:
        """Complain of all of them at once, if there are any. Who `may_skip` has an option for that."""
        if self.n == 1:
            raise DataError(str(self._first)) from self._first
        if self.n:
            listed = "; ".join(f"{file}: {self._said(file, kind)}" for file, kind in self._counts)
            remedy = ", or leave them out with on_bad_rows=skip" if may_skip else ""
            raise DataError(f"{listed}. Correct these rows{remedy}.")

    def _said(self, file: str, kind: str) -> str:
        n, places = self._counts[file, kind], self._places[file, kind]
        return f"{n:,} {'row' if n == 1 else 'rows'} {kind} ({listed_places(places)})"

    def finish(self, path: Path | None) -> Path | None:
        """Say what was left out, and write it to a file: the path, if there is anything to write."""
        if path is not None and (self.n or path.exists()):  # an older file would tell of rows that are read by now
            self._write(path)
        for sentence in self.sentences:
            complain(f"Left out: {sentence}", "yellow")
        if self.n and path is not None:
            complain(f"Wrote what was left out, and why, to {path}.", "yellow")
        return path if self.n else None

    def _write(self, path: Path) -> None:
        """Where each row stood, why it was left out, and what it held."""
        self._spool.seek(0)
        with Staging() as staging:
            with staging.place(path).open("x", encoding="utf-8", newline="") as file:
                shutil.copyfileobj(self._spool, file)
            staging.commit()


def plan_skipped(
    skipped: Path | None, outputs: dict[str, Path], force: bool, inputs: list[str], skip: bool
) -> Path | None:
    """Where skipped rows are written to, if rows are skipped: beside the first output, if nobody said it.

    A file that is there may be of another command, or of another output with the same stem: without `force` it stays,
    and the new one gets a number. What somebody named is replaced for an interrupted run, if it holds skipped rows.
    """
    if not skip:
        if skipped is not None:
            raise typer.BadParameter("--skipped: no row is skipped: add --on-bad-rows skip, or leave it out.")
        return None
    path = skipped or next((_free(skipped_beside(output), force) for output in outputs.values()), None)
    if path is not None:
        replace = force or (any(map(Journal.is_beside, outputs.values())) and _holds_skipped(path))
        check_outputs({"--skipped": path}, replace, inputs)
        check_outputs({**outputs, "--skipped": path}, True, inputs)  # no two of them are the same
    return path


def _holds_skipped(path: Path) -> bool:
    """Whether an earlier run has written it."""
    header = ",".join(COLUMNS).encode()
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(header)) == header


def _free(path: Path, force: bool) -> Path:
    """The path, or the first with a number that no file has."""
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return path if force else next(each for each in chain([path], numbered) if not os.path.lexists(each))


def skipped_beside(output: Path) -> Path:
    """Where rows that are left out of an output are written to.

    >>> skipped_beside(Path("labels.monday.csv.gz")).name, skipped_beside(Path("model.isthmus")).name
    ('labels.monday.skipped.csv', 'model.skipped.csv')
    """
    return output.with_name(f"{Path(output.name.removesuffix('.gz')).stem}.skipped.csv")
