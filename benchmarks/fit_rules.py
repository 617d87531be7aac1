"""Fits the rules of the automatic choice to the development half of its tasks.

python benchmarks/fit_rules.py collect DATA_FOLDER    runs all candidates on every task and draw, and writes down what
                                                      was seen and what was reached: src/isthmus/auto/evidence.csv
python benchmarks/fit_rules.py fit                    fits the rules to these rows: src/isthmus/auto/fitted.json

The tasks: those of the table "auto" that are for development, and 24 more pairs of newsgroups that have nothing to do
with each other. At the source's prior, each task with all its documents and, but for those of four classes, in two
draws of few. At an unknown prior, thinned targets (also of development tasks that the table does not thin out, which
come in whole as well) and unrelated domains, with all their documents.

A collection that was interrupted goes on where it was. To start anew, remove the file of evidence.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import isthmus.auto
from isthmus import Auto
from isthmus.auto import candidates as names
from isthmus.auto.diagnostics import claimed_skill, diagnose
from isthmus.auto.ensemble import combine, spread_of
from isthmus.auto.evidence import EvidenceRow, evidence_digest, read_evidence, write_evidence
from isthmus.auto.fitting import fit_rules, rounded
from isthmus.auto.run import Clock, Run
from isthmus.bench.families import is_for_development, more_label_shifted, more_unrelated
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, TaskData, load_table
from isthmus.core.estimator import one_blas_thread
from isthmus.core.problem import make_problem
from isthmus.core.workspace import Workspace

FOLDER = Path(isthmus.auto.__path__[0])
DRAWS: dict[str, dict[str, int]] = {
    "all": {},
    "300+300": {"source": 300, "target": 300},
    "300+2000": {"source": 300, "target": 2000},
}
"""Documents drawn from source and target. Estimate and warning have to hold where documents are few as well."""


def main() -> None:
    """One of the two steps."""
    match sys.argv[1:]:
        case ["collect", data]:
            collect(Library(Path(data)), FOLDER / "evidence.csv")
        case ["fit"]:
            fit(FOLDER / "evidence.csv", FOLDER / "fitted.json")
        case _:
            sys.exit(__doc__)


def collect(library: Library, file: Path) -> None:
    """Add a row to the file for every trial that it lacks."""
    warnings.simplefilter("ignore")
    table = load_table("auto")
    rows = {row.key: row for row in read_evidence(file)} if file.exists() else {}
    for task, draw, prior in trials():
        if (prior, task.family, task.name, draw) in rows:
            continue
        row = observe(task, draw, prior, library.load(table, task).drawn(DRAWS[draw], 0))
        rows[row.key] = row
        write_evidence(rows.values(), file)
        print(len(rows), *row.key, sep="\t", flush=True)


def fit(evidence: Path, file: Path) -> None:
    """Write the rules that follow from the rows."""
    found = {"evidence_sha256": evidence_digest(evidence), **rounded(fit_rules(read_evidence(evidence)))}
    file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def trials() -> Iterator[tuple[Task, str, str]]:
    """Tasks, how much is drawn of them, and what is said of the target's prior."""
    tasks = [task for task in load_table("auto").tasks if is_for_development(task)]
    for task in (*(task for task in tasks if task.family != "label shift"), *more_unrelated()):
        yield from ((task, draw, "source") for draw in (["all"] if task.family == "four classes" else DRAWS))
    tasks = [task for task in tasks if task.family in ("label shift", "unrelated")]
    tasks += [task for task in more_label_shifted() if is_for_development(task)]
    yield from ((task, "all", "unknown") for task in (*tasks, *more_unrelated()))


def observe(task: Task, draw: str, prior: str, data: TaskData) -> EvidenceRow:
    """The diagnostics of one trial, and how often each answer is right that could be given."""
    problem = make_problem(Auto(), data.X, data.y, data.sample_domain, data.target_domain)
    assert np.isclose(problem.mean_squared_length, 1), "the automatic choice would bring documents to this length"
    run = Run(problem, Workspace(), prior, Clock(None), random_state=0)
    with one_blas_thread():
        run.start()
        diagnostics = diagnose(run)
    truth = np.concatenate([data.y[domain.rows[~domain.labeled]] for domain in problem.domains])

    def accuracy(members: tuple[str, ...]) -> float:
        answers = [run.answers[name] for name in members]
        labels = combine(answers, [spread_of(answer) for answer in answers]).argmax(axis=1)
        return float(np.mean(problem.classes[labels] == truth))

    seen: dict[str, Any] = asdict(diagnostics)
    del seen["prior_known"]  # is `target_prior`
    return EvidenceRow(
        **seen,
        task=task.name,
        family=task.family,
        draw=draw,
        target_prior=prior,
        n_classes=problem.n_classes,
        source_only_confidence=claimed_skill(run.answers[names.SOURCE_ONLY]),
        topics_accuracy=accuracy(run.ensembles.topics),
        other_accuracy=accuracy(run.ensembles.other),
        source_only_accuracy=accuracy((names.SOURCE_ONLY,)),
    )


if __name__ == "__main__":
    main()
