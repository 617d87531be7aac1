"""isthmus watch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus.drift import DriftReport


def watch(
    model: o.Model,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Batches of documents, the oldest first.")],
    text: o.Text = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    encoder: o.Encoder = None,
    fail_on_drift: o.FailOnDrift = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="A page over time.", rich_help_panel=o.WRITING)
    ] = None,
    force: o.Force = False,
    as_json: o.AsJson = False,
) -> None:
    """Compare batches of documents with the target that a model was fitted to (dataset shift).

    New words, likeness, classes and confidence. Thresholds come from the
    target itself: of batches that look like it, fewer than one in a hundred
    is called drift.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage, 3 done, and the last batch does not look like the target
    (--fail-on-drift).
    """
    from isthmus.cli.console import print_json
    from isthmus.cli.models import load_result
    from isthmus.cli.outputs import check_outputs
    from isthmus.exceptions import DataError

    if report is not None:
        check_outputs({"--report": report}, force, [model, *files])
    result = load_result(model, encoder)
    if result.profile is None:
        raise DataError(f"{model} does not say what its target looked like: fit it again with this version of isthmus.")
    reading = {"text": text, "form": form and form.value, "encoding": encoding, "max_document": max_document}
    reading["with_ids"] = False
    reports = [(file, _compare(result, file, reading)) for file in files]
    if report is not None:
        from isthmus.report.watch_page import write_watch

        write_watch(reports, report, model=Path(model).name)
    if as_json:
        listed = [{"file": file, **report.as_dict()} for file, report in reports]
        print_json({"model": model, "batches": listed})
    else:
        _show(reports)
    if fail_on_drift and reports[-1][1].drifted:
        raise typer.Exit(o.DRIFTED)


def _compare(result: Any, file: str, reading: dict[str, Any]) -> DriftReport:
    from isthmus.cli.gathering import gather_readable
    from isthmus.cli.models import ask
    from isthmus.cli.stages import Stages
    from isthmus.drift import compare_batch, describe_documents

    with Stages() as stages:
        found = gather_readable(file, stages, **reading)
        with stages.stage(f"comparing {file}"):
            X, probabilities = ask(result, found.texts)
    described = describe_documents(result.vectorizer, found.texts, X, probabilities, result.profile)
    return compare_batch(result.profile, described)


def _show(reports: list[tuple[str, DriftReport]]) -> None:
    from isthmus.cli.console import output
    from isthmus.inspection.tables import plain_table

    console = output()
    usual = reports[0][1]
    names = [sign.name for sign in usual.signs]
    rows = [
        [
            file,
            f"{report.n:,}",
            *(f"{sign.share(sign.value):.1%}{'*' if sign.is_alarm else ' '}" for sign in report.signs),
            f"{report.confidence:.0%}",
            report.verdict,
        ]
        for file, report in reports
    ]
    means = [f"{sign.share(sign.usual):.1%} " for sign in usual.signs]
    target = ["usual", "", *means, f"{usual.usual_confidence:.0%}", ""]
    titles = ["file", "documents", *names, "expected right", "verdict"]
    console.print(plain_table(titles, [target, *rows], right=titles[1:-1]))
    console.print("* is out of bounds. Where documents have changed, what the model expects to be right is a guess.")
    for file, report in reports:
        if report.drifted:
            console.print(f"{file}: {report}", style="yellow", markup=False, soft_wrap=True)
