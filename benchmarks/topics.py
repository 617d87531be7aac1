"""Table 3 of TCL's paper: words of topics of rec vs sci, by the plain sort of the paper and as `topics` ranks them.

python benchmarks/topics.py DATA
"""

from __future__ import annotations

import sys
from pathlib import Path

import isthmus
from isthmus.bench.tasks import Library, load_table
from isthmus.datasets import load_newsgroups
from isthmus.text import text_vectorizer

N_WORDS = 5


def main(folder: str) -> None:
    """The strongest topic of each class."""
    table = load_table("tcl")
    task = next(task for task in table.tasks if task.name == "rec vs sci")
    data = Library(Path(folder)).load(table, task)
    names = text_vectorizer(**table.text["20news"]).fit(load_newsgroups(Path(folder)).texts).get_feature_names_out()
    model = isthmus.TCL(common_weight=0.9, random_state=0)
    model.fit(data.X, data.y, sample_domain=data.sample_domain, target_domain=data.target_domain)
    factors = {"common": model.common_topics_, **dict(zip(model.domains_, model.domain_topics_, strict=True))}
    ranked = model.topics(names, N_WORDS)
    for number, label in enumerate(model.classes_):
        topic = int((model.association_[:, number] - model.association_.sum(axis=1) / 2).argmax())
        own = next(one for one in ranked if one.label == label)
        for kind, factor in factors.items():
            plain = ", ".join(names[factor[:, topic].argsort()[::-1][:N_WORDS]])
            ours = ", ".join(word for word, _ in (own.common if kind == "common" else own.specific[kind]))
            print(f"{label} {kind:>7}: {plain:<60} | {ours}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
