"""TCL on comp vs sci, from matrices to labels: the engine against the same updates written straight down.

python benchmarks/speed.py DATA_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

import isthmus
from isthmus.bench.tasks import Library, TaskData, load_table
from isthmus.core.estimator import one_blas_thread
from isthmus.solvers.factorization import random_start
from plain_tcl import plain_tcl

ROUNDS = 7


def run_engine(data: TaskData) -> np.ndarray:
    """What a user calls, with early stopping off so that both do the same work."""
    model = isthmus.TCL(random_state=0, tol=0)
    model.fit(data.X, data.y, sample_domain=data.sample_domain, target_domain="target")
    return np.asarray(model.transduction_[data.in_target])


def run_plain(data: TaskData) -> np.ndarray:
    """The same classifier to start from, the same random start, the same number of iterations."""
    X_s, X_t = data.X[~data.in_target], data.X[data.in_target]
    classes, numbers = np.unique(data.y[~data.in_target], return_inverse=True)
    start = LogisticRegression(C=100, tol=1e-5, max_iter=1000).fit(X_s, numbers).predict_proba(X_t)
    rng = check_random_state(0)
    U, W_s, W_t = (random_start(rng, (data.X.shape[1], 10), data.X.dtype) for _ in range(3))
    H = rng.uniform(size=(10, len(classes)))
    V_t = plain_tcl(X_s, X_t, np.eye(len(classes))[numbers], start, U, W_s, W_t, H, a=0.7, n_iter=100)
    return np.asarray(classes[V_t.argmax(axis=1)])


def main() -> None:
    """Alternate the two, so that both see the same machine."""
    table = load_table("tcl")
    task = next(task for task in table.tasks if task.name == "comp vs sci")
    data = Library(Path(sys.argv[1])).load(table, task)
    print(f"comp vs sci: {data.X.shape[0]} documents, {data.X.shape[1]} words, {data.X.nnz} non-zeros, 100 iterations")
    seconds: dict[str, list[float]] = {"engine": [], "plain": [], "plain, one BLAS thread": []}
    labels = {}
    for _ in range(ROUNDS):
        for name, times in seconds.items():
            began = perf_counter()
            if name == "engine":
                labels[name] = run_engine(data)
            elif name == "plain":
                labels[name] = run_plain(data)
            else:
                with one_blas_thread():
                    labels[name] = run_plain(data)
            times.append(perf_counter() - began)
    for name, times in seconds.items():
        ratio = np.median(times) / np.median(seconds["plain"])
        same = np.mean(labels[name] == labels["engine"])
        print(f"{name:24} median {np.median(times):.2f} s, {ratio:.2f} of plain, same labels {same:.2%}")


if __name__ == "__main__":
    main()
