"""Two hundred ways to give fit, predict and explain something that cannot be read: one sentence each, and no file."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import isthmus
from bad_files import GOOD, GZIPPED, SOURCES, TARGET, ZSTD, parquet
from command import run


def check(folder: Path, *arguments: object, says: str = "", stdin: bytes = b"") -> str:
    """The command ends with a sentence, and leaves the folder as it was."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = run(*arguments, stdin=stdin)
    assert done.code == 1
    sentence = done.last if says in WARNED else done.sentence
    assert says in sentence, sentence
    assert len(sentence) < 600
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    return sentence


WARNED = {
    "No word stands in as many texts",
    "shares no word with the labeled documents",
    "No target text holds a word that the vectorizer keeps",
}
"""What fits say that have begun, and that warnings may have come before."""


def fit_arguments(folder: Path, source: object, target: object = None) -> list[object]:
    outputs = ["-o", folder / "m.isthmus", "--predictions", folder / "out.csv"]
    return ["fit", "--source", source, "--target", target or folder / "target.csv", *outputs]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "target.csv").write_text(TARGET)
    (tmp_path / "source.csv").write_text(GOOD)
    return tmp_path


ABOUT_IDS = {case for case, (_, _, says) in SOURCES.items() if re.search(r"\bid\b", says)}
"""Of the target's documents alone are ids read."""


@pytest.mark.parametrize("case", [case for case in SOURCES if case not in ABOUT_IDS])
def test_bad_sources(case: str, folder: Path) -> None:
    name, content, says = SOURCES[case]
    (folder / name).write_bytes(content)
    sentence = check(folder, *fit_arguments(folder, folder / name), says=says)
    if "one label" not in says:
        assert name in sentence


@pytest.mark.parametrize(
    "case", [case for case in SOURCES if "label" not in SOURCES[case][2] + case and case[:3] != "one"]
)
def test_bad_targets_and_later_documents(case: str, folder: Path, model: Path) -> None:
    """What is wrong with a file is wrong wherever it is read, and wherever it comes from."""
    name, content, says = SOURCES[case]
    if list(SOURCES).index(case) % 2:
        (folder / name).write_bytes(content)
        check(folder, *fit_arguments(folder, folder / "source.csv", folder / name), says=says)
    elif not says.startswith(("is not a gzip", "is not a Zst")):  # standard input has no name
        form = "jsonl" if ".json" in name else name.split(".")[1]
        predict = ["predict", model, "-", "-o", folder / "labels.csv", "--format", form, "--on-bad-rows", "stop"]
        assert "standard input" in check(folder, *predict, says=says, stdin=content)


@pytest.mark.parametrize("case", SOURCES)
def test_the_other_commands_take_them_or_say_why_not(case: str, folder: Path, model: Path) -> None:
    """Each case with two commands, by turns: no traceback, and a sentence at the end where it is refused."""
    name, content, _ = SOURCES[case]
    bad = folder / name
    bad.write_bytes(content)
    good: list[list[object]] = [
        ["check", "--source", bad, "--target", folder / "target.csv"],
        ["evaluate", model, bad],
        ["suggest", model, bad, "-o", folder / "o.csv"],
        ["watch", model, bad],
        [
            "fit",
            "--source",
            folder / "source.csv",
            "--target",
            folder / "target.csv",
            "--method",
            "LR",
            "--labels",
            bad,
        ],
        ["evaluate", model, folder / "source.csv", "--source", bad],
        ["suggest", model, folder / "target.csv", "-o", folder / "o.csv", "--labels", bad],
        ["check", "--source", folder / "source.csv", "--target", bad],
    ]
    turn = list(SOURCES).index(case)
    for command in (good[turn % 8], good[(turn + 3) % 8]):
        done = run(*command)
        assert done.code in (0, 1), done.err
        assert "Traceback" not in done.err
        assert done.code == 0 or done.err.strip().splitlines()[-1].startswith("isthmus: ")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.isthmus"
    texts = [line.split(",")[1] for line in GOOD.splitlines()[1:]]
    labels = [line.split(",")[2] for line in GOOD.splitlines()[1:]]
    isthmus.save(isthmus.transfer(texts, labels, texts, method="LR"), path)
    return path


