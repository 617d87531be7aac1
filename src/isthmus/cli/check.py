"""isthmus check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus.cli.gathering import Files


def check_data(
    source: o.Sources,
    target: o.Target,
    text: o.Text = None,
    label: o.Label = None,
    id_column: o.Id = None,
    truth: o.Truth = None,
    target_text: o.TargetText = None,
    target_label: o.TargetLabel = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    target_encoding: o.TargetEncoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    allow_label: o.AllowLabels = None,
    as_json: o.AsJson = False,
) -> None:
    """Look at the files of a fit first: what may be wrong with them, with counts and lines.

    Rows that cannot be read, placeholders instead of labels, labels that
    differ by case, spaces or a letter, classes of one or two documents, the
    same text under two labels, near-duplicates within and across the files,
    documents that are empty or share no word with the source, other languages,
    and texts that look like another column.

    Exit codes: 0 isthmus fit can read these files, 1 it would stop or cannot
    (what is wrong is said), 2 wrong usage.
    """
    from isthmus.cli.bad_rows import BadRows
    from isthmus.cli.console import complain, output, print_json
    from isthmus.cli.gathering import Reading, check_files, gather_files
    from isthmus.cli.stages import Stages
    from isthmus.exceptions import DataError

    if [*source, target].count("-") > 1:
        raise typer.BadParameter("standard input (-) can be read once only.")
    how_read = (form, encoding, max_document, target_text, target_label, target_encoding)
    reading = Reading(text, label, id_column, truth, *how_read, allow_labels=allow_label or ())
    refusal = None
    with BadRows() as bad, Stages() as stages:
        files = gather_files(source, target, reading, stages, bad)
    try:
        check_files(files, reading, use_target_labels=False)
    except DataError as error:
        refusal = str(error)
    findings = files.findings()
    if as_json:
        listed: dict[str, Any] = {
            **_described(files),
            "bad_rows": bad.as_dicts(),
            "findings": [finding.as_dict() for finding in findings],
            "refused": refusal,
        }
        print_json(listed)
    else:
        console = output()
        for line in (*files.sources, files.target, "", *bad.sentences, *(finding.message for finding in findings)):
            console.print(str(line), markup=False, soft_wrap=True)
        if not bad.n and not findings and refusal is None:
            console.print("Nothing was found that looks wrong.")
        if bad.n:
            complain("isthmus fit would stop at rows that cannot be read; on_bad_rows=skip leaves them out.", "yellow")
    if refusal is not None:
        raise DataError(refusal)
    if bad.n:
        raise typer.Exit(1)


def _described(files: Files) -> dict[str, Any]:
    return {
        "sources": [{**source.describe(), "labels": source.counts} for source in files.sources],
        "target": files.target.describe(),
    }
