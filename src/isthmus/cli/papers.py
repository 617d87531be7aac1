"""isthmus bench papers: the five papers, claim by claim."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from isthmus.bench.papers import load_papers
from isthmus.cli.console import output
from isthmus.cli.outputs import check_outputs
from isthmus.inspection.tables import plain_table
from isthmus.io.atomic import write_atomically


def show_papers(json_file: Path | None) -> None:
    """One line for each claim, from stored results; nothing is run."""
    console, papers = output(), load_papers()
    if json_file is not None:
        check_outputs({"--json": json_file}, force=True, inputs=[])
    for paper in papers:
        console.print(paper.citation, style="bold", markup=False, soft_wrap=True)
        rows = [[one.verdict, one.place, one.claim, one.published, one.measured] for one in paper.entries]
        console.print(plain_table(["verdict", "where", "claim", "theirs", "ours"], rows))
        console.print()
    if json_file is not None:
        entries = [asdict(entry) for paper in papers for entry in paper.entries]
        write_atomically(json_file, json.dumps({"entries": entries}, indent=1) + "\n")
        console.print(f"Wrote {json_file}.", markup=False, soft_wrap=True)
