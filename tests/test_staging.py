"""Files are whole or not there."""

from __future__ import annotations

from pathlib import Path

from isthmus.io.atomic import write_beside


def test_text_and_bytes_are_written_beside(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_beside(tmp_path / "link", "ü\n")
    assert (tmp_path / "real").read_bytes() == "ü\n".encode()
    assert (tmp_path / "link").is_symlink()
    write_beside(tmp_path / "real", b"\x00\xff")
    assert (tmp_path / "link").read_bytes() == b"\x00\xff"
