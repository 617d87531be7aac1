"""Documents as the nodes of a graph: which of them have a place in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from isthmus.solvers.spectral.affinity import CosineAffinity
from isthmus.solvers.spectral.merge import linked_rows
from isthmus.typing import Array, Mask, Matrix, Positions


@dataclass(frozen=True, eq=False)
class DocumentGraph:
    """Labeled nodes and unlabeled documents that a chain of shared words joins."""

    nodes: Matrix
    """Nodes that labels tie down: a document, or the sum of a class's documents."""
    sizes: Array
    """How many documents each of them stands for."""
    kinds: Positions
    """Their classes."""
    free: Matrix
    """Unit rows of the unlabeled documents that have a place."""
    linked: Mask
    """Which of all unlabeled documents these are."""
    n_classes: int

    @classmethod
    def of(cls, nodes: Matrix, sizes: Array, kinds: Positions, rows: Matrix, n_classes: int) -> Self:
        """Of all nodes, and the unit rows of all unlabeled documents."""
        linked = linked_rows(rows, nodes)
        free = rows[linked]
        # A node that shares no word with any other, or next to nothing of one, has no place in the graph.
        placed, near = np.split(CosineAffinity(nodes, free, sizes).degrees() > 0, [len(sizes)])
        linked[linked] = near
        return cls(nodes[placed], sizes[placed], kinds[placed], free[near], linked, n_classes)
