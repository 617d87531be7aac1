"""The studio over HTTP: strangers are refused, bad requests get a sentence, and exports are what commands read."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from starlette.testclient import TestClient

import isthmus
from command import run
from isthmus.cli.gathering import Reading
from isthmus.cli.studio import read_uploaded
from isthmus.selection import RANDOM
from isthmus.studio import Project, Session, studio_app
from isthmus.web import Guard, own_names
from test_quality import put
from test_studio import ROWS, TRUTH, files, fitted, session, shown

__all__ = ["files", "session"]  # fixtures


def test_a_new_class_that_is_spelled_like_another_has_to_be_meant(session: Session, client: TestClient) -> None:
    row = shown(fitted(session))["row"]
    for slip in ("Pay", "bugg"):
        asked = client.post("/api/answer", json={"row": row, "action": "label", "label": slip})
        assert (asked.status_code, asked.json()["doubtful"]) == (409, True)
        assert f"{slip!r} is spelled almost like" in asked.json()["error"]
    assert session.project.answers() == {}
    meant = {"row": row, "action": "label", "label": "Pay", "is_meant": True}
    assert client.post("/api/answer", json=meant).status_code == 200
    assert client.post("/api/answer", json={"row": row, "action": "label", "label": "Pay"}).status_code == 200
    assert session.state()["labeling"]["classes"] == ["pay", "bug", "Pay"]


def test_any_class_of_the_source_can_be_given_and_half_characters_are_replaced(
    session: Session, client: TestClient
) -> None:
    """However long its name is, and whatever characters nobody sees it has, such as a joiner of Persian words."""
    names = ["mi\u200ckhaham", "a\u00a0b", "long " * 100 + "name"]
    documents = session.documents
    labels = [names[row % 3] for row in range(len(documents.source_labels))]
    session.begin(replace(documents, source_labels=labels), {"classes": dict.fromkeys(names, 1)})
    fitted(session)
    for label, stored in (
        *((name, name) for name in names),
        ("new\u200cone", "new\u200cone"),
        ("half \ud800", "half ?"),
    ):
        said = json.dumps({"row": shown(session)["row"], "action": "label", "label": label, "is_meant": True})
        answer = client.post("/api/answer", content=said)
        assert answer.status_code == 200, answer.json()
        assert [one.label for one in session.project.answers().values()][-1] == stored


def test_an_answer_is_about_the_documents_that_were_shown(
    session: Session, client: TestClient, files: tuple[Path, Path]
) -> None:
    """Not about others that another tab has chosen since, which it may not do once there are answers."""
    row, before = shown(fitted(session))["row"], session.state()["files"]["id"]
    upload = {
        "source": ("s.csv", files[0].read_bytes()),
        "target": ("t.csv", put(files[1].with_name("o.csv"), ROWS[1:]).read_bytes()),
    }
    assert client.post("/api/files", files=upload).json()["files"]["id"] != before
    fitted(session)
    late = client.post("/api/answer", json={"row": row, "action": "label", "label": "pay", "of": before})
    assert (late.status_code, late.json()["doubtful"]) == (409, False)
    assert "Other files have been chosen since" in late.json()["error"]
    assert session.project.answers() == {}
    own = {"row": row, "action": "label", "label": "pay", "of": session.state()["files"]["id"]}
    assert client.post("/api/answer", json=own).status_code == 200
    refused = client.post("/api/files", files=upload)
    assert refused.status_code == 400
    assert "Answers about the documents that there are (1) would be lost" in refused.json()["error"]
    assert len(session.project.answers()) == 1


@pytest.fixture
def client(session: Session) -> TestClient:
    app = studio_app(session, lambda one, other, columns: read_uploaded(one, other, columns, Reading()))
    guarded = Guard(app, hosts=["127.0.0.1:80"], token="secret", remedy="Open it anew.")
    return TestClient(guarded, base_url="http://127.0.0.1:80", headers={"authorization": "Bearer secret",
                                                                        "host": "127.0.0.1:80"})  # fmt: skip


def test_strangers_are_refused(client: TestClient) -> None:
    assert client.get("/api/state").status_code == 200
    assert client.get("/api/state", headers={"host": "evil.example"}).status_code == 421  # DNS rebinding
    for wrong in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert client.post("/api/undo", headers=wrong).status_code == 403
    assert client.post("/api/undo", headers={"origin": "http://127.0.0.1:80"}).status_code == 200
    assert client.get("/api/state", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/api/state", headers={"authorization": "", "cookie": "isthmus-80=\x01=;;"}).status_code == 401
    entered = client.get("/?token=secret", headers={"authorization": ""})
    assert entered.status_code == 200
    assert "HttpOnly; SameSite=Strict" in entered.headers["set-cookie"]
    assert "default-src 'none'" in entered.headers["content-security-policy"]
    assert client.get("/", headers={"authorization": "", "cookie": "isthmus-80=secret"}).status_code == 200


def test_tokens_and_names_of_any_kind(session: Session) -> None:
    """Headers are bytes: whoever sends another script in one means UTF-8. Port 80 goes without saying."""
    app = studio_app(session, lambda *_: pytest.fail("nothing is read"))
    guarded = Guard(app, own_names("127.0.0.2", 80), token="geheimnö-秘", remedy="Open it anew.")
    client = TestClient(guarded, base_url="http://127.0.0.2")
    brought = {b"authorization": "Bearer geheimnö-秘".encode()}
    assert client.get("/api/state", headers=brought).status_code == 200
    assert client.get("/api/state", headers={b"authorization": b"Bearer geheimn"}).status_code == 401
    for host in (b"127.0.0.2:80", b"localhost", b"[::1]"):
        assert client.get("/api/state", headers={**brought, b"host": host}).status_code == 200
    assert client.get("/api/state", headers={**brought, b"host": b"127.0.0.2:81"}).status_code == 421
    cookie = "isthmus-80=geheimnö-秘".encode()
    assert client.get("/api/state", headers={b"cookie": cookie}).status_code == 200
    sent = list[Any]()  # which the client cannot show: its cookies are ASCII

    async def send(message: Any) -> None:
        sent.append(message)

    address = {"type": "http", "method": "GET", "path": "/api/state", "server": ("127.0.0.2", 80)}
    asked = {"query_string": b"token=geheimn%C3%B6-%E7%A7%98", "headers": [(b"host", b"127.0.0.2")]}
    with ThreadPoolExecutor() as pool:  # a test with a browser may have left a loop in this thread
        pool.submit(asyncio.run, guarded({**address, **asked}, mock.AsyncMock(), send)).result()
    assert sent[0]["status"] == 200
    assert dict(sent[0]["headers"])[b"set-cookie"].startswith(cookie)


def test_cookies_of_others_lock_nobody_out(client: TestClient) -> None:
    """Those of every program on 127.0.0.1 come along: cookies know no ports."""
    client.cookies.clear()
    for others in ('a={"x":1}; ', "foo; ", "u@x=1; ", "isthmus=other; isthmus-81=other; "):
        headers = {"authorization": "", "cookie": f"{others}isthmus-80=secret"}
        assert client.get("/api/state", headers=headers).status_code == 200, others
        assert client.get("/api/state", headers={**headers, "cookie": f"{others}x=secret"}).status_code == 401


def test_two_servers_keep_each_others_visitors(session: Session) -> None:
    app = studio_app(session, lambda *_: pytest.fail("nothing is read"))
    servers = [
        TestClient(
            Guard(app, [f"127.0.0.1:{port}"], token=f"of-{port}", remedy="Open it anew."),
            base_url=f"http://127.0.0.1:{port}",
        )
        for port in (81, 82)
    ]
    kept: dict[str, str] = {}  # as a browser keeps them
    for server, port in zip(servers, (81, 82), strict=True):
        name, _, value = server.get(f"/?token=of-{port}").headers["set-cookie"].partition(";")[0].partition("=")
        kept[name] = value
    for server in servers:
        server.cookies.clear()
        brought = {"cookie": "; ".join(f"{name}={value}" for name, value in kept.items())}
        assert server.get("/api/state", headers=brought).status_code == 200


@pytest.mark.parametrize("server", [None, ("/run/studio", None)])
def test_behind_a_unix_socket_there_is_no_port(session: Session, server: Any) -> None:
    guarded = Guard(
        studio_app(session, lambda *_: pytest.fail("nothing is read")), [], token="secret", remedy="Open it anew."
    )

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        await guarded({**scope, "server": server}, receive, send)

    client = TestClient(behind)
    assert client.get("/api/state").status_code == 401
    assert client.get("/?token=secret").status_code == 200
    assert client.get("/api/state").status_code == 200  # the client has kept the cookie


def test_bad_requests_get_a_sentence(client: TestClient) -> None:
    for path, options in {
        "/api/answer": {"content": b"\xff{"},
        "/api/answer?": {"json": [1]},
        "/api/answer?2": {"json": {"row": "1", "action": "label", "label": "pay"}},
        "/api/answer?3": {"json": {"row": 1, "action": "burn", "label": None}},
        "/api/answer?4": {"json": {"row": 1, "action": "label", "label": "pay"}},  # nothing was fitted
        "/api/answer?5": {"json": {"row": True, "action": "label", "label": "pay"}},
        "/api/answer?6": {"content": b'{"row": 1, "action": "label", "label": "\\ud800"}'},
        "/api/answer?7": {"json": {"row": 1, "action": "label", "label": "x" * 201}},
        "/api/files": {"files": {"source": ("s.csv", b"text,label\na,x\n")}},
        "/api/files?2": {"files": {"source": ("s.csv", b""), "target": ("t.csv", b"text\na\n")}},
        "/api/files?3": {"data": {"source": "no file", "target": "none"}},
    }.items():
        answer = client.post(path, **options)  # type: ignore[arg-type]
        assert answer.status_code == 400, path
        assert answer.json()["error"].endswith("."), path
    assert client.get("/export/other").status_code == 404
    assert client.get("/export/model.isthmus").status_code == 400
    assert client.get("/api/guess/3").status_code == 400


def test_columns_are_named_in_the_page(client: TestClient) -> None:
    files = {"source": ("s.csv", b"words,kind\na b,x\nc d,y\n"), "target": ("t.csv", b"nr,texts\n1,a c\n2,b d\n")}
    asked = client.post("/api/files", files=files)
    assert asked.json()["error"] == (
        "s.csv has no column that is clearly the text: choose “Text” from 'words', 'kind'."
    )  # and neither a folder of the server nor an option of the command
    columns = {"text": "words", "label": "kind", "target_text": "texts"}
    wrong = client.post("/api/files", files=files, data=columns | {"label": "class"})
    assert wrong.json()["error"].startswith("s.csv has no column 'class', which “Label” names")
    read = client.post("/api/files", files=files, data=columns).json()["files"]
    assert (read["classes"], read["n_target"]) == ({"x": 1, "y": 1}, 2)


def test_encodings_are_named_in_the_page(client: TestClient) -> None:
    files = {
        "source": ("..", "text,label\nwasser,x\ngrün,y\n".encode("utf-16-le")),
        "target": (f"{'长' * 300}.csv", "id,text\n1,水果\n".encode("gb18030")),
    }
    read = client.post("/api/files", files=files, data={"encoding": "utf-16-le"}).json()
    assert "is not in the encoding utf-16-le" in read["error"] or "no column" in read["error"]
    told = {"encoding": "utf-16-le", "target_encoding": "gb18030"}
    read = client.post("/api/files", files=files, data=told).json()
    assert read["files"]["classes"] == {"x": 1, "y": 1}
    assert read["files"]["target"].endswith("长.csv")
    files["source"] = ("s.csv", b"text,label\na,x\nb,y\n")
    findings = client.post("/api/files", files=files).json()["files"]["findings"]
    assert any(finding.endswith("Name the right one with “Encoding”.") for finding in findings)


def test_rows_that_are_left_out_may_be_why(client: TestClient) -> None:
    files = {
        "source": ("s.jsonl", b'{"text": "a", "label": "x"}\n{"text": "b", "lab\n[1]\n'),
        "target": ("t.csv", b"text\na\n"),
    }
    refused = client.post("/api/files", files=files).json()["error"]
    assert refused.startswith("The source has one label only, 'x'")
    assert "Left out: s.jsonl: 2 rows without a JSON object (lines 2, 3)." in refused


def test_what_a_library_refuses_is_a_sentence_too(client: TestClient) -> None:
    many = [("source", ("s.csv", b"text")), ("target", ("t.csv", b"text")), ("more", ("m.csv", b"text"))]
    assert "Too many files" in client.post("/api/files", files=many).json()["error"]
    assert client.get("/nowhere").json()["error"] == "Not Found"


def test_what_cannot_be_stored_is_not_confirmed(session: Session, client: TestClient) -> None:
    row = shown(fitted(session))["row"]
    full = sqlite3.OperationalError("database or disk is full")
    with mock.patch.object(Project, "add_answer", side_effect=full):
        answer = client.post("/api/answer", json={"row": row, "action": "label", "label": "pay"})
    assert answer.status_code == 507
    assert "This was not stored: database or disk is full" in answer.json()["error"]
    assert shown(session)["row"] == row


def test_exports_are_what_the_commands_read(session: Session, client: TestClient, files: Any, tmp_path: Path) -> None:
    fitted(session)
    for _ in range(6):
        document = shown(session)
        session.answer(document["row"], "label", TRUTH[document["id"]])
    fitted(session)
    labels = list(csv.DictReader(io.StringIO(client.get("/export/labels.csv").text)))
    assert {row["id"]: row["label"] for row in labels} == {row["id"]: TRUTH[row["id"]] for row in labels}
    sample = list(csv.DictReader(io.StringIO(client.get("/export/sample.csv").text)))
    assert [row["kind"] for row in sample] == [RANDOM] * 3
    (tmp_path / "labels.csv").write_bytes(client.get("/export/labels.csv").content)
    given = ["--source", files[0], "--target", files[1], "--labels", tmp_path / "labels.csv"]
    done = run("fit", *given, "--method", "LR", "--json")
    assert json.loads(done.stdout)["target"]["known_labels"] == 6
    assert json.loads(done.stdout)["measured_before"]["documents"] == 3
    (tmp_path / "m.isthmus").write_bytes(client.get("/export/model.isthmus").content)
    loaded = isthmus.load(tmp_path / "m.isthmus")
    predictions = list(csv.DictReader(io.StringIO(client.get("/export/predictions.csv").text)))
    assert [row["label"] for row in predictions] == loaded.labels.tolist()
    report = client.get("/export/report.html")
    assert "of s.csv over to t.csv." in report.text
    assert report.headers["content-disposition"] == 'attachment; filename="report.html"'


def test_a_document_of_no_class_measures_and_is_not_learned(
    session: Session, client: TestClient, files: Any, tmp_path: Path
) -> None:
    fitted(session)
    for action in ("label", "label", "none"):  # the first and the third are random
        document = shown(session)
        label = next(iter(session.guess(document["row"]))) if action == "label" else None
        session.answer(document["row"], action, label)
    measured = session.project.measured()
    assert measured is not None
    (tmp_path / "labels.csv").write_bytes(client.get("/export/labels.csv").content)
    given = ["--source", files[0], "--target", files[1], "--labels", tmp_path / "labels.csv"]
    found = json.loads(run("fit", *given, "--method", "LR", "--json").stdout)
    assert found["target"]["known_labels"] == 2
    assert found["measured_before"] == measured.as_dict()
    assert (measured.right, measured.n) == (1, 2)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "labels.csv").read_text(), newline="")))
    put(tmp_path / "labels.csv", [row for row in rows if row["label"] == "none of these"])
    assert "no label of a class, but 'none of these' alone" in run("fit", *given, "--method", "LR").sentence


def test_in_the_report_the_random_sample_alone_measures(session: Session, client: TestClient) -> None:
    fitted(session)
    for number in range(6):
        document = shown(session)
        right = session.guess(document["row"])
        wrong = document["kind"] != RANDOM or number > 3
        session.answer(document["row"], "label", list(right)[wrong])
    measured = session.state()["labeling"]["measured"]
    assert (measured["right"], measured["n"]) == (2, 3)
    assert re.search(r">67%</b>\s+of the 3 labels whose truth is known", client.get("/export/report.html").text)
    session.project.undo()
    session.project.undo()
    session.answer(shown(session)["row"], "none", None)
    assert re.search(r">67%</b>\s+of the 3 labels whose truth is known", client.get("/export/report.html").text)


def test_a_report_keeps_what_was_measured_before_it_was_learned(session: Session, client: TestClient) -> None:
    fitted(session)
    for number in range(6):
        document = shown(session)
        session.answer(document["row"], "label", list(session.guess(document["row"]))[number > 3])
    said = "Of 3 documents drawn at random, the labels that were suggested before are right in 2: 67%"
    assert said not in client.get("/export/report.html").text
    fitted(session)
    report = client.get("/export/report.html").text
    assert said in report
    assert "whose truth is known" not in report


def test_the_report_needs_no_class_that_came_after_the_fit(session: Session, client: TestClient) -> None:
    fitted(session)
    session.answer(shown(session)["row"], "label", "praise")
    assert "of s.csv over to t.csv." in client.get("/export/report.html").text
