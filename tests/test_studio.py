"""The studio: what is confirmed is stored, strangers are refused, and exports are what the commands read."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from starlette.testclient import TestClient

import isthmus
from alone import alone
from command import run
from isthmus.cli.gathering import Reading
from isthmus.cli.studio import read_pair, read_uploaded
from isthmus.core.progress import announce
from isthmus.exceptions import DataError
from isthmus.selection import RANDOM, TEACHING
from isthmus.studio import Project, Session, studio_app
from isthmus.web import Guard
from test_quality import make, put, unlabelled

SOURCE, ROWS = make(40, 0), make(60, 1, "t")
TRUTH = {row["id"]: row["label"] for row in ROWS}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return put(tmp_path / "s.csv", SOURCE), put(tmp_path / "t.csv", unlabelled(ROWS))


@pytest.fixture
def session(tmp_path: Path, files: tuple[Path, Path]) -> Iterator[Session]:
    found = Session(Project(tmp_path / "project"), "LR")
    loaded = read_pair([str(files[0])], str(files[1]), Reading())
    found.begin(loaded.documents, loaded.meta)
    yield found
    found.wait()
    found.project.close()


def fitted(session: Session) -> Session:
    session.start_fit()
    session.wait()
    assert session.state()["fit"]["error"] is None
    return session


def shown(session: Session) -> dict[str, Any]:
    document = session.next_document()
    assert document is not None
    return document


def test_the_loop_without_a_browser(session: Session) -> None:
    assert session.next_document() is None
    fitted(session)
    kinds = []
    for _ in range(10):
        document = shown(session)
        kinds.append(document["kind"])
        session.answer(document["row"], "label", TRUTH[document["id"]])
    assert kinds == [RANDOM, TEACHING] * 5
    state = session.state()["labelling"]
    assert (state["labelled"], state["since_fit"]) == (10, 10)
    assert (state["measured"]["n"], state["measured"]["right"]) == (5, 5)  # LR has no trouble with these
    assert 0.5 < state["measured"]["low"] < state["measured"]["value"] == 1
    before = session.result().labels
    fitted(session)
    result = session.state()["result"]
    assert result["n_labels"] == 10
    assert result["moved"] == int((before != session.result().labels).sum())
    assert session.state()["labelling"]["since_fit"] == 0
    assert shown(session)["row"] not in session.project.answers()


def test_a_guess_that_is_wrong_is_measured_as_wrong(session: Session) -> None:
    fitted(session)
    document = shown(session)
    assert document["kind"] == RANDOM
    guess = next(iter(session.guess(document["row"])))
    session.answer(document["row"], "label", {"pay": "bug", "bug": "pay"}[guess])
    assert session.state()["labelling"]["measured"]["right"] == 0
    session.project.undo()
    assert shown(session) == document
    assert session.state()["labelling"]["measured"] is None
    session.answer(document["row"], "none", None)  # of no class: the guess is wrong, and nothing is learned
    assert session.state()["labelling"]["measured"]["n"] == 1
    assert session.state()["labelling"]["labelled"] == 0
    for kind in (TEACHING, RANDOM):
        assert shown(session)["kind"] == kind
        session.answer(shown(session)["row"], "skip", None)
        assert session.state()["labelling"]["measured"]["n"] == 1
    session.answer(shown(session)["row"], "label", " praise ")  # a class of its own
    assert "praise" in session.state()["labelling"]["classes"]
    for row, action, label in ((0, "label", None), (0, "skip", "pay"), (1000, "label", "pay"), (-1, "skip", None)):
        with pytest.raises(DataError):
            session.answer(row, action, label)


def test_all_documents_come_once(session: Session) -> None:
    fitted(session)
    seen = []
    while (document := session.next_document()) is not None:
        seen.append(document["row"])
        session.answer(document["row"], "none", None)
    assert sorted(seen) == list(range(len(ROWS)))


def test_what_was_skipped_comes_again_in_the_end(session: Session) -> None:
    """In its order, and as what it was: a random document that was left for later still measures."""
    fitted(session)
    first = shown(session)
    session.answer(first["row"], "skip", None)
    others = []
    while (document := shown(session)) != first:
        others.append(document)
        session.answer(document["row"], "skip" if len(others) > len(ROWS) - 3 else "none", None)
    assert first["kind"] == RANDOM
    for document in (first, *others[len(ROWS) - 3 :]):
        assert shown(session) == document
        session.answer(document["row"], "label", TRUTH[document["id"]])
    assert session.next_document() is None
    n_drawn = 1 + sum(document["kind"] == RANDOM for document in others)
    assert session.state()["labelling"]["measured"]["n"] == n_drawn


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
    assert session.state()["labelling"]["classes"] == ["pay", "bug", "Pay"]


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


def test_a_fit_changes_no_document_that_somebody_reads(session: Session) -> None:
    fitted(session)
    session.answer(shown(session)["row"], "label", "pay")
    reading, waiting = shown(session), session.project.batch()
    fitted(session)
    assert shown(session) == reading
    assert session.project.batch()[1:] != waiting[2:]


def test_what_is_taken_back_is_shown_again_and_learned_anew(session: Session) -> None:
    fitted(session)
    documents = []
    for _ in range(3):
        documents.append(shown(session))
        session.answer(documents[-1]["row"], "label", TRUTH[documents[-1]["id"]])
    fitted(session)
    assert session.state()["labelling"]["since_fit"] == 0
    session.project.undo()
    assert shown(session) == documents[-1]
    assert session.state()["labelling"]["since_fit"] == 1
    session.answer(documents[-1]["row"], "label", "praise")
    assert session.state()["labelling"]["since_fit"] == 2  # one is gone, and one came


def test_a_project_is_open_once(session: Session) -> None:
    with pytest.raises(DataError, match="is open in another studio: end that one, or name another project"):
        Project(session.project.path)
    assert session.state()["files"]["n_target"] == len(ROWS)


def test_a_project_opens_again_as_it_was(session: Session) -> None:
    fitted(session)
    for _ in range(3):
        document = shown(session)
        session.answer(document["row"], "label", TRUTH[document["id"]])
    before, waiting, result = session.state(), session.next_document(), session.result()
    session.project.close()
    again = Session(Project(session.project.path), "LR")
    assert again.state() == before
    assert again.next_document() == waiting
    assert again.result().predict_proba(["card crash"]).tolist() == result.predict_proba(["card crash"]).tolist()
    assert list(again.result().target_texts) == [row["text"] for row in ROWS]
    again.project.close()


def test_other_files_are_no_projects(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match="cannot be opened as a project"):
        Project(tmp_path / "a")
    other = sqlite3.connect(tmp_path / "b")
    other.execute("CREATE TABLE mine (x)")
    other.commit()
    other.close()
    with pytest.raises(DataError, match="is no project of isthmus studio"):
        Project(tmp_path / "b")


def test_a_fit_that_fails_says_why_and_leaves_the_rest(session: Session) -> None:
    with mock.patch("isthmus.studio.session.transfer", side_effect=ValueError("no word is left")):
        session.start_fit()
        session.wait()
    nothing: dict[str, Any] = {"running": False, "seconds": None, "done": [], "now": None, "left": []}
    assert session.state()["fit"] == {**nothing, "error": "no word is left", "number": 0}
    assert session.state()["files"]["n_target"] == 60
    fitted(session)


def test_the_progress_of_each_candidate_is_told(session: Session) -> None:
    seen = []

    def work(*_: object, **__: object) -> None:
        announce("first", ["second"])
        announce("second", [])
        seen.append(session.state()["fit"])
        raise ValueError("enough")

    with mock.patch("isthmus.studio.session.transfer", side_effect=work):
        session.start_fit()
        session.wait()
    assert (seen[0]["done"], seen[0]["now"], seen[0]["left"]) == (["first"], "second", [])


# Imports once, and then makes processes that answer and store fits until they are killed, each after some answers, and
# at any moment after that. What they had confirmed must be there.
KILLER = """
import json, os, random, signal, sys, time
from pathlib import Path
import numpy as np
from isthmus.selection import Pick
from isthmus.studio import Project

