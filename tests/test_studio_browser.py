"""The studio in a real browser: the whole loop goes by keyboard, and texts stay texts."""

from __future__ import annotations

import csv
import io
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isthmus
from isthmus.cli.gathering import Reading
from isthmus.cli.studio import read_pair, read_uploaded
from isthmus.core.proportions import wilson
from isthmus.datasets import load_newsgroups
from isthmus.selection import RANDOM, TEACHING
from isthmus.studio import Project, Session, studio_app
from isthmus.web import Guard, free_socket, make_server
from test_quality import put, unlabeled
from test_studio import ROWS, SOURCE, TRUTH, fitted

PATIENCE = 240_000
"""Milliseconds: however busy the machine is."""


class Running:
    """A studio on a port of its own, in a thread."""

    def __init__(self, session: Session) -> None:
        self._socket = free_socket("127.0.0.1", 0)
        port = self._socket.getsockname()[1]
        app = studio_app(session, lambda one, other, columns: read_uploaded(one, other, columns, Reading()))
        self.server = make_server(Guard(app, hosts=[f"127.0.0.1:{port}"], token="secret", remedy="Open it anew."))
        self.address = f"http://127.0.0.1:{port}/?token=secret"
        self._thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self._socket]})
        self._thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def end(self) -> None:
        self.server.should_exit = True
        self._thread.join()
        self._socket.close()


def press_label(page: Any, truth: Mapping[str, str]) -> str:
    """The key of the class that the shown document has; its id, once the next one is there."""
    name = str(page.inner_text("#document-id"))
    classes = [re.sub(r"^\d\s*", "", text) for text in page.locator(".choice").all_inner_texts()]
    page.keyboard.press(str(classes.index(truth[name]) + 1))
    page.wait_for_function("name => document.getElementById('document-id').textContent !== name", arg=name)
    return name


