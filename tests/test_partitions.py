"""A folder of files, labeled by the workers of a cluster: the same labels, in whole files, whoever dies."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from command import run
from isthmus.cli import partitions
from test_cli_fit import HIDDEN, SOURCE
from test_reading import write

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")
PARTS = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, documents in parts, and the labels that each part gets by itself."""
    folder = tmp_path_factory.mktemp("parts")
    write(folder / "source.csv", SOURCE)
    write(folder / "target.csv", HIDDEN)
    files = ["--source", folder / "source.csv", "--target", folder / "target.csv"]
    assert run("fit", *files, "--method", "TCL", "-o", folder / "model.isthmus").code == 0
    for name in ("parts", "whole"):
        (folder / name).mkdir()
    for number in range(PARTS):
        name = f"part-{number}.csv"
        write(folder / "parts" / name, HIDDEN[number::PARTS])
        assert (
            run("predict", folder / "model.isthmus", folder / "parts" / name, "-o", folder / "whole" / name).code == 0
        )
    return folder


def predict(folder: Path, output: Path, address: str, *more: object) -> Any:
    return run("predict", folder / "model.isthmus", folder / "parts", "-o", output, "--cluster", address, *more)


def same(folder: Path, output: Path) -> bool:
    wanted = {path.name: path.read_bytes() for path in (folder / "whole").iterdir()}
    return {path.name: path.read_bytes() for path in output.iterdir()} == wanted


def test_workers_write_the_same_labels(client: Any, folder: Path, tmp_path: Path) -> None:
    output, address = tmp_path / "labels", client.scheduler.address
    done = predict(folder, output, address, "--json")
    assert done.code == 0, done.err
    assert same(folder, output)
    said = json.loads(done.stdout)
    assert (said["files"], said["documents"]) == (PARTS, len(HIDDEN))
    assert sum(said["labels"].values()) == len(HIDDEN)
    assert list(tmp_path.iterdir()) == [output]
    assert "exists" in predict(folder, output, address).sentence


def test_a_worker_that_dies_leaves_whole_files(client: Any, folder: Path, tmp_path: Path) -> None:
    labeled, died = partitions._labeled, list[int]()

    def killing(client: Any, *given: Any) -> Any:
        for number, tally in labeled(client, *given):
            if not died:  # while the others are at work
                died.extend(list(client.run(os.getpid).values())[:1])
                os.kill(died[0], signal.SIGKILL)
            yield number, tally

    with mock.patch.object(partitions, "_labeled", killing):
        done = predict(folder, tmp_path / "labels", client.scheduler.address)
    assert died
    assert done.code == 0, done.err
    assert same(folder, tmp_path / "labels")


def test_what_was_done_is_not_done_again(client: Any, folder: Path, tmp_path: Path) -> None:
    labeled, address = partitions._labeled, client.scheduler.address

    def breaking(*given: Any) -> Any:
        for count, found in enumerate(labeled(*given)):
            if count == 2:
                raise KeyboardInterrupt
            yield found

    with mock.patch.object(partitions, "_labeled", breaking):
        assert predict(folder, tmp_path / "labels", address).code != 0
    sent = list[int]()

    def counting(client: Any, asked: Any, files: Any, *given: Any) -> Any:
        sent.extend(files)
        return labeled(client, asked, files, *given)

    with mock.patch.object(partitions, "_labeled", counting):
        done = predict(folder, tmp_path / "labels", address)
    assert done.code == 0, done.err
    assert len(sent) == PARTS - 2
    assert same(folder, tmp_path / "labels")


def test_a_refusal_is_no_beginning(client: Any, folder: Path, tmp_path: Path) -> None:
    """Asked again, it is refused again: what stands there may be somebody's work."""
    output = tmp_path / "labels"
    output.mkdir()
    (output / "part-1.csv").write_text("corrected by hand")
    for _ in range(2):
        assert "exists: choose another name" in predict(folder, output, client.scheduler.address).sentence
        assert (output / "part-1.csv").read_text() == "corrected by hand"
        assert list(tmp_path.iterdir()) == [output]
    assert predict(folder, output, client.scheduler.address, "--force").code == 0
    assert same(folder, output)


