"""Composing your own factorization

`Factorized` puts a method together from parts. Here: topics as in TCL, and a term that makes the classes as common in
the target as in the source. As its weight grows from zero, where it is TCL to the bit, the labels of the messages
become more balanced, and more accurate, since in this target they are balanced.
"""

import numpy as np

import isthmus
from isthmus.parts import Component, EqualMeans
from shared import COLORS, axes, messages


def draw(quick=False):
    """Accuracy, and the share of the largest class, against the weight of the term."""
    task = messages(quick)
    components = Component("U", "H", 0.7), Component("W*", "H", 0.3)
    weights = [0.0, 100.0] if quick else [0.0, 1.0, 10.0, 30.0, 100.0, 300.0]
    accuracy, largest = [], []
    for weight in weights:
        method = isthmus.Factorized(components, terms=[EqualMeans("V*", weight)], n_topics=10, random_state=0)
        labels = isthmus.transfer(task.source, task.labels, task.target, method=method).labels
        accuracy.append(task.accuracy(labels))
        largest.append(np.unique(labels, return_counts=True)[1].max() / len(labels))
    figure, [panel] = axes()
    places = range(len(weights))
    panel.plot(places, accuracy, "o-", color=COLORS[0], label="accuracy")
    panel.plot(places, largest, "o-", color=COLORS[3], label="share of the largest class")
    panel.axhline(1 / 3, color="gray", ls=":")
    panel.set(xlabel="weight of EqualMeans", ylim=(0, 1), title="messages, TCL and one term more")
    panel.set_xticks(places, [f"{weight:g}" for weight in weights])
    panel.legend(frameon=False)
    return figure
