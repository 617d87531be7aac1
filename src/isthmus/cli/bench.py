"""isthmus bench."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from isthmus.cli.console import as_options, errors, output

if TYPE_CHECKING:
    from isthmus.bench import Bench, Missing, Row
    from isthmus.bench.tasks import Figure, Table


def bench(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="tcl, cci, dtlm, cdsc, domtrans-nmf or auto; or papers, for all claims from stored results.",
        ),
    ],
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all rows to this file.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each method that starts at random.")] = 10,
    tasks: Annotated[
        list[str] | None,
        typer.Option(help="A task's name; repeat for several, or put commas between. All by default."),
    ] = None,
    methods: Annotated[
        list[str] | None, typer.Option(help="A method's name, and so on. Variants run only if named.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting, for all methods that have it; repeatable."),
    ] = None,
    names: Annotated[bool, typer.Option("--list", help="Print the names of tasks and methods, and end.")] = False,
    figures: Annotated[Path | None, typer.Option(help="Draw the table's figures to this folder.")] = None,
    figure: Annotated[list[str] | None, typer.Option(help="Of the figures, only this one; repeatable.")] = None,
    data: Annotated[Path | None, typer.Option(help="The folder that holds the data sets.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="All documents where the paper draws a sample.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute again what is stored.")] = False,
) -> None:
    """Reproduce a paper's table: measured figures with the published ones in brackets."""
    from isthmus.bench import load_table
    from isthmus.cli.outputs import check_outputs
    from isthmus.cli.papers import show_papers
    from isthmus.cli.settings import read_settings
    from isthmus.exceptions import DataError

    if table == "papers":
        show_papers(json_file)
        return
    content = load_table(table)
    if names:
        _print_names(content)
        return
    wanted = _figures(content, figure, figures)
    changed = read_settings(settings)
    plan = _plan(_changed(content, methods, changed), data, tasks, methods, repeats, whole, fresh)
    if json_file is not None:
        check_outputs({"--json": json_file}, force=True, inputs=[])

    rows, missing = _run(plan)
    console = output()
    if rows:
        _print_table(plan, rows, repeats)
    for reason, lacking in _by_reason(missing).items():
        console.print(as_options(f"{lacking}: {reason}"), markup=False, soft_wrap=True)
    if json_file is not None:
        _write_json(json_file, table, changed, rows, missing)
        console.print(f"Wrote {json_file}.", markup=False, soft_wrap=True)
    if figures is not None:
        console.print(f"Wrote {_draw(plan, wanted, figures)} files to {figures}.", markup=False, soft_wrap=True)
    if not rows:
        raise DataError(f"Nothing of table {table} could be run.")


def _changed(table: Table, methods: list[str] | None, settings: dict[str, Any]) -> Table:
    from isthmus.bench import with_settings

    known = [*table.columns, *table.variants]
    asked = [name for name in _split(methods, known) or table.columns if name in known]
    return with_settings(table, asked, settings) if settings else table


def _write_json(path: Path, table: str, settings: dict[str, Any], rows: list[Row], missing: list[Missing]) -> None:
    import json
    from dataclasses import asdict
    from math import inf

    from isthmus.io.atomic import write_atomically

    changed = {name: str(value) if value == inf else value for name, value in settings.items()}
    found = {"rows": [asdict(row) for row in rows], "missing": [asdict(item) for item in missing]}
    write_atomically(path, json.dumps({"table": table, "set": changed, **found}, indent=1) + "\n")


def _plan(
    table: Table,
    data: Path | None,
    tasks: list[str] | None,
    methods: list[str] | None,
    repeats: int,
    whole: bool,
    fresh: bool,
) -> Bench:
    from platformdirs import user_cache_path

    from isthmus.bench import Bench, Library, Store
    from isthmus.exceptions import DataError

    try:
        return Bench(
            table,
            Library(data),
            None if fresh else Store(user_cache_path("isthmus") / "results"),
            repeats=repeats,
            tasks=_split(tasks, [task.name for task in table.tasks]),
            methods=_split(methods, [*table.columns, *table.variants]),
            whole=whole,
        )
    except DataError as error:
        raise DataError(f"{error} isthmus bench {table.name} --list prints all names.") from None


