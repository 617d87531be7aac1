"""Timing on a machine that does other things as well: in turns, and the least of several rounds."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import isthmus
from isthmus.datasets import make_domains
from isthmus.solvers.factorization import History
from isthmus.text import LogTfidf
from speed.plain import plain_minimize


@dataclass(frozen=True)
class Task:
    """Weighted documents of a labeled domain and one to label."""

    X: Any
    y: np.ndarray
    sample_domain: np.ndarray

    @property
    def target(self) -> Any:
        return self.X[self.sample_domain == 1]

    def accuracy(self, labels: np.ndarray) -> float:
        own = self.sample_domain == 1
        return float(np.mean(labels[own] == self.y[own]))

    def fit(self, estimator: Any) -> Any:
        targets = list(range(1, int(self.sample_domain.max()) + 1))
        return estimator.fit(self.X, self.y, sample_domain=self.sample_domain, target_domain=targets)


def generated(n_documents: int, n_words: int, n_classes: int = 2, dtype: Any = np.float64, n_domains: int = 2) -> Task:
    """As many documents in the source as in each target, up to 20,000: nobody labels more."""
    sizes = [min(n_documents, 20_000), *[n_documents] * (n_domains - 1)]
    made = make_domains(sizes, n_words, n_classes, n_domains, mean_length=130, random_state=0, dtype=dtype)
    return Task(LogTfidf().fit_transform(made.X).astype(dtype, copy=False), made.y, made.sample_domain)


class Spent(NamedTuple):
    """Seconds by the clock, and of all cores together: what others do on the machine adds little to these."""

    wall: float
    cpu: float


def spent(run: Callable[[], Any]) -> Spent:
    """What one call takes."""
    gc.collect()
    began, used = perf_counter(), process_time()
    run()
    return Spent(perf_counter() - began, process_time() - used)


def least(rounds: int, **runs: Callable[[], Any]) -> dict[str, Spent]:
    """The least of each, in turns."""
    found: dict[str, list[Spent]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(spent(run))
    return {name: Spent(*(min(values) for values in zip(*each, strict=True))) for name, each in found.items()}


@contextmanager
def minimized_by(minimizer: Callable[..., History]) -> Iterator[None]:
    """Fits leave their updates to this, and are the same otherwise."""
    with (
        mock.patch("isthmus.methods.factorization._base.minimize", minimizer),
        mock.patch("isthmus.methods.factorization.domtrans_nmf.minimize", minimizer),
    ):
        yield


def plain_updates() -> AbstractContextManager[None]:
    """Fits go by the plain updates."""
    return minimized_by(plain_minimize)


def fit_and_updates(run: Callable[[], Any], minimizer: Callable[..., History]) -> tuple[Spent, Spent]:
    """What a fit takes that leaves its updates to a minimizer, and what these take of it: starts and graphs are the
    same for all minimizers."""
    updates: list[Spent] = []

    def timed(*args: Any, **options: Any) -> History:
        found: list[History] = []
        updates.append(spent(lambda: found.append(minimizer(*args, **options))))
        return found[0]

    with minimized_by(timed):
        whole = spent(run)
    return whole, Spent(*np.sum(updates, axis=0).tolist())


def tcl(max_iter: int, n_topics: int = 10) -> isthmus.TCL:
    """Does so many iterations, whatever they reach."""
    return isthmus.TCL(n_topics, random_state=0, tol=0, max_iter=max_iter)


def iteration_spent(task: Task, estimator: Any) -> Spent:
    """The median between two iterations."""
    ticks: list[tuple[float, float]] = []
    task.fit(estimator.set_params(callback=lambda step: ticks.append((perf_counter(), process_time()))))
    return Spent(*np.median(np.diff(ticks, axis=0), axis=0).tolist())


def reading_spent(X: Any, rounds: int = 5) -> Spent:
    """One plain pass over the arrays of X: the limit that nothing beats."""
    return least(rounds, read=lambda: (X.data.sum(), X.indices.sum()))["read"]
