"""The studio's requests come at once, in threads: one fit at a time, and nothing of other documents than it has.

Each test holds one request where another could come between, until that one is through. It never is if it has to wait:
then the first one goes on after HELD seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from unittest import mock

import pytest

import isthmus
from isthmus.exceptions import DataError
from isthmus.studio import Project, ProjectDocuments, Session
from isthmus.studio import session as session_module
from test_quality import make
from test_studio import files, fitted, session, shown

__all__ = ["files", "session"]  # fixtures

HELD = 0.2
OTHERS = make(25, 3)
OTHER = ProjectDocuments(
    [row["text"] for row in OTHERS],
    [row["label"] for row in OTHERS],
    ["s"] * len(OTHERS),
    [row["id"] for row in OTHERS],
    [row["text"] for row in OTHERS],
)


def test_two_who_ask_at_once_start_one_fit(session: Session) -> None:
    both, look, end = threading.Barrier(2, timeout=HELD), Session.running.fget, threading.Event()  # type: ignore[attr-defined]

    def looked(one: Session) -> bool:
        found = bool(look(one))
        with suppress(threading.BrokenBarrierError):
            both.wait()
        return found

    def ask(_: int) -> bool:
        try:
            session.start_fit()
        except DataError:
            return False
        return True

    with mock.patch("isthmus.studio.session.transfer", side_effect=lambda *_, **__: end.wait(10)):
        with mock.patch.object(Session, "running", property(looked)), ThreadPoolExecutor(2) as pool:
            begun = sorted(pool.map(ask, range(2)))
        end.set()
        session.wait()
    assert begun == [False, True]


def test_no_fit_begins_while_documents_are_replaced(session: Session) -> None:
    replacing, learning, replaced = threading.Event(), threading.Event(), threading.Event()
    store = Project.set_documents

    def slowly(project: Project, *given: Any) -> None:
        replacing.set()
        learning.wait(HELD)
        store(project, *given)

    def learn(*given: Any, **options: Any) -> Any:
        learning.set()
        replaced.wait(10)
        return isthmus.transfer(*given, **options)

    with (
        mock.patch.object(Project, "set_documents", slowly),
        mock.patch("isthmus.studio.session.transfer", side_effect=learn),
        ThreadPoolExecutor(2) as pool,
    ):
        beginning = pool.submit(session.begin, OTHER, {})
        assert replacing.wait(10)
        asked = pool.submit(session.start_fit)
        beginning.result()
        replaced.set()
        asked.result()
        session.wait()
    assert session.state()["fit"]["error"] is None
    assert list(session.result().target_texts) == OTHER.target_texts
    assert session.project.last_probabilities(2).shape == (len(OTHERS), 2)  # type: ignore[union-attr]


ASKED: dict[str, tuple[type, str, Callable[[Session], object]]] = {
    "next": (Project, "summaries", lambda session: session.next_document()),
    "guess": (Project, "summaries", lambda session: session.guess(0)),
    "answer": (Session, "guess", lambda session: session.answer(0, "label", "pay")),
    "result": (Project, "summaries", lambda session: session.result()),
}
"""What is asked, and after which step of it documents are replaced."""


@pytest.mark.parametrize("what", ASKED)
def test_what_is_told_of_documents_is_not_of_those_before(session: Session, what: str) -> None:
    shown(fitted(session))
    opened = Session(session.project, "LR")  # which has not read the last result yet
    looking, replaced = threading.Event(), threading.Event()
    owner, name, ask = ASKED[what]
    step = getattr(owner, name)

    def slowly(*given: Any) -> Any:
        found = step(*given)
        looking.set()
        replaced.wait(HELD)
        return found

    def replace() -> None:
        opened.begin(OTHER, {}, force=True)
        replaced.set()

    with mock.patch.object(owner, name, slowly), ThreadPoolExecutor(2) as pool:
        asked = pool.submit(ask, opened)
        assert looking.wait(10)
        replacing = pool.submit(replace)
        asked.result()
        replacing.result()
    assert opened.project.answers() == {}
    assert opened.project.batch() == []
    with pytest.raises(DataError, match="Nothing was fitted yet"):
        opened.result()


def test_a_guess_is_of_one_fit(session: Session) -> None:
    """Not the classes of the fit before and the probabilities of the next, which may have more of them."""
    session.answer(shown(fitted(session))["row"], "label", "praise")
    before = session.guess(0)
    nearly, looking, stored = threading.Event(), threading.Event(), threading.Event()
    summaries, as_bytes, store = Project.summaries, session_module._as_bytes, Project.store_fit

    def slowly(project: Project) -> list[dict[str, Any]]:
        found = summaries(project)
        if nearly.is_set():  # it is the guess that asks
            looking.set()
            stored.wait(HELD)
        return found

    def wait_for_guess(result: Any) -> bytes:
        nearly.set()
        looking.wait(10)
        return as_bytes(result)

    def tell(*given: Any) -> None:
        store(*given)
        stored.set()

    with (
        mock.patch.object(Project, "summaries", slowly),
        mock.patch.object(Project, "store_fit", tell),
        mock.patch.object(session_module, "_as_bytes", wait_for_guess),
    ):
        session.start_fit()
        assert nearly.wait(10)
        assert session.guess(0) == before
        session.wait()
    assert sorted(session.guess(0)) == ["bug", "pay", "praise"]
