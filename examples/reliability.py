"""A reliability curve: do probabilities say what they mean?

Of documents that get a probability of 0.8, eight in ten should be right. The source-only classifier has never met the
target's words, and its probabilities show it. `Auto` scales its own to the accuracy that it estimates: they are as good
as this estimate, and too modest where it is too low.
"""

import isthmus
from isthmus.evaluation import evaluate_labels
from shared import COLORS, axes, topics


def draw(quick=False):
    """The share of right labels against their probability, with Wilson's 95% intervals."""
    task = topics(quick)
    figure, panels = axes(8, 3.2, columns=2)
    for panel, method, color in zip(panels, ("LR", "Auto"), (COLORS[3], COLORS[0])):
        result = isthmus.transfer(task.source, task.labels, task.target, method=method)
        found = evaluate_labels(task.truth, result.probabilities, list(result.classes))
        x = [one.confidence for one in found.reliability]
        y = [one.accuracy.value for one in found.reliability]
        below = [max(0, one.accuracy.value - one.accuracy.low) for one in found.reliability]
        above = [max(0, one.accuracy.high - one.accuracy.value) for one in found.reliability]
        panel.plot([0.3, 1], [0.3, 1], ":", color="gray")
        panel.errorbar(x, y, yerr=[below, above], fmt="o-", color=color, capsize=3)
        panel.set(xlabel="probability of the label", ylabel="share that is right", ylim=(0, 1.05))
        panel.set_title(f"{method}: {found.accuracy.value:.0%} right, error {found.calibration_error:.3f}")
    figure.suptitle(task.name)
    return figure
