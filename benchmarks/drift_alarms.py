"""How often drift raises an alarm: on batches of the same target, of another group, and of another kind of text.

    python benchmarks/drift_alarms.py [--batches 100] [--method LR]

Half of a target is fitted to; the batches of 200 come from its other half, none twice in a split, and from groups that
no fit has seen. Every few batches the target is split anew, so that no profile decides alone. Nothing is fitted to the
outcome: thresholds come from the profile (`isthmus.drift`). Ends with 1 if the same target does in more than 2 of 100
batches, or anything else in fewer than 95.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np

import isthmus
from isthmus.datasets import load_newsgroups
from isthmus.datasets.reviews import load_reviews
from isthmus.drift import compare_batch, describe_documents, profile_target

SIZE = 200
MOST_FALSE, LEAST_TRUE = 0.02, 0.95
SAME = "the same target"


@dataclass(frozen=True)
class Trial:
    """A transfer, and what arrives after it."""

    name: str
    source: dict[str, list[str]]
    """Texts by class."""
    target: list[str]
    others: dict[str, list[str]]


def trials() -> list[Trial]:
    """Two of newsgroups and two of reviews."""
    posts, reviews = load_newsgroups(), load_reviews()

    def group(*names: str) -> list[str]:
        return [text for text, own in zip(posts.texts, posts.groups, strict=True) if own in names]

    def review(domain: str, kind: str = "") -> list[str]:
        wanted = f"{domain}/{kind}"
        return [text for text, own in zip(reviews.texts, reviews.groups, strict=True) if own.startswith(wanted)]

    def kinds(domain: str) -> dict[str, list[str]]:
        return {kind: review(domain, kind) for kind in ("negative", "positive")}

    some_posts = {name: group(name) for name in ("rec.autos", "talk.politics.guns", "sci.electronics")}
    return [
        Trial(
            "comp/sci",
            {"comp": group("comp.graphics"), "sci": group("sci.crypt")},
            group("comp.sys.mac.hardware", "sci.med"),
            {**some_posts, "reviews of music": review("music")},
        ),
        Trial(
            "rec/talk",
            {"rec": group("rec.autos"), "talk": group("talk.politics.guns")},
            group("rec.sport.hockey", "talk.politics.mideast"),
            {"rec.motorcycles": group("rec.motorcycles"), "sci.space": group("sci.space"), "reviews": review("video")},
        ),
        Trial(
            "music to video",
            kinds("music"),
            review("video"),
            {"reviews of apparel": review("apparel"), "reviews of software": review("software"), **some_posts},
        ),
        Trial(
            "software to camera",
            kinds("software"),
            review("camera_photo"),
            {"reviews of magazines": review("magazines"), "reviews of video": review("video"), **some_posts},
        ),
    ]


def run(trial: Trial, n_batches: int, method: str) -> bool:
    """Prints how often each kind of batch raises an alarm; whether all is as it must be."""
    rng = np.random.default_rng(0)
    source = [text for texts in trial.source.values() for text in texts]
    labels = [label for label, texts in trial.source.items() for _ in texts]
    alarms: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    signs: Counter[str] = Counter()
    while tried[SAME] < n_batches:
        order = rng.permutation(len(trial.target))
        half = len(order) // 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = [trial.target[row] for row in order[:half]]
            result = isthmus.transfer(source, labels, fitted, method=method, encoder=None)
        profile = profile_target(result)
        assert profile is not None
        later = [trial.target[row] for row in order[half:]]
        n_same = min(len(later) // SIZE, n_batches - tried[SAME])
        batches = [(SAME, later[start * SIZE : (start + 1) * SIZE]) for start in range(n_same)]
        for name, texts in trial.others.items():
            batches += [(name, [texts[row] for row in rng.permutation(len(texts))[:SIZE]]) for _ in range(n_same)]
        for name, texts in batches:
            warnings.simplefilter("ignore", isthmus.exceptions.EmptyDocumentWarning)
            X = result.vectorizer.transform(texts)
            described = describe_documents(result.vectorizer, texts, X, result.estimator.predict_proba(X), profile)
            report = compare_batch(profile, described)
            tried[name] += 1
            alarms[name] += report.drifted
            if name == SAME:
                signs.update(sign.name for sign in report.signs if sign.is_alarm)
    good = True
    for name, n in tried.items():
        bound = alarms[name] <= MOST_FALSE * n if name == SAME else alarms[name] >= LEAST_TRUE * n
        good &= bound
        which = f" ({', '.join(f'{sign} {k}' for sign, k in signs.items())})" if name == SAME and signs else ""
        print(f"{trial.name}: {name}: alarms in {alarms[name]} of {n}{which}{'' if bound else '  <-- beyond the bar'}")
    return good


def main() -> None:
    """All trials."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--method", default="LR")
    parser.add_argument("--trial")
    options = parser.parse_args()
    chosen = [trial for trial in trials() if options.trial in (None, trial.name)]
    good = [run(trial, options.batches, options.method) for trial in chosen]  # all, whatever the first ones say
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
