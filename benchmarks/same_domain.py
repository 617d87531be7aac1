"""Where nothing has shifted, does the automatic choice do no harm, and is its estimate right?

python benchmarks/same_domain.py DATA_FOLDER [DOCUMENTS [SHARE]]

Halves of one domain are source and target: the real domains, and reviews; at most so many documents of each (default:
1,500). With a share, nothing has shifted but the prior: the targets with two classes, thinned out until their first
class has this share.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import isthmus
from isthmus.datasets.corpus import Corpus
from isthmus.datasets.real import REAL_KINDS, load_real
from isthmus.datasets.reviews import load_reviews

Half = tuple[list[str], list[str]]
"""Texts and labels."""
MOST = 1500


def corpora(data: Path) -> Iterator[tuple[str, Corpus]]:
    """By kind. Headlines have a class to a domain, and no domain with two."""
    for kind in REAL_KINDS:
        if kind != "headlines":
            yield kind, load_real(kind, data)
    yield "reviews", load_reviews(data)


def halves(corpus: Corpus, most: int) -> Iterator[tuple[Half, Half]]:
    """Of each domain, two draws that have no document in common; classes that only one of them has are left out."""
    groups = [group.split("/") for group in corpus.groups.tolist()]
    for domain in sorted({group[0] for group in groups}):
        rows = [row for row, group in enumerate(groups) if group[0] == domain]
        random.Random(0).shuffle(rows)
        n = min(most, len(rows) // 2)
        sides = [[(corpus.texts[row], groups[row][1]) for row in some] for some in (rows[:n], rows[n : 2 * n])]
        both = set.intersection(*({label for _, label in side} for side in sides))
        source, target = ([own for own in side if own[1] in both] for side in sides)
        yield _apart(source), _apart(target)


def _apart(side: list[tuple[str, str]]) -> Half:
    return [text for text, _ in side], [label for _, label in side]


def thinned(target: Half, share: float) -> Half:
    """Of a target with two classes, so many documents that the first one has this share."""
    labels = np.array(target[1])
    first, second = (np.flatnonzero(labels == name) for name in np.unique(labels))
    n = min(len(first) / share, len(second) / (1 - share))
    rows = np.sort(np.concatenate([first[: round(n * share)], second[: round(n * (1 - share))]]))
    return [target[0][row] for row in rows], [target[1][row] for row in rows]


def observe(source: Half, target: Half) -> tuple[float, ...]:
    """Accuracy of LR, LR with C = 10 and the automatic choice, how far its estimate is off, and whether it holds."""
    result = isthmus.transfer(*source, target[0])
    labels, truth = np.array([*source[1], *target[1]], dtype=object), np.array(target[1], dtype=object)
    there = np.arange(len(labels)) >= len(source[1])
    plain = [
        isthmus.LR(C=C).fit(result.X, labels, sample_domain=there, target_domain=True).transduction_[there]
        for C in (1.0, 10.0)
    ]
    right = [float(np.mean(found == truth)) for found in (*plain, result.labels)]
    estimate = result.estimator.estimated_accuracy_
    held = estimate.low <= right[2] <= estimate.high
    return (*right, abs(estimate.value - right[2]), held, len(result.estimator.warnings_) > 0)


def main() -> None:
    """Print a table."""
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    most = int(sys.argv[2]) if len(sys.argv) > 2 else MOST
    share = float(sys.argv[3]) if len(sys.argv) > 3 else None
    seen = defaultdict(list)
    for kind, corpus in corpora(Path(sys.argv[1])):
        for source, target in halves(corpus, most):
            if share is None:
                seen[kind].append(observe(source, target))
            elif len(set(target[1])) == 2:
                seen[kind].append(observe(source, thinned(target, share)))
    print("| kind | domains | LR | LR, C = 10 | Auto | harmed | estimate off by | in its interval | warned |")
    print("|---" * 9 + "|")
    everything = [row for rows in seen.values() for row in rows]
    for kind, rows in [*seen.items(), ("all", everything)]:
        means = np.mean(rows, axis=0)
        harmed = sum(auto < alone - 0.01 for alone, _, auto, *_ in rows)
        cells = [f"{100 * mean:.1f}" for mean in means[:3]] + [str(harmed), f"{100 * means[3]:.1f}", f"{means[4]:.0%}"]
        print(f"| {kind} | {len(rows)} | {' | '.join(cells)} | {sum(row[5] for row in rows)} |")


if __name__ == "__main__":
    main()
