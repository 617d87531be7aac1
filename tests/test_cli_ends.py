"""How commands end that cannot go on: a sentence, nothing raw on the terminal, and nothing left behind."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from alone import COMMAND, alone, command
from command import run
from isthmus.cli.console import SafeConsole, print_json
from isthmus.io import atomic
from isthmus.io.atomic import Staging, write_atomically

ESCAPE = "\x1b]0;owned\x07\x1b[31m\x9b5m\u202e"


def corpus(folder: Path, label: str = "b") -> list[Path | str]:
    source, target = folder / "source.csv", folder / "target.csv"
    rows = [("a", "refund my card", "my card", "a card refund"), (label, "photos crash", "it will crash", "crash it")]
    source.write_text("text,label\n" + "".join(f"{text},{own}\n" for own, *texts in rows for text in texts))
    target.write_text("text\nrefund it\ncrash photos\n")
    return ["fit", "--source", source, "--target", target, "--method", "LR", "--predictions", folder / "out.csv"]


def test_labels_that_the_terminal_has_no_letters_for(tmp_path: Path) -> None:
    done = command(*corpus(tmp_path, "日本"), before="import sys; sys.stdout.reconfigure(encoding='latin-1')")
    assert done.code == 0, done.stderr
    assert "\\u65e5\\u672c" in done.stdout
    assert "日本" in (tmp_path / "out.csv").read_text()


def test_labels_and_names_command_no_terminal(tmp_path: Path) -> None:
    done = run(*corpus(tmp_path, ESCAPE))
    assert done.code == 0
    assert "␛]0;owned␛[31m" in done.stdout  # rich leaves the bell out
    failed = run("predict", tmp_path / f"{ESCAPE}.isthmus", tmp_path / "target.csv")
    assert "␛[31m" in failed.sentence
    for printed in (done.stdout, done.err, failed.err):
        assert not set(printed) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_colors_stay_and_letters_of_all_languages_too() -> None:
    out = io.StringIO()
    console = SafeConsole(file=out, force_terminal=True, color_system="standard", width=80)
    console.print("naïve 日本 עברית\nmore", style="red", markup=False)
    assert out.getvalue() == "\x1b[31mnaïve 日本 עברית\x1b[0m\n\x1b[31mmore\x1b[0m\n"


def test_json_for_scripts_is_the_same_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"label": ESCAPE})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"label": ESCAPE}
    assert "\x9b" not in printed
    assert "\x1b" not in printed


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    with mock.patch("isthmus.io.documents.writing.PredictionWriter.write", full):
        sentence = run(*corpus(tmp_path)).sentence
    assert sentence == f"isthmus: {tmp_path}/out.csv cannot be read or written: No space left on device."
    assert {path.name for path in tmp_path.iterdir()} == {"source.csv", "target.csv"}


def test_a_limit_on_files_names_the_file_of_a_model(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))"
    arguments = [*corpus(tmp_path)[:-2], "-o", tmp_path / "model.isthmus"]
    done = command(*arguments, before=limit)
    assert done.code == 1
    assert f"{tmp_path}/model.isthmus cannot be read or written: File too large." in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"source.csv", "target.csv"}


def test_errors_that_name_another_file_keep_its_name(tmp_path: Path) -> None:
    other = FileNotFoundError(errno.ENOENT, "No such file or directory", "other")
    for given in (other, BrokenPipeError(errno.EPIPE, "Broken pipe")):
        staging = Staging()
        staging.place(tmp_path / "out.csv").write_text("x")
        staging.__exit__(type(given), given, None)  # raises nothing else
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_is_told_to_end_leaves_nothing(tmp_path: Path) -> None:
    """Told while its files are half written."""
    number = signal.SIGTERM
    killing = f"""
import os
from isthmus.io.documents import writing
def write(self, *rows):
    os.kill(os.getpid(), {int(number)})
writing.PredictionWriter.write = write
"""
    done = command(*corpus(tmp_path), before=killing)
    assert (done.code, done.stdout, done.stderr) == (128 + number, "", "")
    assert {path.name for path in tmp_path.iterdir()} == {"source.csv", "target.csv"}


def test_what_a_killed_process_left_is_swept_by_the_next(tmp_path: Path) -> None:
    killed = f"""
import os, pathlib, isthmus.io.atomic as atomic
staging = atomic.Staging()
staging.place(pathlib.Path({str(tmp_path / "out.csv")!r})).write_text("half")
os.kill(os.getpid(), 9)
"""
    assert alone(killed).code == -9
    assert len(list(tmp_path.glob(".isthmus-*"))) == 1
    (tmp_path / ".isthmus-mine").mkdir()
    with Staging() as other:  # held by a process that is alive
        held = other.place(tmp_path / "other.csv")
        held.write_text("half")
        write_atomically(tmp_path / "out.csv", "whole")
        assert held.read_text() == "half"
    assert {path.name for path in tmp_path.iterdir()} == {"out.csv", ".isthmus-mine"}


def test_a_folder_that_was_swept_before_it_was_locked_is_made_again(tmp_path: Path) -> None:
    locked, n_times = atomic.locked, 0

    def late(folder: Path) -> int | None:
        nonlocal n_times
        n_times += 1
        if n_times == 1:
            folder.rmdir()
        return locked(folder)

    with mock.patch.object(atomic, "locked", late):
        write_atomically(tmp_path / "out.csv", "whole")
    assert (tmp_path / "out.csv").read_text() == "whole"
    assert n_times == 2


@pytest.mark.parametrize("megabytes", [400])
def test_too_little_memory_to_load_libraries_gets_a_sentence(megabytes: int, tmp_path: Path) -> None:
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20},) * 2)"
    given = [sys.executable, "-c", f"{limit}; {COMMAND}", *map(str, corpus(tmp_path))]
    # A thread of BLAS that finds no memory may end the process without a word, and so may a crash in a library.
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(given, capture_output=True, text=True, timeout=120, check=False, env=one_thread)
    said = done.stderr
    assert "Traceback" not in said
    assert done.returncode <= 0 or said.splitlines()[-1].startswith("isthmus: ")
