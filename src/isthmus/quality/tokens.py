"""Words of documents as numbers, read once for all that is looked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isthmus.text.segmentation import is_plain, tokens

WORD = re.compile(r"\w+")
MOST_WORDS = 5_000_000
"""Of all documents together, so that looking takes seconds however many there are."""
MOST_OF_ONE = 300
"""Words of one document: its beginning tells whether it is a copy, and in which language it is."""
LONGEST_WORD = 12
"""Characters that a word takes up on average, at the most, with the spaces."""


@dataclass(frozen=True)
class Tokens:
    """The first words of each document."""

    numbers: npt.NDArray[np.int64]
    """Of all words, one document after the other."""
    starts: npt.NDArray[np.int64]
    """Where each document begins, and where the last one ends."""
    vocabulary: dict[str, int]
    """Words in small letters, and their numbers."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, document: int) -> npt.NDArray[np.int64]:
        return self.numbers[self.starts[document] : self.starts[document + 1]]

    def count_among(self, words: set[int]) -> npt.NDArray[np.int64]:
        """How many words of each document are among these."""
        is_one = np.zeros(len(self.vocabulary) + 1, dtype=np.int64)
        is_one[list(words)] = 1
        sums = np.concatenate([[0], np.cumsum(is_one[self.numbers])])
        return np.asarray(sums[self.starts[1:]] - sums[self.starts[:-1]])


def tokenize(texts: Sequence[str]) -> Tokens:
    """The first words of each text, or pairs of characters where no space divides words: fewer, the more texts."""
    most = max(min(MOST_OF_ONE, MOST_WORDS // max(len(texts), 1)), 10)
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    numbers: list[int] = []
    starts = [0]
    for text in texts:
        numbers.extend(map(vocabulary.__getitem__, _words(text[: most * LONGEST_WORD].lower())[:most]))
        starts.append(len(numbers))
    vocabulary.default_factory = None
    return Tokens(np.array(numbers, dtype=np.int64), np.array(starts, dtype=np.int64), dict(vocabulary))


def _words(text: str) -> list[str]:
    if is_plain(text):
        return WORD.findall(text)
    words, pairs = tokens(text)
    return words + pairs
