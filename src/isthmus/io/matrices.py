"""Matrices in files: written block by block, and opened without being read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.exceptions import DataError
from isthmus.io.atomic import write_atomically
from isthmus.typing import Array, Matrix

STATE = "matrix.json"
"""The file that says how far a matrix has been written. What other files hold beyond that does not count."""
LARGEST = np.iinfo(np.int32).max


class MatrixWriter:
    """Writes a sparse matrix to a folder, block by block of its rows; no more than a block is in memory.

    After each block the folder says how far it is. A writer that is opened on a folder that another left unfinished
    goes on from there: `rows` are written already.

    Examples
    --------
    >>> import tempfile, numpy as np, scipy.sparse as sp, isthmus
    >>> from isthmus.io.matrices import MatrixWriter
    >>> folder = tempfile.TemporaryDirectory()
    >>> writer = MatrixWriter(folder.name, n_columns=3)
    >>> writer.append(sp.csr_array(np.array([[0, 1, 0], [2, 0, 0]])))
    >>> MatrixWriter(folder.name, n_columns=3).rows
    2
    >>> writer.finish()
    >>> isthmus.open_matrix(folder.name).toarray().tolist()
    [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    >>> folder.cleanup()
    """

    def __init__(self, path: str | Path, n_columns: int, dtype: Any = np.float32) -> None:
        self.path, self._dtypes = Path(path), {"data": np.dtype(dtype), "indices": np.dtype(np.int32)}
        self.path.mkdir(parents=True, exist_ok=True)
        self._state = {"columns": n_columns, "dtype": self._dtypes["data"].name, "rows": 0, "non_zeros": 0}
        if (self.path / STATE).exists():
            found = _read_state(self.path)
            if any(found[key] != self._state[key] for key in ("columns", "dtype")) or found.get("finished"):
                raise DataError(
                    f"{self.path} holds another matrix, or one that is finished: choose a new folder, or remove this."
                )
            self._state = found
        self._dtypes["lengths"] = np.dtype(np.int64)
        self._cut()

    @property
    def rows(self) -> int:
        """Rows that are written."""
        return int(self._state["rows"])

    def append(self, block: Matrix) -> None:
        """Write the next rows."""
        block = sp.csr_array(block, dtype=self._dtypes["data"], copy=True)
        block.sum_duplicates()
        block.eliminate_zeros()
        if self._state["non_zeros"] + block.nnz > LARGEST:
            raise DataError(f"{self.path} would hold more than {LARGEST:,} non-zeros: divide the documents.")
        parts = {"data": block.data, "indices": block.indices, "lengths": np.diff(block.indptr)}
        for name, values in parts.items():
            with (self.path / f"{name}.npy").open("ab") as file:
                file.write(np.ascontiguousarray(values, dtype=self._dtypes[name]).tobytes())
                file.flush()
                os.fsync(file.fileno())
        self._state["rows"] += block.shape[0]
        self._state["non_zeros"] += block.nnz
        self._tell()

    def finish(self) -> None:
        """Say that all rows are written."""
        for name in self._dtypes:
            with (self.path / f"{name}.npy").open("r+b") as file:
                _write_header(file, self._dtypes[name], self._length(name))
        self._state["finished"] = True
        self._tell()

    def _length(self, name: str) -> int:
        return int(self._state["rows" if name == "lengths" else "non_zeros"])

    def _tell(self) -> None:
        write_atomically(self.path / STATE, json.dumps(self._state).encode())

    def _cut(self) -> None:
        """Begin the files, or take off what was written after the last block that was told of."""
        for name, dtype in self._dtypes.items():
            file_path = self.path / f"{name}.npy"
            with file_path.open("r+b" if file_path.exists() else "w+b") as file:
                _write_header(file, dtype, 0)
                file.truncate(file.tell() + self._length(name) * dtype.itemsize)


def open_matrix(path: str | Path) -> Matrix:
    """A sparse matrix that lies in a folder (`isthmus.io.matrices.MatrixWriter`), as a CSR array.

    Nothing is read but where rows begin: the rest is when it is needed, and let go of afterwards. Estimators take it as
    they take any X.
    """
    folder = Path(path)
    state = _read_state(folder)
    if not state.get("finished"):
        raise DataError(
            f"{folder} holds a matrix that was not finished, of {state['rows']} rows so far: write the rest."
        )
    data, indices = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("data", "indices"))
    lengths: Array = np.load(folder / "lengths.npy")
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    if len(data) != len(indices) or indptr[-1] != len(data):
        raise DataError(f"{folder} holds files of different lengths, which are no matrix: write it again.")
    matrix = sp.csr_array((data, indices, indptr), shape=(len(lengths), state["columns"]), copy=False)
    matrix.has_canonical_format = True  # as the writer left it: to see that, all would have to be read
    return matrix


def is_finished(path: str | Path) -> bool:
    """Whether all rows of a matrix are written to a folder."""
    return (Path(path) / STATE).exists() and bool(_read_state(Path(path)).get("finished"))


def _read_state(folder: Path) -> dict[str, Any]:
    try:
        state: dict[str, Any] = json.loads((folder / STATE).read_text(encoding="utf-8"))
        return {**state, "rows": int(state["rows"]), "columns": int(state["columns"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{folder} holds no matrix ({STATE}: {error}): write one with MatrixWriter.") from error


def _write_header(file: Any, dtype: np.dtype[Any], length: int) -> None:
    """NumPy's header leaves room for a longer length: its size does not change."""
    file.seek(0)
    np.lib.format.write_array_header_1_0(
        file, {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (length,)}
    )
