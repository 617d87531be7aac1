"""make kill: the studio is killed at random moments of labeling and refitting. No confirmed label may be lost.

The package is imported once. Each case is a fork that opens the project, labels by what it is shown, refits in the
background again and again, and is ended by SIGKILL. Then the project is opened: it must be whole, and hold every answer
that was confirmed, and the last fit that was stored with its batch and its model.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
import warnings
from pathlib import Path

from isthmus.studio import Project, ProjectDocuments, Session

WORDS = {"pay": ["refund", "card", "charge", "invoice"], "bug": ["crash", "upload", "screen", "freeze"]}


def documents(n: int) -> ProjectDocuments:
    """Two classes, in a source and a target."""
    rng = random.Random(0)

    def text(label: str, domain: str) -> str:
        return " ".join([*rng.choices(WORDS[label], k=4), *(f"{domain}{rng.randrange(40)}" for _ in range(6))])

    labels = [("pay", "bug")[number % 2] for number in range(n)]
    target = [text(label, "t") for label in labels]
    return ProjectDocuments(
        [text(label, "s") for label in labels], labels, ["source"] * n, [str(number) for number in range(n)], target
    )


def work(path: Path, seed: int, confirmed: int) -> None:
    """Label and refit until killed; tells each answer after it was confirmed, as a line."""
    warnings.simplefilter("ignore")
    rng, session = random.Random(seed), Session(Project(path), method="LR")
    while True:
        if not session.running:
            session.start_fit()
        if not session.project.summaries():
            session.wait()
        shown = session.next_document()
        if shown is None:
            for _ in range(rng.randrange(1, 40)):
                os.write(confirmed, b"undo\n")  # before it: it may be stored and not told
                session.project.undo()
            continue
        label = rng.choice(list(WORDS))
        session.answer(shown["row"], "label", label)
        os.write(confirmed, f"{shown['row']} {label}\n".encode())


def lost(path: Path, expected: dict[int, str], n_documents: int) -> str:
    """What is wrong with a project after a kill, if anything is."""
    with sqlite3.connect(path) as db:
        said = db.execute("PRAGMA integrity_check").fetchone()[0]
    db.close()
    if said != "ok":
        return f"the file is broken: {said}"
    project = Project(path)
    try:
        answers = {row: one.label for row, one in project.answers().items()}
        missing = {row: label for row, label in expected.items() if answers.get(row) != label}
        if missing:
            return f"{len(missing)} labels are lost"
        if project.summaries():
            session = Session(project, method="LR")
            session.result()
            if len(answers) < n_documents and session.next_document() is None:
                return "no document is shown"
    finally:
        project.close()
    return ""


def kill_once(path: Path, case: int, expected: dict[int, str], n_documents: int) -> str:
    """One fork, killed; `expected` takes what it confirmed."""
    rng = random.Random(case)
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        try:
            os.close(reading)
            work(path, case, writing)
        finally:
            os._exit(70)
    os.close(writing)
    with os.fdopen(reading) as lines:
        told = [lines.readline() for _ in range(rng.randrange(0, 12))]
        time.sleep(rng.random() ** 2 * 0.3)
        os.kill(process, signal.SIGKILL)
        told += lines.read().splitlines(keepends=True)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code != -signal.SIGKILL:
        return f"it ended by itself with {code}"
    undone = any(line == "undo\n" for line in told)
    for line in told:
        if line.endswith("\n") and line != "undo\n":
            row, label = line.split()
            expected[int(row)] = label
    if undone:  # which answers these took back is for the project to say
        expected.clear()
    return lost(path, expected, n_documents)


def main(arguments: list[str] | None = None) -> list[str]:
    """So many kills; what was found."""
    parser = argparse.ArgumentParser(prog="make kill", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--documents", type=int, default=1_000)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path, expected = Path(folder, "studio.isthmus-project"), dict[int, str]()
        project = Project(path)
        project.set_documents(documents(asked.documents), {"classes": dict.fromkeys(WORDS, asked.documents // 2)})
        project.close()
        cases = ((case, kill_once(path, case, expected, asked.documents)) for case in range(asked.kills))
        findings = [f"kill {case}: {wrong}" for case, wrong in cases if wrong]
        project = Project(path)
        n_labels, n_fits = len(project.answers()), len(project.summaries())
        project.close()
    print(f"{asked.kills} kills of the studio, {n_labels:,} labels, {n_fits:,} fits; {len(findings)} found")
    print(*(f"  {finding}" for finding in findings), sep="\n", end="")
    return findings


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
