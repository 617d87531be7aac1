"""Peak memory of a fit, in a process of its own: python -m speed.peak FOLDER prints the peak beyond the start, and X.

FOLDER holds data.npy, indices.npy, indptr.npy, y.npy and sample_domain.npy.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import isthmus
from isthmus.solvers.factorization.sweep import WORTH_COMPILED
from speed.measure import Task

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
    X = task.X
    arrays = (X.data, X.indices, X.indptr, task.y, task.sample_domain)
    with tempfile.TemporaryDirectory() as folder:
        for name, array in zip(PARTS, arrays, strict=True):
            np.save(Path(folder) / f"{name}.npy", array)
        command = [sys.executable, "-m", "speed.peak", folder, str(X.shape[1])]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = json.loads(printed)
    return float(found["peak"] / found["X"])


def main() -> None:
    """In the process of its own."""
    rows, columns = 40, WORTH_COMPILED // 10  # enough for compiled loops to be loaded
    small = sp.csr_array(np.random.default_rng(0).random((rows, columns), dtype=np.float32))
    isthmus.TCL(max_iter=2).fit(small, np.arange(rows) % 2, sample_domain=np.arange(rows) * 2 // rows, target_domain=1)
    del small
    before = forget_peak()  # with all that is imported
    parts = [np.load(Path(sys.argv[1]) / f"{name}.npy") for name in PARTS]
    X = sp.csr_array((parts[0], parts[1], parts[2]), shape=(len(parts[2]) - 1, int(sys.argv[2])))
    isthmus.TCL(random_state=0, tol=0, max_iter=3).fit(X, parts[3], sample_domain=parts[4], target_domain=1)
    size = sum(array.nbytes for array in parts[:3])
    sys.stdout.write(json.dumps({"peak": peak_bytes() - before, "X": size}))


if __name__ == "__main__":
    main()
