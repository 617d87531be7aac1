"""Names of features: whoever makes them and whoever shows them go by the same mark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

LETTER_RUN = "~"
"""Begins the name of a run of letters, as no word does; `_` stands for the edge of the word."""
DIMENSION = "<dimension "
"""Begins the name of a dimension of embeddings."""


def is_word(name: object) -> bool:
    """Whether a feature is for people to read. Runs of letters stand beside the words that they are parts of.

    >>> is_word("good"), is_word("~_goo"), is_word("<dimension 7>")
    (True, False, False)
    """
    return not str(name).startswith((LETTER_RUN, DIMENSION))


def dimension_names(n: int) -> np.ndarray[Any, Any]:
    """The names of so many dimensions of embeddings: their numbers, which no word can be taken for."""
    return np.array([f"{DIMENSION}{number}>" for number in range(n)], dtype=object)


def for_people(names: Iterable[object]) -> Callable[[object], bool]:
    """Which of these features are shown: words. Where there is nothing but dimensions of embeddings, these are.

    >>> list(filter(for_people(["good", "~_goo", "<dimension 7>"]), ["good", "~_goo", "<dimension 7>"]))
    ['good']
    >>> list(filter(for_people(["<dimension 7>"]), ["<dimension 7>"]))
    ['<dimension 7>']
    """
    return is_dimension if only_dimensions(names) else is_word


def only_dimensions(names: Iterable[object]) -> bool:
    """Whether features are those of embeddings, with no word beside them."""
    return all(map(is_dimension, names))


def first_words(order: Iterable[int], names: Sequence[str] | np.ndarray[Any, Any], n_words: int) -> list[int]:
    """Of features in some order, the first ones that are words (`for_people`).

    >>> first_words([2, 1, 0], ["good", "~_goo", "bad"], 2)
    [2, 0]
    """
    shown = for_people(names)
    return list(islice((int(number) for number in order if shown(names[number])), n_words))


def is_letter_run(name: object) -> bool:
    """Whether a feature is a run of letters."""
    return str(name).startswith(LETTER_RUN)


def is_dimension(name: object) -> bool:
    """Whether a feature is a dimension of embeddings."""
    return str(name).startswith(DIMENSION)


def is_run_of(run: str, word: str) -> bool:
    """Whether a run of letters is one of this word's.

    >>> is_run_of("~ood_", "good"), is_run_of("~ood_", "goods")
    (True, False)
    """
    return run.removeprefix(LETTER_RUN) in f"_{word}_"
