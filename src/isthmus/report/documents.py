"""The table of documents, as columns that a browser reads quickly."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from isthmus.inspection.occlusion import deciding_words
from isthmus.report.material import UNKNOWN, Material

CHARACTERS = 20_000_000
"""Of all texts together: what a browser opens in a moment."""
LONGEST, SHORTEST = 4_000, 200
"""Of one text."""
EXCERPT = 160
MOST_CLASSES = 5
"""Probabilities that are kept of each document, the largest first."""
NEGLIGIBLE = 0.01
"""A word with less than this share of the first word's say decides nothing."""
MANY_DOCUMENTS = 20_000
"""From here on, fewer words are tried for each document."""


def excerpt(text: str, length: int = EXCERPT) -> str:
    """The beginning of a text, on one line."""
    line = re.sub(r"\s+", " ", text[: 4 * length]).strip()
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def text_limit(n_documents: int) -> int:
    """How much of each text the page holds."""
    return max(SHORTEST, min(LONGEST, CHARACTERS // max(n_documents, 1)))


def document_columns(material: Material) -> dict[str, Any]:
    """One list per column."""
    probabilities = np.asarray(material.result.probabilities, dtype=np.float64)
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :MOST_CLASSES]
    shares = np.rint(np.take_along_axis(probabilities, order, axis=1) * 10_000).astype(int)
    limit = text_limit(material.n_target)
    columns: dict[str, Any] = {
        "classes": material.class_names,
        "ids": material.ids,
        "texts": [text[:limit] for text in material.result.target_texts],
        "lengths": [len(text) for text in material.result.target_texts],
        "order": order.tolist(),
        "shares": shares.tolist(),
        "truth": None if material.truth is None else np.where(material.known, material.truth, UNKNOWN).tolist(),
        "words": None,
        "deciding": None,
    }
    if material.words is not None:
        columns["words"], columns["deciding"] = _deciding(material)
    return columns


def _deciding(material: Material) -> tuple[list[str], list[list[float]]]:
    """The words that decide at least one document, and for each document: number, say, number, say, ..."""
    found = deciding_words(
        material.result.estimator,
        material.X_target,
        material.words,  # type: ignore[arg-type]  # no words, no deciding ones: checked before
        n_candidates=20 if material.n_target < MANY_DOCUMENTS else 10,
        labels=material.result.labels,
    )
    numbers: dict[str, int] = {}
    rows: list[list[float]] = []
    for words in found:
        rows.append([])
        for word, say in words:
            if say >= NEGLIGIBLE * words[0][1]:
                rows[-1] += [numbers.setdefault(word, len(numbers)), float(f"{say:.3g}")]
    return list(numbers), rows
