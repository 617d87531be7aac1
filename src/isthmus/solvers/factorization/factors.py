"""The matrices being fitted, and what has been computed from them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isthmus.core.remote import RemoteRows
from isthmus.solvers.factorization.kernel import BLOCK_ROWS
from isthmus.typing import Array


@dataclass
class Slot:
    """Room for something that is computed from factors: None until it is, and again when one of them has changed."""

    versions: tuple[int, ...]
    value: Any = None


class Factors(dict[str, Array]):
    """Factors by name. Each knows how often it changed, so that products of unchanged factors are computed once.

    That is all it takes for frozen source labels to cost nothing per iteration: X_s^T Y_s depends on a factor that
    never changes.

    Arrays are kept in column order (see `isthmus.solvers.factorization.kernel`), unless they lie with their documents.
    Whoever changes one in place says so (`changed`).
    """

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        super().__init__(
            {
                name: array.copy() if isinstance(array, RemoteRows) else np.array(array, order="F")
                for name, array in arrays.items()
            }
        )
        self._versions = dict.fromkeys(self, 0)
        self._scratch: dict[tuple[int, np.dtype[Any]], Array] = {}
        self._slots: dict[Hashable, Slot] = {}

    def __setitem__(self, name: str, array: Array) -> None:
        super().__setitem__(name, np.array(array, order="F"))
        self.changed(name)

    def changed(self, name: str) -> None:
        """Tell that a factor's array was changed in place."""
        self._versions[name] += 1

    def scratch(self, name: str) -> Array:
        """Room for the update of a factor, the same at each call: fresh memory would cost more than the update."""
        rows, columns = self[name].shape
        room = self._scratch.get((columns, self[name].dtype))
        if room is None or room.shape[2] < min(rows, BLOCK_ROWS):
            room = np.empty((2, columns, min(rows, BLOCK_ROWS)), dtype=self[name].dtype)
            self._scratch[columns, self[name].dtype] = room
        return room

    def slot(self, key: Hashable, *names: str) -> Slot:
        """The slot for what `key` stands for, which depends on the named factors alone."""
        versions = tuple([self._versions[name] for name in names])
        slot = self._slots.get(key)
        if slot is None or slot.versions != versions:
            slot = self._slots[key] = Slot(versions)
        return slot
