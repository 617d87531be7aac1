"""Settings of the whole process, where several threads want them at once."""

from __future__ import annotations

import csv
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from isthmus.core.estimator import ONE_BLAS_THREAD, Together
from isthmus.exceptions import unheard
from isthmus.io.documents.delimited import read_delimited


def test_a_setting_holds_until_the_last_one_leaves() -> None:
    events: list[str] = []

    @contextmanager
    def noted() -> Iterator[None]:
        events.append("made")
        yield
        events.append("undone")

    setting = Together(noted)
    for _ in range(2):  # more than once
        setting.__enter__()
        with setting:
            assert events[-1] == "made"
        assert events[-1] == "made"
        setting.__exit__()
        assert events[-1] == "undone"
    assert events == ["made", "undone"] * 2


def test_overlapping_fits_leave_the_number_of_threads_as_it_was() -> None:
    def threads() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    with threadpool_limits(3, user_api="blas"):
        ONE_BLAS_THREAD.__enter__()
        ONE_BLAS_THREAD.__enter__()
        ONE_BLAS_THREAD.__exit__()  # the first one to come in is the first to leave
        assert threads() == {1}
        ONE_BLAS_THREAD.__exit__()
        assert threads() == {3}


def test_a_file_may_be_read_in_the_midst_of_another(tmp_path: Path) -> None:
    """And the limit of all readers is what it was."""
    before = csv.field_size_limit()
    long = "word " * 100_000

    def lines(inner: bool) -> Iterator[str]:
        yield "text\n"
        if inner:
            assert next(others)[1] == ["short"]
        yield f"{long}\n"

    others = read_delimited(iter(["text\n", "short\n", "other\n"]), "b.csv", 1, ",")[1](["text"])
    rows = read_delimited(lines(inner=True), "a.csv", 1, ",")[1](["text"])
    assert next(rows)[1] == [long]
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("longest", [5, 50])
def test_a_record_is_as_long_as_it_may_be(longest: int) -> None:
    rows = read_delimited(iter(["t\n", "ten chars\n"]), "a.csv", 1, ",", longest)[1](["t"])
    if longest > 10:
        assert next(rows)[1] == ["ten chars"]
    else:
        with pytest.raises(Exception, match="longer than"):
            next(rows)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_does_not_wait_for_a_thread_that_it_left_behind() -> None:
    """A thread is inside `unheard` when the process is forked."""
    inside, done = Event(), Event()

    def stay() -> None:
        with unheard():
            inside.set()
            done.wait()

    thread = Thread(target=stay)
    thread.start()
    inside.wait()
    child = os.fork()
    if not child:
        signal.alarm(30)  # the end of one that waits for ever
        with unheard():
            os._exit(7)
    try:
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
    finally:
        done.set()
        thread.join()
