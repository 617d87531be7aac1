"""What the numbers in isthmus/choice/rules.py were fitted to: evidence and outcome on half of the tasks.

python benchmarks/rules.py DATA_FOLDER FILE.jsonl

One line of JSON per task: the evidence, the skill that was reached, and whether the labels are unrelated. At the end,
least squares of the skill on confidence, likeness and modesty, and of unrelatedness on the alarm's three indicators.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from isthmus import Auto
from isthmus.choice.evidence import skill
from isthmus.data import Library, load_table
from isthmus.data.families import is_for_development

ESTIMATE = ("confidence", "likeness", "modesty")
ALARM = ("likeness", "following", "first_cut")


def main() -> None:
    """Fit Auto to every development task whose class shares are the source's, and print the two lines."""
    warnings.simplefilter("ignore")
    table, library = load_table("auto"), Library(Path(sys.argv[1]))
    rows: list[dict[str, Any]] = []
    with Path(sys.argv[2]).open("w", encoding="utf-8") as out:
        for task in table.tasks:
            if task.family == "shares" or not is_for_development(task):
                continue
            data = library.load(table, task).drawn({}, 0)
            auto = Auto(random_state=0).fit(data.X, data.y, sample_domain=data.sample_domain, target_domain="target")
            right = float(np.mean(auto.transduction_[data.in_target] == data.y[data.in_target]))
            row = {"task": task.name, "family": task.family, **asdict(auto.evidence_)}
            rows.append({**row, "skill": skill(right, len(auto.classes_))})
            out.write(json.dumps(rows[-1], default=float) + "\n")
            print(f"{task.name}: {right:.3f}, expected {auto.estimated_accuracy_}", flush=True)
    related = [row for row in rows if row["family"] != "unrelated"]
    _print_line("skill", ESTIMATE, related, np.array([row["skill"] for row in related]))
    strange = np.array([row["family"] == "unrelated" for row in rows])
    weights = np.where(strange, 0.5 / strange.sum(), 0.5 / (~strange).sum())  # both kinds count alike
    _print_line("unrelated", ALARM, rows, np.where(strange, 1.0, -1.0), weights)


def _print_line(what: str, names: tuple[str, ...], rows: list[dict[str, Any]], y: Any, weights: Any = None) -> None:
    A = np.array([[*(row[name] for name in names), 1.0] for row in rows])
    root = np.sqrt(np.ones(len(y)) if weights is None else weights)
    line = np.linalg.lstsq(A * root[:, None], y * root, rcond=None)[0]
    parts = " + ".join(f"{weight:.3f} {name}" for weight, name in zip(line, (*names, "1"), strict=True))
    print(f"{what} = {parts}; mean error {np.abs(A @ line - y).mean():.3f}")


if __name__ == "__main__":
    main()
