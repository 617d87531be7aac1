"""Documents out of files: what was written is read back, and what is broken is said in a sentence."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import threading
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from isthmus.exceptions import DataError, GuessedEncodingWarning, UnreadFilesWarning
from isthmus.io.documents import Document, open_documents
from isthmus.io.documents.jsonl import LOOK_AHEAD

ROWS = [
    {"id": "a", "text": "plain", "label": "x"},
    {"id": "b", "text": 'with, comma "and" quotes;\ttabs\nand lines', "label": "y"},
    {"id": "c", "text": "żółw 猫 🐢", "label": "x"},
    {"id": "d", "text": "", "label": "y"},
]


def read(path: Path | str, **options: Any) -> list[Document]:
    with open_documents(str(path), **options) as file:
        return list(file)


def as_rows(documents: list[Document]) -> list[dict[str, str | None]]:
    return [{"id": document.id, "text": document.text, "label": document.label} for document in documents]


def delimited(rows: list[dict[str, str]], **options: Any) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), **options)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    """In the format, and with the compression, that the name says."""
    bare = path.name.removesuffix(".gz").removesuffix(".zst")
    if bare.endswith(".parquet"):
        buffer = io.BytesIO()
        pd.DataFrame(rows).to_parquet(buffer)
        content = buffer.getvalue()
    elif bare.endswith(".jsonl"):
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    else:
        content = delimited(rows, delimiter="\t" if bare.endswith(".tsv") else ",").encode()
    if path.suffix == ".gz":
        content = gzip.compress(content)
    elif path.suffix == ".zst":
        content = zstandard.compress(content)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_reads_back(tmp_path: Path, form: str, compression: str) -> None:
    path = write(tmp_path / f"documents.{form}{compression}", ROWS)
    assert as_rows(read(path, labeled=True)) == ROWS
    nameless = tmp_path / "documents"  # then the first bytes say what it is
    path.rename(nameless)
    assert as_rows(read(nameless, labeled=True)) == ROWS


FIELDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(st.lists(st.tuples(FIELDS, FIELDS.filter(str.strip)), min_size=1, max_size=6), st.sampled_from(["csv", "tsv"]))
def test_what_csv_writes_we_read(tmp_path_factory: pytest.TempPathFactory, pairs: list[Any], form: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"hypothesis.{form}"
    rows = [{"text": text, "label": label} for text, label in pairs]
    path.write_bytes(delimited(rows, delimiter="\t" if form == "tsv" else ",").encode())
    found = read(path, labeled=True, allow_labels=[label.strip() for _, label in pairs])
    assert [(document.text, document.label) for document in found] == [(text, label.strip()) for text, label in pairs]
    assert [document.id for document in found] == [str(number) for number in range(1, len(pairs) + 1)]


@given(st.lists(st.dictionaries(st.sampled_from(["text", "extra"]), FIELDS), min_size=1, max_size=6))
def test_what_json_writes_we_read(tmp_path_factory: pytest.TempPathFactory, objects: list[Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "hypothesis.jsonl"
    texts = [item.setdefault("text", "") for item in objects]
    path.write_text("\n".join(map(json.dumps, objects)), encoding="utf-8")
    assert [document.text for document in read(path)] == texts


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_files_say_themselves(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "documents.csv"
    path.write_bytes("text,label\nżółw,x\n".encode(encoding))
    assert read(path, labeled=True)[0].text == "żółw"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "UTF_16LE"])
def test_an_encoding_may_be_named_where_there_is_a_mark(tmp_path: Path, encoding: str) -> None:
    """Which is no part of the first column's name."""
    path = tmp_path / "documents.csv"
    path.write_bytes("\ufeffid,text\na,żółw\n".encode(encoding))
    with open_documents(str(path), encoding=encoding) as documents:
        assert [(one.id, one.text) for one in documents] == [("a", "żółw")]


def test_encodings_that_files_do_not_say(tmp_path: Path) -> None:
    path = tmp_path / "documents.csv"
    path.write_bytes("text,label\nplain,x\nnaïve café,y\n".encode("latin-1"))
    with pytest.warns(GuessedEncodingWarning, match=r"line 3, is not UTF-8: read as Windows-1252"):
        assert read(path)[1].text == "naïve café"
    path.write_bytes("text,label\n“naïve” €,x\n".encode("cp1252"))
    with pytest.warns(GuessedEncodingWarning):
        assert read(path)[0].text == "“naïve” €"
    path.write_bytes("text,label\nnaïve €,x\n".encode("cp1252"))
    assert read(path, encoding="cp1252")[0].text == "naïve €"
    with pytest.raises(DataError, match=r"line 1 or soon after, is not in the encoding ascii: name the right one"):
        read(path, encoding="ascii")
    with pytest.raises(DataError, match="There is no encoding 'klingon'"):
        read(path, encoding="klingon")
    with pytest.raises(DataError, match="There is no encoding 'base64'"):
        read(path, encoding="base64")
    # One broken byte spoils no other character.
    path.write_bytes("text\nżółw \xff\n".encode("latin-1", "ignore").replace(b"w", "żółw".encode()))
    with pytest.warns(GuessedEncodingWarning):
        assert "żółw" in read(path)[0].text


