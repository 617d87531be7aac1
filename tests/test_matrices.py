"""Matrices in files: what was written comes back, whatever ended the writer, and a fit cannot tell."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import isthmus
from isthmus.core import numerics, parts
from isthmus.datasets import make_domains
from isthmus.exceptions import DataError
from isthmus.io.matrices import MatrixWriter
from isthmus.solvers.factorization import sweep
from isthmus.text import LogTfidf


def write(folder: Path, X: Any, *, rows: int = 40) -> Path:
    writer = MatrixWriter(folder, X.shape[1], X.dtype)
    for first in range(writer.rows, X.shape[0], rows):
        writer.append(X[first : first + rows])
    writer.finish()
    return folder


@pytest.fixture(scope="module")
def made() -> Any:
    made = make_domains([60, 150], n_words=300, mean_length=30, random_state=0)
    return LogTfidf().fit_transform(made.X).astype(np.float32), made


@given(seed=st.integers(0, 1000), n=st.integers(0, 9), rows=st.integers(1, 4))
def test_what_was_written_comes_back(tmp_path_factory: pytest.TempPathFactory, seed: int, n: int, rows: int) -> None:
    X = sp.random_array((n, 6), density=0.4, rng=np.random.default_rng(seed), format="csr")
    found = isthmus.open_matrix(write(tmp_path_factory.mktemp("m"), X, rows=rows))
    assert np.array_equal(found.toarray(), X.toarray())
    assert found.dtype == X.dtype


@pytest.mark.parametrize("torn", ["data", "indices", "lengths"])
def test_a_writer_goes_on_after_the_last_whole_block(made: Any, tmp_path: Path, torn: str) -> None:
    X, _ = made
    writer = MatrixWriter(tmp_path, X.shape[1])
    for first in (0, 40, 80):
        writer.append(X[first : first + 40])
    with (tmp_path / f"{torn}.npy").open("ab") as file:
        file.write(b"\x07" * 1001)  # killed in the middle of the next block
    with pytest.raises(DataError, match="was not finished, of 120 rows so far"):
        isthmus.open_matrix(tmp_path)
    assert MatrixWriter(tmp_path, X.shape[1]).rows == 120
    found = isthmus.open_matrix(write(tmp_path, X))
    assert (found != X).nnz == 0


def test_duplicates_and_zeros_are_not_written(tmp_path: Path) -> None:
    X = sp.csr_array((np.array([1.0, 2.0, 0.0]), np.array([2, 2, 0]), np.array([0, 3])), shape=(1, 3))
    found = isthmus.open_matrix(write(tmp_path, X))
    assert found.nnz == 1
    assert found.toarray().tolist() == [[0, 0, 3]]


@pytest.mark.parametrize("worth", [0, 1 << 60])
@pytest.mark.parametrize("method", ["TCL", "DTL", "CCI", "NaiveBayesEM", "LR"])
def test_a_fit_and_a_prediction_are_the_same_to_the_last_bit(
    made: Any, tmp_path: Path, method: str, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, truth = made
    monkeypatch.setattr(parts, "NON_ZEROS_OF_A_PART", 200)
    monkeypatch.setattr(sweep, "WORTH_COMPILED", worth)
    on_disk = isthmus.open_matrix(write(tmp_path, X))
    found = []
    for documents in (X, on_disk):
        model = getattr(isthmus, method)()
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model.fit(documents, truth.y, sample_domain=truth.sample_domain, target_domain=1)
        found.append((model.label_distributions_, model.predict_proba(documents)))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_what_was_read_is_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numerics, "CHUNK", 1 << 18)
    values = np.ones(1 << 23, dtype=np.float32)  # 32 MB
    np.save(tmp_path / "a.npy", values)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")[5:]

    def resident() -> int:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("RssFile"))

    before = resident()
    assert sum(float(part.sum()) for part in numerics.chunks(mapped)) == len(mapped)
    assert resident() - before < 4 * 1024
    assert float(mapped.sum()) == len(mapped)  # and read again
    assert resident() - before > 20 * 1024


def test_what_was_written_to_a_private_mapping_stays(tmp_path: Path) -> None:
    """The file has it not: whoever lets go of such memory loses it."""
    X = np.abs(np.random.default_rng(0).normal(size=(60, 50)))
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="c")
    mapped /= np.linalg.norm(mapped, axis=1, keepdims=True)
    written = np.array(mapped)
    labels, domain = np.arange(60) % 2, np.repeat(["source", "target"], 30)
    found = [
        isthmus.LR().fit(own, labels, sample_domain=domain, target_domain="target").label_distributions_
        for own in (mapped, written)
    ]
    assert np.array_equal(mapped, written)
    assert np.array_equal(found[0], found[1])


def test_folders_that_hold_no_matrix_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no matrix \(matrix.json"):
        isthmus.open_matrix(tmp_path)
    (tmp_path / "matrix.json").write_text(json.dumps({"rows": 1}), encoding="utf-8")
    with pytest.raises(DataError, match="holds no matrix"):
        isthmus.open_matrix(tmp_path)


def test_another_matrix_is_not_written_over(made: Any, tmp_path: Path) -> None:
    X, _ = made
    write(tmp_path, X)
    with pytest.raises(DataError, match="another matrix, or one that is finished"):
        MatrixWriter(tmp_path, X.shape[1])
