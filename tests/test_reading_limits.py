"""Files of documents that are meant to take long, or to fill the memory: time and room are linear in their size."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet

from command import run
from isthmus.cli import options
from isthmus.exceptions import DataError, UnreadFilesWarning
from isthmus.io.documents import Document, open_documents
from isthmus.io.documents.lines import LONGEST
from isthmus.io.documents.streams import Chunks

MEGABYTE = 2**20


def read(path: Path, **options: Any) -> list[Document]:
    with open_documents(str(path), **options) as file:
        return list(file)


def peak_of_reading(path: Path) -> int:
    """Bytes, at the most, while all documents are looked at."""
    tracemalloc.start()
    try:
        with open_documents(str(path)) as file:
            for _ in file:
                pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_key_that_stands_twice_is_found_in_one_pass(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    keys = [*(f"key {number}" for number in range(50_000)), "last", "last"]
    path.write_text("{" + ", ".join(f"{json.dumps(key)}: 0" for key in keys) + "}\n")
    with pytest.raises(DataError, match="has the key 'last' twice"):
        read(path)


def test_a_long_chunk_is_not_copied_for_each_piece() -> None:
    """A quadratic number of bytes would be."""
    chunk = bytes(32 * MEGABYTE)
    stream = Chunks(iter([chunk]))
    pieces = bytearray(1000)
    tracemalloc.start()
    try:
        while stream.readinto(pieces):
            pass
        assert tracemalloc.get_traced_memory()[1] < MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_what_is_compressed_well_is_not_held_at_once(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"documents.csv.{suffix}"
    content = b"text\n" + (b"a" * 99_999 + b"\n") * 300
    path.write_bytes(gzip.compress(content) if suffix == "gz" else zstandard.compress(content))
    assert path.stat().st_size < MEGABYTE / 4
    assert peak_of_reading(path) < 15 * MEGABYTE


def test_zstandard_may_not_ask_for_any_amount_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "documents.csv.zst"
    window_of_two_gigabytes = bytes([0x28, 0xB5, 0x2F, 0xFD, 0x00, (31 - 10) << 3])
    path.write_bytes(window_of_two_gigabytes + bytes([0x01, 0, 0]))
    with pytest.raises(DataError, match="needs more than 134,217,728 bytes to decompress: make it without --long"):
        read(path)


def test_a_text_that_many_rows_have_is_held_once(tmp_path: Path) -> None:
    path = tmp_path / "documents.parquet"
    parquet.write_table(pa.table({"text": ["a" * MEGABYTE, "b"] * 100}), path)
    assert path.stat().st_size < MEGABYTE / 4
    assert peak_of_reading(path) < 50 * MEGABYTE
    assert [document.text[0] for document in read(path)] == ["a", "b"] * 100


def test_dictionaries_with_gaps_read_back(tmp_path: Path) -> None:
    path = tmp_path / "documents.parquet"
    labels = ["x", None, "y", "x"]
    parquet.write_table(pa.table({"text": list("abcd"), "label": pa.array(labels).dictionary_encode()}), path)
    assert [document.label for document in read(path, label="label")] == labels


LONG: dict[str, tuple[str, Callable[[int], bytes], str]] = {
    "a line of JSON": ("documents.jsonl", lambda n: b'{"text": "a", "more": [' + b"0," * n + b"0]}\n", "line 1, is"),
    "a line of CSV": ("documents.csv", lambda n: b"text\n" + b"a" * 2 * n, "line 2, is"),
    "a record of CSV": ("documents.csv", lambda n: b'text\n"' + b"a\n" * n, "a record is"),
    "many fields": ("documents.csv", lambda n: b"text\n" + b'"a\n",' * n, "a record is"),
    "a text file": ("folder/one.txt", lambda n: b"a\n" * n, "one.txt is"),
    "a packed text file": ("folder/one.txt.gz", lambda n: gzip.compress(b"a\n" * n), "one.txt.gz is"),
}


@pytest.mark.parametrize("case", LONG)
def test_longer_documents_than_there_are_get_a_sentence(case: str, tmp_path: Path) -> None:
    name, make, message = LONG[case]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(make(2_000))
    given = path.parent if name.startswith("folder") else path
    with pytest.raises(DataError, match=f"{message} longer than 2,000 characters: .* with max_document=") as error:
        read(given, max_document=2_000)
    assert "allow for more" in str(error.value)
    if case not in ("a record of CSV", "many fields"):  # which are wrong whatever their length
        assert read(given, max_document=10_000)


def test_long_rows_of_parquet_get_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "documents.parquet"
    parquet.write_table(pa.table({"text": ["a", "a" * 3_000]}), path)
    with pytest.raises(DataError, match="row 2, is longer than 2,000 characters"):
        read(path, max_document=2_000)


def test_an_array_may_be_one_line_and_its_items_no_longer_than_documents(tmp_path: Path) -> None:
    path = tmp_path / "documents.json"
    path.write_text(json.dumps([{"text": "a" * 1_500}, {"text": "b" * 1_500}]))
    assert len(read(path, max_document=2_000)) == 2
    with pytest.raises(DataError, match="item 1, is longer than 1,000 characters"):
        read(path, max_document=1_000)


def test_long_rows_of_spreadsheets_get_a_sentence_and_forged_ones_an_end(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "documents.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["text"])
    book.active.append(["a" * 3_000])
    book.save(path)
    with pytest.raises(DataError, match="row 2, is longer than 2,000 characters"):
        read(path, max_document=2_000)
    forged = tmp_path / "forged.xlsx"
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(forged, "w") as other:
        for member in whole.namelist():
            content = whole.read(member)
            other.writestr(
                member, content.replace(b'r="2"', b'r="999999999999"').replace(b'r="A2"', b'r="A999999999999"')
            )
    with pytest.raises(DataError, match="has columns, but no documents"):
        read(forged)


def test_the_option_lifts_the_limit(tmp_path: Path) -> None:
    (tmp_path / "source.csv").write_text("text,label\nrefund my card,a\nmy card,a\nphotos crash,b\ncrash it,b\n")
    (tmp_path / "target.csv").write_text(f"text\n{'card ' * 100}\ncrash photos\n")
    arguments = ["fit", "--source", tmp_path / "source.csv", "--target", tmp_path / "target.csv", "--method", "LR"]
    assert "longer than 400 characters" in run(*arguments, "--max-document", 400).sentence
    assert "--max-document" in run(*arguments, "--max-document", 400).sentence
    assert run(*arguments, "--max-document", 600).code == 0
    assert options.LONGEST == LONGEST


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_only_regular_files_of_a_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("words")
    os.mkfifo(tmp_path / "pipe.txt")  # opening it would wait for a writer
    (tmp_path / "link.txt").symlink_to(tmp_path / "pipe.txt")
    with pytest.warns(UnreadFilesWarning, match="2 files that are not read, such as link.txt"):
        assert [document.text for document in read(tmp_path)] == ["words"]
