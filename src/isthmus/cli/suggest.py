"""isthmus suggest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus._result import Result
    from isthmus.cli.gathering import Gathered
    from isthmus.io.documents import LabelTask


def suggest(
    model: o.Model,
    file: Annotated[str, typer.Argument(metavar="TARGET", help="The documents to choose from.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The documents to label.", rich_help_panel=o.WRITING)
    ],
    n: Annotated[int, typer.Option("-n", min=1, metavar="NUMBER", help="How many.")] = 20,
    kind: Annotated[o.SuggestKind, typer.Option("--kind", help="Random ones, those that teach, or half and half.")] = (
        o.SuggestKind.both
    ),
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", metavar="FILE", help="Labels that there are already: others are chosen; repeatable."),
    ] = None,
    form_of_tasks: Annotated[
        o.TaskFormat | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="csv, tsv, jsonl, label-studio or argilla; by default as the name of the output ends.",
            rich_help_panel=o.WRITING,
        ),
    ] = None,
    labels_encoding: o.LabelsEncoding = None,
    text: o.Text = None,
    id_column: o.Id = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    encoder: o.Encoder = None,
    random_state: o.RandomState = 0,
    force: o.Force = False,
) -> None:
    """Choose documents to label by hand (active learning).

    They go to a file with an empty column of labels.
    Half of them are a random sample: their labels measure the accuracy. The
    others teach the most: uncertain, like many others, and unlike one
    another. Fill in the labels, and give the file to isthmus fit --labels.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage.
    """
    from isthmus.cli.gathering import gather_readable
    from isthmus.cli.models import load_result
    from isthmus.cli.outputs import check_outputs
    from isthmus.cli.stages import Stages
    from isthmus.exceptions import DataError
    from isthmus.io.atomic import write_atomically
    from isthmus.io.documents import compressed, read_given, task_format, written_tasks

    check_outputs({"--output": output}, force, [model, file, *map(str, labels or ())])
    written_as = task_format(str(output), form_of_tasks and form_of_tasks.value)
    result = load_result(model, encoder)
    classes = [str(label) for label in result.classes.tolist()]
    given = {
        one.id for path in labels or () for one in read_given(str(path), id_column, None, classes, labels_encoding)
    }
    reading = {"form": form and form.value, "encoding": encoding, "max_document": max_document}
    with Stages() as stages:
        target = gather_readable(file, stages, text=text, id=id_column, **reading)
        if not labels:
            _warn_of_learned(result, target, model)
        with stages.stage("choosing"):
            tasks = _choose(result, target, n, kind, given, random_state)
    if not tasks:
        raise DataError(f"{file} has no document that could be suggested: all are labeled or empty.")
    write_atomically(output, compressed(written_tasks(tasks, written_as).encode(), str(output)), replacing=force)
    _tell(tasks, output, classes if written_as == "label-studio" else None)


def _warn_of_learned(result: Result, target: Gathered, model: str) -> None:
    """It is right wherever it has learned the label, and a sample of such documents measures nothing."""
    from isthmus.cli.console import complain, n_documents

    if n := int(result.has_learned(target.texts).sum()):
        complain(
            f"{model} has learned the labels of {n_documents(n)} of {target.path}: left out. Give these labels to "
            "isthmus fit again, beside those to come.",
            "yellow",
        )


def _tell(tasks: list[LabelTask], path: Path, label_studio_classes: list[str] | None) -> None:
    from isthmus.cli.console import n_documents
    from isthmus.cli.console import output as standard_output
    from isthmus.io.documents import label_studio_interface

    console = standard_output()
    counts = " and ".join(
        f"{sum(task.kind == kind for task in tasks)} {what}"
        for kind, what in {"random": "drawn at random", "teaching": "that teach"}.items()
        if any(task.kind == kind for task in tasks)
    )
    console.print(f"Wrote {n_documents(len(tasks))} to {path}: {counts}.", markup=False, soft_wrap=True)
    if label_studio_classes is not None:
        interface = label_studio_interface(label_studio_classes)
        console.print(f"The labeling interface for Label Studio: {interface}", markup=False, soft_wrap=True)


def _choose(
    result: Result, target: Gathered, n: int, kind: o.SuggestKind, given: set[str], random_state: int
) -> list[LabelTask]:
    import numpy as np

    from isthmus.cli.models import ask
    from isthmus.io.documents import LabelTask
    from isthmus.selection import RANDOM, TEACHING, pick_batch

    kinds = {"both": (RANDOM, TEACHING)}.get(kind.value, (kind.value,))
    X, probabilities = ask(result, target.texts)
    known = np.array([name.strip() in given for name in target.ids], dtype=bool)
    known |= result.has_learned(target.texts)
    picks = pick_batch(probabilities, X, target.texts, n, known=known, kinds=kinds, random_state=random_state)
    names = [str(label) for label in result.classes.tolist()]
    return [
        LabelTask(
            target.ids[pick.row],
            target.texts[pick.row],
            names[int(probabilities[pick.row].argmax())],
            float(probabilities[pick.row].max()),
            pick.kind,
        )
        for pick in picks
    ]
