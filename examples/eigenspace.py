"""The eigen-space of CDSC

Documents are nodes of a graph, joined by the cosine of their words; all labeled documents of a class are one node. The
smallest eigenvectors of the graph are coordinates in which the graph is cut where few joints are: here, between the
classes, although no label of the target was read.
"""

import numpy as np

from isthmus.solvers.spectral import CosineAffinity, class_sums, embed
from isthmus.text import preset_vectorizer
from shared import COLORS, axes, topics


def draw(quick=False):
    """Target documents by the second and third vector, colored by their true class; stars are the source's classes."""
    task = topics(quick)
    X = preset_vectorizer("default").fit_transform(task.source + task.target)
    source, target = X[: len(task.source)], X[len(task.source) :]  # rows of unit length
    names, numbers = np.unique(task.labels, return_inverse=True)
    nodes, sizes = class_sums(source, numbers, len(names))
    start = np.random.default_rng(0).normal(size=len(names) + target.shape[0])
    embedding = embed(CosineAffinity(nodes, target, sizes), 4, start, None, np.inf)
    figure, [panel] = axes(5, 3.6)
    for number, (name, color) in enumerate(zip(names, COLORS)):
        own = np.array(task.truth) == name
        panel.plot(*embedding.free[own][:, 1:3].T, ".", color=color, alpha=0.5, label=name)
        panel.plot(*embedding.tied[number, 1:3], "*", color=color, ms=16, mec="black")
    panel.set(xlabel="second eigenvector", ylabel="third eigenvector", title=task.name)
    spread = np.quantile(embedding.free[:, 1:3], [0.01, 0.99], axis=0)
    panel.set(xlim=spread[:, 0] * 1.3, ylim=spread[:, 1] * 1.3)
    panel.legend(frameon=False, title="true class")
    return figure
