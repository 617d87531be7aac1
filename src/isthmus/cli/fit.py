"""isthmus fit."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus._result import Result
    from isthmus.cli.gathering import Reading
    from isthmus.cli.stages import Stages
    from isthmus.cli.summary import ReadFiles
    from isthmus.core.estimator import TransferClassifier

READ = (
    *("text", "label", "truth", "form", "encoding", "max_document"),
    *("target_text", "target_label", "target_encoding", "labels_encoding"),
)
"""Options that tell how files are read."""
WRITTEN = 50_000
"""Labels that are written at a time."""


def fit(
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
    labels_encoding: o.LabelsEncoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    blocks: o.Blocks = None,
    allow_label: o.AllowLabels = None,
    on_bad_rows: o.BadRowsStop = o.OnBadRows.stop,
    method: o.Method = None,
    settings: o.Settings = None,
    preset: o.Preset = None,
    encoder: o.Encoder = None,
    use_target_labels: o.UseTargetLabels = False,
    labels: o.LabelFiles = None,
    target_prior: o.TargetPrior = None,
    max_time: o.MaxTime = None,
    cluster: o.Cluster = None,
    random_state: o.RandomState = 0,
    output: o.ModelOutput = None,
    predictions: o.Predictions = None,
    report: o.Report = None,
    skipped: o.Skipped = None,
    force: o.Force = False,
    as_json: o.AsJson = False,
) -> None:
    """Learn and label: unsupervised domain adaptation, from a labeled source to a target.

    Files are CSV, TSV, JSON, JSON lines, Parquet or .xlsx, with .gz or .zst
    or without, or folders of text files, one folder for each label. Columns
    with usual names (text, label, id ...) are found; name the others. Several
    sources are several domains. What isthmus check finds is warned of.

    A large target is read in blocks, and what is made of it lies in a folder
    beside the output: it need not fit into memory, and a command that was
    killed goes on after its last block. Labels are the same as in memory
    without an encoder.

    With --cluster, the target may be a folder of tables: workers read and
    label them, and --predictions names a folder for a file of labels each.

    Exit codes: 0 done, 1 could not be done (one sentence says why, and no
    file was changed unless it says so), 2 wrong usage.
    """
    given, began = dict(locals()), perf_counter()
    from isthmus._api import DEFAULT_METHOD
    from isthmus.cli.blocks import matrix_folder, wants_blocks
    from isthmus.cli.estimating import load_encoder, read_estimator
    from isthmus.cli.gathering import Reading
    from isthmus.cli.partitions import holds_tables
    from isthmus.cli.settings import read_settings
    from isthmus.cli.summary import Labels, Summary

    _check(source, target, preset, encoder)
    changed, skip = read_settings(settings), on_bad_rows is o.OnBadRows.skip
    estimator = read_estimator(method or DEFAULT_METHOD, random_state, target_prior, max_time, changed)
    reading = Reading(id=id_column, allow_labels=allow_label or (), **{name: given[name] for name in READ})
    if cluster is not None and holds_tables(target):
        _fit_folder(estimator, reading, {**given, "settings": changed})
        return
    inputs = [*source, *map(str, labels or ()), target]
    outputs, skipped = _plan(given, skip, inputs)
    in_blocks = wants_blocks(blocks, target, _against_blocks(source, report, encoder))
    read = _read(source, target, reading, use_target_labels, labels or [], skip, skipped, in_blocks)
    about = {"reading": vars(reading), "skip": skip, "preset": preset} if in_blocks else None
    how: dict[str, Any] = {"preset": preset, "encoder": load_encoder(encoder), "client": cluster}
    use_target_labels |= bool(labels)
    with matrix_folder(inputs, next(iter(outputs.values()), None), about) as how["folder"]:
        result = _fit_and_write(estimator, read, use_target_labels, max_time, how, outputs, force)
    Summary(read, result, Labels.of(result), use_target_labels, outputs, perf_counter() - began, changed).show(as_json)


def _fit_folder(estimator: TransferClassifier, reading: Reading, given: dict[str, Any]) -> None:
    """Have workers read and label a folder of files; `given` are the command's options."""
    from isthmus.cli.fit_partitions import FolderFit, fit_folder

    for name in ("report", "encoder", "labels", "truth", "blocks", "use_target_labels", "skipped"):
        if given[name]:
            option = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"{option}: the target is a folder of files that workers read: leave it out.")
    same = {name: given[name] for name in ("source", "target", "preset", "max_time", "cluster", "force", "settings")}
    outputs = {f"--{name}": given[name] for name in ("output", "predictions") if given[name] is not None}
    skip = given["on_bad_rows"] is o.OnBadRows.skip
    fit_folder(estimator, FolderFit(**same, reading=reading, skip=skip, outputs=outputs), given["as_json"])


def _check(source: list[str], target: str, preset: str | None, encoder: str | None) -> None:
    from isthmus.cli.estimating import check_preset

    check_preset(preset, encoder)
    if [*source, target].count("-") > 1:
        raise typer.BadParameter("standard input (-) can be read once only.")


def _against_blocks(source: list[str], report: Path | None, encoder: str | None) -> str | None:
    """Why all texts must be in memory, if so."""
    if "-" in source:
        return "standard input cannot be read again"
    if report is not None:
        return "--report shows texts, and needs them in memory"
    return None if encoder is None else "--encoder reads texts in memory"


def _plan(given: dict[str, Any], skip: bool, inputs: list[str]) -> tuple[dict[str, Path], Path | None]:
    """The outputs that were asked for, which can be written, and where rows are written to that are skipped."""
    from isthmus.cli.bad_rows import plan_skipped
    from isthmus.cli.outputs import check_outputs
    from isthmus.io.documents import check_format

    outputs = {f"--{name}": given[name] for name in ("output", "predictions", "report") if given[name] is not None}
    check_outputs(outputs, given["force"], inputs)
    if path := outputs.get("--predictions"):
        check_format(str(path), "--predictions")
    return outputs, plan_skipped(given["skipped"], outputs, given["force"], inputs, skip)


