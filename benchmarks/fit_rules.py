"""Fits the rules of the automatic choice to development tasks.

python benchmarks/fit_rules.py collect DATA_FOLDER    runs all candidates on every task and draw, and writes down what
                                                      was seen and what was reached: src/isthmus/auto/evidence.csv
python benchmarks/fit_rules.py fit                    fits the rules to these rows: src/isthmus/auto/fitted.json
python benchmarks/fit_rules.py table                  what was reached, and how far estimate and warnings are right on
                                                      each kind of tasks by rules that were fitted without it

The tasks: of newsgroups and reviews those of the table "auto" that are for development, and 24 more pairs of newsgroups
that have nothing to do with each other; of the real domains all, since what is fitted is judged on kinds left out.
Each with all its documents and, of newsgroups and reviews, in a draw of few.

A collection that was interrupted goes on where it was. To start anew, remove the file of evidence.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import isthmus.auto
from isthmus import Auto
from isthmus.auto import candidates
from isthmus.auto.diagnostics import Diagnostics, diagnose
from isthmus.auto.estimate import is_label_shift, room, says_little
from isthmus.auto.evidence import EvidenceRow, evidence_digest, read_evidence, write_evidence
from isthmus.auto.fitting import estimated, fit_rules, is_unrelated, reached, rounded, unrelated_score
from isthmus.auto.run import Clock, Run
from isthmus.bench.families import is_for_development, more_unrelated
from isthmus.bench.real import real_tasks, unrelated_real
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, load_table
from isthmus.core.estimator import ONE_BLAS_THREAD
from isthmus.core.problem import make_problem
from isthmus.core.workspace import Workspace

FOLDER = Path(isthmus.auto.__path__[0])
DRAWS: dict[str, dict[str, int]] = {"all": {}, "300+300": {"source": 300, "target": 300}}
"""Documents drawn from source and target. Estimate and warning have to hold where documents are few as well."""
REAL = {task.name for task in real_tasks()}
MAILBOXES = {f"enron{one} to enron{other}" for one in (1, 2) for other in (4, 5, 6)}
MAILBOXES |= {f"enron{one} to enron{other}" for one in (4, 5) for other in (1, 2, 3)}
N_JOBS = 2
TENTH, FIFTH = 0.1, 0.2
"""True label shifts that a warning is right about, and that there should be one of."""
LITTLE = 0.05
"""Labels that are right so much oftener than one label for all, or less, say little more."""


def main() -> None:
    """One of the two steps."""
    match sys.argv[1:]:
        case ["collect", data]:
            collect(Path(data), FOLDER / "evidence.csv")
        case ["table"]:
            print(table_of(read_evidence(FOLDER / "evidence.csv")))
        case ["fit"]:
            fit(FOLDER / "evidence.csv", FOLDER / "fitted.json")
        case _:
            sys.exit(__doc__)


def collect(data: Path, file: Path) -> None:
    """Add a row to the file for every trial that it lacks."""
    rows = {row.key: row for row in read_evidence(file)} if file.exists() else {}
    missing = [trial for trial in trials() if key_of(*trial) not in rows]
    missing.sort(key=lambda trial: trial[0].corpus, reverse=True)  # each process loads a corpus once
    with ProcessPoolExecutor(N_JOBS) as pool:
        for done in as_completed([pool.submit(observe, data, *trial) for trial in missing]):
            row = done.result()
            rows[row.key] = row
            write_evidence(rows.values(), file)
            print(len(rows), *row.key, sep="\t", flush=True)


def fit(evidence: Path, file: Path) -> None:
    """Write the rules that follow from the rows."""
    found = {"evidence_sha256": evidence_digest(evidence), **rounded(fit_rules(read_evidence(evidence)))}
    file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def table_of(rows: Sequence[EvidenceRow]) -> str:
    """In Markdown. Each kind is judged by rules that were fitted to the others."""
    warnings.simplefilter("ignore", RuntimeWarning)  # without newsgroups or reviews, nothing tells topics from the rest
    lines = ["| kind | rows | LR | Auto | harmed | estimate off by | in its interval | warned of as unrelated |"]
    lines.append("|---" * 8 + "|")
    judged = []
    topic = fit_rules(rows)["topic"]  # takes newsgroups and reviews to tell topics from the rest
    for kind in sorted({row.kind for row in rows if not is_unrelated(row)}):
        rules_without = {**fit_rules([row for row in rows if row.kind != kind]), "topic": topic}
        own = [judge(row, rules_without) for row in rows if row.kind == kind]
        judged.append(own)
        lines.append(f"| {kind} | {len(own)} | {_cells(own)} |")
    everything = [row for own in judged for row in own]
    lines.append(f"| mean of kinds | {len(everything)} | {_cells(everything, judged)} |")
    strange = [row for row in rows if is_unrelated(row)]
    real = {task.name for task in unrelated_real()}
    halves = [[row for row in strange if (row.task in real) == half] for half in (True, False)]
    found = []
    for left_out in halves:
        keys = {row.key for row in left_out}
        rules_without = fit_rules([row for row in rows if row.key not in keys])
        found += [judge(row, rules_without)[4] for row in left_out]
    lines.append(f"| unrelated | {len(strange)} | | | | | | {np.mean(found):.0%} |")
    false = sum(warned for *_, warned in everything)
    lines.append(
        f"\n{sum(found)} of {len(found)} unrelated tasks are warned of, and {false} of {len(everything)} related ones."
    )
    return "\n".join([*lines, "", *_priors([row for row in rows if not is_unrelated(row)])])


def _priors(rows: list[EvidenceRow]) -> Iterator[str]:
    """Mailboxes whose priors are far apart, and warnings about priors and classes. Nothing of it was fitted."""
    fitted = fit_rules(rows + [row for row in read_evidence() if is_unrelated(row)])
    far = [row for row in rows if row.task in MAILBOXES]
    right = [reached(row, fitted["topic"], fitted["unrelated"]["rule"]) for row in far]
    yield f"{len(far)} pairs of mailboxes with 28% and 74% of spam: {100 * np.mean(right):.1f}."
    told = [is_label_shift(row.prior_shift, estimated(row), row.n_unlabeled, row.n_classes) for row in rows]
    warned = [row for row, is_told in zip(rows, told, strict=True) if is_told]
    large = [is_told for row, is_told in zip(rows, told, strict=True) if row.true_shift >= FIFTH]
    yield (
        f"{len(warned)} warnings of label shift, {sum(row.true_shift >= TENTH for row in warned)} right (of a tenth "
        f"and more); {np.mean(large):.0%} of the {len(large)} tasks with a shift of a fifth are warned of."
    )
    gains = [
        reached(row, fitted["topic"], fitted["unrelated"]["rule"]) - row.true_largest_share
        for row in rows
        if is_warned_of_majority(row, fitted)
    ]
    yield (
        f"{len(gains)} warnings that labels say little more than the largest class, {sum(np.array(gains) <= LITTLE)} "
        f"right (they gain {100 * LITTLE:.0f} points or less)."
    )


def is_warned_of_majority(row: EvidenceRow, fitted: dict[str, Any]) -> bool:
    """Whether there is a warning that the labels are hardly better than one label for all; a worse one silences it."""
    seen = Diagnostics(**{field.name: getattr(row, field.name) for field in fields(Diagnostics)})
    warned = unrelated_score(row, fitted["unrelated"]["rule"]["threshold"]) > 0
    return not warned and says_little(seen, row.n_classes, row.largest_share)


def judge(row: EvidenceRow, fitted: dict[str, Any]) -> tuple[float, float, float, bool, bool]:
    """LR's accuracy, that reached, how far the estimate is off, whether it is in its interval, whether it is warned."""
    right = reached(row, fitted["topic"], fitted["unrelated"]["rule"])
    value = estimated(row)
    interval = fitted["interval"]["ensemble"]
    held = value - interval["below"] * room(value) <= right <= value + interval["above"] * room(value)
    warned = unrelated_score(row, fitted["unrelated"]["rule"]["threshold"]) > 0
    return row.source_only_accuracy, right, abs(value - right), held, warned


