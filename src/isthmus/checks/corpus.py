"""A small corpus that is generated, for checks and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.core.estimator import TransferClassifier
from isthmus.typing import Array

N_NOISE, N_OWN = 10, 12
"""Words of all classes, and of each class's three groups: of both domains, of the source and of the target."""


@dataclass(frozen=True)
class Toy:
    """Two domains whose classes share a few words, each with many of its own."""

    X: Any
    y: np.ndarray[Any, Any]
    domain: np.ndarray[Any, Any]

    def fit(self, estimator: TransferClassifier, **changes: Any) -> TransferClassifier:
        """Fit to this corpus, with other arguments of `fit` where `changes` has them."""
        arguments = {"X": self.X, "y": self.y, "sample_domain": self.domain, "target_domain": "target", **changes}
        return estimator.fit(arguments.pop("X"), arguments.pop("y"), **arguments)

    @property
    def in_target(self) -> np.ndarray[Any, Any]:
        return np.asarray(self.domain == "target")


def two_domains(seed: int = 0, n_classes: int = 2, n_documents: int = 120) -> Toy:
    """Documents of about 15 words: some of all classes, some that a class has in both domains, some in one only.

    `n_documents` is the number in each domain. All seeds share one vocabulary.

    Examples
    --------
    >>> import isthmus
    >>> from isthmus.checks.corpus import two_domains
    >>> toy = two_domains(n_documents=60)
    >>> model = toy.fit(isthmus.LR())
    >>> bool((model.transduction_ == toy.y)[toy.in_target].mean() > 0.9)
    True
    """
    rng = np.random.default_rng(seed)
    rows, labels, domains = [], [], []
    for number, domain in enumerate(("source", "target")):
        for label in range(n_classes):
            for _ in range(n_documents // n_classes):
                rows.append(_document(rng, label, number, n_classes))
                labels.append(f"class {label}")
                domains.append(domain)
    order = rng.permutation(len(rows))
    return Toy(sp.csr_array(np.array(rows)[order]), np.array(labels)[order], np.array(domains)[order])


def _document(rng: np.random.Generator, label: int, domain: int, n_classes: int) -> Array:
    width = N_NOISE + n_classes * N_OWN * 3
    counts = np.zeros(width)
    first = N_NOISE + label * N_OWN * 3
    own = first + N_OWN * (1 + domain)
    for pool, size in (
        (np.arange(N_NOISE), 5),
        (np.arange(first, first + N_OWN), 3),
        (np.arange(own, own + N_OWN), 7),
    ):
        np.add.at(counts, rng.choice(pool, size), 1)
    weights = counts * rng.uniform(0.9, 1.1, size=width)  # no two documents equally near to a third
    return np.asarray(weights / np.linalg.norm(weights))
