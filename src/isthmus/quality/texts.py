"""Texts that say nothing, or are no texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from isthmus.quality.findings import Finding, Part, documents_are, make_finding
from isthmus.quality.tokens import Tokens

KINDS = {
    "numbers or dates": re.compile(r"[\s\d.,:;/+%$€-]*\d[\s\d.,:;/+%$€TZ-]*"),
    "addresses": re.compile(r"\s*(https?://|www\.)\S+\s*|\s*\S+@\S+\.\S+\s*"),
}
"""What columns hold that are not the text."""
MOST = 0.5
"""Share of a file's texts from which on the column seems to be another one."""
ASK = "is this the column of the text?"
LEAST = 5
"""Documents of which that can be said."""


def find_texts(parts: Sequence[Part], tokens: Tokens, is_source: Sequence[bool]) -> Iterator[Finding]:
    """Documents without words, target documents without a word of the source, and columns that hold no text."""
    lengths = np.diff(tokens.starts)
    known = _source_words(parts, tokens, is_source)
    overlap = tokens.count_among(known)
    start = 0
    for part, own_source in zip(parts, is_source, strict=True):
        here = slice(start, start + len(part.texts))
        start += len(part.texts)
        empty = lengths[here] == 0
        if n := int(empty.sum()):
            what = documents_are(n, "is empty or holds no word", "are empty or hold no word")
            yield make_finding("empty", part.name, what, [part.place(row) for row in np.flatnonzero(empty).tolist()])
        strange = ~empty & (overlap[here] == 0)
        if not own_source and known and (n := int(strange.sum())):
            what = documents_are(n, "shares no word with the source", "share no word with the source")
            yield make_finding(
                "no-known-word", part.name, what, [part.place(row) for row in np.flatnonzero(strange).tolist()]
            )
        yield from _other_columns(part)


def _source_words(parts: Sequence[Part], tokens: Tokens, is_source: Sequence[bool]) -> set[int]:
    owned = np.repeat(
        [own for part, own in zip(parts, is_source, strict=True) for _ in part.texts], np.diff(tokens.starts)
    )
    return set(np.unique(tokens.numbers[owned.astype(bool)]).tolist())


def _other_columns(part: Part) -> Iterator[Finding]:
    filled = [(row, text) for row, text in enumerate(part.texts) if text.strip()]
    if len(filled) < LEAST:
        return
    for kind, pattern in KINDS.items():
        rows = [row for row, text in filled if len(text) < 200 and pattern.fullmatch(text)]
        if len(rows) > MOST * len(filled):
            what = documents_are(len(rows), f"is nothing but {kind}", f"are nothing but {kind}")
            yield make_finding("other-column", part.name, what, [part.place(row) for row in rows], ask=ASK)
            return
    short = [row for row, text in filled if len(text) < 40 and len(text.split()) == 1]
    if len(short) > MOST * len(filled) and len({part.texts[row] for row in short}) <= len(short) / 4:
        what = f"{len(short):,} documents are one of a few single words"
        yield make_finding("other-column", part.name, what, [part.place(row) for row in short], ask=ASK)
