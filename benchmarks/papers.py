"""The five papers, claim by claim: collects what was measured, and writes docs/papers.md.

    python benchmarks/papers.py measure DATA RESULTS   runs all that the claims need (hours) to the folder RESULTS
    python benchmarks/papers.py collect RESULTS        its JSON and CSV files to src/isthmus/bench/measured.json
    python benchmarks/papers.py page                   docs/papers.md, from what is stored

RESULTS holds what `isthmus bench TABLE --json RESULTS/NAME.json --figures RESULTS/TABLE` writes. Where two files have
one cell, that of more repeats counts; cells that none of them has are those of docs/tables.md, of ten repeats.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isthmus.bench import TABLES
from isthmus.bench.papers import Paper, load_papers
from isthmus.io.atomic import write_atomically

ROOT = Path(__file__).parent.parent
MEASURED = ROOT / "src" / "isthmus" / "bench" / "measured.json"
PAGE = ROOT / "docs" / "papers.md"
PICTURES = ROOT / "docs" / "pictures"


def drawn(folder: str, *figures: str) -> list[str]:
    """Options for these figures of a table, and the shortest table beside them."""
    return ["--methods", "LR", "--figures", folder, *(word for name in figures for word in ("--figure", name))]


GLIOMA = ["--tasks", "glioma trial 1,glioma trial 2"]
NEWS = "comp vs rec,comp vs sci,comp vs talk,rec vs sci,rec vs talk,sci vs talk"
NINE = f"{NEWS},orgs vs people,orgs vs places,people vs places"
RUNS: dict[str, tuple[str, int, list[str]]] = {
    "tcl": ("tcl", 1, []),
    "tcl-variants": ("tcl", 3, ["--methods", "TCL,common weight 0.9,common weight 0.1"]),
    "tcl-printed": ("tcl", 1, ["--methods", "eq. 5-8 as printed, 0.9", "--methods", "eq. 5-8 as printed, 0.7"]),
    "tcl-figures": ("tcl", 1, drawn("tcl", "number-of-topics", "common-weight")),
    "cdsc-variants": ("cdsc", 10, ["--methods", "CDSC,CDSC weighted,lambda 0,stems", "--methods", "stems, weighted"]),
    "cdsc-printed": ("cdsc", 3, ["--methods", "as printed,beta 15"]),
    "cdsc-source-cv": ("cdsc", 10, ["--methods", "SVM source-CV", "--tasks", "people vs places (stories)"]),
    "cdsc-figures": ("cdsc", 2, drawn("cdsc", "lambda", "beta", "eigenvectors", "source-size")),
    "cdsc-pictures": ("cdsc", 2, drawn("cdsc", "eigen-space", "eigen-space-sc", "similarity")),
    "cci": ("cci", 10, []),
    "cci-variants": ("cci", 10, ["--methods", "K-means,MTrick,CCI,gamma 0,lambda 0"]),
    "cci-figures": ("cci", 3, drawn("cci", "target-weight", "correspondence-weight", "word-clusters", "iterations")),
    "cci-correspondence": ("cci", 3, drawn("cci", "correspondence")),
    "dtlm-variants": ("dtlm", 1, ["--methods", "DTLM,as printed,random start", "--tasks", NINE]),
    "dtlm-figures": ("dtlm", 1, drawn("dtlm", "graph-weight", "number-of-topics", "iterations", "gcmf-factors")),
    "dtlm-reuters": ("dtlm", 1, drawn("dtlm", "graph-weight-reuters", "number-of-topics-reuters-1",
                                      "number-of-topics-reuters-100", "labeled-share")),
    "domtrans-nmf": ("domtrans-nmf", 5, [*GLIOMA, "--figures", "domtrans-nmf", "--figure", "roc", "--figure", "auc"]),
    "domtrans-variants": ("domtrans-nmf", 5, ["--methods", "LR,DomTrans-NMF,w of algorithm 1,TCL", *GLIOMA]),
}  # fmt: skip
"""By the name of the file: table, repeats and further options."""

HEAD = """# The five papers, claim by claim

What each of the five papers claims, a line for each row of its table, each figure, theorem and named finding, and
whether it comes back. `isthmus bench papers` prints the same from the same stored results; this page is written by
`python benchmarks/papers.py page`, and `python benchmarks/papers.py measure DATA RESULTS` measures all of it again.

