"""Files are whole or not there."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from isthmus.io import atomic
from isthmus.io.atomic import Staging, write_beside


def test_text_and_bytes_are_written_beside(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_beside(tmp_path / "link", "ü\n")
    assert (tmp_path / "real").read_bytes() == "ü\n".encode()
    assert (tmp_path / "link").is_symlink()
    write_beside(tmp_path / "real", b"\x00\xff")
    assert (tmp_path / "link").read_bytes() == b"\x00\xff"


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
