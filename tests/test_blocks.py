"""Large files in blocks: the same labels, and a command that was killed goes on from its last block."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from unittest import mock

import pytest

import isthmus
from alone import command
from command import Done, run
from isthmus.cli import blocks
from isthmus.io.journal import Journal, identity
from isthmus.io.matrices import MatrixWriter
from test_cli_fit import HIDDEN, SOURCE
from test_reading import write

SMALL = """
import sys, isthmus.cli.predict
sys.modules["isthmus.cli.predict"].BATCH = 7
"""
KILLED = f"""
{SMALL}
import os, signal
from isthmus.io.journal import Journal
write = Journal.write
def killed(self, number, **arrays):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, number, **arrays)
Journal.write = killed
"""


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fitted")
    write(folder / "source.csv", SOURCE)
    write(folder / "target.csv", HIDDEN)
    arguments = ["--source", folder / "source.csv", "--target", folder / "target.csv", "--method", "TCL"]
    assert run("fit", *arguments, "-o", folder / "model.isthmus").code == 0
    assert run("predict", folder / "model.isthmus", folder / "target.csv", "-o", folder / "whole.csv").code == 0
    return folder


def predict(fitted: Path, output: Path, *more: object) -> Done:
    return run("predict", fitted / "model.isthmus", fitted / "target.csv", "-o", output, *more)


def test_killed_and_started_again_it_goes_on_from_the_last_block(fitted: Path, tmp_path: Path) -> None:
    output = tmp_path / "labels.csv"
    arguments = ["predict", fitted / "model.isthmus", fitted / "target.csv", "-o", output, "--blocks"]
    assert command(*arguments, before=KILLED).code == -9
    kept = sorted((tmp_path / "labels.csv.unfinished").glob("block-*"))
    assert len(kept) == 2
    assert not output.exists()
    again = command(*arguments, before=KILLED.replace("number == 2", "number < 2"))  # those are not written again
    assert again.code == 0, again.stderr
    assert "going on with what" in again.stderr
    assert output.read_bytes() == (fitted / "whole.csv").read_bytes()
    assert list(tmp_path.iterdir()) == [output]


def test_a_file_that_changed_is_labeled_from_its_beginning(fitted: Path, tmp_path: Path) -> None:
    output, target = tmp_path / "labels.csv", tmp_path / "target.csv"
    target.write_bytes((fitted / "target.csv").read_bytes())
    arguments = ["predict", fitted / "model.isthmus", target, "-o", output, "--blocks"]
    assert command(*arguments, before=KILLED).code == -9
    os.utime(target, ns=(1, 1))
    assert command(*arguments, before=KILLED.replace("number == 2", "number == 0")).code == -9  # it is written again
    assert not list((tmp_path / "labels.csv.unfinished").glob("block-*"))


def test_large_files_are_by_default_and_say_so(fitted: Path, tmp_path: Path) -> None:
    with mock.patch.object(blocks, "LARGE", 10):
        done = predict(fitted, tmp_path / "labels.csv")
        assert "is read in blocks; what is done is kept in" in done.err.replace("\n", " ")
        assert "blocks" not in predict(fitted, tmp_path / "other.csv", "--no-blocks").err
        assert run("predict", fitted / "model.isthmus", fitted / "target.csv").code == 0  # to standard output: none
    assert "blocks" not in predict(fitted, tmp_path / "small.csv").err
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


def test_blocks_need_files(fitted: Path, tmp_path: Path) -> None:
    done = run("predict", fitted / "model.isthmus", fitted / "target.csv", "--blocks")
    assert done.code == 2
    assert "standard output" in done.err
    done = run("predict", fitted / "model.isthmus", "-", "--blocks", "-o", tmp_path / "labels.csv")
    assert done.code == 2
    assert "no file that can be read again" in done.err


def test_two_commands_do_not_share_a_journal(fitted: Path, tmp_path: Path) -> None:
    with Journal.beside(tmp_path / "labels.csv", {}):
        assert "is in use by another process" in predict(fitted, tmp_path / "labels.csv", "--blocks").sentence


def test_a_folder_is_another_one_when_a_file_in_it_has_changed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.txt").write_text("one")
    before = identity(tmp_path)
    assert identity(tmp_path) == before
    (tmp_path / "a" / "1.txt").write_text("another")
    assert identity(tmp_path) != before


FITTED = """
import isthmus.text.streaming
isthmus.text.streaming.BLOCK = 16
"""
KILLED_IN_FIT = f"""
{FITTED}
import os, signal
from isthmus.io.matrices import MatrixWriter
append = MatrixWriter.append
def killed(self, block):
    if self.rows == 48:
        os.kill(os.getpid(), signal.SIGKILL)
    append(self, block)
