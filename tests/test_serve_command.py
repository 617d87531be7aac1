"""isthmus serve and isthmus info, and what a server says to strangers and writes down."""

from __future__ import annotations

import json
import shutil
import sys
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
from starlette.testclient import TestClient

from command import run
from isthmus.cli.serve import _load
from isthmus.serving import serving_app
from isthmus.web import Guard
from test_serve import TARGET, folder, served

__all__ = ["folder"]  # a fixture


def test_others_need_a_token_and_names_must_differ(folder: Path) -> None:
    model = folder / "lr.isthmus"
    assert run("serve", model, "--host", "0.0.0.0").code == 2
    assert "Two models are called 'lr'" in run("serve", model, model).sentence
    assert "does not exist" in run("serve", folder / "none").sentence
    assert [one.name for one in _load([f"b={model}"], None)] == ["b"]
    (folder / "rate=0.1").mkdir()
    shutil.copy(model, folder / "rate=0.1" / "lr.isthmus")
    assert [one.name for one in _load([str(folder / "rate=0.1" / "lr.isthmus")], None)] == ["lr"]
    assert "cannot be listened on" in run("serve", model, "--host", "203.0.113.7", "--token", "x").sentence


def test_a_library_that_is_missing_is_named_with_its_extra(folder: Path) -> None:
    for modules, command in ((("prometheus_client",), "serve"), (("uvicorn", "python_multipart"), "studio")):
        with mock.patch.dict(sys.modules, dict.fromkeys(modules)):
            refused = run(command, folder / "lr.isthmus")
        assert refused.sentence.endswith(
            f"isthmus {command} needs {' and '.join(modules)}: pip install 'isthmus[{command}]'."
        )


def test_probes_need_no_token_and_the_rest_does(folder: Path) -> None:
    app = serving_app(served(folder, "lr"))
    guarded = Guard(app, hosts=[], token="secret", remedy="Send it.", open_paths=["/healthz", "/readyz"])
    with TestClient(guarded) as client:
        assert client.get("/healthz").status_code == 200
        refused = client.post("/v1/label", json={"documents": ["a"]})
        assert (refused.status_code, "Send it." in refused.text) == (401, True)
        right = {"authorization": "Bearer secret"}
        assert client.post("/v1/label", json={"documents": ["a"]}, headers=right).status_code == 200


def test_logs_hold_nothing_of_a_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with TestClient(serving_app(served(folder, "lr"), logs=True)) as client:
        client.post("/v1/models/lr/label", json={"documents": ["secret refund"]})
        client.post("/v1/models/secret/label", json={"documents": ["refund"]})
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["path"], line["status"], line["documents"]) for line in lines] == [
        ("/v1/models/{name}/label", 200, 1),
        ("/v1/models/{name}/label", 404, 0),
    ]
    assert "secret" not in json.dumps(lines)


def test_a_model_that_fails_is_counted_logged_and_answered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (model,) = served(folder, "lr")
    failing = mock.patch.object(model, "probabilities", side_effect=IndexError("no such row"))
    with TestClient(serving_app([model], logs=True), raise_server_exceptions=False) as client:
        with failing:
            answer = client.post("/v1/label", json={"documents": ["refund"]})
        counted, described = client.get("/metrics").text, client.get("/openapi.json").json()
        assert client.post("/v1/label", json={"documents": ["refund"]}).status_code == 200  # the next one is well
    assert (answer.status_code, answer.json()) == (500, {"error": "The model failed on this request."})
    assert 'isthmus_requests_total{path="/v1/label",status="500"} 1.0' in counted
    assert "500" in described["paths"]["/v1/label"]["post"]["responses"]
    *trace, failed, looked, well = capsys.readouterr().err.splitlines()
    assert [json.loads(line)["status"] for line in (failed, looked, well)] == [500, 200, 200]
    assert trace[-1] == "IndexError: no such row"


def test_info_tells_what_is_in_a_file(folder: Path, tmp_path: Path) -> None:
    found = json.loads(run("info", folder / "tcl.isthmus", "--json").stdout)
    assert (found["model"], found["method"]) == ("Result", "TCL")
    assert found["bytes"] == (folder / "tcl.isthmus").stat().st_size
    assert 0 < sum(one["bytes"] for one in found["arrays"]) < found["bytes"]
    printed = run("info", folder / "tcl.isthmus", "--all").stdout
    assert "Result of TCL(" in printed
    assert all(one["name"] in printed for one in found["arrays"])
    assert "Classes: 'bug', 'pay'." in printed
    assert f"Learned from {len(TARGET)} target texts." in printed
    assert found["learned"]["classes"] == ["bug", "pay"]
    assert "Texts are read as words" in printed
    content = (folder / "tcl.isthmus").read_bytes()
    (tmp_path / "forged").write_bytes(content.replace(b"classes", b"clashes", 1))
    assert "Classes" not in run("info", tmp_path / "forged").stdout  # nobody vouches for it
    (tmp_path / "x").write_bytes(b"no model")
    assert "is no model file" in run("info", tmp_path / "x").sentence
    assert "is no file" in run("info", tmp_path / "y").sentence


def test_refusals_are_counted_and_logged_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Otherwise a server that refuses everybody looks idle."""
    guard = partial(
        Guard, hosts=[], token="secret", remedy="Send it.", open_paths=["/healthz", "/metrics"], as_json=True
    )
    with TestClient(serving_app(served(folder, "lr"), logs=True, guard=guard)) as client:
        assert client.post("/v1/label", json={"documents": ["a"]}).json() == {"error": "Send it."}
        client.headers["authorization"] = "Bearer secret"
        assert client.get("/nothing").json() == {"error": "Not Found."}
        assert client.get("/v1/label").json() == {"error": "Method Not Allowed."}
        assert client.get("/v1/models").status_code == 200
        assert client.get("/healthz").status_code == 200  # which asks every few seconds: counted, and not logged
        counted = client.get("/metrics").text
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("POST", "other", 401),
        ("GET", "other", 404),
        ("GET", "/v1/label", 405),
        ("GET", "/v1/models", 200),
    ]
    for path, status in (("other", 401), ("/v1/models", 200), ("/healthz", 200)):
        assert f'isthmus_requests_total{{path="{path}",status="{status}"}} 1.0' in counted


def test_names_that_no_address_can_hold_and_empty_tokens_are_refused(folder: Path) -> None:
    file = folder / "lr.isthmus"
    for given in (f"a/b={file}", f"={file}"):
        assert "give it a name without a slash" in run("serve", given).sentence
    assert "it is empty" in run("serve", file, "--token", "").err