path, times = Path(sys.argv[1]), int(sys.argv[2])
random.seed(0)
Project(path).close()
confirmed = set()
for attempt in range(times):
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        project = Project(path)
        for number in range(1000):
            row = attempt * 1000 + number
            project.add_answer(row, "label", str(row), "random", None)
            os.write(writing, b"%d\\n" % row)
            if number % 7 == 3:
                batch = [Pick(row, "random"), Pick(row + 1, "teaching")]
                project.store_fit({"classes": ["a"]}, np.ones((500, 1)), bytes(200_000), batch, row)
        os._exit(0)
    os.close(writing)
    lines = os.fdopen(reading)
    for _ in range(random.randrange(1, 30)):
        confirmed.add(int(lines.readline()))
    time.sleep(random.random() * 0.005)
    os.kill(process, signal.SIGKILL)
    confirmed.update(map(int, lines.read().split()))
    os.waitpid(process, 0)
    project = Project(path)
    found = set(project.answers())
    assert confirmed <= found, (attempt, confirmed - found)
    assert len(project.batch()) in (0, 2)  # a fit is there with its batch, or not at all
    project.close()
print(times, len(confirmed))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_loses_no_confirmed_label(tmp_path: Path) -> None:
    done = alone(KILLER, tmp_path / "project", 12)
    assert done.code == 0, done.stderr
    times, confirmed = map(int, done.stdout.split())
    assert times == 12
    assert confirmed >= 12