def _read(
    source: list[str],
    target: str,
    reading: Reading,
    use_target_labels: bool,
    labels: list[Path],
    skip: bool,
    skipped: Path | None,
    in_blocks: bool,
) -> ReadFiles:
    """All documents, and what may be wrong with them."""
    from isthmus.cli.bad_rows import BadRows
    from isthmus.cli.gathering import check_files, gather, gather_files, gather_in_blocks
    from isthmus.cli.given import join_labels
    from isthmus.cli.stages import Stages
    from isthmus.cli.summary import ReadFiles

    with BadRows() as bad:
        with Stages() as stages:
            files = gather_files(source, target, reading, stages, bad, gather_in_blocks if in_blocks else gather)
        if not skip:
            bad.refuse()
        check_files(files, reading, use_target_labels)
        written = bad.finish(skipped)
    measured = None
    if labels:
        if not use_target_labels:
            files.target.labels[:] = [None] * len(files.target.labels)  # nobody asked for those of the file itself
        measured = join_labels(files, [str(path) for path in labels], reading)
    return ReadFiles(files, files.findings(use_target_labels), bad, written, measured)


def _warn(read: ReadFiles, outputs: dict[str, Path]) -> None:
    """Before the work begins, which may take long."""
    from isthmus.cli.console import complain

    for finding in read.findings:
        complain(finding.message, "yellow")
    if not outputs:
        nothing = (
            "No file will be written: -o names one for the model, --predictions for the labels, --report for a page."
        )
        complain(nothing, "yellow")


def _fit_and_write(
    estimator: TransferClassifier,
    read: ReadFiles,
    use_target_labels: bool,
    max_time: float | None,
    how: dict[str, Any],
    outputs: dict[str, Path],
    force: bool,
) -> Result:
    from isthmus.cli.blocks import give_memory_back
    from isthmus.cli.stages import Stages

    _warn(read, outputs)
    with Stages() as stages:
        result = _transfer(estimator, read, use_target_labels, max_time, how, stages)
        if read.files.target.in_blocks:
            give_memory_back()
        _write(result, read, outputs, force, stages)
    return result


def _transfer(
    estimator: TransferClassifier,
    read: ReadFiles,
    use_target_labels: bool,
    max_time: float | None,
    how: dict[str, Any],
    stages: Stages,
) -> Result:
    from isthmus._api import transfer
    from isthmus.cli.estimating import fitting, without_callback
    from isthmus.cli.gathering import domain_names
    from isthmus.core.cluster import connected

    sources, target = read.files.sources, read.files.target
    names = domain_names([source.path for source in sources])
    with connected(how["client"]) as client, fitting(estimator, stages):
        result = transfer(
            [text for source in sources for text in source.texts],
            [label for source in sources for label in source.labels],
            target.texts,
            method=estimator,
            source_domains=[name for name, source in zip(names, sources, strict=True) for _ in source.texts],
            target_labels=target.labels if use_target_labels else None,
            max_time=max_time,
            **{**how, "client": client},
        )
    _warn_of_more_empty(result, read)
    without_callback(result.estimator)
    return result


def _warn_of_more_empty(result: Result, read: ReadFiles) -> None:
    """Documents whose words nobody else has are as good as empty, but no finding."""
    from isthmus.core.problem import has_words, warn_of_empty

    full = has_words(result.X)
    n_empty, n_named = int((~full).sum()), sum(finding.count for finding in read.findings if finding.kind == "empty")
    if n_empty > n_named:
        warn_of_empty(n_empty, len(full))


def _write(result: Result, read: ReadFiles, outputs: dict[str, Path], force: bool, stages: Stages) -> None:
    """All files are written first, and get their names one after the other at the end."""
    from dataclasses import replace
    from itertools import islice

    from isthmus._result import without_documents
    from isthmus.cli.models import save_result
    from isthmus.drift import profile_target
    from isthmus.exceptions import DataError, SimilarLabelWarning, silenced
    from isthmus.io.atomic import Staging
    from isthmus.io.documents import PredictionWriter, check_format
    from isthmus.report import write_report

    if not outputs:
        return
    target = read.files.target
    with stages.stage("writing"), Staging(replacing=force) as staging:
        if path := outputs.get("--predictions"):
            form = check_format(str(path), "--predictions")
            with (
                staging.place(path).open("xb") as stream,
                PredictionWriter(stream, form, result.classes.tolist(), path.name, result.novel is not None) as writer,
            ):
                ids = iter(target.ids)
                for first in range(0, len(result.labels), WRITTEN):
                    part = slice(first, first + WRITTEN)
                    own = result.probabilities[part]
                    writer.write(list(islice(ids, len(own))), own, None if result.novel is None else result.novel[part])
        if path := outputs.get("--output"):
            model = replace(result, profile=profile_target(result, target.texts))
            save_result(without_documents(model) if target.in_blocks else model, staging.place(path))
        if path := outputs.get("--report"):
            truth = target.truth if target.columns.truth is not None else None
            try:
                names = (" and ".join(Path(source.path).name for source in read.files.sources), Path(target.path).name)
                with silenced(SimilarLabelWarning):  # the findings have it
                    write_report(
                        result, staging.place(path), ids=target.ids, truth=truth, names=names, sample=read.measured
                    )
            except (ValueError, TypeError) as error:
                raise DataError(f"The report cannot be written: {error}") from error
        staging.commit()