def _cells(own: list[Any], by_kind: list[Any] | None = None) -> str:
    means = np.mean([np.mean(np.array(some, dtype=float), axis=0) for some in (by_kind or [own])], axis=0)
    harmed = sum(right < alone - 0.01 for alone, right, *_ in own)
    percent = [f"{100 * mean:.1f}" for mean in means[:3]]
    return " | ".join([*percent[:2], str(harmed), percent[2], f"{means[3]:.0%}", f"{means[4]:.0%}"])


def trials() -> Iterator[tuple[Task, str, str]]:
    """Tasks, how much is drawn of them, and what is said of the target's prior."""
    tasks = [task for task in load_table("auto").tasks if task.name in REAL or is_for_development(task)]
    for task in (*tasks, *more_unrelated()):
        yield task, "all", "auto"
        if task.family in ("topics", "splits", "reviews"):
            yield task, "300+300", "auto"


def key_of(task: Task, draw: str, prior: str) -> tuple[str, ...]:
    """Of the row that a trial gives."""
    return prior, task.family, task.name, draw


@cache
def library(data: Path) -> Library:
    """One to a process."""
    return Library(data)


def observe(data: Path, task: Task, draw: str, prior: str) -> EvidenceRow:
    """The diagnostics of one trial, and how often each answer is right that could be given."""
    warnings.simplefilter("ignore")
    drawn = library(data).load(load_table("auto"), task).drawn(DRAWS[draw], 0)
    problem = make_problem(Auto(), drawn.X, drawn.y, drawn.sample_domain, drawn.target_domain)
    assert np.isclose(problem.mean_squared_length, 1), "the automatic choice would bring documents to this length"
    run = Run(problem, Workspace(), prior, Clock(None), random_state=0)
    with ONE_BLAS_THREAD:
        run.start()
        diagnostics = diagnose(run)
        for topics in (True, False):
            run.complete(run.members(topics))
    truth = np.concatenate([drawn.y[domain.rows[~domain.labeled]] for domain in problem.domains])
    shares = np.array([np.mean(truth == name) for name in problem.classes])

    def accuracy(members: tuple[str, ...]) -> float:
        return float(np.mean(problem.classes[run.average(members)[0].argmax(axis=1)] == truth))

    return EvidenceRow(
        **asdict(diagnostics),
        task=task.name,
        family=task.family,
        draw=draw,
        target_prior=prior,
        n_classes=problem.n_classes,
        true_shift=float((np.abs(shares - run.source_prior).sum() + 1 - shares.sum()) / 2),
        largest_share=float(run.prior.max()),
        true_largest_share=float(shares.max()),
        topics_accuracy=accuracy(run.members(topics=True)),
        other_accuracy=accuracy(run.members(topics=False)),
        source_only_accuracy=accuracy((candidates.SOURCE_ONLY,)),
    )


if __name__ == "__main__":
    main()
