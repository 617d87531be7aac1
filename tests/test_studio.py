"""The studio: what is confirmed is stored, strangers are refused, and exports are what the commands read."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from alone import alone
from command import run
from isthmus.cli.gathering import Reading
from isthmus.cli.studio import read_pair
from isthmus.core.progress import announce
from isthmus.exceptions import DataError
from isthmus.selection import RANDOM, TEACHING
from isthmus.studio import Project, Session
from test_quality import make, put, unlabeled

SOURCE, ROWS = make(40, 0), make(60, 1, "t")
TRUTH = {row["id"]: row["label"] for row in ROWS}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return put(tmp_path / "s.csv", SOURCE), put(tmp_path / "t.csv", unlabeled(ROWS))


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
    state = session.state()["labeling"]
    assert (state["labeled"], state["since_fit"]) == (10, 10)
    assert (state["measured"]["n"], state["measured"]["right"]) == (5, 5)  # LR has no trouble with these
    assert 0.5 < state["measured"]["low"] < state["measured"]["value"] == 1
    before = session.result().labels
    fitted(session)
    result = session.state()["result"]
    assert result["n_labels"] == 10
    assert result["moved"] == int((before != session.result().labels).sum())
    assert session.state()["labeling"]["since_fit"] == 0
    assert shown(session)["row"] not in session.project.answers()


def test_a_guess_that_is_wrong_is_measured_as_wrong(session: Session) -> None:
    fitted(session)
    document = shown(session)
    assert document["kind"] == RANDOM
    guess = next(iter(session.guess(document["row"])))
    session.answer(document["row"], "label", {"pay": "bug", "bug": "pay"}[guess])
    assert session.state()["labeling"]["measured"]["right"] == 0
    session.project.undo()
    assert shown(session) == document
    assert session.state()["labeling"]["measured"] is None
    session.answer(document["row"], "none", None)  # of no class: the guess is wrong, and nothing is learned
    assert session.state()["labeling"]["measured"]["n"] == 1
    assert session.state()["labeling"]["labeled"] == 0
    for kind in (TEACHING, RANDOM):
        assert shown(session)["kind"] == kind
        session.answer(shown(session)["row"], "skip", None)
        assert session.state()["labeling"]["measured"]["n"] == 1
    session.answer(shown(session)["row"], "label", " praise ")  # a class of its own
    assert "praise" in session.state()["labeling"]["classes"]
    for row, action, label in ((0, "label", None), (0, "skip", "pay"), (1000, "label", "pay"), (-1, "skip", None)):
        with pytest.raises(DataError):
            session.answer(row, action, label)


def test_a_mistake_stays_one_after_the_model_has_learned_it(session: Session) -> None:
    """Taken back and given again, a label measures what was guessed before it was known."""
    fitted(session)
    row = shown(session)["row"]
    guess = next(iter(session.guess(row)))
    other = {"pay": "bug", "bug": "pay"}[guess]
    session.answer(row, "label", other)
    fitted(session)
    session.project.undo()
    with mock.patch.object(session, "guess", return_value={other: 1.0}):  # which a model may that has learned it
        session.answer(row, "label", other)
    assert session.project.answers()[row].guess == guess
    assert session.state()["labeling"]["measured"]["right"] == 0


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
    assert session.state()["labeling"]["measured"]["n"] == n_drawn


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
    assert session.state()["labeling"]["since_fit"] == 0
    session.project.undo()
    assert shown(session) == documents[-1]
    assert session.state()["labeling"]["since_fit"] == 1
    session.answer(documents[-1]["row"], "label", "praise")
    assert session.state()["labeling"]["since_fit"] == 2  # one is gone, and one came


def test_a_project_is_open_once(session: Session) -> None:
    with pytest.raises(DataError, match="is open in another studio: end that one, or name another project"):
        Project(session.project.path)
    assert session.state()["files"]["n_target"] == len(ROWS)


def test_a_copy_of_an_open_project_has_all_of_it(session: Session, tmp_path: Path) -> None:
    """Which is how people back it up."""
    fitted(session)
    document = shown(session)
    session.answer(document["row"], "label", TRUTH[document["id"]])
    shutil.copy(session.project.path, tmp_path / "copy")
    copied = Session(Project(tmp_path / "copy"), "LR")
    assert copied.state() == {**session.state(), "project": "copy"}
    assert len(copied.project.answers()) == 1
    copied.project.close()


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
