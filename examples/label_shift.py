"""Label shift, and how it is found

The source has as many documents of one class as of the other. The target does not: from left to right its share of the
first class grows. TCL, which pulls both sides to one mix, breaks at the ends. `Auto` looks for the target's prior, and
does not always see it (on the right: on the dotted line it would be right). Told the prior, it need not look for it.
"""

import warnings

import numpy as np

import isthmus
from shared import COLORS, axes, messages, newsgroups

SHARES = [0.1, 0.3, 0.5, 0.7, 0.9]


def draw(quick=False):
    """Accuracy and found prior against the true share of the first class."""
    task = (None if quick else newsgroups("rec", "talk")) or messages(quick)
    first, second = sorted(set(task.labels))[:2]
    source = [row for row, label in enumerate(task.labels) if label in (first, second)]
    texts, labels = [task.source[row] for row in source], [task.labels[row] for row in source]
    sides = [[row for row, label in enumerate(task.truth) if label == name] for name in (first, second)]
    size = min(map(len, sides))
    shares, found, accuracy = SHARES[:1] if quick else SHARES, [], {"LR": [], "TCL": [], "Auto": [], "Auto, told": []}
    for share in shares:
        rows = np.array(sides[0][: round(share * size)] + sides[1][: round((1 - share) * size)])
        part = task.part(rows)
        for name, values in accuracy.items():
            method, told = name.partition(",")[0], "told" in name
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                prior = {first: share, second: 1 - share} if told else None
                result = isthmus.transfer(texts, labels, part.target, method=method, target_prior=prior)
            values.append(part.accuracy(result.labels))
            if name == "Auto":
                found.append(result.estimator.target_prior_[first])
    figure, (left, right) = axes(8, 3, columns=2)
    for (method, values), color in zip(accuracy.items(), [COLORS[3], COLORS[1], COLORS[0], COLORS[2]]):
        left.plot(shares, values, "o-", color=color, label=method)
    left.set(xlabel=f"share of {first!r} in the target", ylabel="accuracy", title=task.name)
    left.legend(frameon=False)
    right.plot([0, 1], [0, 1], ":", color="gray")
    right.plot(shares, found, "o-", color=COLORS[0])
    right.set(xlabel=f"true share of {first!r}", ylabel="share that Auto goes by", title="the prior that is found")
    return figure
