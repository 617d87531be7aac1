"""The first fit of TCL in a process of its own: python -m speed.peak WHAT FOLDER COLUMNS

prints, for WHAT "memory", the peak beyond the start and the size of X, in bytes; for "engine" and "plain", the seconds
that it takes, with all that has to be loaded for it. FOLDER holds data.npy, indices.npy, indptr.npy, y.npy and
sample_domain.npy.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import isthmus
from isthmus.solvers.factorization.sweep import RowStep, sweep_rows
from speed.measure import Task, plain_updates, spent

PARTS = ("data", "indices", "indptr", "y", "sample_domain")


def peak_bytes() -> int:
    """The most memory that this process has had in use since it began, or since `forget_peak`."""
    return _status("VmHWM")  # not getrusage: that remembers the peak of the process which started this one


def forget_peak() -> int:
    """Begin anew from what is in use, which is returned."""
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)  # what was freed would be used again, and not counted
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1]) * 1024


def measured(task: Task) -> float:
    """The peak of TCL's fit as a multiple of X, X itself included."""
    found = _alone(task, "memory")["memory"]
    return found["peak"] / found["X"]


def first_fits(task: Task) -> dict[str, float]:
    """CPU seconds of the first fit, by the engine and by plain updates."""
    found = _alone(task, "engine", "plain")
    return {name: each["seconds"] for name, each in found.items()}


def _alone(task: Task, *kinds: str) -> dict[str, dict[str, float]]:
    X = task.X
    arrays = (X.data, X.indices, X.indptr, task.y, task.sample_domain)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, array in zip(PARTS, arrays, strict=True):
            np.save(Path(folder) / f"{name}.npy", array)
        for what in kinds:
            command = [sys.executable, "-m", "speed.peak", what, folder, str(X.shape[1])]
            found[what] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def _load_loops() -> None:
    """Imports are no part of what a fit needs."""
    if find_spec("llvmlite") is not None:
        small, V = sp.csr_array(np.eye(4, dtype=np.float32)), np.ones((4, 2), dtype=np.float32, order="F")
        sweep_rows(small, V, RowStep(np.ascontiguousarray(V), V.T @ V, 1.0, even=True, compiled=True))


def main() -> None:
    """In the process of its own."""
    what, folder, columns = sys.argv[1:]
    if what == "memory":
        _load_loops()
    before = forget_peak()
    parts = [np.load(Path(folder) / f"{name}.npy") for name in PARTS]
    task = Task(sp.csr_array((parts[0], parts[1], parts[2]), shape=(len(parts[2]) - 1, int(columns))), *parts[3:])
    if what == "memory":
        task.fit(isthmus.TCL(random_state=0, tol=0, max_iter=3))
        found = {"peak": peak_bytes() - before, "X": sum(array.nbytes for array in parts[:3])}
    else:
        with plain_updates() if what == "plain" else nullcontext():
            found = {"seconds": spent(lambda: task.fit(isthmus.TCL(random_state=0, tol=0))).cpu}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
