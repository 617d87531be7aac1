"""Python code in a process of its own, where a process is what is tested: it is killed, limited, or its output closed.

The process is forked from one that has imported the package, as importing takes most of a command's time. What is
about imports themselves needs a new interpreter, and subprocess.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

LOADED = ["isthmus_command", "sklearn.linear_model", "sklearn.pipeline", "zstandard"]
LOADED += [f"isthmus.cli.{name}" for name in ("estimating", "gathering", "models", "outputs", "summary")]
LOADED += [f"isthmus.{name}" for name in ("auto", "checks", "io.documents", "io.models", "methods", "report.page")]

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(LOADED)

COMMAND = "from isthmus_command import main; main()"
CLOSED = "closed"
"""A standard output that nobody reads."""


@dataclass(frozen=True)
class Ended:
    """How a process ended (minus the signal, if one ended it), and what it printed."""

    code: int
    stdout: str
    stderr: str


def alone(code: str, *arguments: object, stdout: str = "", timeout: float = 300) -> Ended:
    """Run code as `python -c code arguments...` does; its output may go to a file, or be CLOSED."""
    with tempfile.TemporaryDirectory() as folder:
        given = (code, [str(each) for each in arguments], folder, stdout)
        process = SERVER.Process(target=_execute, args=given)
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"A process has not ended after {timeout:g} seconds: {given}.")
        out, err = ((Path(folder) / name).read_text(encoding="utf-8") for name in ("out", "err"))
        return Ended(process.exitcode, out, err)


def command(*arguments: object, before: str = "", stdout: str = "") -> Ended:
    """`isthmus` with these arguments, in a process that runs the Python code `before` first."""
    return alone(f"{before}\n{COMMAND}", *arguments, stdout=stdout)


def _execute(code: str, arguments: list[str], folder: str, stdout: str) -> None:
    out, err = (os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for name in ("out", "err"))
    if stdout == CLOSED:
        reader, out = os.pipe()
        os.close(reader)
    elif stdout:
        out = os.open(stdout, os.O_WRONLY)
    for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), out, err)):
        os.dup2(file, number)
    streams = (os.fdopen(n, "w" if n else "r", encoding="utf-8", closefd=False) for n in range(3))
    sys.stdin, sys.stdout, sys.stderr = streams
    sys.argv = ["-c", *arguments]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        exec(compile(code, "<alone>", "exec"), {"__name__": "__main__"})
    except Exception:
        traceback.print_exc()
        sys.exit(1)
