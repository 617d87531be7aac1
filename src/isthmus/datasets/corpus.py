"""Texts with the group that each belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents and the name of each one's group."""

    texts: list[str]
    groups: np.ndarray[Any, Any]

    def __len__(self) -> int:
        return len(self.texts)


def join(*corpora: Corpus) -> Corpus:
    """Several corpora as one."""
    texts = [text for corpus in corpora for text in corpus.texts]
    return Corpus(texts, np.concatenate([corpus.groups for corpus in corpora]))
