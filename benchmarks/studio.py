"""What the machine needs in the loop of the studio: a fit, twenty labels, a fit again, and the exports.

    python benchmarks/studio.py [--documents 4500]

On newsgroups of three classes, as many documents in the source as in the target. Ends with 1 if what comes after the
first fit takes more than 30 seconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from isthmus.datasets import load_newsgroups
from isthmus.studio import Project, ProjectDocuments, Session
from isthmus.studio.exports import EXPORTS

LABELS, MOST_SECONDS = 20, 30.0
SOURCE = ("comp.graphics", "comp.os.ms-windows.misc", "rec.autos", "sci.crypt", "sci.electronics")
TARGET = ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "rec.motorcycles", "sci.med", "sci.space")


def documents(n: int) -> tuple[ProjectDocuments, list[str]]:
    """Of a source and a target, and the truth about the second."""
    corpus, rng = load_newsgroups(), np.random.default_rng(0)
    rows = [rng.permutation(np.flatnonzero(np.isin(corpus.groups, groups)))[:n] for groups in (SOURCE, TARGET)]
    (texts, labels), (target, truth) = (
        ([corpus.texts[row] for row in own], [corpus.groups[row].partition(".")[0] for row in own]) for own in rows
    )
    ids = [str(number) for number in range(len(target))]
    return ProjectDocuments(texts, labels, ["source"] * len(texts), ids, target), truth


def timed(name: str, work: Callable[[], Any]) -> float:
    """How long it takes, which is printed."""
    began = perf_counter()
    work()
    seconds = perf_counter() - began
    print(f"{name}: {seconds:.1f} s", flush=True)
    return seconds


def main() -> None:
    """One project, from the first fit to the exports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=4500)
    found, truth = documents(parser.parse_args().documents)
    print(f"{len(found.source_texts):,} and {len(found.target_texts):,} documents")
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Project(Path(folder, "project")))
        session.begin(found, {"source": "source", "target": "target", "classes": dict.fromkeys(found.source_labels, 0)})

        def fit() -> None:
            session.start_fit()
            session.wait()
            if error := session.state()["fit"]["error"]:
                sys.exit(error)

        def label() -> None:
            for _ in range(LABELS):
                document = session.next_document()
                assert document is not None
                session.answer(document["row"], "label", truth[document["row"]])

        timed("the first fit", fit)
        total = timed(f"{LABELS} labels", label)
        total += timed("the fit with them", fit)
        for name, (make, _) in EXPORTS.items():
            total += timed(name, partial(make, session))
        measured = session.state()["labeling"]["measured"]
        right = float(np.mean(session.result().labels == np.array(truth)))
        print(f"measured {measured['right']} of {measured['n']}; {right:.1%} of all labels are right")
        print(f"after the first fit: {total:.1f} s")
        session.project.close()
    sys.exit(total > MOST_SECONDS)


if __name__ == "__main__":
    main()
