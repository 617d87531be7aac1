"""What people write into a column of labels where there is no label."""

from __future__ import annotations

from unicodedata import category

PLACEHOLDERS = frozenset(
    {"n/a", "na", "n.a.", "#n/a", "<na>", "nan", "null", "none", "nil", "(none)", "undefined"}
    | {"tbd", "todo", "missing", "unlabeled", "no label"}
)
"""In small letters."""


def is_placeholder(label: str) -> bool:
    """Whether a label says that there is none: by such a word, or by question marks, dashes or dots alone.

    >>> [is_placeholder(label) for label in ("N/A", " ? ", "---", "none", "no", "nano", "+", "!")]
    [True, True, True, True, False, False, False, False]
    """
    bare = label.strip().casefold()
    return bare in PLACEHOLDERS or (bool(bare) and all(sign in "?.…" or category(sign) == "Pd" for sign in bare))
