"""A large problem in little memory, measured on a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from alone import alone

MAKE = """
import sys, numpy as np, scipy.sparse as sp

n, m, per_document = 200_000, 100_000, 50
rng = np.random.default_rng(0)
y = rng.integers(2, size=n)
indices = rng.integers(10, m, size=(n, per_document))
indices[:, :5] = np.arange(5) + 5 * y[:, None]           # a few words that tell the class
indices = np.sort(indices, axis=1).astype(np.int32).ravel()
pointers = np.arange(0, n * per_document + 1, per_document, dtype=np.int32)
X = sp.csr_array((np.full(n * per_document, per_document**-0.5), indices, pointers), shape=(n, m))
X.sum_duplicates()
sp.save_npz(sys.argv[1] + "/X.npz", X, compressed=False)
np.save(sys.argv[1] + "/y.npy", y)
"""

FIT = """
import sys, numpy as np, scipy.sparse as sp
from pathlib import Path
import isthmus

def peak():                                              # not getrusage: that remembers the parent's peak
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) * 1024

isthmus.TCL().fit(np.eye(4), [0, 0, 1, 1])               # all that is imported late is imported now
before = peak()
X, y = sp.load_npz(sys.argv[1] + "/X.npz"), np.load(sys.argv[1] + "/y.npy")
size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
domain = np.repeat([1, -1], len(y) // 2)
model = isthmus.TCL(max_iter=3, random_state=0).fit(X, y, sample_domain=domain)
print(peak() - before, 2 * size, np.mean((model.transduction_ == y)[domain < 0]))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="NOT TESTED: peak memory is read from /proc")
def test_two_hundred_thousand_documents_fit_in_two_and_a_half_times_x_and_its_transpose(tmp_path: Path) -> None:
    assert alone(MAKE, tmp_path).code == 0
    done = alone(FIT, tmp_path)
    used, both, accuracy = map(float, done.stdout.split())
    assert both > 230e6  # ten million non-zeros
    assert both / 2 < used < 2.5 * both
    assert accuracy > 0.9
