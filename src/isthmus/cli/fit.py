"""isthmus fit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus._api import Result
    from isthmus.cli.gathering import Gathered
    from isthmus.cli.stages import Stages
    from isthmus.cli.summary import Summary
    from isthmus.core.estimator import TransferClassifier


def fit(
    source: o.Sources,
    target: o.Target,
    text: o.Text = None,
    label: o.Label = None,
    id_column: o.Id = None,
    truth: o.Truth = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    method: o.Method = None,
    preset: o.Preset = None,
    encoder: o.Encoder = None,
    use_target_labels: o.UseTargetLabels = False,
    target_prior: o.TargetPrior = None,
    max_time: o.MaxTime = None,
    random_state: o.RandomState = 0,
    output: o.ModelOutput = None,
    predictions: o.Predictions = None,
    report: o.Report = None,
    force: o.Force = False,
    as_json: o.AsJson = False,
) -> None:
    """Learn and label: unsupervised domain adaptation from a labelled source
    to an unlabelled target.

    Files are CSV, TSV, JSON lines or Parquet, with .gz or .zst or without,
    or folders of text files, one folder for each label. Columns with usual
    names (text, label, id ...) are found; name the others. Several sources
    are several domains.

    Exit codes: 0 done, 1 could not be done (one sentence says why, and no
    file was changed unless it says so), 2 wrong usage.
    """
    from time import perf_counter

    from isthmus._api import DEFAULT_METHOD
    from isthmus.cli.estimating import check_preset, load_encoder, read_estimator
    from isthmus.cli.outputs import check_outputs
    from isthmus.cli.stages import Stages
    from isthmus.cli.summary import Summary
    from isthmus.io.documents import check_format

    began = perf_counter()
    check_preset(preset, encoder)
    if [*source, target].count("-") > 1:
        raise typer.BadParameter("standard input (-) can be read once only.")
    estimator = read_estimator(method or DEFAULT_METHOD, random_state, target_prior, max_time)
    named = {"--output": output, "--predictions": predictions, "--report": report}
    outputs = {option: path for option, path in named.items() if path is not None}
    check_outputs(outputs, force, [*source, target])
    if predictions is not None:
        check_format(str(predictions), "--predictions")
    reading: dict[str, Any] = {"text": text, "id": id_column, "form": form and form.value, "encoding": encoding}
    reading["max_document"] = max_document
    with Stages() as stages:
        sources, there = _gather(source, target, label, truth, use_target_labels, reading, stages)
        words = {"preset": preset, "encoder": load_encoder(encoder)}
        result = _transfer(estimator, sources, there, use_target_labels, max_time, words, stages)
        _write(result, there, outputs, stages)
    _show(Summary(sources, there, result, use_target_labels, outputs, perf_counter() - began), as_json)


def _gather(
    source: list[str],
    target: str,
    label: str | None,
    truth: str | None,
    use_target_labels: bool,
    reading: dict[str, Any],
    stages: Stages,
) -> tuple[list[Gathered], Gathered]:
    """All documents, with labels that are spelled alike and can be learned from."""
    from isthmus.cli.gathering import check_classes, check_truth, gather, spell_alike
    from isthmus.exceptions import DataError

    # Ids tell which label is whose, and the source's documents get none: theirs may be missing or alike.
    source_options = {**reading, "label": label, "labelled": True, "with_ids": False}
    sources = [gather(path, stages, **source_options) for path in source]
    check_classes(sources)
    there = gather(target, stages, label=label or sources[0].columns.label, truth=truth, **reading)
    spell_alike([*sources, there])
    if truth is not None:
        learned = [*sources, there] if use_target_labels else sources
        check_truth(there, truth, {label for file in learned for label in file.counts})
    if use_target_labels and not any(there.labels):
        column = label or sources[0].columns.label
        raise DataError(f"{target} has no entry in column {column!r}: leave --use-target-labels out, or add some.")
    return sources, there


def _show(summary: Summary, as_json: bool) -> None:
    from isthmus.exceptions import DataError

    try:
        summary.show(as_json)
    except BrokenPipeError:  # nobody wants to read it
        raise
    except OSError as error:
        raise DataError(f"The summary cannot be printed: {error.strerror or error}. {summary.written}") from error


def _transfer(
    estimator: TransferClassifier,
    sources: list[Gathered],
    target: Gathered,
    use_target_labels: bool,
    max_time: float | None,
    words: dict[str, Any],
    stages: Stages,
) -> Result:
    import warnings

    from isthmus._api import transfer
    from isthmus.cli.estimating import watch
    from isthmus.cli.gathering import domain_names
    from isthmus.exceptions import DataError, TransferWarning

    names = domain_names([source.path for source in sources])
    with stages.stage(f"fitting {type(estimator).__name__}") as advance, warnings.catch_warnings():
        watch(estimator, advance, max_time)
        warnings.simplefilter("ignore", TransferWarning)  # the summary shows them
        try:
            result = transfer(
                [text for source in sources for text in source.texts],
                [label for source in sources for label in source.labels],
                target.texts,
                method=estimator,
                source_domains=[name for name, source in zip(names, sources, strict=True) for _ in source.texts],
                target_labels=target.labels if use_target_labels else None,
                **words,
            )
        except (ValueError, TypeError) as error:
            raise DataError(str(error)) from error
    if "callback" in result.estimator.get_params():
        result.estimator.set_params(callback=None)  # it has done its work, and no file can hold it
    return result


def _write(result: Result, target: Gathered, outputs: dict[str, Path], stages: Stages) -> None:
    """All files are written first, and get their names one after the other at the end."""
    from isthmus.cli.models import save_result
    from isthmus.exceptions import DataError
    from isthmus.io.atomic import Staging
    from isthmus.io.documents import PredictionWriter, check_format

    if not outputs:
        return
    with stages.stage("writing"), Staging() as staging:
        if path := outputs.get("--predictions"):
            form = check_format(str(path), "--predictions")
            with (
                staging.place(path).open("xb") as stream,
                PredictionWriter(stream, form, result.classes.tolist(), path.name) as writer,
            ):
                writer.write(target.ids, result.probabilities)
        if path := outputs.get("--output"):
            save_result(result, staging.place(path))
        if path := outputs.get("--report"):
            truth = target.truth if target.columns.truth is not None else None
            try:
                result.report(staging.place(path), ids=target.ids, truth=truth)
            except (ValueError, TypeError) as error:
                raise DataError(f"The report cannot be written: {error}") from error
        staging.commit()
