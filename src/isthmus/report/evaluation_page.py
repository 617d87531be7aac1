"""The page about an evaluation: how right the labels of a model are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from markupsafe import Markup

from isthmus.evaluation import Comparison, Evaluation
from isthmus.inspection.notebook import bridge_style
from isthmus.io.atomic import write_beside
from isthmus.report import charts
from isthmus.report.assembly import content_policy, page_environment, read_asset
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
    style, theme = bridge_style() + read_asset("page.css"), read_asset("theme.js")
    html = (
        page_environment()
        .get_template("evaluation.html.j2")
        .render(
            evaluation=evaluation,
            model=model,
            file=file,
            others=others,
            unknown=unknown,
            tenths=[tenths_of(row) for row in evaluation.confusion],
            shows_confusion=len(evaluation.classes) <= MOST_CLASSES,
            reliability=charts.reliability(evaluation.reliability),
            today=date.today().isoformat(),
            policy=content_policy([theme], [style]),
            style=Markup(style),  # noqa: S704 - our own files
            theme=Markup(theme),  # noqa: S704 - our own files
        )
    )
    write_beside(path, html.encode("utf-8", "replace").decode("utf-8"))
    return path
