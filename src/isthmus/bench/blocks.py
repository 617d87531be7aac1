"""How similar groups of documents are to one another."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from isthmus.bench.tasks import TaskData
from isthmus.core.problem import has_words
from isthmus.typing import Array, Matrix

N_BLOCKS = 10
"""Of the documents of a class in a domain."""


def block_cosines(X: Matrix, data: TaskData) -> tuple[list[str], Array]:
    """Mean cosines of documents of one block with those of another, themselves left out, and whose blocks they are.

    By class, then by domain, as the paper orders them. A mean of cosines is a product of the blocks' mean unit rows,
    so no matrix of all pairs of documents is needed.
    """
    blocks, names = [], []
    for label in np.unique(data.y):
        for domain, there in (("source", ~data.in_target), ("target", data.in_target)):
            rows = np.flatnonzero((data.y == label) & there)
            parts = np.array_split(rows, min(N_BLOCKS, len(rows) // 2))
            blocks += parts
            names += [f"{label}, {domain}"] * len(parts)
    sizes = np.array([len(block) for block in blocks])
    member = np.repeat(np.arange(len(blocks)), sizes)
    summing = sp.csr_array((np.ones(len(member)), (member, np.concatenate(blocks))), shape=(len(blocks), len(data.y)))
    sums = summing @ normalize(X)
    products = sums @ sums.T
    products = products.toarray() if sp.issparse(products) else np.asarray(products)
    themselves = np.diag(summing @ has_words(X).astype(float))
    return names, (products - themselves) / (np.outer(sizes, sizes) - np.diag(sizes))
