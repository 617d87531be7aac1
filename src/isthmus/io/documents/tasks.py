"""Documents to label, written as tasks for people and for labeling programs."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from isthmus.exceptions import DataError
from isthmus.io.documents.streams import bare_suffix
from isthmus.io.documents.writing import csv_writer

TASK_FORMATS = ("csv", "tsv", "jsonl", "label-studio", "argilla")
TASK_COLUMNS = ("id", "text", "label", "guess", "kind", "confidence")
NO_CLASS = "none of these"
"""What somebody says of a document that no class fits: no label, but the model was wrong."""
QUESTION = "label"
"""What the labeling programs call the choice."""


class LabelTask(NamedTuple):
    """One document to label."""

    id: str
    text: str
    guess: str
    confidence: float
    kind: str
    """Why it was chosen."""


def task_format(path: str, asked: str | None) -> str:
    """As asked for, or as the name's end says."""
    found = asked or {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"}.get(bare_suffix(path))
    if found is None:
        raise DataError(f"output= names {path}: a name must end in .csv, .tsv or .jsonl, or as= say the format.")
    return found


def written_tasks(tasks: Sequence[LabelTask], form: str) -> str:
    """The whole file."""
    if form not in TASK_FORMATS:
        raise DataError(f"form is {form!r}: choose from {', '.join(TASK_FORMATS)}.")
    if form == "label-studio":
        return json.dumps([_for_label_studio(task) for task in tasks], ensure_ascii=False, indent=1) + "\n"
    if form == "argilla":
        return json.dumps([_for_argilla(task) for task in tasks], ensure_ascii=False, indent=1) + "\n"
    values = [(task.id, task.text, "", task.guess, task.kind, round(task.confidence, 4)) for task in tasks]
    if form == "jsonl":
        rows = [dict(zip(TASK_COLUMNS, own, strict=True)) for own in values]
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    out = io.StringIO(newline="")
    csv_writer(out, "\t" if form == "tsv" else ",").writerows([TASK_COLUMNS, *values])
    return out.getvalue()


def label_studio_interface(classes: Sequence[str]) -> str:
    """What to paste into a project's labeling interface."""
    from xml.sax.saxutils import quoteattr

    choices = "".join(f"<Choice value={quoteattr(label)}/>" for label in classes)
    shown = f'<Choices name="{QUESTION}" toName="text" choice="single">{choices}</Choices>'
    return f'<View><Text name="text" value="$text"/>{shown}</View>'


def _for_label_studio(task: LabelTask) -> dict[str, Any]:
    choice = {"from_name": QUESTION, "to_name": "text", "type": "choices", "value": {"choices": [task.guess]}}
    return {
        "data": {"document_id": task.id, "text": task.text, "kind": task.kind, "guess": task.guess},
        "predictions": [{"model_version": "isthmus", "score": round(task.confidence, 4), "result": [choice]}],
    }


def _for_argilla(task: LabelTask) -> dict[str, Any]:
    guess = {"value": task.guess, "score": round(task.confidence, 4), "agent": "isthmus"}
    return {
        "id": task.id,
        "fields": {"text": task.text},
        "metadata": {"kind": task.kind},
        "suggestions": {QUESTION: guess},
        "responses": {},
        "vectors": {},
    }
