"""Commands as the command line runs them, but in this process: many take less time so."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from dataclasses import dataclass
from unittest import mock

from typer.main import get_command

from isthmus.cli import app, main

BUILT = get_command(app)  # which takes longer than most of the commands that are tested


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed."""

    code: int
    out: bytes
    err: str

    @property
    def stdout(self) -> str:
        return self.out.decode()

    @property
    def sentence(self) -> str:
        """The one line that a command which could not do its work prints."""
        assert self.code == 1, (self.code, self.err)
        assert self.out == b""
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if line.strip()]
        assert len(lines) == 1, self.err
        return self.last

    @property
    def last(self) -> str:
        """The same after warnings of what was found in the files, which are sentences, too."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        for line in lines:
            assert line.startswith("isthmus: "), self.err
            assert line.rstrip().endswith((".", "?")), self.err
        return lines[-1]


def run(*arguments: object, stdin: bytes = b"") -> Done:
    """`isthmus` with these arguments."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    with (
        warnings.catch_warnings(),
        mock.patch.object(sys, "stdin", given),
        mock.patch("isthmus.cli.app", BUILT),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        warnings.simplefilter("default")
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code
    printed, said = (stream.buffer.getvalue() for stream in (out, err))
    return Done(code if isinstance(code, int) else 0 if code is None else 1, printed, said.decode())