MatrixWriter.append = killed
"""


def fitting(fitted: Path, output: Path, *more: object) -> list[object]:
    files = ["--source", fitted / "source.csv", "--target", fitted / "target.csv", "--truth", "truth"]
    return ["fit", *files, "--predictions", output / "labels.csv", "-o", output / "model.isthmus", *more]


@pytest.mark.parametrize("method", ["TCL", "Auto", "LR"])
def test_a_fit_in_blocks_gives_the_same_labels(fitted: Path, tmp_path: Path, method: str) -> None:
    folders = [tmp_path / "whole", tmp_path / "blocks"]
    for folder, more in zip(folders, ([], ["--blocks"]), strict=True):
        folder.mkdir()
        with mock.patch("isthmus.text.streaming.BLOCK", 16):
            done = run(*fitting(fitted, folder, "--method", method, *more))
        assert done.code == 0, done.err
        again = run("predict", folder / "model.isthmus", fitted / "target.csv", "-o", folder / "again.csv")
        assert again.code == 0, again.err
    assert {path.name for path in folders[1].iterdir()} == {path.name for path in folders[0].iterdir()}
    for name in ("labels.csv", "again.csv"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    in_blocks = isthmus.load(folders[1] / "model.isthmus")
    assert re.fullmatch(rf"<Result of {method}: \d+ texts, which it does not hold>", repr(in_blocks))
    with pytest.raises(ValueError, match="result holds no documents, as one that was fitted in blocks: give the"):
        isthmus.suggest_labels(in_blocks, 3)


def test_a_fit_that_was_killed_goes_on_from_the_last_block(fitted: Path, tmp_path: Path) -> None:
    arguments = fitting(fitted, tmp_path, "--method", "TCL", "--blocks")
    assert command(*arguments, before=KILLED_IN_FIT).code == -9
    assert MatrixWriter(tmp_path / "model.isthmus.unfinished" / "matrix", *_width(tmp_path)).rows == 48
    done = command(*arguments, before=KILLED_IN_FIT.replace("self.rows == 48", "self.rows < 48"))
    assert done.code == 0, done.stderr
    expected = tmp_path / "whole"
    expected.mkdir()
    assert run(*fitting(fitted, expected, "--method", "TCL")).code == 0
    assert (tmp_path / "labels.csv").read_bytes() == (expected / "labels.csv").read_bytes()
    assert not (tmp_path / "model.isthmus.unfinished").exists()


def _width(folder: Path) -> tuple[int, str]:
    state = json.loads((folder / "model.isthmus.unfinished" / "matrix" / "matrix.json").read_text())
    return state["columns"], state["dtype"]


def test_what_shows_texts_is_not_in_blocks(fitted: Path, tmp_path: Path) -> None:
    done = run(*fitting(fitted, tmp_path, "--blocks", "--report", tmp_path / "report.html"))
    assert done.code == 2
    assert "--report shows texts" in done.err


def test_labels_by_id_reach_a_target_in_blocks(fitted: Path, tmp_path: Path) -> None:
    write(tmp_path / "given.csv", [{"id": row["id"], "label": row["truth"]} for row in HIDDEN[:3]])
    printed, labels = [], ["--labels", tmp_path / "given.csv"]
    for more in ([], ["--blocks"]):
        done = run(*fitting(fitted, tmp_path, "--method", "LR", "--force", "--json", *labels, *more))
        assert done.code == 0, done.err
        printed.append({**json.loads(done.stdout), "seconds": 0})
    assert printed[0] == printed[1]


@pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: code is let go of on Linux alone")
def test_code_that_has_run_is_let_go_of() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[2])

    before = resident()
    blocks.give_memory_back()
    assert resident() < before
    assert run("--version").code == 0  # and comes back
