"""How well each scorer chooses among methods, on tasks of the TCL table, as Markdown.

Target labels judge the scorers here; no scorer reads one.

python benchmarks/scorers.py DATA_FOLDER [TASK ...]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.stats import spearmanr

import isthmus
from isthmus.bench.tasks import Library, TaskData, load_table
from isthmus.methods import METHODS
from isthmus.selection.scorers import SCORERS, SoftNeighborhoodDensity, TransferScorer

TASKS = ["comp vs sci", "sci vs talk", "orgs vs people", "orgs vs places", "people vs places"]
CANDIDATES = ["LR", "SVM", "LSA", "SelfTraining", "TransductiveLR", "NaiveBayesEM", "KMeans", "CDSC", "TCL"]
HEADER = ["task", "scorer", "rank correlation", "chosen", "right there", "best", "mean", "seconds"]


def judge(name: str, data: TaskData, scorers: dict[str, TransferScorer]) -> None:
    """Fit every candidate to two thirds of the source and to the target; score on the other third and the target."""
    domain, y = np.asarray(data.sample_domain), np.asarray(data.y)
    folds = isthmus.source_folds(y, domain, data.target_domain, n_splits=3, random_state=0, target_in_test=True)
    train, test = folds[0]
    in_target = domain == data.target_domain
    right: list[float] = []
    values: dict[str, list[float]] = {key: [] for key in scorers}
    seconds = dict.fromkeys(scorers, 0.0)
    for method in CANDIDATES:
        model = METHODS[method]()
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model.fit(data.X[train], y[train], sample_domain=domain[train], target_domain=data.target_domain)
        right.append(model.score(data.X[in_target], y[in_target]))
        for key, scorer in scorers.items():
            began = perf_counter()
            values[key].append(scorer(model, data.X[test], y[test], sample_domain=domain[test]))
            seconds[key] += perf_counter() - began
    print(f"<!-- {', '.join(f'{method} {share:.3f}' for method, share in zip(CANDIDATES, right, strict=True))} -->")
    for key in scorers:
        chosen = int(np.argmax(values[key]))
        figures = [right[chosen], max(right), np.mean(right)]
        cells = [name, key, f"{spearmanr(values[key], right).statistic:.2f}", CANDIDATES[chosen]]
        print(
            "|", " | ".join([*cells, *(f"{figure:.3f}" for figure in figures), f"{seconds[key]:.1f}"]), "|", flush=True
        )


def main() -> None:
    """One row per task and scorer."""
    warnings.simplefilter("ignore")
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    table, library = load_table("tcl"), Library(Path(sys.argv[1]))
    scorers = {name: scorer() for name, scorer in SCORERS.items()}
    scorers["SoftNeighborhoodDensity(0.01)"] = SoftNeighborhoodDensity(0.01)
    print("|", " | ".join(HEADER), "|\n" + "|---" * len(HEADER) + "|")
    for task in table.tasks:
        if task.name in (sys.argv[2:] or TASKS):
            judge(task.name, library.load(table, task), scorers)


if __name__ == "__main__":
    main()
