"""Factorizations on a Dask cluster: the same to the last bit, whoever computes, and whoever dies."""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest

import isthmus
from conftest import build
from isthmus.core import parts, remote
from isthmus.core.cluster import answer, connected, on_cluster
from isthmus.core.remote import RemoteMatrix, described, each, grouped, remote_problem
from isthmus.datasets import load_messages, make_domains
from isthmus.exceptions import DataError
from isthmus.solvers.factorization import ClusterDocuments, MatrixDocuments, cluster_documents, documents_of
from isthmus.text import LogTfidf
from test_matrices import write

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of others: ports, clocks, how long a thing took


@pytest.fixture(scope="module")
def made() -> Any:
    made = make_domains([60, 200], n_words=60, n_classes=3, mean_length=30, random_state=0)
    return LogTfidf().fit_transform(made.X), made


@pytest.fixture(autouse=True)
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several of which go to a worker together."""
    monkeypatch.setattr(parts, "NON_ZEROS_OF_A_PART", 500)
    monkeypatch.setattr(remote, "LEAST_GROUPS", 3)
    monkeypatch.setattr(remote, "GROUPS_OF_A_THREAD", 1)


def fitted(method: str, X: Any, made: Any, **settings: Any) -> Any:
    model = getattr(isthmus, method)(random_state=0, max_iter=6, tol=0, **settings)
    return model.fit(X, made.y, sample_domain=made.sample_domain, target_domain=1)


@pytest.mark.parametrize("method", ["TCL", "DTLM", "CCI"])
def test_a_cluster_finds_the_same_bits(client: Any, made: Any, method: str) -> None:
    X, truth = made
    here = fitted(method, X, truth)
    with on_cluster(client):
        there = fitted(method, X, truth)
        predicted = there.predict_proba(X)
    assert np.array_equal(here.label_distributions_, there.label_distributions_)
    assert np.array_equal(here.objective_, there.objective_)
    assert np.array_equal(here.predict_proba(X), predicted)


def test_a_worker_that_dies_changes_nothing(client: Any, made: Any) -> None:
    X, truth = made
    here, killed = fitted("TCL", X, truth), []

    def kill(step: Any) -> None:
        if step.iteration == 2:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    with on_cluster(client):
        there = fitted("TCL", X, truth, callback=kill)
    assert killed
    assert np.array_equal(here.label_distributions_, there.label_distributions_)


def test_rows_of_documents_stay_with_the_workers(client: Any, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """V is sent once, and comes back once: sums alone travel in between."""
    X, truth = made
    sent, submit = Counter[str](), client.submit

    def counted(function: Any, *given: Any, **named: Any) -> Any:
        named_after = given[0] if function is each else function
        sent[getattr(named_after, "__name__", "")] += 1
        return submit(function, *given, **named)

    monkeypatch.setattr(client, "submit", counted)
    with on_cluster(client):
        fitted("TCL", X, truth)
    n_groups = len(grouped(client, parts.row_parts(X[np.asarray(truth.sample_domain) == 1])))
    assert n_groups == 3
    assert sent["first_state"] == n_groups
    assert sent["_next_states"] == (2 + 6) * n_groups  # before the first sweep, X^T V and V^T V
    assert sent["_sweeps"] == 0


def test_workers_open_files_themselves(client: Any, made: Any, tmp_path: Path) -> None:
    """What is sent of documents in files is where they are."""
    X, _ = made
    on_disk = isthmus.open_matrix(write(tmp_path, X))
    with on_cluster(client):
        documents = documents_of(on_disk)
    assert isinstance(documents, ClusterDocuments)
    V = np.ones((X.shape[0], 2))
    assert np.array_equal(documents.transposed_times(V), MatrixDocuments(X).transposed_times(V))
    for _, part in parts.row_parts(on_disk):
        sent = cluster_documents.located(part)
        assert sent[0].read().tolist() == part.data.tolist()
        assert sent[1].read().tolist() == part.indices.tolist()


def test_without_a_cluster_products_stay_here(made: Any) -> None:
    assert isinstance(documents_of(made[0]), MatrixDocuments)
    with on_cluster(None):
        assert isinstance(documents_of(made[0]), MatrixDocuments)


def test_transfer_goes_to_the_cluster(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = load_messages()
    own = messages.groups == messages.groups[0]
    texts = np.array(messages.texts, dtype=object)
    sides = (texts[own].tolist(), messages.labels[own].tolist(), texts[~own].tolist())
    here = isthmus.transfer(*sides, method="TCL")
    calls, submit = [], client.submit

    def counted(*given: Any, **named: Any) -> Any:
        calls.append(given)
        return submit(*given, **named)

    monkeypatch.setattr(client, "submit", counted)
    there = isthmus.transfer(*sides, method="TCL", client=client)
    assert calls
    assert np.array_equal(here.probabilities, there.probabilities)


def test_a_task_under_which_workers_died_is_done_again(client: Any, tmp_path: Path, monkeypatch: Any) -> None:
    def dies_once(path: str) -> str:
        """As Dask says it, when it has tried often enough."""
        if not Path(path).exists():
            Path(path).touch()
            raise distributed.KilledWorker("task", SimpleNamespace(address="there"), 3)
        return path

    path = str(tmp_path / "died")
    assert answer(client, client.submit(dies_once, path, pure=False)) == path
    monkeypatch.setattr("isthmus.core.cluster.DEATHS", 0)
    with pytest.raises(DataError, match=r"Workers of the cluster die over the file x: give each"):
        answer(client, client.submit(dies_once, str(tmp_path / "again"), pure=False), "the file x")


def test_a_cluster_without_workers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isthmus.core.cluster.LOOK", 0.1)
    monkeypatch.setattr("isthmus.core.cluster.PATIENCE_FOR_WORKERS", 0.2)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(DataError, match=r"has had no worker for 0\.2 seconds: start some"),
    ):
        answer(client, client.submit(int))


def test_an_address_where_nobody_answers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isthmus.core.cluster.PATIENCE", 0.2)
    with pytest.raises(DataError, match=r"No cluster answers at 'tcp://127.0.0.1:9'"), connected("tcp://127.0.0.1:9"):
        pass
    with connected(None) as nobody:
        assert nobody is None


def test_a_target_that_lies_elsewhere_is_the_same(
    client: Any, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, in single precision, though a worker dies, and what it has lost is done again."""
    monkeypatch.setattr("isthmus.core.sample.AT_MOST", 50)
    taken = mock.patch.object(RemoteMatrix, "taken", autospec=True, side_effect=RemoteMatrix.taken)
    X, truth = made[0].astype(np.float32), made[1]
    own = np.asarray(truth.sample_domain) == 1
    folders = [write(tmp_path / str(number), rows) for number, rows in enumerate((X[own][:50], X[own][50:]))]
    target = RemoteMatrix(client, [described(str(folder)) for folder in folders], X.shape[1], X.dtype)
    assert [len(rows) for rows, _ in target.groups] == [1, 2, 2]
    fits = []
    for name in ("TCL", "MTrick", "NaiveBayesEM", "LR", "SVM"):
        few = {"max_iter": 6} if name in ("TCL", "MTrick") else {}
        here, there = build(name, **few), build(name, **few)
        here.fit(X, truth.y, sample_domain=truth.sample_domain, target_domain=1)
        problem = remote_problem(there, X[~own], truth.y[~own].tolist(), [0] * int((~own).sum()), target, "there")
        with taken as asked:
            fits.append((here, there, there.fit_remote(problem)))
        # A start alone looks at documents here, and at few.
        assert [len(call.args[1]) for call in asked.call_args_list] == ([50] if name == "NaiveBayesEM" else [])
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    for here, there, found in fits:
        assert np.array_equal(np.concatenate([rows for _, rows in found.arrays()]), here.label_distributions_[own])
        assert np.array_equal(here.predict_proba(X), there.predict_proba(X))


def test_workers_that_dask_gave_up_are_replaced(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it gives up those that are killed while they start."""
    monkeypatch.setattr("isthmus.core.cluster.LOOK", 0.2)
    for worker in [*client.cluster.workers.values()]:
        client.cluster.sync(worker.close)
    assert answer(client, client.submit(int, "7", pure=False)) == 7
