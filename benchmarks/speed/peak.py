"""Peak memory of a fit, in a process of its own: python -m speed.peak FOLDER prints the peak beyond the start, and X.

FOLDER holds data.npy, indices.npy, indptr.npy, y.npy and sample_domain.npy.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import isthmus
from speed.measure import Task

PARTS = ("data", "indices", "indptr", "y", "sample_domain")


def peak_bytes() -> int:
    """The most memory that this process has had in use."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


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
    small = sp.random_array((60, 40), density=0.5, format="csr", rng=np.random.default_rng(0))
    isthmus.TCL(max_iter=2).fit(small, np.arange(60) % 2, sample_domain=np.arange(60) // 30, target_domain=1)
    before = peak_bytes()  # with all that is imported
    parts = [np.load(Path(sys.argv[1]) / f"{name}.npy") for name in PARTS]
    X = sp.csr_array((parts[0], parts[1], parts[2]), shape=(len(parts[2]) - 1, int(sys.argv[2])))
    isthmus.TCL(random_state=0, tol=0, max_iter=3).fit(X, parts[3], sample_domain=parts[4], target_domain=1)
    size = sum(array.nbytes for array in parts[:3])
    sys.stdout.write(json.dumps({"peak": peak_bytes() - before, "X": size}))


if __name__ == "__main__":
    main()
