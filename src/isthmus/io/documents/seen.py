"""Which ids came before, of any number of documents."""

from __future__ import annotations

from array import array

EMPTY = 0


class Seen:
    """A set of names that keeps 64 bits of each: a sixth of the memory of a set of strings.

    Two names whose hashes are alike are taken for one, in one of ten million files with a million names.

    Examples
    --------
    >>> from isthmus.io.documents.seen import Seen
    >>> seen = Seen()
    >>> [seen.add(name) for name in ("a", "b", "a")]
    [True, True, False]
    """

    def __init__(self) -> None:
        self._slots, self._n = array("q", [EMPTY]) * 1024, 0

    def add(self, name: str) -> bool:
        """Whether the name is new; from now on it is not."""
        key = hash(name) or 1
        slot = self._slot(key)
        if self._slots[slot] == key:
            return False
        self._slots[slot] = key
        self._n += 1
        if 3 * self._n > 2 * len(self._slots):
            self._grow()
        return True

    def _slot(self, key: int) -> int:
        """Where the key is, or where it belongs."""
        slots, last = self._slots, len(self._slots) - 1
        slot = key & last
        while slots[slot] not in (key, EMPTY):
            slot = (slot + 1) & last
        return slot

    def _grow(self) -> None:
        before, self._slots = self._slots, array("q", [EMPTY]) * (2 * len(self._slots))
        for key in before:
            if key != EMPTY:
                self._slots[self._slot(key)] = key
