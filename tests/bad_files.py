"""Files that cannot be read, and what is to be said about each."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

GOOD = "id,text,label\n" + "".join(
    f"{n},{'refund card charged' if n % 2 else 'crash screen upload'} word{n % 3},{'pay' if n % 2 else 'bug'}\n"
    for n in range(12)
)
TARGET = "id,text\n" + "".join(f"t{n},{'refund card' if n % 2 else 'crash upload'} word{n % 3}\n" for n in range(8))


def parquet(**columns: Any) -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame(columns).to_parquet(buffer)
    return buffer.getvalue()


def dated(ids: pa.Array) -> bytes:
    """One document, with an id that pandas might not make."""
    buffer = io.BytesIO()
    pq.write_table(pa.table({"id": ids, "text": ["a"], "label": ["x"]}), buffer)
    return buffer.getvalue()


def jsonl(*objects: Any) -> bytes:
    return "".join(json.dumps(item) + "\n" for item in objects).encode()


def zipped(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


WHOLE = parquet(text=["a", "b"], label=["x", "y"])
GZIPPED = gzip.compress(GOOD.encode())
ZSTD = zstandard.compress(GOOD.encode())

# name of the file: what it holds, and what the sentence about it says
SOURCES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("s.csv", b"", "is empty"),
    "empty jsonl": ("s.jsonl", b"", "is empty"),
    "empty gz": ("s.csv.gz", b"", "is empty"),
    "gz of nothing": ("s.csv.gz", gzip.compress(b""), "is empty"),
    "empty parquet": ("s.parquet", b"", "is empty"),
    "blank lines": ("s.csv", b"\n\n  \n", "is empty"),
    "only a mark": ("s.csv", b"\xef\xbb\xbf", "is empty"),
    "header only": ("s.csv", b"id,text,label\n", "has columns, but no documents"),
    "header only, no line end": ("s.tsv", b"text\tlabel", "has columns, but no documents"),
    "parquet without rows": ("s.parquet", parquet(text=[], label=[]), "has columns, but no documents"),
    "parquet without columns": (
        "s.parquet",
        parquet(),
        "no column that is clearly the text: choose --text from no col",
    ),
    "NUL": ("s.csv", b"text,label\na\0b,x\n", "line 2, holds a NUL character"),
    "NUL in a header": ("s.csv", b"te\0xt,label\na,x\n", "line 1, holds a NUL character"),
    "NUL in JSON": (
        "s.jsonl",
        b'{"text": "a\\u0000", "label": "x"}\n',
        "line 1, holds a NUL character in column 'text'",
    ),
    "NUL in parquet": ("s.parquet", parquet(text=["a\0"], label=["x"]), "row 1, holds a NUL character"),
    "a picture": ("s.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a picture: give a file of documents"),
    "a PDF": ("s.csv", b"%PDF-1.7\n", "is a PDF file: save its text first"),
    "a sound": ("s.csv", b"RIFF\x01\x02\x03\n", "does not begin with the names of columns: is it text at all?"),
    "UTF-16 without mark": ("s.csv", GOOD.encode("utf-16-le"), "in an encoding such as utf-16"),
    "half of UTF-16": ("s.csv", GOOD.encode("utf-16")[:-1], "is not in the encoding utf-16"),
    "too few fields": ("s.csv", b"id,text,label\n1,a,x\n2,b\n", "line 3, has 2 fields, and the header has 3"),
    "too many fields": ("s.csv", b"id,text,label\n1,a,b,x\n", "line 2, has 4 fields, and the header has 3"),
    "ragged after long fields": ("s.csv", b'text,label\n"a\nb",x\nc\n', "line 4, has 1 field"),
    "ragged tsv": ("s.tsv", b"text\tlabel\na\n", "line 2, has 1 field, and the header has 2"),
    "quote not closed": (
        "s.csv",
        b'text,label\nc,x\n"a,x\nb,y\n',
        "line 3: a quotation mark opens a field",
    ),
    "quote closed by another": ("s.csv", b'text,label\nc,x\n"a,x\nb,"y"\n', "line 3: text follows a closing quotation"),
    "text after a quote": ("s.csv", b'text,label\n"a"b,x\n', "line 2: text follows a closing quotation mark"),
    "quote in the header": ("s.csv", b'"text,label\n', "a quotation mark opens a field that no other closes"),
    "no text column": (
        "s.csv",
        b"title,label\na,x\n",
        "no column that is clearly the text: choose --text from 'title'",
    ),
    "no label column": (
        "s.csv",
        b"text,stars\na,x\n",
        "no column that is clearly the label: choose --label from 'stars'",
    ),
    "several texts": ("s.csv", b"text,body,label\na,b,x\n", "several columns that may be the text, 'text', 'body'"),
    "several labels": (
        "s.csv",
        b"text,label,class\na,b,x\n",
        "several columns that may be the label, 'label', 'class'",
    ),
    "several ids": ("s.csv", b"text,label,id,uuid\na,b,x,y\n", "several columns that may be the id, 'id', 'uuid'"),
    "two columns of a name": ("s.csv", b"text,label,text\na,x,b\n", "two columns with the name 'text'"),
    "a key twice": ("s.jsonl", b'{"text": "a", "text": "b", "label": "x"}\n', "line 1, has the key 'text' twice"),
    "half a spreadsheet": ("s.csv", b"PK\x03\x04" + b"\0" * 30, "is a spreadsheet or a zip archive that is damaged"),
    "a zip archive": ("s.xlsx", zipped({"a.csv": GOOD}), "is a zip archive, or a spreadsheet of another kind"),
    "a spreadsheet of nothing": ("s.xlsx", zipped({"xl/workbook.xml": ""}), "that is damaged: save it again"),
    "CSV called a spreadsheet": ("s.xlsx", GOOD.encode(), "that is damaged: save it again, or as CSV"),
    "an old spreadsheet": ("s.csv", b"\xd0\xcf\x11\xe0" + b"\0" * 30, "is a spreadsheet of an old kind: save it"),
    "bzip2": ("s.csv.bz2", bz2.compress(GOOD.encode()), "is compressed with bzip2: unpack it, or use gzip"),
    "xz": ("s.csv.xz", lzma.compress(GOOD.encode()), "is compressed with xz: unpack it, or use gzip"),
    "an id twice": ("s.csv", b"id,text,label\n1,a,x\n1,b,y\n", "line 3, has the id '1', which an earlier document has"),
    "no id": ("s.csv", b"id,text,label\n1,a,x\n,b,y\n", "line 3, has no id (column 'id')"),
    "null id": ("s.jsonl", jsonl({"id": None, "text": "a", "label": "x"}), "line 1, has no id"),
    "no label": ("s.csv", b"text,label\na,x\nb,\n", "line 3, has no label (column 'label')"),
    "blank label": ("s.csv", b"text,label\na,x\nb,  \n", "line 3, has no label"),
    "null label": ("s.jsonl", jsonl({"text": "a", "label": "x"}, {"text": "a", "label": None}), "line 2, has no label"),
    "missing label": ("s.jsonl", jsonl({"text": "a", "label": "x"}, {"text": "a"}), "line 2, has no label"),
    "null label in parquet": ("s.parquet", parquet(text=["a", "b"], label=["x", None]), "row 2, has no label"),
    "NaN label in parquet": ("s.parquet", parquet(text=["a", "b"], label=[1.0, None]), "row 2, has no label"),
    "null text": ("s.jsonl", jsonl({"text": None, "label": "x"}), "line 1, has no text (column 'text')"),
    "missing text": ("s.jsonl", jsonl({"text": "a", "label": "x"}, {"label": "y"}), "line 2, has no text"),
    "null text in parquet": ("s.parquet", parquet(text=["a", None], label=["x", "y"]), "row 2, has no text"),
    "text in a list": ("s.jsonl", jsonl({"text": ["a"], "label": "x"}), "line 1, holds ['a'] in column 'text'"),
    "label in an object": (
        "s.jsonl",
        jsonl({"text": "a", "label": {"a": 1}}),
        "line 1, holds {'a': 1} in column 'label'",
    ),
    "bytes in parquet": ("s.parquet", parquet(text=[b"a"], label=["x"]), "row 1, holds b'a' in column 'text'"),
    "dates too late in parquet": (
        "s.parquet",
        dated(pa.array([9_000_000], pa.date32())),
        "holds values of the type date32[day] in column 'id' that Python has no date for: store them as text",
    ),
    "times too late in parquet": (
        "s.parquet",
        dated(pa.array([2**50], pa.timestamp("s"))),
        "holds values of the type timestamp[ms] in column 'id'",
    ),
    "zones of Mars in parquet": (
        "s.parquet",
        dated(pa.array([1], pa.timestamp("ms", tz="Mars/Base"))),
        "holds values of the type timestamp[ms, tz=Mars/Base] in column 'id'",
    ),
    "lists in parquet": ("s.parquet", parquet(text=[["a"]], label=["x"]), "row 1, holds ['a'] in column 'text'"),
    "one class": ("s.csv", b"text,label\na,x\nb,x\n", "The source has one label only, 'x'"),
    "one class but for blanks": ("s.csv", b"text,label\na,x\nb,x \n", "The source has one label only, 'x'"),
    "not JSON": (
        "s.jsonl",
        b'{"text": "a", "label": "x"}\nnope\n',
        "line 2, is not JSON: Expecting value at character 1",
    ),
    "half of JSON": ("s.jsonl", b'{"text": "a", "la', "line 1, is not JSON: Unterminated string"),
    "half a JSON array": ("s.json", b'[\n{"text": "a", "label": "x"},', "is not JSON: Expecting value at character"),
    "a JSON array of nothing": ("s.json", b"[]", "no column that is clearly the text"),
    "a JSON array of numbers": ("s.json", b"[1, 2]", "is an array without objects"),
    "a JSON array and a number": (
        "s.json",
        b'[{"text": "a", "label": "x"}, 2]',
        "item 2, is '2' and not an object in curly brackets",
    ),
    "an array in a JSON array": ("s.json", b'[{"text": ["a"], "label": "x"}]', "item 1, holds ['a'] in column 'text'"),
    "a placeholder": ("s.csv", b"text,label\na,x\nb,N/A\n", "line 3, has the label 'N/A', which stands for none"),
    "a number": ("s.jsonl", b"17\n", "line 1, is '17' and not an object"),
    "a string": ("s.jsonl", b'"a"\n', "and not an object in curly brackets"),
    "deep JSON": ("s.jsonl", b'{"text": ' + b"[" * 100_000 + b"\n", "too deep"),
    "a long number": ("s.jsonl", b'{"text": ' + b"1" * 10_000 + b"}\n", "a number is too long"),
    "JSON lines called CSV": ("s.csv", jsonl({"text": "a", "label": "x"}), "no column that is clearly the text"),
    "CSV called JSON lines": ("s.jsonl", GOOD.encode(), "line 1, is not JSON"),
    "CSV called parquet": ("s.parquet", GOOD.encode(), "is not a whole Parquet file"),
    "parquet called CSV": ("s.csv", WHOLE, "NUL"),
    "gzip that is none": ("s.csv.gz", GOOD.encode(), "is not a gzip file, though its name says so"),
    "zst that is none": ("s.csv.zst", GOOD.encode(), "is not a Zstandard file, though its name says so"),
    "zst called gz": ("s.csv.gz", ZSTD, "is not a gzip file"),
    "gz called zst": ("s.csv.zst", GZIPPED, "is not a Zstandard file"),
    "gzip's head alone": ("s.csv.gz", b"\x1f\x8b", "ends too early: it was cut off"),
    "gzip and junk": ("s.csv.gz", b"\x1f\x8b\x08" + b"\0" * 7 + b"\xff" * 30, "is damaged: it cannot be decompressed"),
    "gzip with a wrong checksum": ("s.csv.gz", GZIPPED[:-8] + b"\1" * 8, "is damaged"),
    "zst's head alone": ("s.csv.zst", ZSTD[:6], "ends too early"),
    "zst with junk after it": ("s.csv.zst", ZSTD + b"junk", "is damaged"),
    "a label that is the text": ("s.csv", b"text\na\n", "no column for the label: it has"),
}
SOURCES |= {f"gzip cut at {n}": ("s.csv.gz", GZIPPED[:n], "cut off") for n in range(3, len(GZIPPED), 12)}
SOURCES |= {f"zst cut at {n}": ("s.csv.zst", ZSTD[:n], "cut off") for n in range(5, len(ZSTD), 12)}
SOURCES |= {
    f"parquet cut at {n}": ("s.parquet", WHOLE[:n], "is not a whole Parquet file") for n in range(4, len(WHOLE), 200)
}
