"""isthmus evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from isthmus._result import Result
    from isthmus.cli.gathering import Gathered
    from isthmus.cli.stages import Stages
    from isthmus.evaluation import Comparison, Evaluation
    from isthmus.quality import Finding

WIDEST = 100_000
"""No table is as wide."""
N_CONFUSED = 3
"""Other classes that are named, where all of the confusion would be too wide."""


def evaluate(
    model: o.Model,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Documents with true labels.")],
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth", metavar="COLUMN", help="The true labels, if not in --label.", rich_help_panel=o.READING
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="FILE", help="What the model learned from: LR learns from it, to compare."),
    ] = None,
    text: o.Text = None,
    label: o.Label = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    encoder: o.Encoder = None,
    allow_label: o.AllowLabels = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="A page to look at.", rich_help_panel=o.WRITING)
    ] = None,
    force: o.Force = False,
    as_json: o.AsJson = False,
) -> None:
    """Measure how right a model is on documents with true labels.

    Accuracy, precision and recall of each class with 95% intervals, confusion,
    and whether the probabilities can be trusted.
    True labels that the model does not know are named, and not counted. With
    --source, logistic regression without transfer is measured beside it.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage.
    """
    from isthmus.cli.console import print_json
    from isthmus.cli.models import ask, load_result
    from isthmus.cli.outputs import check_outputs
    from isthmus.cli.stages import Stages
    from isthmus.evaluation import evaluate_labels
    from isthmus.report.evaluation_page import write_evaluation

    check_outputs({} if report is None else {"--report": report}, force, [model, file, *(source or [])])
    result = load_result(model, encoder)
    classes = [str(label) for label in result.classes.tolist()]
    reading: dict[str, Any] = {"form": form and form.value, "encoding": encoding, "max_document": max_document}
    reading["allow_labels"] = [*classes, *(allow_label or ())]
    with Stages() as stages:
        documents, unknown, not_random = _read(file, text, truth or label, reading, classes, stages)
        documents, n_learned = _not_learned(result, documents, model)
        with stages.stage("labeling"):
            _, probabilities = ask(result, documents.texts)
        evaluation = evaluate_labels([str(label) for label in documents.labels], probabilities, classes)
        labels = [classes[number] for number in probabilities.argmax(axis=1)]
        others = [_without_transfer(result, source, text, label, reading, documents, labels, stages)] if source else []
    sample = _sample_alone(file, evaluation.n, not_random, n_learned)
    if report is not None:
        sentences = [*sample, *(finding.message for finding in unknown)]
        write_evaluation(evaluation, report, model=model, file=file, others=others, unknown=sentences)
    if as_json:
        written: dict[str, Any] = {"model": model, "file": file, **evaluation.as_dict()}
        written |= {"against": [other.as_dict() for other in others]}
        written |= {"unknown_labels": [finding.as_dict() for finding in unknown]}
        written |= {"not_drawn_at_random": not_random, "learned": n_learned}
        print_json(written | {"written": report and str(report)})
    else:
        _show(evaluation, others, unknown, documents, report, sample)


def _not_learned(result: Result, documents: Gathered, model: str) -> tuple[Gathered, int]:
    """Without the documents whose label the model has learned, and how many these are."""
    from isthmus.exceptions import DataError

    learned = result.has_learned(documents.texts)
    if learned.all():
        raise DataError(
            f"{model} has learned the labels of all documents in {documents.path}, which so measure nothing: label "
            "others, as isthmus suggest --kind random chooses them."
        )
    return documents.only((~learned).nonzero()[0].tolist()), int(learned.sum())


def _read(
    file: str, text: str | None, truth: str | None, reading: dict[str, Any], classes: list[str], stages: Stages
) -> tuple[Gathered, list[Finding], int]:
    """The documents whose true label the model knows, what there is to say about others, and how many do not count."""
    from isthmus.cli.gathering import gather_readable
    from isthmus.core.labels import spelled_like
    from isthmus.exceptions import DataError
    from isthmus.quality import find_unknown

    found = gather_readable(file, stages, text=text, label=truth, labeled=True, with_ids=False, **reading)
    n_all = len(found.texts)
    found = _random_ones(found)
    not_random = n_all - len(found.texts)
    found.labels[:] = spelled_like(found.labels, classes)
    column = found.columns.label or ""
    unknown = list(find_unknown(found.part(found.labels), classes, column))
    kept = [row for row, label in enumerate(found.labels) if label in classes]
    if not kept:
        names = ", ".join(repr(label[:40]) for label in list(found.counts)[:5])
        raise DataError(f"{file} has no true label that the model knows, but {names}: spell labels alike.")
    return found.only(kept), unknown, not_random


def _random_ones(found: Gathered) -> Gathered:
    """Of what isthmus suggest chose, the random sample: the others are there for being hard.

    Other files may have a column of that name as well.
    """
    from isthmus.exceptions import DataError
    from isthmus.selection import RANDOM, TEACHING

    rows = [row for row, kind in enumerate(found.kinds) if kind == RANDOM]
    if not {RANDOM, TEACHING} & set(found.kinds):
        return found
    if not rows:
        raise DataError(
            f"{found.path} has no labeled document that was drawn at random: those that teach were chosen for being "
            "hard, and measure no accuracy. Label those of isthmus suggest --kind random."
        )
    return found.only(rows)


def _sample_alone(file: str, n: int, not_random: int, n_learned: int) -> list[str]:
    """Sentences about documents that do not count, if there are any."""
    from isthmus.cli.console import n_documents

    learned = (
        [f"{file}: not counted are {n_documents(n_learned)} whose label the model has learned."] if n_learned else []
    )
    if not not_random:
        return learned
    return [
        *learned,
        f"{file}: {n_documents(n)} {'counts' if n == 1 else 'count'}, drawn at random by isthmus suggest. Not counted: "
        f"{n_documents(not_random)} chosen to teach, which {'is' if not_random == 1 else 'are'} harder than the rest.",
    ]


def _without_transfer(
    result: Result,
    source: list[str],
    text: str | None,
    label: str | None,
    reading: dict[str, Any],
    documents: Gathered,
    labels: list[str],
    stages: Stages,
) -> Comparison:
    """Logistic regression on the words that the model knows, fitted to the source alone."""
    from isthmus import LR
    from isthmus.cli.gathering import gather_readable
    from isthmus.evaluation import compare
    from isthmus.exceptions import DataError

    options = {**reading, "text": text, "label": label, "labeled": True, "with_ids": False}
    gathered = [gather_readable(path, stages, **options) for path in source]
    with stages.stage("fitting LR"):
        texts = [one for file in gathered for one in file.texts]
        y = [str(label) for file in gathered for label in file.labels]
        try:
            baseline = LR().fit(result.transform(texts), y)
        except ValueError as error:
            raise DataError(f"LR cannot learn from {' and '.join(source)}: {error}") from error
        found = baseline.predict(result.transform(documents.texts)).tolist()
    return compare([str(label) for label in documents.labels], labels, found, "LR without transfer")


def _show(
    evaluation: Evaluation,
    others: list[Comparison],
    unknown: list[Finding],
    documents: Gathered,
    report: Path | None,
    sample: list[str],
) -> None:
    from isthmus.cli.console import complain, output

    for finding in unknown:
        complain(f"Not counted: {finding.message}", "yellow")
    console = output()

    def say(sentence: str, style: str = "") -> None:
        console.print(sentence, style=style, markup=False, soft_wrap=True)

    for sentence in (str(documents), *sample):
        say(sentence)
    say(f"{evaluation.n_right:,} of {evaluation.n:,} labels are right: {evaluation.accuracy}.", "bold")
    for other in others:
        say(str(other))
    say(f"Mean F1 of all classes (macro-F1): {evaluation.macro_f1:.2f}.")
    console.print()
    console.print(_by_class(evaluation, console))
    console.print()
    say(
        f"Probabilities: {evaluation.mean_confidence:.2f} is claimed on average, and {evaluation.accuracy.value:.2f} "
        f"are right; expected calibration error {evaluation.calibration_error:.3f}."
    )
    if report is not None:
        say(f"Wrote {report}.")


def _by_class(evaluation: Evaluation, console: Console) -> Table:
    """Scores and confusion of each class; of confusion that is too wide, what the class was most often taken for."""
    from rich.measure import Measurement

    from isthmus.inspection.tables import plain_table

    titles = ["true class", "precision", "recall", "F1", "documents"]
    scores = [
        [one.name, _figure(one.precision), _figure(one.recall), f"{one.f1:.2f}", f"{one.n_true:,}"]
        for one in evaluation.classes
    ]
    names = [one.name for one in evaluation.classes]
    counts = [[f"{n:,}" for n in row] for row in evaluation.confusion]
    rows = [own + more for own, more in zip(scores, counts, strict=True)]
    arrows = [f"→ {name}" for name in names]
    table = plain_table(titles + arrows, rows, right=[*titles[3:], *arrows])
    if Measurement.get(console, console.options.update(max_width=WIDEST), table).maximum <= console.width:
        return table
    wrong = [_most_often(names, row, number) for number, row in enumerate(evaluation.confusion)]
    rows = [[*own, more] for own, more in zip(scores, wrong, strict=True)]
    return plain_table([*titles, "most often taken for"], rows, right=titles[3:])


def _most_often(names: list[str], counts: list[int], own: int) -> str:
    wrong = sorted(
        (-n, name) for number, (name, n) in enumerate(zip(names, counts, strict=True)) if n and number != own
    )
    return ", ".join(f"{name} ({-n:,})" for n, name in wrong[:N_CONFUSED])


def _figure(interval: Any) -> str:
    if interval is None:
        return "none"
    value, low, high = interval.percents()
    return f"{value} ({low} to {high})"
