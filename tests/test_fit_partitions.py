"""isthmus fit --cluster: a target of many files, or a Dask collection, that workers read, pass over and label."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import isthmus
from command import run
from isthmus import _partitions
from isthmus.cli import fit_partitions
from isthmus.methods import METHODS
from test_cli_fit import HIDDEN, SOURCE
from test_reading import write

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def fit_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source, a target in three parts, one of which holds no known word, and the same in one file."""
    folder = tmp_path_factory.mktemp("fit")
    target = [*HIDDEN[:4], {**HIDDEN[0], "id": "strange", "text": "qqqq"}, *HIDDEN[4:]]
    write(folder / "source.csv", SOURCE)
    write(folder / "whole.csv", target)
    (folder / "parts").mkdir()
    (folder / "parts" / "_SUCCESS").touch()
    for number, rows in enumerate((target[:4], target[4:5], target[5:])):
        write(folder / "parts" / f"part-{number}.{'jsonl' if number == 1 else 'csv'}", rows)
    return folder


def fit(folder: Path, target: Path, output: Path, *more: object) -> Any:
    given = ["--source", folder / "source.csv", "--target", target, "-o", output / "model.isthmus"]
    return run("fit", *given, "--json", *more)


def labels_of(*files: Path) -> list[tuple[str, str, str]]:
    found = []
    for file in files:
        table = pd.read_json(file, lines=True) if file.suffix == ".jsonl" else pd.read_csv(file)
        found += [(str(row.id), row.label, f"{row.confidence:.6f}") for row in table.itertuples()]
    return found


