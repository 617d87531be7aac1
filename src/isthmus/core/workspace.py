"""What several methods on one problem need, computed once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from operator import call
from typing import Any


@dataclass(frozen=True)
class Workspace:
    """Remembers what functions returned. `Auto` passes one to all its candidates.

    `once(function, *args)` is `function(*args)`, computed for the first who asks. Arguments must be hashable; a problem
    is, and so are its `documents`: what is a function of these alone reads no label, and holds under other labels.

    Examples
    --------
    >>> def double(number):
    ...     print("doubling")
    ...     return 2 * number
    >>> workspace = Workspace()
    >>> workspace.once(double, 4), workspace.once(double, 4)
    doubling
    (8, 8)
    """

    once: Any = field(default_factory=lambda: lru_cache(maxsize=None)(call))

    def clear(self) -> None:
        """Forget all of it, for the room that it takes."""
        self.once.cache_clear()
