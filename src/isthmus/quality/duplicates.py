"""Near-duplicates: documents that share nearly all runs of three words (shingles; Broder 1997)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sparse_dot_topn import sp_matmul_topn

from isthmus.quality.findings import Finding, Part, documents_are, make_finding
from isthmus.quality.tokens import Tokens, tokenize

SHINGLE = 3
ALIKE = 0.8
"""Cosine of two sets of shingles, from which on documents are near-duplicates."""
NEIGHBORS, MORE_NEIGHBORS = 8, 128
"""Of a document, itself among them, that are looked for; and for those that have as many."""
MOST_PRODUCTS = 200_000_000
"""Pairs of documents with a common shingle that are counted. The rarest shingles come first: they tell the most."""
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
Groups = npt.NDArray[np.int64]


def near_duplicates(texts: Sequence[str]) -> Groups:
    """A number for each text, the same for those that are near-duplicates of one another; -1 for texts without words.

    >>> text = "the quick brown fox jumps over the lazy dog and runs far away from here today"
    >>> near_duplicates([text, "something else", text + "!", text.replace("today", "now")]).tolist()
    [0, 1, 0, 0]
    """
    return duplicates_among(tokenize(texts))


def duplicates_among(tokens: Tokens) -> Groups:
    """`near_duplicates` of texts that have been read."""
    same = exact_duplicates(tokens)
    n_groups = int(same.max(initial=-1)) + 1
    if n_groups < 2:
        return same
    first = np.unique(same[same >= 0], return_index=True)[1]
    rows = np.flatnonzero(same >= 0)[first]  # one document of each group
    shared = _shared_shingles(tokens, rows)
    _, joined = connected_components(_alike(shared), directed=False)
    return np.where(same >= 0, joined[same], -1)


def _alike(shared: sp.csr_matrix) -> sp.csr_matrix:
    """Which documents are near-duplicates of one another. Of many revisions, the nearest alone may be two sets."""
    others = shared.T.tocsr()
    pairs = sp_matmul_topn(shared, others, top_n=NEIGHBORS, threshold=ALIKE)
    full = np.flatnonzero(np.diff(pairs.indptr) >= NEIGHBORS)
    if not len(full):
        return pairs
    more = sp_matmul_topn(shared[full], others, top_n=MORE_NEIGHBORS, threshold=ALIKE).tocoo()
    return pairs + sp.csr_matrix((more.data, (full[more.row], more.col)), shape=pairs.shape)


def exact_duplicates(tokens: Tokens) -> Groups:
    """A number for each document, the same for those of the same words in the same order; -1 without words."""
    known: dict[bytes, int] = {}
    numbers = [
        known.setdefault(words.tobytes(), len(known)) if len(words := tokens.of(document)) else -1
        for document in range(len(tokens))
    ]
    return np.array(numbers, dtype=np.int64)


def _shared_shingles(tokens: Tokens, rows: npt.NDArray[np.intp]) -> sp.csr_matrix:
    """Documents x shingles that two or more of them have; the rows would have unit length with all shingles."""
    starts, ends = tokens.starts[:-1][rows], tokens.starts[1:][rows]
    lengths = np.maximum(ends - starts - SHINGLE + 1, 0)
    owner = np.repeat(np.arange(len(rows)), lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    begin = np.repeat(starts, lengths) + within
    numbers = tokens.numbers.astype(np.uint64) + np.uint64(1)
    keys = np.zeros(len(begin), dtype=np.uint64)
    for offset, factor in enumerate(_FACTORS):
        keys = (keys + numbers[begin + offset]) * factor
        keys ^= keys >> np.uint64(29)
    _, columns = np.unique(keys, return_inverse=True)
    found = sp.csr_matrix((np.ones(len(owner), dtype=np.float32), (owner, columns)), shape=(len(rows), len(keys) + 1))
    found.data[:] = 1  # however often a document has it
    sizes = np.maximum(np.diff(found.indptr), 1)
    frequency = np.bincount(found.indices, minlength=found.shape[1])
    shared = np.flatnonzero(frequency > 1)
    order = shared[np.argsort(frequency[shared], kind="stable")]
    order = order[np.cumsum(frequency[order].astype(np.float64) ** 2) <= MOST_PRODUCTS]
    return sp.csr_matrix(sp.diags_array(1 / np.sqrt(sizes)).tocsr() @ found[:, np.sort(order)], dtype=np.float32)


def find_duplicates(parts: Sequence[Part], tokens: Tokens) -> Iterator[Finding]:
    """Copies within a file and between files, and the same text under two labels."""
    groups = duplicates_among(tokens)
    spots = [(part, row) for part in parts for row in range(len(part.texts))]
    members: defaultdict[int, list[tuple[Part, int]]] = defaultdict(list)
    for group, spot in zip(groups.tolist(), spots, strict=True):
        if group >= 0:
            members[group].append(spot)
    several = [group for group in members.values() if len(group) > 1]
    yield from _conflicts(spots)
    for part in parts:
        own = [[row for other, row in group if other is part] for group in several]
        own = [rows for rows in own if len(rows) > 1]
        if copies := sum(len(rows) - 1 for rows in own):
            what = documents_are(
                copies, "is a near-duplicate of another one", "are near-duplicates of others in the file"
            )
            pairs = [_pair(part.place(rows[0]), part.place(rows[1])) for rows in own]
            yield make_finding("near-duplicates", part.name, what, pairs, copies)
    yield from _across(parts, several)


def _across(parts: Sequence[Part], several: list[list[tuple[Part, int]]]) -> Iterator[Finding]:
    for number, later in enumerate(parts):
        for earlier in parts[:number]:
            pairs = []
            for group in several:
                there = next((row for part, row in group if part is earlier), None)
                if there is not None:
                    rows = [row for part, row in group if part is later]
                    pairs += [f"{_pair(later.place(row), earlier.place(there))} there" for row in rows]
            if pairs:
                one = f"is a near-duplicate of one in {earlier.name}"
                what = documents_are(len(pairs), one, f"are near-duplicates of some in {earlier.name}")
                yield make_finding("near-duplicates-across", later.name, what, pairs)


def _conflicts(spots: Sequence[tuple[Part, int]]) -> Iterator[Finding]:
    """The same text, but for case and spaces, under two labels: one of them is wrong, or the classes overlap."""
    labels: defaultdict[str, dict[str, tuple[Part, int]]] = defaultdict(dict)
    counts: defaultdict[str, int] = defaultdict(int)
    for part, row in spots:
        label = part.labels[row] if len(part.labels) else None
        if label is not None and (text := " ".join(part.texts[row].lower().split())):
            labels[text].setdefault(label, (part, row))
            counts[text] += 1
    found: defaultdict[str, list[str]] = defaultdict(list)
    total: defaultdict[str, int] = defaultdict(int)
    for text, by_label in labels.items():
        if len(by_label) > 1:
            file = next(iter(by_label.values()))[0].name
            places = [
                f"{label!r} in {part.place(row)}{'' if part.name == file else ' of ' + part.name}"
                for label, (part, row) in by_label.items()
            ]
            found[file].append(" and ".join(places))
            total[file] += counts[text]
    for file, places in found.items():
        n = len(places)
        what = "1 text stands under two labels" if n == 1 else f"{n:,} texts stand under two labels or more"
        yield make_finding("two-labels", file, what, places, total[file])


def _pair(one: str, other: str) -> str:
    kind, _, number = other.partition(" ")
    alike = one.startswith(f"{kind} ")
    return f"{kind}s {one.removeprefix(kind + ' ')} and {number}" if alike else f"{one} and {other}"
