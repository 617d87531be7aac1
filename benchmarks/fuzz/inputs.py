"""Files of documents that are odd or damaged, and command lines with such files."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import random
import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import zstandard
from pyarrow import parquet

import isthmus
from fuzz.isolation import OWN_WARNINGS, Case, FindingError, elsewhere
from isthmus.drift import profile_target
from isthmus.exceptions import DataError
from isthmus.io.documents import open_documents

WORDS = ["refund", "card", "charged", "crash", "photos", "upload", "the", "my", "app", "日本", "naïve", "עברית", "🐢"]
ODD_WORDS = [
    *(
        "",
        '"',
        "'",
        ",",
        ";",
        "\t",
        "\n",
        "\r\n",
        "\x00",
        "\x1b[31m",
        "\u202e",
        "</script>",
        "=1+1",
        "\ud83d",
        "\ufeff",
        " ",
    ),
    *("a" * 3000, "NaN", "null", "1e999", "-0", "{}", "[]", "\\", "\x85", "\u2028"),
]
LABELS = ["a", "b", "a", "b", "", "日本", "\x1b[31m", "1", "1.0", " a "]
SUFFIXES = [".csv", ".tsv", ".jsonl", ".parquet", ".json", ".txt", "", ".csv.gz", ".jsonl.zst", ".parquet.gz", "/"]


def reading() -> Case:
    """Documents, or a DataError."""

    def case(seed: int) -> tuple[str, int]:
        rng = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            path, size = written(Path(folder), "documents", rng)
            options: dict[str, Any] = {"labeled": rng.random() < 0.3, "with_ids": rng.random() < 0.5}
            if rng.random() < 0.2:
                options["encoding"] = rng.choice(["utf-8", "latin-1", "utf-16", "cp1252", "nope", "hex"])
                options["form"] = rng.choice([None, "csv", "tsv", "jsonl", "parquet"])
                options["max_document"] = rng.choice([1 << 24, 100, 1])
            warnings.simplefilter("error")
            for kind in OWN_WARNINGS:
                warnings.simplefilter("ignore", kind)
            try:
                with open_documents(str(path), **options) as file:
                    documents = list(file)
            except DataError as error:
                _check_sentence(str(error))
                return "refused", size
            for document in documents:
                "".join(part or "" for part in document).encode()
            return "read", size

    return case


def commanding() -> Case:
    """All commands that read documents: exit codes 0 to 3, a sentence, and nothing left behind."""
    model: bytes = elsewhere(_model)

    def case(seed: int) -> tuple[str, int]:
        rng = random.Random(seed)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            arguments, size = _command_line(folder, model, rng)
            code, out, err = _run([str(argument) for argument in arguments])
            if code not in (0, 1, 2, 3) or "Traceback" in err or (code == 1 and not (out + err).strip()):
                raise FindingError(f"{arguments} ended with {code}: {err[-300:]}")
            if set(out + err) & {"\x1b", "\x07", "\u202e"}:
                raise FindingError(f"{arguments} printed a raw escape: {(out + err)[-300:]!r}")
            if left := [path.name for path in folder.rglob(".isthmus-*")]:
                raise FindingError(f"{arguments} left {left}")
            return f"{arguments[0]} ended with {code}", size

    return case


def _command_line(folder: Path, model: bytes, rng: random.Random) -> tuple[list[Any], int]:
    """A command, and the bytes of the files that it names."""
    source, size = written(folder, "source", rng)
    target, more = written(folder, "target", rng)
    saved = _model_file(folder, model, rng)
    labels, most = written(folder, "labels", rng) if rng.random() < 0.5 else (target, 0)
    both = ["--source", source, "--target", target]
    method = ["--method", rng.choice(["LR", "LR", "SVM", "TCL", "Auto", "nope"])]
    named = folder / f"out{rng.choice(['.csv', '.parquet', '.jsonl.zst', '.txt'])}"
    given: list[Any] = rng.choice([[], ["--labels", labels]])
    json = rng.choice([[], ["--json"]])
    page = rng.choice([[], ["--report", folder / "r.html"]])
    lines: list[list[Any]] = [
        ["predict", saved, target, "-o", folder / "out.csv", *rng.choice([[], ["--fail-on-drift"]]), *json],
        [
            "fit",
            *both,
            *method,
            "--predictions",
            named,
            *given,
            *page,
            *rng.choice([[], ["-o", folder / "m2.isthmus"]]),
        ],
        ["check", *both, *json],
        ["suggest", saved, target, "-o", folder / f"ask{rng.choice(['.csv', '.json', '.jsonl', '.x'])}", *given],
        ["evaluate", saved, target, *rng.choice([[], ["--source", source]]), *page, *json],
        ["watch", saved, source, target, *rng.choice([[], ["--fail-on-drift"]]), *page, *json],
        ["update", saved, target, "-o", folder / "m2.isthmus", *(given or ["--use-target-labels"]), *json],
    ]
    chosen = rng.choice([*lines, lines[0], lines[1]])
    if chosen[0] == "suggest":
        chosen += rng.choice([[], ["--as", "label-studio"], ["--as", "argilla"], ["-n", "3"], ["--kind", "teaching"]])
    chosen += rng.choice([*[[]] * 7, ["--encoding", "latin-1"], ["--text", "text"], ["--max-document", "50"]])
    return chosen, size + more + most


def written(folder: Path, name: str, rng: random.Random) -> tuple[Path, int]:
    """A file or a folder, whole or damaged, and its size."""
    suffix = rng.choice(SUFFIXES)
    rows = [_row(rng) for _ in range(rng.choice([0, 1, 5, 5, 40, 40]))]
    if suffix == "/":
        return _folder(folder / name, rows, rng)
    path = folder / f"{name}{suffix}"
    content = _encoded(rows, suffix, rng)
    for _ in range(rng.choice([0, 0, 1, 3])):
        content = _damaged(content, rng)
    path.write_bytes(content)
    return path, len(content)


def _row(rng: random.Random) -> dict[str, Any]:
    odd = rng.random() < 0.1
    text = " ".join(rng.choice(ODD_WORDS if odd else WORDS) for _ in range(rng.choice([1, 2, 8])))
    row: dict[str, Any] = {
        "id": str(rng.randrange(10**6)),
        "text": text,
        "label": rng.choice(LABELS if odd else LABELS[:4]),
    }
    if rng.random() < 0.01:
        row[rng.choice(["text", "label", "id", "more"])] = rng.choice([None, 1, 1.5, [], {}, True, "x"])
    return row


def _encoded(rows: list[dict[str, Any]], suffix: str, rng: random.Random) -> bytes:
    bare = suffix.removesuffix(".gz").removesuffix(".zst")
    if bare == ".parquet":
        columns = {key: [None if row.get(key) is None else _clean(row[key]) for row in rows] for key in ("id", "text")}
        columns["label"] = [_clean(row["label"]) for row in rows]
        buffer = io.BytesIO()
        options = {"use_dictionary": rng.random() < 0.5, "compression": rng.choice(["snappy", "zstd", "none"])}
        parquet.write_table(pa.table(columns), buffer, **options)
        content = buffer.getvalue()
    elif bare in (".jsonl", ".json"):
        content = "".join(json.dumps(row) + rng.choice(["\n", "\n", "\r\n", ""]) for row in rows).encode()
    else:
        out = io.StringIO(newline="")
        sign = rng.choice(["\t" if bare == ".tsv" else ",", ";"])
        writer = csv.DictWriter(out, ["id", "text", "label"], extrasaction="ignore", delimiter=sign)
        writer.writeheader()
        writer.writerows(rows)
        content = out.getvalue().encode(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace")
    if suffix.endswith(".gz"):
        return gzip.compress(content)
    return zstandard.compress(content) if suffix.endswith(".zst") else content


def _clean(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode()


def _folder(path: Path, rows: list[dict[str, Any]], rng: random.Random) -> tuple[Path, int]:
    size = 0
    for number, row in enumerate(rows):
        home = path / rng.choice(["a", "b", "c", "."])
        home.mkdir(parents=True, exist_ok=True)
        content = _damaged(_clean(row["text"]).encode(), rng) if rng.random() < 0.2 else _clean(row["text"]).encode()
        (home / f"{number}{rng.choice(['.txt', '', '.jpg', '.txt.gz'])}").write_bytes(content)
        size += len(content)
    path.mkdir(exist_ok=True)
    if rng.random() < 0.3:
        os.mkfifo(path / "pipe.txt")
    return path, size


def _damaged(content: bytes, rng: random.Random) -> bytes:
    place, length = rng.randrange(len(content) + 1), rng.choice([1, 4, 50])
    kind = rng.randrange(5)
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + rng.randbytes(length) + content[place + length :]
    if kind == 2:
        return (
            content[:place] + rng.choice([b'"', b"\n", b"\0", b"\xff\xfe", b'{"a":', b","]) * length + content[place:]
        )
    if kind == 3:
        return content[:place] + content[place : place + length] * 100 + content[place:]
    return content[:place] + content[place + length :]


def _check_sentence(sentence: str) -> None:
    if "\n" in sentence.strip() or len(sentence) > 2000 or not sentence.rstrip().endswith((".", "?")):
        raise FindingError(f"no sentence: {sentence[:300]!r}")


def _model() -> bytes:
    texts = ["refund my card", "my card charged", "photos crash", "the upload crash"]
    result = isthmus.transfer(texts, ["a", "a", "b", "b"], texts, method="LR")
    result = replace(result, profile=profile_target(result))
    with tempfile.TemporaryDirectory() as folder:
        isthmus.save(result, Path(folder, "model.isthmus"))
        return Path(folder, "model.isthmus").read_bytes()


def _model_file(folder: Path, model: bytes, rng: random.Random) -> Path:
    path = folder / "model.isthmus"
    path.write_bytes(model if rng.random() < 0.8 else _damaged(model, rng))
    return path


def _run(arguments: list[str]) -> tuple[int, str, str]:
    """As the command line runs it, but in this process."""
    from isthmus.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), np.errstate(all="warn"):
        before = sys.stdin
        sys.stdin = io.TextIOWrapper(io.BytesIO())
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code
        finally:
            sys.stdin = before
    printed, said = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))
    return code if isinstance(code, int) else 0 if code is None else 1, printed, said