OTHERS: dict[str, tuple[Callable[[Path, Path], list[object]], str]] = {
    "no such source": (lambda d, m: fit_arguments(d, d / "none.csv"), "none.csv does not exist"),
    "no such target": (lambda d, m: fit_arguments(d, d / "source.csv", d / "none.csv"), "none.csv does not exist"),
    "no such file": (lambda d, m: ["predict", m, d / "none.csv"], "none.csv does not exist"),
    "no such model": (
        lambda d, m: ["predict", d / "none", d / "target.csv"],
        "none does not exist: isthmus fit writes",
    ),
    "no model": (lambda d, m: ["predict", d / "target.csv", d / "target.csv"], "target.csv cannot be loaded"),
    "explain no model": (lambda d, m: ["explain", d / "target.csv"], "target.csv cannot be loaded"),
    "an empty folder": (lambda d, m: fit_arguments(d, made(d / "empty")), "is a folder without text files"),
    "a folder of pictures": (lambda d, m: fit_arguments(d, made(d / "p", "a.png")), "is a folder without text files"),
    "a folder of tables": (lambda d, m: fit_arguments(d, made(d / "t", "a.csv")), "is a folder without text files"),
    "no label folders": (lambda d, m: fit_arguments(d, made(d / "flat", "a.txt")), "a.txt, has no label"),
    "one label folder": (lambda d, m: fit_arguments(d, made(d / "one", "x/a.txt")), "one label only, 'x'"),
    "text that is none": (
        lambda d, m: fit_arguments(d, made(d / "n", "x/a.txt", b"a\0")),
        "a.txt, line 1, holds a NUL",
    ),
    "broken gz in a folder": (
        lambda d, m: fit_arguments(d, made(d / "z", "x/a.txt.gz", b"?")),
        "a.txt.gz is not a gzip",
    ),
    "named text": (
        lambda d, m: [*good(d), "--text", "none"],
        "no column 'none', which --text names: it has 'id', 'text'",
    ),
    "named label": (lambda d, m: [*good(d), "--label", "none"], "no column 'none', which --label names"),
    "named id": (lambda d, m: [*good(d), "--id", "none"], "no column 'none', which --id names"),
    "named truth": (lambda d, m: [*good(d), "--truth", "none"], "target.csv has no column 'none', which --truth names"),
    "text is label": (lambda d, m: [*good(d), "--label", "text"], "column 'text' cannot be both text and label"),
    "text is truth": (lambda d, m: [*good(d), "--truth", "text"], "column 'text' cannot be both text and truth"),
    "encoding": (lambda d, m: [*good(d), "--encoding", "none"], "There is no encoding 'none'"),
    "encoding of bytes": (lambda d, m: [*good(d), "--encoding", "hex"], "There is no encoding 'hex'"),
    "wrong format": (lambda d, m: [*good(d), "--format", "jsonl"], "source.csv, line 1, is not JSON"),
    "wrong format, parquet": (lambda d, m: [*good(d), "--format", "parquet"], "source.csv is not a whole Parquet file"),
    "report is no page": (lambda d, m: [*good(d), "--report", d / "r.pdf"], "a report is a page in HTML: give a name"),
    "output exists": (lambda d, m: [*good(d), "--report", d / "source.csv"], "which is also read: choose another name"),
    "output is there": (
        lambda d, m: [*good(d), "--report", made(d / "f", "r") / "r"],
        "which exists: choose another name",
    ),
    "output in no folder": (lambda d, m: [*good(d), "--report", d / "no" / "r.html"], "folder does not exist: make it"),
    "output is a folder": (lambda d, m: [*good(d), "--report", made(d / "sub")], "which is not a file"),
    "output is a device": (lambda d, m: [*good(d), "--force", "--report", os.devnull], "which is not a file"),
    "outputs of one name": (lambda d, m: [*good(d), "--report", d / "out.csv"], "--report and --predictions both name"),
    "unknown ending": (lambda d, m: ["predict", m, d / "target.csv", "-o", d / "o.xlsx"], "a name must end in .csv"),
    "no ending": (lambda d, m: ["predict", m, d / "target.csv", "-o", d / "o"], "a name must end in .csv"),
    "only gz": (lambda d, m: ["predict", m, d / "target.csv", "-o", d / "o.gz"], "a name must end in .csv"),
    "labels over documents": (
        lambda d, m: ["predict", m, d / "target.csv", "-o", d / "target.csv", "--force"],
        "also read",
    ),
    "labels over the model": (lambda d, m: ["predict", m, d / "target.csv", "-o", m, "--force"], "also read"),
    "predict into no folder": (
        lambda d, m: ["predict", m, d / "target.csv", "-o", d / "no" / "o.csv"],
        "make it first",
    ),
    "no prior": (lambda d, m: [*good(d), "--target-prior", "unknown", "--method", "LR"], "LR cannot be told a prior"),
    "no stopping": (lambda d, m: [*good(d), "--max-time", "9", "--method", "LR"], "LR cannot be stopped early"),
    "a preset for more": (
        lambda d, m: [*good(d), "--preset", "tcl"],
        "No word stands in as many texts",
    ),
    "no common word": (
        lambda d, m: [*fit_arguments(d, d / "source.csv", put(d / "t.csv", "text\nqqq zzz\nqqq zzz\n"))],
        "shares no word with the labeled documents",
    ),
    "no words at all": (
        lambda d, m: fit_arguments(d, d / "source.csv", put(d / "t.csv", "text\n?\n!\n")),
        "No target text holds a word that the vectorizer keeps",
    ),
    "truth without entries": (
        lambda d, m: [*fit_arguments(d, d / "source.csv", put(d / "t.csv", "text,y\nrefund,\n")), "--truth", "y"],
        "has no entry in column 'y', which --truth names",
    ),
    "a second source": (
        lambda d, m: [*good(d), "--source", put(d / "b.csv", "text,label\na\n")],
        "b.csv, line 2, has 1",
    ),
    "an estimator's file": (
        lambda d, m: ["predict", bare(d / "e.isthmus"), d / "target.csv"],
        "holds a LR that knows no",
    ),
    "a needless encoder": (lambda d, m: ["explain", m, "--encoder", "x"], "--encoder needs sentence-transformers"),
    "id of no document": (
        lambda d, m: ["explain", m, "--document-id", "none", "--file", d / "target.csv"],
        "target.csv has no document with the id 'none'",
    ),
    "empty document": (lambda d, m: ["explain", m, "--document", ""], "holds no word that the model knows"),
}


