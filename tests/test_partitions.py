"""A folder of files, labelled by the workers of a cluster: the same labels, in whole files, whoever dies."""

from __future__ import annotations

import json
import os
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
    labelled, died = partitions._labelled, list[int]()

    def killing(client: Any, *given: Any) -> Any:
        for number, tally in labelled(client, *given):
            if not died:  # while the others are at work
                died.extend(list(client.run(os.getpid).values())[:1])
                os.kill(died[0], signal.SIGKILL)
            yield number, tally

    with mock.patch.object(partitions, "_labelled", killing):
        done = predict(folder, tmp_path / "labels", client.scheduler.address)
    assert died
    assert done.code == 0, done.err
    assert same(folder, tmp_path / "labels")


def test_what_was_done_is_not_done_again(client: Any, folder: Path, tmp_path: Path) -> None:
    labelled, address = partitions._labelled, client.scheduler.address

    def breaking(*given: Any) -> Any:
        for count, found in enumerate(labelled(*given)):
            if count == 2:
                raise KeyboardInterrupt
            yield found

    with mock.patch.object(partitions, "_labelled", breaking):
        assert predict(folder, tmp_path / "labels", address).code != 0
    sent = list[int]()

    def counting(client: Any, asked: Any, files: Any, output: Any) -> Any:
        sent.extend(files)
        return labelled(client, asked, files, output)

    with mock.patch.object(partitions, "_labelled", counting):
        done = predict(folder, tmp_path / "labels", address)
    assert done.code == 0, done.err
    assert len(sent) == PARTS - 2
    assert same(folder, tmp_path / "labels")


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
