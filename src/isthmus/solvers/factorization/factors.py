"""The matrices being fitted, and what has been computed from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from isthmus.solvers.factorization.kernel import BLOCK_ROWS
from isthmus.typing import Array

T = TypeVar("T")


class Factors(Mapping[str, Array]):
    """Factors by name. Each knows how often it changed, so that products of unchanged factors are computed once.

    That is all it takes for frozen source labels to cost nothing per iteration: X_s^T Y_s depends on a factor that
    never changes.

    Arrays are kept in column order (see `isthmus.solvers.factorization.kernel`).
    """

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = {name: np.array(array, order="F") for name, array in arrays.items()}
        self._versions = dict.fromkeys(self._arrays, 0)
        self._scratch: dict[tuple[int, np.dtype[Any]], Array] = {}
        self._memory: dict[Hashable, tuple[tuple[int, ...], object]] = {}

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def changed(self, name: str) -> None:
        """Tell that a factor's array was changed in place."""
        self._versions[name] += 1

    def replace(self, name: str, array: Array) -> None:
        self._arrays[name] = np.array(array, order="F")
        self.changed(name)

    def scratch(self, name: str) -> Array:
        """Room for the update of a factor, the same at each call: fresh memory would cost more than the update."""
        rows, columns = self[name].shape
        room = self._scratch.get((columns, self[name].dtype))
        if room is None or room.shape[2] < min(rows, BLOCK_ROWS):
            room = np.empty((2, columns, min(rows, BLOCK_ROWS)), dtype=self[name].dtype)
            self._scratch[columns, self[name].dtype] = room
        return room

    def cached(self, key: Hashable, names: Sequence[str], compute: Callable[[], T]) -> T:
        """What `compute` gave the last time, unless one of the named factors has changed since."""
        versions = tuple(self._versions[name] for name in names)
        remembered = self._memory.get(key)
        if remembered is None or remembered[0] != versions:
            remembered = (versions, compute())
            self._memory[key] = remembered
        return remembered[1]  # type: ignore[return-value]  # the key says what was stored
