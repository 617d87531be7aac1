"""What can be taken out of a project."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path

from isthmus.exceptions import DataError
from isthmus.io.documents import NO_CLASS, PredictionWriter, csv_writer
from isthmus.report import write_report
from isthmus.selection import RANDOM
from isthmus.studio.project import SKIP
from isthmus.studio.session import Session


def export_labels(session: Session) -> bytes:
    """Every answer, as `isthmus fit --labels` reads them."""
    return _answers(session, only_random=False)


def export_sample(session: Session) -> bytes:
    """The random sample, with what the model said: what the accuracy was measured on."""
    return _answers(session, only_random=True)


def export_predictions(session: Session) -> bytes:
    """The labels of all target documents, as `isthmus fit --predictions` writes them."""
    result, stream = session.result(), io.BytesIO()
    with PredictionWriter(stream, "csv", result.classes.tolist()) as writer:
        writer.write(session.documents.ids, result.probabilities)
    return stream.getvalue()


def export_model(session: Session) -> bytes:
    """The model file of the last fit."""
    model = session.project.last_model()
    if model is None:
        raise DataError("Nothing was fitted yet.")
    return model


def export_report(session: Session) -> bytes:
    """The page about the last fit; the labels of the random sample are the truth, as the others were chosen.

    Those that the fit has learned from measure what was suggested before.
    """
    documents, meta = session.documents, session.project.meta()
    answers = session.project.answers()
    drawn = {row: one.label or NO_CLASS for row, one in answers.items() if one.kind == RANDOM and one.action != SKIP}
    truth = [drawn.get(row) for row in range(len(documents.ids))]
    result = session.result()
    sample = session.project.measured() if any(result.given) else None
    scores = not set(result.classes.tolist()).isdisjoint(truth)  # not all are of classes that came since
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        names = (str(meta.get("source", "the source")), str(meta.get("target", "the target")))
        write_report(result, path, ids=documents.ids, truth=truth if scores else None, names=names, sample=sample)
        return path.read_bytes()


def _answers(session: Session, only_random: bool) -> bytes:
    documents = session.documents
    out = io.StringIO(newline="")
    rows = csv_writer(out)
    rows.writerow(["id", "label", "guess", "kind", "text"])
    for answer in session.project.answers().values():
        if answer.action != SKIP and (answer.kind == RANDOM or not only_random):
            text = documents.target_texts[answer.row]
            rows.writerow([documents.ids[answer.row], answer.label or NO_CLASS, answer.guess, answer.kind, text])
    return out.getvalue().encode("utf-8", "replace")


EXPORTS: dict[str, tuple[Callable[[Session], bytes], str]] = {
    "labels.csv": (export_labels, "text/csv"),
    "sample.csv": (export_sample, "text/csv"),
    "predictions.csv": (export_predictions, "text/csv"),
    "model.isthmus": (export_model, "application/octet-stream"),
    "report.html": (export_report, "application/octet-stream"),
}
"""By the name of the file. The report is downloaded, not shown: its scripts are its own."""