def test_an_empty_part_gets_no_labels_and_stops_nothing(client: Any, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "parts", tmp_path / "parts")
    (tmp_path / "parts" / "empty.csv").touch()
    shutil.copy(folder / "model.isthmus", tmp_path / "model.isthmus")
    done = predict(tmp_path, tmp_path / "labels", client.scheduler.address)
    assert done.code == 0, done.err
    assert "Warning: no document, and so no labels, of empty.csv." in done.err
    assert same(folder, tmp_path / "labels")


def test_parts_that_were_mended_are_all_that_is_left_to_do(client: Any, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "parts", tmp_path / "parts")
    shutil.copy(folder / "model.isthmus", tmp_path / "model.isthmus")
    good, output = (tmp_path / "parts" / "part-2.csv").read_bytes(), tmp_path / "labels"
    (tmp_path / "parts" / "part-2.csv").write_bytes(b"id,text\n")
    failed = predict(tmp_path, output, client.scheduler.address)
    assert failed.code == 1
    assert re.search(rf"Of {PARTS} files \d are labeled, in .*: the same command goes on there", failed.sentence)
    (tmp_path / "parts" / "part-2.csv").write_bytes(good)
    done = predict(tmp_path, output, client.scheduler.address)
    assert done.code == 0, done.err
    assert same(folder, output)


def test_parts_of_one_stem_keep_what_each_has_skipped(client: Any, folder: Path, tmp_path: Path) -> None:
    parts, output = tmp_path / "parts", tmp_path / "labels"
    parts.mkdir()
    (parts / "a.csv").write_text("id,text\n,x\nb,y\n")
    (parts / "a.jsonl").write_text('{"id": "c", "text": "y"}\n{"id": null, "text": "z"}\n')
    asked = ("-o", output, "--cluster", client.scheduler.address, "--json")
    assert json.loads(run("predict", folder / "model.isthmus", parts, *asked).stdout)["skipped"] == 2
    for name, content in (("a.csv", "x"), ("a.jsonl", "z")):
        assert content in (output / f"{name}.skipped.csv").read_text().splitlines()[1].rpartition(",")[2]


def test_a_file_that_cannot_be_read_is_named(client: Any, folder: Path, tmp_path: Path) -> None:
    parts, address = tmp_path / "parts", client.scheduler.address
    parts.mkdir()
    model = folder / "model.isthmus"
    assert "holds no file" in run("predict", model, parts, "-o", tmp_path / "o", "--cluster", address).sentence
    (parts / "bad.csv").write_text("id,text\n,x\n")
    done = run("predict", model, parts, "-o", tmp_path / "o", "--cluster", address)
    assert done.code == 1
    assert "bad.csv" in done.sentence
    assert not list((tmp_path / "o").iterdir())
    assert "is none" in run("predict", model, parts / "bad.csv", "-o", tmp_path / "o", "--cluster", address).sentence
    done = run("predict", model, parts, "--cluster", address)
    assert done.code == 2
    assert "-o" in done.err


@pytest.mark.parametrize(
    "option", [("--skipped", "skipped.csv"), ("--blocks",), ("--output-format", "jsonl")], ids=lambda option: option[0]
)
def test_options_that_workers_do_not_heed_are_refused(folder: Path, tmp_path: Path, option: tuple[str, ...]) -> None:
    done = predict(folder, tmp_path / "labels", "127.0.0.1:1", *option)
    assert done.code == 2
    assert f"{option[0]}: workers" in " ".join(done.err.split())
    assert not list(tmp_path.iterdir())


def test_drift_of_a_part_is_told_by_the_exit_code(
    client: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"documents": 9, "files": 5, "skipped": 0, "drifted": ["part-1.csv"], "empty": []}
    monkeypatch.setattr(partitions, "label_files", lambda *_: found)
    address = client.scheduler.address
    done = predict(folder, tmp_path / "labels", address)
    assert (done.code, "part-1.csv do not look like the target" in done.err) == (0, True)
    assert predict(folder, tmp_path / "labels", address, "--fail-on-drift").code == 3
    monkeypatch.setitem(found, "drifted", [])
    assert predict(folder, tmp_path / "labels", address, "--fail-on-drift").code == 0
