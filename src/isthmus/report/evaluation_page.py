"""The page about an evaluation: how right the labels of a model are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from isthmus.evaluation import Comparison, Evaluation
from isthmus.io.atomic import write_atomically
from isthmus.report import charts
from isthmus.report.assembly import render_page
from isthmus.report.scores import MOST_CLASSES, tenths_of


def write_evaluation(
    evaluation: Evaluation,
    path: Path,
    *,
    model: str,
    file: str,
    others: Sequence[Comparison] = (),
    unknown: Sequence[str] = (),
) -> Path:
    """Write one page: accuracy, the figures of each class, confusion, reliability, and other models beside it.

    `unknown` are sentences about true labels that the model does not know.
    """
    html = render_page(
        "evaluation.html.j2",
        evaluation=evaluation,
        model=model,
        file=file,
        others=others,
        unknown=unknown,
        tenths=[tenths_of(row) for row in evaluation.confusion],
        shows_confusion=len(evaluation.classes) <= MOST_CLASSES,
        reliability=charts.reliability(evaluation.reliability),
    )
    write_atomically(path, html)
    return path