def good(folder: Path) -> list[object]:
    return fit_arguments(folder, folder / "source.csv")


def put(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


def made(folder: Path, name: str | None = None, content: bytes = b"words") -> Path:
    folder.mkdir()
    if name is not None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def bare(path: Path) -> Path:
    isthmus.save(isthmus.LR().fit(np.eye(4), [0, 0, 1, 1]), path)
    return path


@pytest.mark.parametrize("case", OTHERS)
def test_bad_arguments(case: str, folder: Path, model: Path) -> None:
    arguments, says = OTHERS[case]
    check(folder, *arguments(folder, model), says=says)


USAGE = {
    "no source": (["fit", "--target", "t.csv"], "--source"),
    "no target": (["fit", "--source", "s.csv"], "--target"),
    "unknown option": (["fit", "--source", "s", "--target", "t", "--nope"], "--nope"),
    "unknown method": (["fit", "--source", "s", "--target", "t", "--method", "nope"], "choose from Auto, TCL"),
    "unknown preset": (
        ["fit", "--source", "s", "--target", "t", "--preset", "nope"],
        "none of default, opinions, short",
    ),
    "unknown format": (["fit", "--source", "s", "--target", "t", "--format", "docx"], "docx"),
    "stdin twice": (["fit", "--source", "-", "--target", "-"], "once only"),
    "preset and encoder": (
        ["fit", "--source", "s", "--target", "t", "--preset", "tcl", "--encoder", "x"],
        "both given",
    ),
    "time before time": (["fit", "--source", "s", "--target", "t", "--max-time", "-1"], "greater than or equal to 0"),
    "a word for a number": (["fit", "--source", "s", "--target", "t", "--random-state", "x"], "integer"),
    "no file": (["predict", "m.isthmus"], "Missing argument"),
    "document and id": (["explain", "m", "--document", "a", "--document-id", "b"], "both given"),
    "id without file": (["explain", "m", "--document-id", "b"], "go together"),
    "columns of no file": (["explain", "m", "--document", "a", "--text", "b"], "leave them out"),
    "no words": (["explain", "m", "--words", "0"], "greater than or equal to 1"),
}


@pytest.mark.parametrize("case", USAGE)
def test_wrong_usage(case: str, folder: Path) -> None:
    arguments, says = USAGE[case]
    done = run(*arguments)
    assert done.code == 2
    assert says in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert done.out == b""


@pytest.mark.parametrize(
    "prior", ["", "a", "a=", "=1", "a=x", "a=0.5", "a=0.5,b=0.6", "a=-1,b=2", "a=nan", "a=1,", ","]
)
def test_wrong_target_priors(prior: str, folder: Path) -> None:
    class Told(isthmus.LR):
        def __init__(self, target_prior: Any = "source") -> None:
            super().__init__()
            self.target_prior = target_prior

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(isthmus.methods.METHODS, "Told", Told)
        done = run(*good(folder), "--method", "Told", "--target-prior", prior)
    assert done.code == 2
    assert "such as" in " ".join(done.err.split())
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_are_read_or_refused(seed: int, folder: Path, model: Path) -> None:
    """Random damage to good files of all formats: labels or a sentence, and never anything else."""
    rng = np.random.default_rng(seed)
    frame = pd.read_csv(io.StringIO(GOOD), dtype=str)
    name, content = [
        ("f.csv", GOOD.encode()),
        ("f.jsonl", frame.to_json(orient="records", lines=True).encode()),
        ("f.parquet", parquet(**frame)),
        ("f.csv.gz", GZIPPED),
        ("f.csv.zst", ZSTD),
    ][seed % 5]
    damaged = bytearray(content)
    for _ in range(rng.integers(1, 6)):
        place = int(rng.integers(len(damaged)))
        kind = rng.integers(4)
        if kind == 0:
            damaged[place] = int(rng.integers(256))
        elif kind == 1:
            del damaged[place : place + int(rng.integers(1, 30))]
        elif kind == 2:
            damaged[place:place] = rng.bytes(5)
        else:
            damaged[place:place] = rng.choice([b'"', b"\n", b",", b"\0", b"{", b"\xff"])
        if not damaged:
            break
    (folder / name).write_bytes(damaged)
    for command in (fit_arguments(folder, folder / name), ["predict", model, folder / name, "-o", folder / "o.csv"]):
        done = run(*command, *(["--method", "LR", "--force"] if command[0] == "fit" else []))
        if done.code:
            assert "Traceback" not in done.err
            assert done.err.splitlines()[-1].startswith("isthmus: ")
            assert not (folder / "out.csv").exists()
            assert not (folder / "o.csv").exists()
        else:
            assert (folder / ("out.csv" if command[0] == "fit" else "o.csv")).exists()
        assert not list(folder.glob(".isthmus-*"))
        (folder / "out.csv").unlink(missing_ok=True)


def test_existing_files_stay_without_force(folder: Path) -> None:
    (folder / "out.csv").write_text("precious")
    sentence = check(folder, *good(folder), says="out.csv, which exists: choose another name, or add --force")
    assert "--predictions names" in sentence
    assert run(*good(folder), "--method", "LR", "--force").code == 0
    assert (folder / "out.csv").read_text().startswith("id,label,p_bug,p_pay,confidence\n")


def test_links_stay_links(folder: Path) -> None:
    real = put(folder / "real.csv", "old")
    (folder / "out.csv").symlink_to(real)
    assert run(*good(folder), "--method", "LR", "--force").code == 0
    assert (folder / "out.csv").is_symlink()
    assert real.read_text().startswith("id,label")


def test_without_pyarrow_a_sentence_tells_how_to_get_it(folder: Path, model: Path) -> None:
    put(folder / "s.parquet", "PAR1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow.parquet", None)
        check(folder, *fit_arguments(folder, folder / "s.parquet"), says="pip install 'isthmus[parquet]'")
        check(folder, "predict", model, folder / "target.csv", "-o", folder / "o.parquet", says="isthmus[parquet]")


def test_unreadable_files_get_a_sentence(folder: Path) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with pytest.MonkeyPatch.context() as patch:  # whoever runs the tests may perhaps read everything
        patch.setattr("isthmus.io.documents.streams.Path.open", refuse)
        assert "source.csv cannot be read: Permission denied." in run(*good(folder)).sentence


def test_closed_standard_input_gets_a_sentence(folder: Path, model: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isthmus.io.documents.streams.sys", type("Closed", (), {"stdin": None}))
        check(folder, "predict", model, "-", says="standard input is closed")


def test_closed_standard_output_gets_a_sentence(folder: Path, model: Path) -> None:
    closed = f"exec {sys.executable} -m isthmus predict {model} {folder / 'target.csv'} >&-"
    done = subprocess.run(["sh", "-c", closed], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (1, "isthmus: Standard output is closed: name a file with --output.\n")


def test_it_is_the_same_in_a_process_of_its_own(folder: Path) -> None:
    command = [sys.executable, "-m", "isthmus", *map(str, fit_arguments(folder, put(folder / "s.csv", "text\na\n")))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.strip().endswith("s.csv has no column for the label: it has 'text' alone.")
    assert len(done.stderr.strip().splitlines()) == 1
