"""Labels that may be misspelt, or have too few documents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from isthmus.exceptions import SimilarLabelWarning, warn
from isthmus.quality.findings import Finding, Part, documents_are, listed_places, make_finding

ALIKE = 0.85
"""How alike two labels are (difflib) of which one may be a slip of the other."""
RARE = 0.05
"""A slip is rarer than this, as a share of what was meant."""
SIGNS = "+-\u2212"
NUMBER = re.compile(rf"[{re.escape(SIGNS)}]?[\d\s.,_]*\d[.,]?%?")
SMALL = 2
MOST_SLIPS = 20
"""Of a file, that are named."""


def nearest_label(label: str, known: Iterable[str]) -> str | None:
    """The label that was probably meant: the same but for case and spaces, or for a letter or two.

    >>> nearest_label("Billing ", ["billing", "fault"]), nearest_label("biling", ["billing", "fault"])
    ('billing', 'billing')
    >>> nearest_label("falut", ["billing", "fault"])
    'fault'
    >>> nearest_label("class 1", ["class 2"]) is None
    True
    """
    others = [other for other in known if other != label and not _meant_to_differ(other, label)]
    for other in others:
        if _folded(other) == _folded(label):
            return other
    for other in others:
        if _is_swapped(_folded(other), _folded(label)):
            return other
    close = get_close_matches(_folded(label), map(_folded, others), n=1, cutoff=ALIKE)
    found = next((other for other in others if close and _folded(other) == close[0]), None)
    return None if found is None or _without_digits(found) == _without_digits(label) else found


def _is_swapped(one: str, other: str) -> bool:
    """Whether two neighboring letters have changed places."""
    places = [place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]]
    if len(one) != len(other) or len(places) != 2 or places[1] != places[0] + 1:
        return False
    return [one[place] for place in places] == [other[place] for place in reversed(places)]


def find_labels(parts: Sequence[Part]) -> Iterator[Finding]:
    """Labels that differ by case, spaces or a letter, and classes of one or two documents."""
    for part in parts:
        places: defaultdict[str, list[str]] = defaultdict(list)
        for row, label in part.labeled():
            places[label].append(part.place(row))
        counts = {label: len(own) for label, own in places.items()}
        slips = {label: meant for label in sorted(counts) if (meant := _slip(label, counts)) is not None}
        for label, meant in list(slips.items())[:MOST_SLIPS]:
            has = documents_are(counts[label], f"has the label {label!r}", f"have the label {label!r}")
            yield make_finding("similar-labels", part.name, has, places[label], ask=f"did you mean {meant!r}?")
        small = [label for label in sorted(counts) if counts[label] <= SMALL and label not in slips]
        if small:
            n = len(small)
            what = "1 class has one or two documents" if n == 1 else f"{n:,} classes have one or two documents"
            named = [f"{label!r} in {listed_places(places[label])}" for label in small]
            yield make_finding("small-class", part.name, what, named, sum(counts[label] for label in small))


def _slip(label: str, counts: dict[str, int]) -> str | None:
    """A more frequent label that was perhaps meant."""
    frequent = [other for other, n in counts.items() if (n, label) > (counts[label], other)]
    meant = nearest_label(label, frequent)
    if meant is None or (_folded(meant) != _folded(label) and counts[label] > max(SMALL, RARE * counts[meant])):
        return None
    return meant


def find_unknown(part: Part, known: Iterable[str], column: str) -> Iterator[Finding]:
    """Labels that no source has: misspelt, or a class that cannot be learned."""
    known = list(known)
    for label, n in Counter(label for _, label in part.labeled()).most_common():
        if label not in known:
            meant = nearest_label(label, known)
            ask = f"did you mean {meant!r}?" if meant else "the source has no such label."
            has = documents_are(n, f"has {label!r}", f"have {label!r}")
            places = [part.place(row) for row, other in part.labeled() if other == label]
            yield make_finding("unknown-label", part.name, f"{has} in column {column!r}", places, ask=ask)


def check_truth(truth: Iterable[Any], classes: Iterable[Any]) -> None:
    """Refuse true labels none of which is a class of the model: all of its labels would be wrong for the spelling.

    Of others, those that may be slips are told of. `truth` is spelled like the classes, with None for missing ones.
    """
    known = {str(label) for label in classes}
    there = {str(label) for label in truth if label is not None}
    if there and there.isdisjoint(known):
        named = ", ".join(repr(label[:40]) for label in sorted(there)[:5])
        others = " and others" if len(there) > 5 else ""
        raise ValueError(f"truth holds no class of the model but {named}{others}: spell labels alike.")
    for label in sorted(there - known):
        if (meant := nearest_label(label, known)) is not None:
            warn(
                f"truth holds {label!r}, which the model does not know: it counts as wrong. Did you mean {meant!r}?",
                SimilarLabelWarning,
            )


def _folded(label: str) -> str:
    return re.sub(r"[\s_-]+", " ", label).strip().casefold()


def _meant_to_differ(label: str, other: str) -> bool:
    """By a sign, or as numbers do, which are never misspelt ones of each other."""
    both_numbers = all(NUMBER.fullmatch(one.strip()) for one in (label, other))
    return both_numbers or _signs(label) != _signs(other)


def _signs(label: str) -> list[str]:
    """Those at the beginning, at the end, and before numbers: -1 is not 1, nor A- a misspelt A."""
    bare = label.strip()
    before, after = bare[: len(bare) - len(bare.lstrip(SIGNS))], bare[len(bare.rstrip(SIGNS)) :]
    return [before, after, *re.findall(rf"(?<=\s)[{re.escape(SIGNS)}](?=\d)", bare)]


def _without_digits(label: str) -> str:
    """Where labels differ by a number, they are meant to."""
    bare = re.sub(r"\d+", "#", _folded(label))
    return bare if "#" in bare else label