def test_one_warning_for_all_files_of_a_folder(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_bytes("né\n".encode("utf-8" if name == "a" else "latin-1"))
    with pytest.warns(GuessedEncodingWarning, match=r"b.txt, line 1, and text in 1 more files, is not UTF-8") as found:
        assert [document.text for document in read(tmp_path)] == ["né\n"] * 3
    assert len(found) == 1


def test_a_folder_for_each_label(tmp_path: Path) -> None:
    for name, text in {
        "rec/10": "cars",
        "rec/11.txt": "bikes",
        "sci/5.txt.gz": "atoms",
        "sci/deep/7.text": "żółw",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    (tmp_path / "rec" / ".hidden").write_text("no")
    expected = [("rec/10", "cars", "rec"), ("rec/11.txt", "bikes", "rec"), ("sci/5.txt.gz", "atoms", "sci"),
                ("sci/deep/7.text", "żółw", "sci")]  # fmt: skip
    assert [document[:3] for document in read(tmp_path, labeled=True, text="whatever")] == expected
    (tmp_path / "loose.txt").write_text("no label")
    assert read(tmp_path)[0][:3] == ("loose.txt", "no label", None)
    with pytest.raises(DataError, match=r"loose.txt, has no label"):
        read(tmp_path, labeled=True)


def test_files_of_a_folder_that_are_not_read_are_counted(tmp_path: Path) -> None:
    for name in ("a/1.txt", "a/2.html", "b/3.pdf", "b/4", "b/.hidden.pdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("words")
    with pytest.warns(
        UnreadFilesWarning, match=r"holds 2 files that are not read, such as a/2\.html: text files end in"
    ):
        assert [document.id for document in read(tmp_path)] == ["a/1.txt", "b/4"]


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "documents.csv"
    path.write_text("Review,stars,Sentiment,review_id,note\nfine,5,good,r1,n\n")
    with open_documents(str(path), labeled=True) as file:
        columns = file.columns
        assert (columns.text, columns.label, columns.id) == ("Review", "Sentiment", "review_id")
        assert columns.guessed == ["text", "label", "id"]
        assert str(columns).endswith("(guessed by name: text, label, id)")
    with open_documents(str(path), labeled=True, text="note", label="stars", id="Review") as file:
        assert list(file) == [Document("fine", "n", "5", None)]
        assert file.columns.guessed == []
    path.write_text("whatever\nalone\n")
    assert read(path)[0].text == "alone"


def test_a_first_document_is_not_taken_for_the_name_of_the_column(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("The lock would not open.\nMy card was charged twice.\n")
    with pytest.raises(DataError, match="write a line with the word text above it"):
        read(path)
    assert len(read(path, text="The lock would not open.")) == 1
    path.write_text("what they said\nThe lock would not open.\nMy card was charged twice.\n")
    assert len(read(path)) == 2


def test_a_table_of_pandas_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    for table in (
        {"text": {"0": "a", "1": "b"}, "label": {"0": "x", "1": "y"}},
        {"text": ["a", "b"], "label": ["x", "y"]},
    ):
        path.write_text(json.dumps(table))
        with pytest.raises(DataError, match="one object of columns"):
            read(path)
    path.write_text(json.dumps({"text": "a", "label": "x"}))
    assert len(read(path)) == 1


def test_numbers_gaps_and_dates(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text('{"text": "a", "label": 1}\n{"text": "b", "label": 2.0, "id": 7}\n{"text": 3, "label": true}\n')
    assert [document.label for document in read(path, label="label", id="text")] == ["1", "2", "True"]
    frame = pd.DataFrame({"text": ["a", "b"], "label": [1.0, None], "when": pd.to_datetime(["2020", "2021"])})
    frame.to_parquet(tmp_path / "documents.parquet")
    assert [document.label for document in read(tmp_path / "documents.parquet", label="label")] == ["1", None]


def test_halves_of_characters_become_marks(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text('{"text": "broken \\ud83d end"}\n')
    assert read(path)[0].text == "broken ? end"


def test_lines_of_ten_megabytes(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = tmp_path / "documents.csv"
    path.write_text("text,label\n" + "word " * 2_000_000 + ",x\n")
    assert len(read(path)[0].text) == 10_000_000
    assert csv.field_size_limit() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("form", ["csv.gz", "parquet"])
def test_pipes_are_read(tmp_path: Path, form: str) -> None:
    content = write(tmp_path / f"documents.{form}", ROWS).read_bytes()
    pipe = tmp_path / f"pipe.{form}"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[content])
    writer.start()
    with open_documents(str(pipe), labeled=True) as file:
        assert as_rows(list(file)) == ROWS
        assert file.position == 0
        assert file.size is None
    writer.join()


def test_semicolons_are_a_kind_of_csv(tmp_path: Path) -> None:
    path = tmp_path / "documents.csv"
    path.write_text("text;label\na, b;x\n")
    assert read(path, labeled=True)[0][1:3] == ("a, b", "x")


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
@pytest.mark.parametrize("other", ["a, b", "a; b", "a", '"a; b, c, d, e"'])
@pytest.mark.parametrize("before", ["", "\n", "sep={}\r\n", '"sep={}"\n'])
def test_the_header_tells_the_separator(tmp_path: Path, sign: str, other: str, before: str) -> None:
    """Names of columns may hold another one, and spreadsheets leave a line about it."""
    name = other if sign not in other or other.startswith('"') else "a"
    path = tmp_path / "documents.csv"
    header, row = (sign.join(line) for line in (["text", "label", name], ['"so; it, goes"', "x", "1"]))
    path.write_text(f"{before.format(sign)}{header}\n{row}\n")
    assert as_rows(read(path, labeled=True)) == [{"id": "1", "text": "so; it, goes", "label": "x"}]


def test_reading_is_lazy(tmp_path: Path) -> None:
    """The first documents come before the end of the file is looked at: it could be huge."""
    path = tmp_path / "documents.csv"
    path.write_text("text\n" + "fine\n" * 40_000 + '"broken\n')
    with open_documents(str(path)) as file:
        documents = iter(file)
        assert next(documents).text == "fine"
        assert file.position < file.size / 2  # type: ignore[operator]
        with pytest.raises(DataError, match="opens a field that no other closes"):
            list(documents)


@pytest.mark.parametrize("late", [0, LOOK_AHEAD - 1, LOOK_AHEAD, LOOK_AHEAD + 50, None])
def test_a_column_may_come_late_in_json_lines(tmp_path: Path, late: int | None) -> None:
    """`late` is the number of the first object that has it, and None means that none has."""
    n = LOOK_AHEAD + 60
    objects = [{"text": f"text {row}", **({"y": f"y{row}"} if row == late else {})} for row in range(n)]
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in objects))
    expected = [f"y{row}" if row == late else None for row in range(n)]
    with open_documents(str(path), label="y") as file:
        assert [document.label for document in file] == expected
        assert file.columns.label == (None if late is None else "y")
    if late is None:
        with pytest.raises(DataError, match=r"documents.jsonl has no column 'y', which truth= names: it has 'text'\."):
            read(path, truth="y")
    else:
        assert [document.truth for document in read(path, truth="y")] == expected
    for role in ("text", "id"):  # without these there is no document
        with pytest.raises(DataError, match=rf"no {role} \(column 'y'\)"):
            read(path, **{role: "y"})


def test_ids_that_are_not_needed_are_not_read(tmp_path: Path) -> None:
    rows = [{"text": "a", "id": "k1", "uuid": "u"}, {"text": "b", "id": "k1", "uuid": ""}]
    for form in ("csv", "jsonl", "parquet"):
        path = write(tmp_path / f"documents.{form}", rows)
        for name in ("id", "uuid", "none", None):
            assert [document.id for document in read(path, id=name, with_ids=False)] == ["1", "2"]
        with pytest.raises(DataError, match="has no column 'none', which id= names"):
            read(path, id="none")


def test_a_compressed_parquet_file_of_several_blocks(tmp_path: Path) -> None:
    """Its first bytes are looked at, and then all of it is copied from where reading stood."""
    rng = random.Random(0)
    rows = [{"text": rng.randbytes(100).hex(), "label": "x"} for _ in range(3000)]
    path = write(tmp_path / "documents.parquet.gz", rows)
    assert path.stat().st_size > 1 << 17
    assert [document.text for document in read(path, labeled=True)] == [row["text"] for row in rows]
