"""isthmus serve: files of models that change, and what is told of them and of drift."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import threading
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from starlette.testclient import TestClient

import isthmus
from isthmus.drift import profile_target
from isthmus.serving import Limits, ServedModel, serving_app
from isthmus.serving import app as app_module
from isthmus.serving import served as served_module
from isthmus.serving.metrics import Metrics
from test_quality import make
from test_serve import SOURCE, TARGET, alone, folder, served

__all__ = ["folder"]  # a fixture


def replace(path: Path, new: Path) -> None:
    shutil.copy(new, path.with_suffix(".new"))
    path.with_suffix(".new").rename(path)


def test_a_new_file_is_loaded_and_a_broken_one_is_not(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.isthmus"
    replace(path, folder / "lr.isthmus")
    model = ServedModel("m", str(path), isthmus.load)
    assert not model.reload()
    replace(path, folder / "other.isthmus")
    assert model.reload()
    assert model.classes == ["fault", "money"]
    path.write_bytes(b"broken")
    assert not model.reload()
    assert "cannot be loaded" in str(model.problem)
    assert model.probabilities(["refund"])[1].shape == (1, 2)
    path.unlink()
    assert not model.reload()
    assert model.problem == f"{path} is not there any more."
    replace(path, folder / "lr.isthmus")
    assert model.reload()
    assert model.problem is None
    assert model.n_loaded == 3


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), MemoryError()])
def test_a_file_that_could_not_be_read_for_want_of_something_is_tried_again(
    folder: Path, tmp_path: Path, error: Exception
) -> None:
    path, calls = tmp_path / "m.isthmus", list[int]()
    replace(path, folder / "lr.isthmus")

    def loader(name: str) -> Any:
        calls.append(1)
        if len(calls) in (2, 3):
            raise error
        return isthmus.load(name)

    model = ServedModel("m", str(path), loader)
    replace(path, folder / "other.isthmus")
    assert [model.reload() for _ in range(2)] == [False, False]
    assert model.problem
    assert model.reload()  # nothing of the file has changed
    assert str(model.problem) == "None"
    assert model.classes == ["fault", "money"]
    path.write_bytes(b"broken")
    assert [model.reload() for _ in range(3)] == [False] * 3
    assert len(calls) == 5  # what is wrong with a file stays so


def test_the_look_at_files_outlives_any_error_and_tells_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (model,) = served(folder, "lr")
    looks, enough = list[int](), threading.Event()

    def look() -> bool:
        looks.append(1)
        if len(looks) > 4:
            model.problem = None
            enough.set()
            return False
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(app_module, "LOOK_EVERY", 0.001)
    monkeypatch.setattr(model, "reload", look)
    with TestClient(serving_app([model])) as client:
        while 'isthmus_model_problem{model="lr"} 1.0' not in client.get("/metrics").text and not enough.is_set():
            pass
        assert enough.wait(30)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "lr: [Errno 24] Too many open files"
    assert len(said) <= 2  # once, and perhaps that all is well


def test_a_request_that_does_not_arrive_is_told_so(folder: Path) -> None:
    async def never() -> None:
        app = serving_app(served(folder, "lr"), Limits(seconds=0.05))
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/label",
            "raw_path": b"",
            "headers": [],
            "query_string": b"",
        }
        sent = list[Any]()

        async def receive() -> Any:
            await asyncio.sleep(30)

        async def send(message: Any) -> None:
            sent.append(message)

        await app(scope, receive, send)
        assert sent[0]["status"] == 408
        assert b"did not arrive within 0.05 seconds" in sent[1]["body"]

    alone(never())


def test_drift_is_looked_for_in_all_of_a_request(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents may come sorted: the first ones say little of the others."""
    (model,) = served(folder, "lr")
    seen = list[Any]()
    monkeypatch.setattr(served_module, "describe_documents", lambda _, texts, *more: seen.append(texts))
    model.result = dataclasses.replace(model.result, profile=model.result.profile or cast(Any, object()))
    for n in (1, 20, 500):
        model.probabilities([f"refund {row}" for row in range(n)])
    rows = [[int(text.split()[1]) for text in texts] for texts in seen]
    assert rows[:2] == [[0], list(range(20))]
    assert (rows[2][0], rows[2][-1], len(rows[2])) == (0, 499, 20)
    assert set(np.diff(rows[2])) <= {26, 27}


def test_no_request_is_dropped_while_models_change(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.isthmus"
    replace(path, folder / "lr.isthmus")
    model = ServedModel("m", str(path), isthmus.load)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_module, "LOOK_EVERY", 0.005)
        with TestClient(serving_app([model])) as client:
            for number in range(60):
                if number % 6 == 0:
                    replace(path, folder / f"{('other', 'lr')[number // 6 % 2]}.isthmus")
                answer = client.post("/v1/label", json={"documents": ["refund card", "crash"]})
                assert answer.status_code == 200
                results = answer.json()["results"]
                assert [one["label"] for one in results] in (["pay", "bug"], ["money", "fault"])  # never of two models
                assert all(one["label"] in one["probabilities"] for one in results)


def test_drift_is_a_gauge(folder: Path, tmp_path: Path) -> None:
    model = isthmus.load(folder / "lr.isthmus")
    whole = dataclasses.replace(
        model,
        source_texts=[row["text"] for row in SOURCE],
        target_texts=[row["text"] for row in TARGET],
    )
    isthmus.save(dataclasses.replace(model, profile=profile_target(whole)), tmp_path / "m.isthmus")
    served_model, metrics = ServedModel("m", str(tmp_path / "m.isthmus"), isthmus.load), Metrics()
    with TestClient(serving_app([served_model])) as client:
        for seed, extra, drifted in ((5, "t", "0.0"), (6, "z", "1.0")):
            texts = [row["text"] for row in make(1200, seed, extra)]
            assert 'isthmus_drift{model="m"} 1' not in client.get("/metrics").text
            for start in range(0, len(texts), 20):
                client.post("/v1/label", json={"documents": texts[start : start + 20]})
            assert f'isthmus_drift{{model="m"}} {drifted}' in client.get("/metrics").text
            drift = served_model.drift()
            assert drift is not None
            metrics.tell_drift({"m": drift})
        assert b'sign="class prior"' in metrics.text()
        metrics.tell_drift({"m": None})  # a new model has seen nothing yet
        assert b'model="m"' not in metrics.text()
