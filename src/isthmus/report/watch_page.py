"""The page about batches of documents over time: do they still look like the target?"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path

from isthmus.drift import DriftReport, Sign
from isthmus.io.atomic import write_atomically
from isthmus.report import charts
from isthmus.report.assembly import render_page

WHAT = {
    "unknown words": "The share of a document's words that the model does not know.",
    "closeness": "How alike documents are to the mean of the target: less where they speak of something else.",
    "class prior": "The share of documents whose class would have to change for the shares of classes in the target.",
}
EXPECTED = "What the model thinks of its own accuracy. It has no bounds: where documents have changed, it is a guess."


def write_watch(reports: Sequence[tuple[str, DriftReport]], path: Path, *, model: str) -> Path:
    """Write one page: each sign of drift over the batches, the oldest first, and what each batch looks like."""
    files, batches = [file for file, _ in reports], [report for _, report in reports]
    usual = batches[0]
    drawn = [
        (name, WHAT[name], charts.timeline(files, [_sign(report, name) for report in batches]))
        for name in (sign.name for sign in usual.signs)
    ]
    expected = [Sign("expected right", one.confidence, one.usual_confidence, 0.0, inf) for one in batches]
    drawn.append(("expected right", EXPECTED, charts.timeline(files, expected)))
    html = render_page(
        "watch.html.j2",
        reports=reports,
        n_drifted=sum(report.drifted for report in batches),
        last=reports[-1],
        usual=usual,
        model=model,
        drawn=drawn,
    )
    write_atomically(path, html)
    return path


def _sign(report: DriftReport, name: str) -> Sign:
    return next(sign for sign in report.signs if sign.name == name)