def downloaded(page: Any, link: str) -> Path:
    with page.expect_download() as download:
        page.click(f"#exports a:text-is('{link}')")
    return Path(download.value.path())


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def test_twenty_labels_by_keyboard(browser: Any, tmp_path: Path) -> None:
    """On a phone, with a slip that is taken back, and a page that is loaded again."""
    files = put(tmp_path / "s.csv", SOURCE), put(tmp_path / "t.csv", unlabeled(ROWS))
    session = Session(Project(tmp_path / "project"), "LR")
    studio = Running(session)
    context = browser.new_context(viewport={"width": 390, "height": 844}, accept_downloads=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        page.goto(studio.address)
        page.set_input_files("input[name=source]", files[0])
        page.set_input_files("input[name=target]", files[0])  # a slip
        page.click("text=Look at them")
        page.wait_for_selector("#pair:has-text('s.csv → s.csv')")
        assert "are near-duplicates of some in s.csv" in page.inner_text("#found .findings")
        page.click("text=Choose other files")
        page.set_input_files("input[name=target]", files[1])
        page.click("text=Look at them")
        page.wait_for_selector("#pair:has-text('s.csv → t.csv')")
        page.click("#start")
        page.wait_for_selector("#labeling:not([hidden])")
        assert "token" not in page.url
        assert page.is_hidden("#guess")
        page.keyboard.press("g")
        page.wait_for_selector("#guess:not([hidden])")
        first = page.inner_text("#document-id")
        for number in range(20):
            name = press_label(page, TRUTH)
            if number == 4:  # a slip, taken back
                page.keyboard.press("u")
                page.wait_for_function("name => document.getElementById('document-id').textContent === name", arg=name)
                press_label(page, TRUTH)
        assert page.inner_text("#tally") == (
            "20 labels given; all are stored. Of the random ones, the model was right in 10 of 10."
        )
        assert "right so far in 10 of 10, 100% (95% interval 72% to 100%)" in page.inner_text("#measured")
        page.click("#refit")
        page.wait_for_selector("#changed:has-text('Learned from 20 labels of yours')")
        assert page.evaluate("document.documentElement.scrollWidth") == 390  # nothing sticks out of a phone
        with page.expect_download() as download:
            page.click("text=Your labels")
        rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
        assert len(rows) == 20
        assert rows[0]["id"] == first
        assert all(row["label"] == TRUTH[row["id"]] for row in rows)
        page.reload()
        page.wait_for_selector("#labeling:not([hidden])")
        assert "20 labels given" in page.inner_text("#tally")
        assert complaints == []
    finally:
        context.close()
        session.wait()
        studio.end()
    again = Project(tmp_path / "project")
    assert len(again.answers()) == 20
    again.close()


def test_nothing_is_lost_while_somebody_labels(browser: Any, tmp_path: Path) -> None:
    """Neither what is read and typed while a fit ends, nor the focus, nor what was taken back."""
    files = put(tmp_path / "s.csv", SOURCE), put(tmp_path / "t.csv", unlabeled(ROWS[:8]))
    session = Session(Project(tmp_path / "project"), "LR")
    loaded = read_pair([str(files[0])], str(files[1]), Reading())
    session.begin(loaded.documents, loaded.meta)
    fitted(session)
    studio = Running(session)
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    shown = "document.getElementById('document-id').textContent"
    try:
        page.goto(studio.address)
        page.wait_for_selector("#labeling:not([hidden])")
        first = press_label(page, TRUTH)
        page.locator(".choice").first.focus()
        reading = page.evaluate(shown)
        page.keyboard.press("n")
        page.keyboard.type("Pay")
        page.evaluate("document.getElementById('refit').click()")
        page.wait_for_selector("#changed:has-text('Learned from 1 label of yours')")
        assert page.evaluate(shown) == reading
        assert page.input_value("#other-name") == "Pay"
        page.keyboard.press("Enter")
        page.wait_for_selector("#error:has-text(\"'Pay' is spelled almost like 'pay'\")")
        assert len(session.project.answers()) == 1
        page.keyboard.press("Escape")
        assert page.is_hidden("#other")
        page.keyboard.press("u")  # of what was learned
        page.wait_for_function(f"name => {shown} === name", arg=first)
        assert page.is_enabled("#refit")
        page.locator(".choice").first.focus()
        while page.is_visible("#asking"):
            before = page.evaluate(shown)
            page.keyboard.press("Enter")
            page.wait_for_function(f"name => {shown} !== name || document.getElementById('asking').hidden", arg=before)
            assert page.is_hidden("#asking") or page.evaluate("document.activeElement.className") == "choice"
        assert page.inner_text("#all-answered") == "Every document has an answer."
        page.keyboard.press("u")
        page.wait_for_selector("#asking:not([hidden])")
        page.keyboard.press("n")
        for answer in ("#error:has-text('spelled almost like')", "#all-answered"):  # the second time, it is meant
            page.fill("#other-name", "Pay")
            page.keyboard.press("Enter")
            page.wait_for_selector(answer)
        assert page.locator(".choice").all_text_contents() == ["1pay", "2bug", "3Pay"]
    finally:
        page.close()
        session.wait()
        studio.end()


@pytest.fixture
def newsgroups(data_folder: Path, tmp_path: Path) -> tuple[Path, Path, dict[str, str]]:
    """Two files of posts from other groups of the same two kinds, and the truth about the second."""
    corpus, rng = load_newsgroups(data_folder), np.random.default_rng(0)
    files = []
    for groups in (("comp.graphics", "sci.crypt"), ("comp.sys.mac.hardware", "sci.med")):
        rows = rng.permutation(np.flatnonzero(np.isin(corpus.groups, groups)))[:150]
        files.append(
            [{"id": f"post-{row}", "text": corpus.texts[row], "label": corpus.groups[row][:3]} for row in rows]
        )
    source, target = files
    truth = {row["id"]: row["label"] for row in target}
    return put(tmp_path / "graphics.csv", source), put(tmp_path / "mac.csv", unlabeled(target)), truth


@contextmanager
def command(*arguments: object) -> Iterator[str]:
    """`isthmus studio` as somebody starts it: the address that it prints. Ctrl-C ends it."""
    words = [sys.executable, "-m", "isthmus", "studio", *map(str, arguments), "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait() in (0, 130)


def test_newsgroups_from_two_files_to_a_measured_accuracy(
    browser: Any, tmp_path: Path, newsgroups: tuple[Path, Path, dict[str, str]]
) -> None:
    """Fit, twenty labels by keyboard, fit again, accuracy with its interval, and everything exported."""
    source, target, truth = newsgroups
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    with command(tmp_path / "project") as address:
        page.goto(address)
        page.set_input_files("input[name=source]", source)
        page.set_input_files("input[name=target]", target)
        page.click("text=Look at them")
        page.click("#start")
        page.wait_for_selector("#labeling:not([hidden])")
        assert "150 documents labeled: an estimated" in page.inner_text("#headline")
        for _ in range(20):
            press_label(page, truth)
        assert "20 labels given" in page.inner_text("#tally")
        page.click("#refit")
        page.wait_for_selector("#changed:has-text('Learned from 20 labels of yours')")
        assert "moved since the fit before" in page.inner_text("#changed")
        measured = page.inner_text("#measured")
        links = ("Your labels", "The random sample", "All labels", "The model", "The report")
        labels, sample, predictions, model, report = [downloaded(page, link) for link in links]

        given = table(labels)
        assert {row["id"]: row["label"] for row in given} == {row["id"]: truth[row["id"]] for row in given}
        assert [row["kind"] for row in given] == [RANDOM, TEACHING] * 10
        drawn = table(sample)
        assert drawn == [row for row in given if row["kind"] == RANDOM]
        right = sum(row["guess"] == truth[row["id"]] for row in drawn)
        value, low, high = (f"{round(100 * share)}%" for share in wilson(right, 10).__dict__.values())
        assert f"right so far in {right} of 10, {value} (95% interval {low} to {high})" in measured
        found = {row["id"]: row["label"] for row in table(predictions)}
        assert found.keys() == truth.keys()
        assert np.mean([found[name] == truth[name] for name in truth]) > 0.8
        assert isthmus.load(model).labels.tolist() == list(found.values())
        assert "graphics.csv" in report.read_text(encoding="utf-8")
    context.close()
    with command(tmp_path / "project") as address:  # the same project, the day after
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.wait_for_selector("#tally:has-text('20 labels given')")
        assert page.inner_text("#measured") == measured
        page.close()


def test_hostile_texts_stay_texts(browser: Any, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script> refund"
    put(tmp_path / "s.csv", [{**row, "label": f"<b>{row['label']}</b>"} for row in SOURCE])
    put(tmp_path / "t.csv", [{"id": f"<i>{n}</i>", "text": f"{evil} {row['text']}"} for n, row in enumerate(ROWS)])
    session = Session(Project(tmp_path / "project"), "LR")
    loaded = read_pair([str(tmp_path / "s.csv")], str(tmp_path / "t.csv"), Reading())
    session.begin(loaded.documents, loaded.meta)
    fitted(session)
    studio = Running(session)
    page = browser.new_page()
    alerts: list[str] = []

    def on_dialog(dialog: Any) -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", on_dialog)
    try:
        page.goto(studio.address)
        page.wait_for_selector("#labeling:not([hidden])")
        assert page.inner_text("#text").startswith(evil[:40])
        assert page.locator("#text img, #text script, .choice b, #document-id i").count() == 0
        assert alerts == []
    finally:
        page.close()
        studio.end()
