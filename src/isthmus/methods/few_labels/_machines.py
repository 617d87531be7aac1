"""A decision function for each domain."""

from __future__ import annotations

from dataclasses import dataclass

from isthmus.core.probabilities import margin_probabilities
from isthmus.core.solution import Solution
from isthmus.solvers.linear.svm import Machines
from isthmus.typing import Array, Matrix


@dataclass(frozen=True, eq=False)
class MachinesSolution(Solution):
    """Linear machines of all domains, and those for documents of no named one."""

    machines: list[Machines]
    _default: Machines

    def assign(self, X: Matrix, domain: int | None) -> Array:
        chosen = self._default if domain is None else self.machines[domain]
        return margin_probabilities(chosen.margins(X))
