"""Files are whole or not there."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from isthmus.exceptions import DataError
from isthmus.io import atomic
from isthmus.io.atomic import Staging, write_atomically
from isthmus.io.journal import Journal


def test_text_and_bytes_are_written_beside(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", "ü\n")
    assert (tmp_path / "real").read_bytes() == "ü\n".encode()
    assert (tmp_path / "link").is_symlink()
    write_atomically(tmp_path / "real", b"\x00\xff")
    assert (tmp_path / "link").read_bytes() == b"\x00\xff"


@pytest.mark.skipif(os.name == "nt", reason="permissions are of Unix")
def test_what_only_its_owner_may_read_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.touch(mode=0o600)
    write_atomically(path, "new")
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_not_committed_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("old")
    with Staging() as staging:
        staging.place(path).write_text("never")
    assert list(tmp_path.iterdir()) == [path]
    with Staging() as staging:
        temporary = staging.place(path)
        assert temporary.suffix == ".csv"
        temporary.write_text("new")
        assert path.read_text() == "old"
        staging.commit()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_signal_while_a_folder_is_made_or_removed_leaves_no_trace(tmp_path: Path) -> None:
    for function in ("locked", "shutil.rmtree"):
        staging, real = Staging(), atomic.locked if function == "locked" else shutil.rmtree
        signals = iter([SystemExit(143)])

        def ended(*arguments: Any, real: Any = real, signals: Any = signals, **options: Any) -> Any:
            for signal in signals:
                raise signal
            return real(*arguments, **options)

        with mock.patch(f"isthmus.io.atomic.{function}", ended), pytest.raises(SystemExit), staging:
            staging.place(tmp_path / "out.csv")
        assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_locked_files_are_written_all_the_same(tmp_path: Path) -> None:
    """As on some network drives: nobody can tell what is in use, and so nothing is swept away either."""
    other = tmp_path / ".isthmus-0123456789abcdef"
    other.mkdir()
    with mock.patch("isthmus.io.atomic.fcntl.flock", side_effect=OSError(errno.ENOLCK, "No locks available")):
        write_atomically(tmp_path / "out.csv", "whole")
        with Journal.beside(tmp_path / "labels.csv", {}) as journal:
            journal.write(0, scores=np.ones(1))
    assert (tmp_path / "out.csv").read_text() == "whole"
    assert journal.read(0) is not None
    assert other.is_dir()


def test_a_journal_that_has_no_room_does_not_stay_locked(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with (
        mock.patch("isthmus.io.journal.write_atomically", side_effect=full),
        pytest.raises(OSError, match="No space left"),
        Journal.beside(tmp_path / "labels.csv", {}),
    ):
        pytest.fail("it was not begun")
    with Journal.beside(tmp_path / "labels.csv", {}) as journal:
        assert not journal.resumed


def test_a_folder_that_is_being_swept_is_not_written_to(tmp_path: Path) -> None:
    """Another process found it before it was locked, and is about to remove it."""
    locked, swept = atomic.locked, list[Path]()

    def late(folder: Path) -> int | None:
        if not swept:
            swept.append(folder)
            raise BlockingIOError
        return locked(folder)

    with mock.patch.object(atomic, "locked", late), Staging() as staging:
        place = staging.place(tmp_path / "out.csv")
        assert place.parent not in swept
        shutil.rmtree(swept[0])
        place.write_text("whole")
        staging.commit()
    assert (tmp_path / "out.csv").read_text() == "whole"


def test_what_another_process_has_written_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    with Staging(replacing=False) as staging:
        staging.place(path).write_text("late")
        path.write_text("early")
        with pytest.raises(DataError, match="was written by another process meanwhile, and stays as it is"):
            staging.commit()
    assert path.read_text() == "early"
    assert list(tmp_path.iterdir()) == [path]
    with Staging(replacing=False) as staging:
        staging.place(tmp_path / "other").write_text("done")
        staging.commit()
    assert (tmp_path / "other").read_text() == "done"
