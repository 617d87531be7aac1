"""Labels in files: what was written is read again, whatever ids and labels hold."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from isthmus.io.documents import LabelTask, PredictionWriter, open_documents, written_tasks

LABELS = ["plain", "a\rb", "c\nd", "e\r\nf", "=1+1", 'g,h\t"i"', "@j"]
"""Formulas are left as they are."""

IDS = st.lists(st.text(st.sampled_from("\r\n\t,;\"'= aé"), min_size=1), min_size=1, max_size=8, unique=True)


@pytest.mark.parametrize("form", ["csv", "tsv"])
@given(ids=IDS, data=st.data())
def test_line_ends_within_fields(form: str, ids: list[str], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, len(LABELS) - 1), min_size=len(ids), max_size=len(ids)))
    written = io.BytesIO()
    with PredictionWriter(written, form, LABELS) as writer:
        writer.write(ids, np.eye(len(LABELS))[numbers])
    text = written.getvalue().decode()
    delimiter = "\t" if form == "tsv" else ","
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    labels = [LABELS[number] for number in numbers]
    assert header == ["id", "label", *(f"p_{label}" for label in LABELS), "confidence"]
    assert [row[:2] for row in rows] == [list(pair) for pair in zip(ids, labels, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"labels.{form}")
        path.write_bytes(written.getvalue())
        with open_documents(str(path), text="label") as documents:
            assert [(document.id, document.text) for document in documents] == list(zip(ids, labels, strict=True))


def test_lines_end_plainly() -> None:
    written = io.BytesIO()
    with PredictionWriter(written, "csv", ["a", "b"]) as writer:
        writer.write(["1\r", "2"], np.array([[1.0, 0], [0.25, 0.75]]))
    assert written.getvalue() == b'id,label,p_a,p_b,confidence\n"1\r",a,1.0,0.0,1.0\n2,b,0.25,0.75,0.75\n'


@given(texts=st.lists(st.text(st.sampled_from("\r\n\t,\"' aé"), min_size=1), min_size=1, max_size=5))
def test_tasks_are_read_again_whatever_ends_of_lines_texts_hold(texts: list[str]) -> None:
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        tasks = [LabelTask(str(number), text, "a", 0.5, "random") for number, text in enumerate(texts)]
        written = io.StringIO(written_tasks(tasks, form), newline="")
        rows = list(csv.reader(written, delimiter=delimiter, strict=True))
        assert [row[:2] for row in rows[1:]] == [[str(number), text] for number, text in enumerate(texts)]


def test_probabilities_have_six_digits_and_labels_those_of_the_largest() -> None:
    written = io.BytesIO()
    with PredictionWriter(written, "jsonl", [1, "b"]) as writer:
        writer.write(["x", "y"], np.array([[1 / 3, 2 / 3], [0.50000001, 0.49999999]]))
    rows = [json.loads(line) for line in written.getvalue().decode().splitlines()]
    assert [list(row.values()) for row in rows] == [
        ["x", "b", 0.333333, 0.666667, 0.666667],
        ["y", "1", 0.5, 0.5, 0.5],
    ]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_the_same_labels_make_the_same_compressed_bytes(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for second in (1.0, 2e9):
        monkeypatch.setattr("time.time", lambda second=second: second)
        written = io.BytesIO()
        with PredictionWriter(written, "csv", ["a", "b"], f"labels.csv{suffix}") as writer:
            writer.write(["1"], np.array([[0.75, 0.25]]))
        found.append(written.getvalue())
    assert found[0] == found[1]
    plain = gzip.decompress(found[0]) if suffix == ".gz" else zstandard.decompress(found[0], max_output_size=1000)
    assert plain.splitlines()[1] == b"1,a,0.75,0.25,0.75"
