"""The page about batches of documents over time: do they still look like the target?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from math import inf
from pathlib import Path

from markupsafe import Markup

from isthmus.drift import DriftReport, Sign
from isthmus.inspection.notebook import bridge_style
from isthmus.io.atomic import write_beside
from isthmus.report import charts
from isthmus.report.assembly import content_policy, page_environment, read_asset

WHAT = {
    "unknown words": "The share of a document's words that the model does not know.",
    "closeness": "How alike documents are to the mean of the target: less where they speak of something else.",
    "class prior": "How many documents would have to change their class for the shares of the target.",
}
EXPECTED = "What the model thinks of its own accuracy. It has no bounds: where documents have changed, it is a guess."


def write_watch(reports: Mapping[str, DriftReport], path: Path, *, model: str) -> Path:
    """Write one page: each sign of drift over the batches, the oldest first, and what each batch looks like."""
    style, theme = bridge_style() + read_asset("page.css"), read_asset("theme.js")
    names = [sign.name for sign in next(iter(reports.values())).signs]
    drawn = [
        (name, WHAT[name], charts.timeline(list(reports), [_sign(report, name) for report in reports.values()]))
        for name in names
    ]
    expected = [Sign("expected right", one.confidence, one.usual_confidence, 0.0, inf) for one in reports.values()]
    drawn.append(("expected right", EXPECTED, charts.timeline(list(reports), expected)))
    html = (
        page_environment()
        .get_template("watch.html.j2")
        .render(
            reports=reports,
            n_drifted=sum(report.drifted for report in reports.values()),
            last=list(reports.values())[-1],
            usual=next(iter(reports.values())),
            model=model,
            drawn=drawn,
            today=date.today().isoformat(),
            policy=content_policy([theme], [style]),
            style=Markup(style),  # noqa: S704 - our own files
            theme=Markup(theme),  # noqa: S704 - our own files
        )
    )
    write_beside(path, html.encode("utf-8", "replace").decode("utf-8"))
    return path


def _sign(report: DriftReport, name: str) -> Sign:
    return next(sign for sign in report.signs if sign.name == name)
