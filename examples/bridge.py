"""TCL's bridge: the words that labels cross by

A topic of TCL has common words, which both domains use, and words of its own on either side. The common ones tie the
two together: a source label reaches a word that the source has never seen. Thick lines are words of large weight.
"""

import isthmus
from shared import COLORS, axes, topics


def draw(quick=False):
    """The first topic of two classes, from left to right: words of the source, common words, words of the target."""
    task = topics(quick)
    result = isthmus.transfer(task.source, task.labels, task.target, method="TCL")
    found = result.topics(n_words=6)
    labels = list(dict.fromkeys(topic.label for topic in found))[:2]
    figure, panels = axes(8, 3.2, columns=2)
    for panel, label, color in zip(panels, labels, COLORS):
        topic = next(topic for topic in found if topic.label == label)
        columns = [topic.specific["source"], topic.common, topic.specific["target"]]
        for x, words in enumerate(columns):
            for y, (word, _) in enumerate(words):
                panel.text(
                    x, -y, word, ha="center", va="center", bbox={"fc": "white", "ec": "none", "pad": 1.5}, zorder=2
                )
        for left, right in ((0, 1), (2, 1)):
            for y, (_, weight) in enumerate(columns[left]):
                for z, (_, common) in enumerate(columns[right]):
                    share = weight * common / (columns[left][0][1] * columns[right][0][1])
                    panel.plot([left, right], [-y, -z], color=color, lw=2.5 * share, alpha=0.5, zorder=1)
        panel.set(title=label, xlim=(-0.5, 2.5), ylim=(-5.6, 0.6), xticks=[0, 1, 2], yticks=[])
        panel.set_xticklabels(["source", "common", "target"])
        panel.spines[:].set_visible(False)
    figure.suptitle(f"{task.name}: {task.accuracy(result.labels):.0%} right")
    return figure
