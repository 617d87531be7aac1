"""Twenty labels: what they teach, and what they measure

Without a target label, the accuracy is an estimate with a wide interval. Labels that `suggest_labels` asks for make
the interval narrower and, after some dozens, the model better. The dots are the truth, which nobody would know: they
need not lie in the middle of the interval, nor always within it.
"""

import isthmus
from shared import COLORS, axes, messages


def draw(quick=False):
    """Estimated and true accuracy on the other documents, after 0, 10, 20, 40 and 80 labels."""
    task = messages(quick)
    known = [None] * len(task.target)
    counts, estimates, truths = ([0, 20] if quick else [0, 10, 20, 40, 80]), [], []
    result = isthmus.transfer(task.source, task.labels, task.target)
    for before, count in zip([0, *counts], counts):
        if count:
            for row in isthmus.suggest_labels(result, count - before):
                known[row] = task.truth[row]
            result = isthmus.transfer(task.source, task.labels, task.target, target_labels=known)
        others = [row for row, label in enumerate(known) if label is None]
        truths.append(sum(result.labels[row] == task.truth[row] for row in others) / len(others))
        estimates.append(result.estimator.estimated_accuracy_)
    figure, [panel] = axes()
    panel.fill_between(
        counts, [e.low for e in estimates], [e.high for e in estimates], color=COLORS[0], alpha=0.2, lw=0
    )
    panel.plot(counts, [e.value for e in estimates], color=COLORS[0], label="estimated, with its 90% interval")
    panel.plot(counts, truths, "o", color=COLORS[1], label="true, on documents without a label")
    panel.set(xlabel="labels of the target", ylabel="accuracy", ylim=(0.5, 1), title=task.name)
    panel.legend(frameon=False, loc="lower right")
    return figure