def _run(plan: Bench) -> tuple[list[Row], list[Missing]]:
    """All rows, and the tasks whose data are not here."""
    from isthmus.bench import Missing, Row, with_gaps

    found: list[Row | Missing] = []
    with _bar() as bar:
        progress = bar.add_task(f"bench {plan.table.name}", total=len(plan))
        for item in plan.run():
            found.append(item)
            steps = len(plan.methods) if isinstance(item, Missing) else 1
            bar.update(progress, advance=steps, description=f"bench {plan.table.name}: {item.task}")
    rows = with_gaps([item for item in found if isinstance(item, Row)], plan.table)
    return rows, [item for item in found if isinstance(item, Missing)]


def _print_table(plan: Bench, rows: list[Row], repeats: int) -> None:
    from isthmus.bench import METRICS, as_grids, as_summary

    console, table = output(), plan.table
    times = "one run each" if repeats == 1 else f"up to {repeats} runs each"
    for metric in dict.fromkeys(row.metric for row in rows):
        what = METRICS[metric].label
        console.print(f"{table.name}: {what}, measured (published), best with *, {times}", style="italic")
        for grid in as_grids([row for row in rows if row.metric == metric], table, console.width):
            console.print(grid)
    for summary in as_summary(rows, table):
        console.print()
        console.print(summary)


def _by_reason(missing: list[Missing]) -> dict[str, str]:
    """Of many tasks that miss one thing, the first and how many there are."""
    found: dict[str, list[str]] = {}
    for item in missing:
        key = item.reason.partition(":")[0] if item.reason.startswith("The recordings") else item.reason
        found.setdefault(key, []).append(item.task)
    reasons = {key: next(item.reason for item in missing if item.reason.startswith(key)) for key in found}
    return {
        reasons[key]: tasks[0] if len(tasks) == 1 else f"{tasks[0]} and {len(tasks) - 1} more"
        for key, tasks in found.items()
    }


def _figures(table: Table, asked: list[str] | None, folder: Path | None) -> list[Figure]:
    """What to draw, and whether it can be drawn to the folder: all figures of the table, or those asked for."""
    from isthmus.bench import require_matplotlib
    from isthmus.exceptions import DataError

    known = {figure.name: figure for figure in table.figures}
    for name in asked or []:
        if name not in known:
            raise DataError(f"The table {table.name} has no figure {name!r}: choose from {', '.join(known)}.")
        if folder is None:
            raise DataError(f"--figure {name} is to be drawn, and nothing says where: name a folder with --figures.")
    if folder is not None:
        require_matplotlib()
        if any(place.exists() and not place.is_dir() for place in (folder, *folder.parents)):
            raise DataError(f"--figures names {folder}, which is not a folder: choose another name.")
    return [known[name] for name in asked or known]


def _draw(plan: Bench, figures: list[Figure], folder: Path) -> int:
    """Figures of the table; how many files there are now."""
    from isthmus.bench import n_steps, pictures, write_picture

    files = []
    with _bar() as bar:
        progress = bar.add_task("figures", total=sum(n_steps(plan, figure) for figure in figures))
        for figure in figures:
            for picture in pictures(plan, figure, lambda text: bar.update(progress, advance=1, description=text)):
                files += write_picture(picture, folder)
    return len(files)


def _bar() -> Progress:
    """Nothing at all where nobody watches: a bar that is gone leaves an empty line in a file."""
    console = errors()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _print_names(table: Table) -> None:
    groups = {
        "Tasks": [task.name for task in table.tasks],
        "Methods": list(table.columns),
        "Variants": list(table.variants),
    }
    console = output()
    for title, names in groups.items():
        if names:
            console.print(f"{title}:")
        for name in names:
            console.print(f"  {name}", markup=False, soft_wrap=True)


def _split(given: list[str] | None, known: list[str]) -> list[str] | None:
    """Names may also come in one option, separated by commas; but some names hold commas themselves."""
    if not given:
        return None
    found = []
    for value in given:
        parts = [part.strip() for part in value.split(",")]
        found += parts if value not in known and any(part in known for part in parts) else [value]
    return found
