"""Documents of a graph that grows, a few hundred to a block: what is done to some of them leaves the others alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from isthmus.core.numerics import stack
from isthmus.typing import Array, Mask, Matrix, Positions

LENGTH = 256


@dataclass(frozen=True, eq=False)
class DocumentBlock:
    """Some documents."""

    rows: Matrix
    """Of unit length."""
    positions: Positions
    """Which of all documents they are, in the order in which these came."""
    coordinates: Array
    """In the basis of a `GrowingGraph`."""

    @classmethod
    def of(cls, rows: Matrix, positions: Positions, width: int) -> Self:
        """Documents that have no place yet."""
        return cls(rows, positions, np.zeros((len(positions), width)))

    @classmethod
    def stacked(cls, blocks: Sequence[Self]) -> Self:
        """Several blocks as one."""
        return cls(
            stack([block.rows for block in blocks]),
            np.concatenate([block.positions for block in blocks]),
            np.concatenate([block.coordinates for block in blocks]),
        )

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, chosen: Mask | slice) -> Self:
        return type(self)(sp.csr_array(self.rows[chosen]), self.positions[chosen], self.coordinates[chosen])


def in_blocks(documents: DocumentBlock) -> list[DocumentBlock]:
    """Many documents as blocks."""
    return [documents[start : start + LENGTH] for start in range(0, len(documents), LENGTH)]


def taken(blocks: Sequence[DocumentBlock], n_documents: int) -> tuple[DocumentBlock, list[DocumentBlock]]:
    """The first blocks, as one, with so many documents, if there are, and as many as make a block; and the rest."""
    ends = np.cumsum([len(block) for block in blocks])
    n_blocks = int(np.searchsorted(ends, max(n_documents, LENGTH))) + 1
    return DocumentBlock.stacked(blocks[:n_blocks]), list(blocks[n_blocks:])