# ---- over HTTP


@pytest.fixture
def client(session: Session) -> TestClient:
    app = studio_app(session, lambda one, other, columns: read_uploaded(one, other, columns, Reading()))
    guarded = Guard(app, hosts=["127.0.0.1:80"], token="secret")
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
        TestClient(Guard(app, [f"127.0.0.1:{port}"], token=f"of-{port}"), base_url=f"http://127.0.0.1:{port}")
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
    guarded = Guard(studio_app(session, lambda *_: pytest.fail("nothing is read")), [], token="secret")

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


def test_in_the_report_the_random_sample_alone_measures(session: Session, client: TestClient) -> None:
    fitted(session)
    for number in range(6):
        document = shown(session)
        right = session.guess(document["row"])
        wrong = document["kind"] != RANDOM or number > 3
        session.answer(document["row"], "label", list(right)[wrong])
    measured = session.state()["labelling"]["measured"]
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


def test_what_reading_warns_of_is_in_the_page(tmp_path: Path) -> None:
    put(tmp_path / "s.csv", SOURCE)
    (tmp_path / "t.csv").write_bytes(b"id,text\n1,caf\xe9 refund\n")
    found = read_pair([str(tmp_path / "s.csv")], str(tmp_path / "t.csv"), Reading()).meta["findings"]
    assert found[0] == "t.csv, line 2, is not UTF-8: read as Windows-1252. Name the right one with --encoding."


def test_the_command_refuses_what_it_cannot_do(tmp_path: Path, files: tuple[Path, Path]) -> None:
    (tmp_path / "old").write_text("x")
    given = ["--source", files[0], "--target", files[1]]
    assert "exists: leave --source and --target out to go on" in run("studio", tmp_path / "old", *given).sentence
    assert run("studio", tmp_path / "new", "--source", files[0]).code == 2
    assert run("studio", tmp_path / "new", *given, "--method", "none").code == 2
    assert "no column that is clearly the label" in run("studio", tmp_path / "new", "--source", files[1], "--target",
                                                        files[1]).sentence  # fmt: skip
    assert not (tmp_path / "new").exists()
