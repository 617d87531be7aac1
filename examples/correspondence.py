"""S_w of CCI: which word clusters correspond

CCI clusters the words of each domain by themselves, and learns which clusters of the source go with which of the
target, many to many. Rows and columns are clusters, named by their words and sorted by their class. Dark squares are
pairs that have more to do with each other than clusters of their size would by chance.
"""

import isthmus
from shared import axes, topics


def draw(quick=False):
    """The weights of all pairs of clusters."""
    task = topics(quick)
    method = isthmus.CCI(n_topics=8, random_state=0)
    result = isthmus.transfer(task.source, task.labels, task.target, method=method, preset="cci")
    [pair] = result.estimator.correspondence(result.vectorizer.get_feature_names_out(), n_words=3)
    rows = sorted(range(len(pair.source_clusters)), key=lambda row: str(pair.source_clusters[row]))
    columns = sorted(range(len(pair.target_clusters)), key=lambda column: str(pair.target_clusters[column]))
    figure, [panel] = axes(6.4, 4.6)
    weights = pair.weights[rows][:, columns]
    by_chance = weights.sum(axis=1, keepdims=True) * weights.sum(axis=0) / weights.sum()
    shown = panel.imshow(weights / by_chance, cmap="BuGn", aspect="auto", vmin=0, vmax=4)
    panel.set_xticks(range(len(columns)), [str(pair.target_clusters[k]) for k in columns], rotation=60, ha="right")
    panel.set_yticks(range(len(rows)), [str(pair.source_clusters[k]) for k in rows])
    panel.set(title=f"{task.name}: {task.accuracy(result.labels):.0%} right", xlabel="target", ylabel="source")
    figure.colorbar(shown, label="weight, by chance = 1")
    return figure
