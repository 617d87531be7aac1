"""Names for the types that appear everywhere."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]
"""A dense array of 32- or 64-bit floats."""

Matrix = Any
"""A scipy CSR array or matrix, or a dense array: documents in rows, words in columns."""

Positions = npt.NDArray[np.intp]
"""Row numbers."""

Mask = npt.NDArray[np.bool_]

DomainName = Hashable

DomainNames = Sequence[DomainName] | npt.NDArray[Any]
"""One domain name per row."""
