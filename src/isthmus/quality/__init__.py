"""Data quality: what may be wrong with labeled and unlabeled documents, before a model is fitted to them."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus.quality.duplicates import find_duplicates, near_duplicates
from isthmus.quality.findings import Finding, Part, listed_places, read_part
from isthmus.quality.labels import find_labels, find_unknown, nearest_label
from isthmus.quality.languages import find_languages
from isthmus.quality.texts import find_texts
from isthmus.quality.tokens import tokenize

__all__ = [
    "Finding",
    "Part",
    "find_unknown",
    "listed_places",
    "look_at",
    "near_duplicates",
    "nearest_label",
]


def look_at(sources: Sequence[Part], target: Part | None) -> list[Finding]:
    """Everything that is found in the documents of a transfer, those of labels first.

    Examples
    --------
    >>> from isthmus.quality import Part, look_at
    >>> source = Part("s.csv", ["it crashes", "a refund", "it crashes"], ["fault", "billing", "Fault"])
    >>> for finding in look_at([source], None):
    ...     print(finding.message)
    s.csv: 1 document has the label 'fault' (document 1): did you mean 'Fault'?
    s.csv: 2 classes have one or two documents ('Fault' in document 3; 'billing' in document 2).
    s.csv: 1 text stands under two labels ('fault' in document 1 and 'Fault' in document 3).
    s.csv: 1 document is a near-duplicate of another one (documents 1 and 3).
    """
    sources, target = list(map(read_part, sources)), None if target is None else read_part(target)
    parts = [*sources, *([] if target is None else [target])]
    tokens = tokenize([text for part in parts for text in part.texts])
    is_source = [True] * len(sources) + [False] * (len(parts) - len(sources))
    return [
        *find_labels(sources),
        *find_duplicates(parts, tokens),
        *find_texts(parts, tokens, is_source),
        *find_languages(parts, tokens),
    ]
