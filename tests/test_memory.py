"""A large problem in little memory, measured on a process of its own."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import resource, numpy as np, scipy.sparse as sp
import isthmus

n, m, per_document, classes = 200_000, 100_000, 50, 2
rng = np.random.default_rng(0)
y = rng.integers(classes, size=n)
indices = np.sort(rng.integers(m, size=(n, per_document)), axis=1)
indices[:, :5] = np.arange(5) + 5 * y[:, None]           # a few words that tell the class
indices = np.sort(indices, axis=1).astype(np.int32).ravel()
data = np.full(n * per_document, per_document**-0.5)
X = sp.csr_array((data, indices, np.arange(0, n * per_document + 1, per_document, dtype=np.int32)), shape=(n, m))
domain = np.repeat([1, -1], n // 2)
X.has_canonical_format = True
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
with_data = peak()
size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
model = isthmus.TCL(max_iter=3, start_C=1.0, random_state=0).fit(X, y, sample_domain=domain)
accuracy = np.mean((model.transduction_ == y)[domain < 0])
print(size + peak() - with_data, 2 * size, accuracy)
"""


def test_two_hundred_thousand_documents_fit_in_two_and_a_half_times_x_and_its_transpose() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    used, both, accuracy = map(float, done.stdout.split())
    assert used < 2.5 * both
    assert accuracy > 0.9
