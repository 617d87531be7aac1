"""isthmus update."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus._result import Result
    from isthmus.cli.gathering import Gathered
    from isthmus.evaluation import SampleScore


def update_model(
    model: o.Model,
    file: Annotated[str, typer.Argument(metavar="NEW", help="Target documents that came after the fit.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="MODEL2", help="The new model.", rich_help_panel=o.WRITING)
    ],
    labels: o.LabelFiles = None,
    labels_encoding: o.LabelsEncoding = None,
    use_target_labels: o.UseTargetLabels = False,
    text: o.Text = None,
    label: o.Label = None,
    id_column: o.Id = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    encoder: o.Encoder = None,
    force: o.Force = False,
    as_json: o.AsJson = False,
) -> None:
    """Learn from documents that came later, without a new fit (incremental learning).

    What the model knows stays as the prior; the cost grows with what arrived.
    Words that were not known are learned. From 200 documents on, isthmus
    watch compares with these. Labels are those of --labels, by id, or with
    --use-target-labels of the file itself.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage.
    """
    from isthmus.cli.gathering import gather_readable
    from isthmus.cli.models import asking, load_result, save_result
    from isthmus.cli.outputs import check_outputs
    from isthmus.cli.stages import Stages
    from isthmus.io.atomic import Staging

    check_outputs({"--output": output}, force, [model, file, *map(str, labels or ())])
    result = load_result(model, encoder)
    columns = {"text": text, "label": label or ("label" if use_target_labels else None), "id": id_column}
    reading: dict[str, Any] = {
        **columns,
        "form": form and form.value,
        "encoding": encoding,
        "max_document": max_document,
        "allow_labels": [str(one) for one in result.classes.tolist()],
    }
    with Stages() as stages:
        new = gather_readable(file, stages, **reading)
        given = ([str(path) for path in labels or ()], label, labels_encoding)
        known, measured = _known_labels(result, new, *given, use_own=use_target_labels)
        with stages.stage("learning"), asking():
            after = result.update(new.texts, known)
        with stages.stage("writing"), Staging(replacing=force) as staging:
            save_result(after, staging.place(output))
            staging.commit()
    _tell(result, after, new, measured, output, as_json)


def _known_labels(
    result: Result, new: Gathered, paths: list[str], label: str | None, encoding: str | None, *, use_own: bool
) -> tuple[list[Any], SampleScore | None]:
    """Of each document, or None, and what they measure, if they can; a label that is misspelt or new is refused."""
    from isthmus.cli.gathering import check_spelling
    from isthmus.cli.given import labels_of_files
    from isthmus.core.labels import spelled_like
    from isthmus.exceptions import DataError

    classes = result.classes.tolist()
    if use_own and not any(new.labels):
        raise DataError(f"{new.path} has no label: name their column with label=, or leave use_target_labels= out.")
    known = spelled_like(new.labels if use_own else [None] * len(new.texts), classes)
    measured = None
    if paths:
        by_id, measured = labels_of_files(paths, new, classes, label, None, encoding)
        known = [by_id.get(name, label) for name, label in zip(new.ids, known, strict=True)]
    strange = dict.fromkeys(str(label) for label in known if label is not None and label not in classes)
    check_spelling(new.path, strange, [str(one) for one in classes], None)
    if strange:
        named = ", ".join(repr(label) for label in list(strange)[:5])
        where = " and ".join(paths) or new.path
        raise DataError(f"{where} has labels that the model does not know: {named}. Fit it with that class.")
    return known, measured


def _n_words(result: Result) -> int:
    """How many words a model knows, which runs of letters are not."""
    from isthmus.core.features import is_word
    from isthmus.text import feature_names

    names = feature_names(result.vectorizer)
    return 0 if names is None else sum(map(is_word, names))


def _tell(
    before: Result, after: Result, new: Gathered, measured: SampleScore | None, output: Path, as_json: bool
) -> None:
    from isthmus.cli.console import n_documents, print_json
    from isthmus.cli.console import output as standard_output

    n_labels = int(after.given.sum())
    n_words = _n_words(after) - _n_words(before)
    moved = int((before.predict(new.texts) != after.predict(new.texts)).sum())
    if as_json:
        print_json(
            {
                "documents": len(new.texts),
                "labels": n_labels,
                "measured_before": measured and measured.as_dict(),
                "new_words": n_words,
                "moved": moved,
                "model": str(output),
            }
        )
        return
    console = standard_output()
    if measured is not None:
        console.print(str(measured), markup=False, soft_wrap=True)
    console.print(
        f"Learned from {n_documents(len(new.texts))}, {n_labels:,} with a label: {n_words:,} words are new, and "
        f"{moved:,} of these documents {'gets' if moved == 1 else 'get'} another label than before. Wrote {output}.",
        markup=False,
        soft_wrap=True,
    )
