"""What was found out about documents, to files."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Self, TextIO, cast

import numpy as np
import zstandard

from isthmus.exceptions import DataError
from isthmus.io.documents.parquet import require_pyarrow
from isthmus.io.documents.streams import bare_suffix
from isthmus.io.documents.tables import SUFFIXES
from isthmus.typing import Array, Mask

DIGITS = 6
"""Of a probability."""


def check_format(path: str, option: str) -> str:
    """The format that a name's end says, or a sentence about names."""
    form = SUFFIXES.get(bare_suffix(path))
    if form is None or form == "xlsx":
        raise DataError(
            f"{option} names {path}: a name must end in .csv, .tsv, .jsonl or .parquet, "
            "and may have .gz or .zst after that."
        )
    if form == "parquet":
        require_pyarrow()
    return form


class PredictionWriter:
    """Writes id, label, the probability of every class and the confidence in the label, a batch at a time.

    `name` says by its end how to compress, and `form` how to write. With `novelty` there is one column more: whether a
    document is set aside.
    """

    def __init__(
        self, stream: BinaryIO, form: str, classes: Sequence[Any], name: str = "", novelty: bool = False
    ) -> None:
        self._names = ["id", "label", *(f"p_{label}" for label in classes), "confidence", *["novel"] * novelty]
        self._classes = [str(label) for label in classes]
        self._stack = ExitStack()
        self._stream = self._stack.enter_context(_compressing(stream, Path(name).suffix.lower()))
        self._form = form
        if form == "parquet":
            arrow = require_pyarrow()
            kinds = [arrow.string()] * 2 + [arrow.float64()] * (len(classes) + 1) + [arrow.bool_()] * novelty
            self._schema = arrow.schema(list(zip(self._names, kinds, strict=True)))
            self._file = self._stack.enter_context(arrow.parquet.ParquetWriter(self._stream, self._schema))
            return
        self._text = io.TextIOWrapper(cast(Any, self._stream), encoding="utf-8", newline="", write_through=False)
        self._stack.callback(self._text.detach)
        if form != "jsonl":
            self._csv = csv_writer(self._text, "\t" if form == "tsv" else ",")
            self._header = [self._names]
            """Written with the first row: standard output may have none."""

    def write(self, ids: Sequence[str], probabilities: Array, novel: Mask | None = None) -> None:
        """One row for each document, in the order of `ids`."""
        rounded = np.round(np.asarray(probabilities, dtype=np.float64), DIGITS)
        best = np.asarray(probabilities).argmax(axis=1)
        labels = [self._classes[number] for number in best]
        confidence = rounded[np.arange(len(best)), best]
        more = [] if novel is None else [novel.tolist()]
        if self._form == "parquet":
            arrow = require_pyarrow()
            columns = [list(ids), labels, *rounded.T, confidence, *more]
            arrays = [arrow.array(c, kind) for c, kind in zip(columns, self._schema.types, strict=True)]
            self._file.write_batch(arrow.record_batch(arrays, schema=self._schema))
            return
        rows: Iterator[list[Any]] = (
            [name, label, *own, sure, *rest]
            for name, label, own, sure, *rest in zip(
                ids, labels, rounded.tolist(), confidence.tolist(), *more, strict=True
            )
        )
        if self._form == "jsonl":
            for row in rows:
                item = dict(zip(self._names, row, strict=True))
                self._text.write(json.dumps(item, ensure_ascii=False) + "\n")
        else:
            self._csv.writerows([*self._header, *rows])
            self._header = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def csv_writer(text: TextIO, delimiter: str = ",") -> Any:
    """A csv.writer whose rows end plainly, and whose fields are quoted whatever ends of lines they hold.

    >>> from io import StringIO
    >>> text = StringIO()
    >>> _ = csv_writer(text).writerow(["one\\rtwo", "three"])
    >>> text.getvalue()
    '"one\\rtwo",three\\n'
    """
    return csv.writer(_Lines(text), delimiter=delimiter, lineterminator="\r\n")


def compressed(content: bytes, name: str) -> bytes:
    """As the end of a file's name says."""
    stream = io.BytesIO()
    with _compressing(stream, Path(name).suffix.lower()) as file:
        file.write(content)
    return stream.getvalue()


def _compressing(stream: BinaryIO, suffix: str) -> Any:
    if suffix == ".gz":
        # Without name and time the same labels make the same bytes.
        return gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)
    if suffix == ".zst":
        return zstandard.ZstdCompressor().stream_writer(stream, closefd=False)
    return _Kept(stream)


class _Lines:
    """Rows with plain line ends. Only what is part of the line end that it knows does a csv.writer quote."""

    def __init__(self, text: TextIO) -> None:
        self._text = text

    def write(self, row: str) -> None:
        """One row, as csv.writer calls it."""
        self._text.write(row.removesuffix("\r\n") + "\n")


class _Kept:
    """A stream that whoever opened it will close."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __enter__(self) -> BinaryIO:
        return self._stream

    def __exit__(self, *_: object) -> None:
        self._stream.flush()