@pytest.mark.parametrize(
    ("method", "looked_at"),
    [("TCL", 6), ("MTrick", 6), ("NaiveBayesEM", 6), ("LR", 6), ("SelfTraining", 20), ("Auto", 6)],
    ids=[
        "rows of V stay with the workers",
        "and so do topics at the start",
        "a sample starts, and all are passed over",
        "none is looked at here",
        "all are looked at here",
        "a sample is looked at here",
    ],
)
def test_a_fit_of_a_folder_is_that_of_one_file(
    client: Any, fit_files: Path, tmp_path: Path, method: str, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isthmus.auto.sample.AT_MOST", looked_at)
    monkeypatch.setattr("isthmus.core.sample.AT_MOST", looked_at)
    monkeypatch.setattr("isthmus.core.parts.NON_ZEROS_OF_A_PART", 40)
    monkeypatch.setattr("isthmus.core.parts.NON_ZEROS_OF_A_WORD", 1)
    monkeypatch.setattr("isthmus.core.remote.LEAST_GROUPS", 3)
    monkeypatch.setattr("isthmus.core.remote.GROUPS_OF_A_THREAD", 1)
    monkeypatch.setattr("isthmus._api.local_static_encoder", lambda: None)
    here = tmp_path / "here"
    here.mkdir()
    chosen = ("--method", method, *(("--set", "max_iter=9") if method in ("TCL", "MTrick") else ()))
    for_one = fit(fit_files, fit_files / "whole.csv", here, *chosen, "--predictions", here / "labels.csv")
    assert for_one.code == 0, for_one.err
    more = (*chosen, "--predictions", tmp_path / "labels", "--cluster", client.scheduler.address)
    done = fit(fit_files, fit_files / "parts", tmp_path, *more)
    assert done.code == 0, done.err
    parts = [tmp_path / "labels" / name for name in ("part-0.csv", "part-1.jsonl", "part-2.csv")]
    assert sorted((tmp_path / "labels").iterdir()) == parts
    assert labels_of(*parts) == labels_of(here / "labels.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "labels", "model.isthmus"]
    assert ("Auto looks at 12 of 30 documents, and labels all like those" in done.err) == (method == "Auto")
    said, alone = json.loads(done.stdout), json.loads(for_one.stdout)
    assert (said["target"]["documents"], said["target"]["files"]) == (len(HIDDEN) + 1, 3)
    assert said["target"]["labels"] == alone["target"]["labels"]
    assert said["mean_confidence"] == pytest.approx(alone["mean_confidence"], abs=2e-4)
    assert said.keys() == alone.keys()
    same = ("sources", "reading", "method", "settings", "classes", "doubtful", "estimated_accuracy", "chosen")
    assert [said[name] for name in same] == [alone[name] for name in same]
    models = [isthmus.load(folder / "model.isthmus") for folder in (here, tmp_path)]
    texts = [row["text"] for row in HIDDEN]
    assert np.array_equal(*(model.predict_proba(texts) for model in models))
    for name in ("unknown", "closeness", "confidence", "numbers", "center"):
        one, other = (getattr(model.profile, name) for model in models)
        assert np.allclose(one, other, atol=1e-6), name
    assert len(models[1].labels) == 0


def test_the_page_names_the_methods_that_pass_over_a_folder() -> None:
    page = (Path(__file__).parents[1] / "docs" / "large.md").read_text(encoding="utf-8")
    (named,) = re.findall(r"^- (.+?) pass over the rows where they lie", page, re.MULTILINE)
    able = [name for name, method in METHODS.items() if method().passes_over_parts and name not in ("LR", "SVM")]
    assert sorted(re.findall(r"\w+", named.replace(" and ", ", "))) == sorted(able)


def test_a_worker_that_dies_changes_no_fit(
    client: Any, fit_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isthmus.core.parts.NON_ZEROS_OF_A_PART", 40)
    more = ("--method", "TCL", "--set", "max_iter=6", "--cluster", client.scheduler.address)
    alone = fit(fit_files, fit_files / "parts", tmp_path, *more, "--predictions", tmp_path / "labels")
    assert alone.code == 0, alone.err
    learned, died = _partitions.learn, list[int]()

    def killing(*given: Any) -> Any:
        found = learned(*given)  # whose rows are lost, and taken through all sweeps again
        died.extend(client.run(os.getpid).values())
        os.kill(died[0], signal.SIGKILL)
        return found

    monkeypatch.setattr(fit_partitions, "learn", killing)
    (tmp_path / "again").mkdir()
    done = fit(
        fit_files, fit_files / "parts", tmp_path / "again", *more, "--predictions", tmp_path / "again" / "labels"
    )
    assert done.code == 0, done.err
    assert died
    for file in (tmp_path / "labels").iterdir():
        assert (tmp_path / "again" / "labels" / file.name).read_bytes() == file.read_bytes()


def test_a_fit_goes_on_with_the_files_that_are_done(
    client: Any, fit_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, written = tmp_path / "model.isthmus.unfinished", list[int]()
    more = ("--method", "NMTF", "--set", "max_iter=3", "--cluster", client.scheduler.address)
    learned = _partitions.learn

    def broken(*given: Any) -> Any:
        written.append((left / "rows-00002" / "data.npy").stat().st_mtime_ns)
        if len(written) == 1:
            raise KeyboardInterrupt
        return learned(*given)

    monkeypatch.setattr(fit_partitions, "learn", broken)
    assert fit(fit_files, fit_files / "parts", tmp_path, *more).code != 0
    assert {path.name for path in tmp_path.iterdir()} == {left.name}
    done = fit(fit_files, fit_files / "parts", tmp_path, *more)
    assert done.code == 0, done.err
    assert written[0] == written[1]
    assert {path.name for path in tmp_path.iterdir()} == {"model.isthmus"}


def test_a_fit_of_a_folder_says_what_is_wrong(
    client: Any, fit_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, on_cluster = tmp_path / "parts", ("--cluster", client.scheduler.address)
    shutil.copytree(fit_files / "parts", parts)

    def refused(*more: object) -> str:
        done = fit(fit_files, parts, tmp_path, *on_cluster, *more)
        assert done.code == 1
        return str(done.last)

    monkeypatch.setattr("isthmus.core.sample.AT_MOST", 6)
    sentence = refused("--method", "SelfTraining")
    assert "SelfTraining learns from all documents in one place" in sentence
    assert "(TCL, DTL, Factorized, LR, MTrick, NMTF, NaiveBayesEM, SVM)" in sentence
    (parts / "README.md").touch()
    assert "README.md is no table of documents, and all files of its folder are read" in refused(
        "--predictions", tmp_path / "new"
    )
    (parts / "README.md").unlink()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "part-0.csv").touch()
    assert "--predictions names" in refused("--predictions", tmp_path / "full")
    (tmp_path / "labels").touch()
    assert "is a file, and workers write one for each part" in refused("--predictions", tmp_path / "labels")
    (parts / "part-3.csv").write_text("id,text\n,lost\n")
    assert "part-3.csv, line 2, has no id (column 'id')" in refused()
    assert "part-3.csv has no text that can be read" in refused("--on-bad-rows", "skip")
    (parts / "part-3.csv").unlink()
    (parts / "part-3.parquet").write_bytes(b"PAR1, and no more")
    assert "part-3.parquet" in refused()
    assert "--truth: the target is a folder" in " ".join(
        fit(fit_files, parts, tmp_path, *on_cluster, "--truth", "truth").err.split()
    )
    assert not (tmp_path / "model.isthmus").exists()


@pytest.mark.parametrize("method", ["TCL", "Auto", "SelfTraining"])
@pytest.mark.parametrize("kind", ["bag", "column"])
def test_a_dask_collection_is_labeled_like_a_list(
    client: Any, tmp_path: Path, method: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isthmus._api.local_static_encoder", lambda: None)
    monkeypatch.setattr("isthmus.core.parts.NON_ZEROS_OF_A_PART", 40)
    source, labels = [row["text"] for row in SOURCE], [row["label"] for row in SOURCE]
    target = [*(row["text"] for row in HIDDEN), "qqqq"]
    alone = isthmus.transfer(source, labels, target, method=method)
    if kind == "bag":
        lazy = pytest.importorskip("dask.bag").from_sequence(target, npartitions=4)
        lazy = pytest.importorskip("dask.bag").concat(
            [lazy, lazy.filter(lambda text: False)]
        )  # partitions may be empty
    else:
        lazy = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame({"text": target}), npartitions=3)["text"]
    found = isthmus.transfer(source, labels, lazy, method=method, client=client, folder=tmp_path / "rows")
    assert found.labels.tolist() == alone.labels.tolist()
    assert np.allclose(found.probabilities, alone.probabilities, atol=1e-6)
    assert np.allclose(found.predict_proba(target), alone.predict_proba(target), atol=1e-6)
    assert found.n_texts == len(target)
    assert len(found.estimator.transduction_) == 0  # which would grow with the documents
    assert np.array_equal(pickle.loads(pickle.dumps(found)).predict(target), found.predict(target))
    isthmus.save(found, tmp_path / "model.isthmus")
    assert isthmus.load(tmp_path / "model.isthmus").profile is not None


def test_a_dask_collection_says_what_it_needs(client: Any, tmp_path: Path) -> None:
    bag, dataframe = pytest.importorskip("dask.bag"), pytest.importorskip("dask.dataframe")
    texts = bag.from_sequence([row["text"] for row in HIDDEN], npartitions=2)
    source, labels = [row["text"] for row in SOURCE], [row["label"] for row in SOURCE]

    def refused(target: Any, **given: Any) -> str:
        with pytest.raises((ValueError, TypeError)) as error:
            isthmus.transfer(source, labels, target, **{"client": client, "folder": tmp_path / "rows", **given})
        return str(error.value)

    assert "give client=" in refused(texts, client=None)
    assert "give folder=" in refused(texts, folder=None)
    assert "encoder needs all texts in one place" in refused(texts, encoder="static")
    assert "target_labels needs" in refused(texts, target_labels=[None] * len(HIDDEN))
    assert "novelty=True needs" in refused(texts, method=isthmus.Auto(novelty=True))
    table = dataframe.from_pandas(pd.DataFrame({"text": ["a", "b"]}), npartitions=1)
    assert "give one column of it" in refused(table)
    assert "target_texts is empty" in refused(texts.filter(lambda text: False))
    isthmus.transfer(source, labels, texts, method="LR", client=client, folder=tmp_path / "full")
    others = texts.map(str.upper)
    assert "holds the rows of other texts" in refused(others, method="LR", folder=tmp_path / "full")
    assert "is 1, not a string" in refused(bag.from_sequence([1, 2], npartitions=1))