A number comes back if ours is at most one point worse (a hundredth of accuracy, error rate or area), and partly if at
most five. "Stable" means within two points, partly within six. An order of methods, from the best down, comes back if
no mean is lower than the next one's, and partly if by no more than a point. "Best on every task" comes back partly on
half of them. Figures are of one to ten repeats, as the commands say, with `--data DATA` where the data are; no target
label is read, except where a claim is about that. Columns that were not run again for this page are those of
[tables.md](tables.md). "Not run" is what needs data that could not be had: SRAA, and the EEG recordings.
"""


def measure(data: str, folder: str) -> None:
    """All runs, one after the other; what the store has is not run again."""
    results = Path(folder)
    results.mkdir(parents=True, exist_ok=True)
    for name, (table, repeats, options) in RUNS.items():
        settled = [str(results / option) if before == "--figures" else option
                   for before, option in zip(["", *options], options, strict=False)]  # fmt: skip
        command = ["bench", table, "--data", data, "--repeats", str(repeats), "--json", str(results / f"{name}.json")]
        subprocess.run([sys.executable, "-m", "isthmus", *command, *settled], check=True)


def collect(folder: str) -> None:
    """From the files of a folder to one file, and the figures that the page shows to the documentation."""
    results = Path(folder)
    cells: dict[tuple[str, str, str], dict[str, Any]] = {}
    for file in sorted(results.glob("*.json")):
        content = json.loads(file.read_text())
        for row in content["rows"]:
            key = (content["table"], row["task"], row["method"])
            if key not in cells or row["repeats"] > cells[key]["repeats"]:
                cells[key] = row
    means = {key: row["mean"] for key, row in cells.items()}
    means = {**documented(), **means}
    sweeps = []
    for file in sorted(results.glob("*/*.csv")):
        with file.open(newline="") as lines:
            header, *rows = csv.reader(lines)
        if header[:3] == ["line", "method", "task"]:
            points = [[row[2], row[1], row[3], round(float(row[4]), 5)] for row in rows]
            sweeps.append([file.parent.name, file.stem, points])
    stored = [[*key, round(mean, 5)] for key, mean in sorted(means.items())]
    listed = [",\n".join(json.dumps(one) for one in each) for each in (stored, sweeps)]
    write_atomically(MEASURED, '{{"means": [\n{}\n],\n"sweeps": [\n{}\n]}}\n'.format(*listed))
    PICTURES.mkdir(exist_ok=True)
    for paper in load_papers():
        for name in (entry.picture for entry in paper.entries if entry.picture):
            if (drawn := results / f"{name}.png").exists():
                shutil.copyfile(drawn, PICTURES / f"{name.replace('/', '-')}.png")


def documented() -> dict[tuple[str, str, str], float]:
    """What docs/tables.md has of each table, by table, task and column: for cells that were not run again."""
    found: dict[tuple[str, str, str], float] = {}
    for section in (ROOT / "docs" / "tables.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        name = section.splitlines()[0].lower()
        tables = section.split("\n| task |")
        if name not in TABLES or len(tables) < 2:
            continue
        header, _, *lines = tables[1].split("\n\n")[0].splitlines()
        columns = [cell.strip() for cell in header.strip(" |").split("|")]
        for line in lines:
            task, *cells = (cell.strip() for cell in line.strip("| ").split("|"))
            if task not in ("mean", "gap recovered"):
                numbers = (cell.replace("*", "").split()[0] for cell in cells)
                found |= {(name, task, column): float(one) for column, one in zip(columns, numbers, strict=True)}
    return found


def page() -> None:
    """The documentation."""
    write_atomically(PAGE, page_text())


def page_text() -> str:
    """What the page says of the stored results."""
    return "\n".join([HEAD, *(_section(paper) for paper in load_papers())])


def _section(paper: Paper) -> str:
    counts: dict[str, int] = {}
    for entry in paper.entries:
        counts[entry.verdict] = counts.get(entry.verdict, 0) + 1
    total = ", ".join(f"{verdict} {number}" for verdict, number in counts.items())
    lines = [
        f"## {paper.method}",
        "",
        paper.citation,
        "",
        paper.note,
        "",
        f"Of {len(paper.entries)} claims: {total}.",
        "",
    ]
    lines += ["| where | claim | theirs | ours | verdict | command |", "|---|---|---|---|---|---|"]
    for entry in paper.entries:
        verdict = entry.verdict if entry.verdict != "does not" else "**does not**"
        cells = [entry.place, entry.claim, entry.published, entry.measured, verdict, f"`{entry.command}`"]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    shown = [entry for entry in paper.entries if entry.picture and (PICTURES / _file(entry.picture)).exists()]
    for entry in shown:
        lines += ["", f"{entry.place}: {entry.claim}.", "", f'<img src="pictures/{_file(entry.picture)}" width="380">']
    return "\n".join([*lines, ""])


def _file(picture: str) -> str:
    return f"{picture.replace('/', '-')}.png"


if __name__ == "__main__":
    steps: dict[str, Callable[..., None]] = {"measure": measure, "collect": collect, "page": page}
    if sys.argv[1:2] not in [[step] for step in steps]:
        sys.exit(__doc__)
    steps[sys.argv[1]](*sys.argv[2:])
