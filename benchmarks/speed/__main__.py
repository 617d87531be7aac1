"""Tables of speed, as ratios within one run; see benchmarks/README.md, which `--write` writes them into.

PYTHONPATH=benchmarks python -m speed [--documents N] [--posts N] [--rounds N] [--megabytes N] [--only SECTION...]
                                      [--write]
"""

from __future__ import annotations

import argparse
import os
import platform
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import isthmus
from isthmus.core.numerics import n_cores
from isthmus.datasets import make_domains
from isthmus.solvers.factorization import minimize
from speed.beyond import beyond_memory
from speed.default import default_method
from speed.drawing import ratios_picture
from speed.driver import flat_driver
from speed.growth import graphs, growth
from speed.kills import killed_workers
from speed.measure import (
    Spent,
    Task,
    fit_and_updates,
    generated,
    iteration_spent,
    least,
    plain_updates,
    reading_spent,
    tcl,
)
from speed.partitions import labeled_partitions
from speed.peak import first_fits, measured
from speed.plain import plain_minimize
from speed.workers import iterations_by_workers

METHODS = (isthmus.TCL, isthmus.NMTF, isthmus.DTLM, isthmus.CCI, isthmus.DomTransNMF)
ADAPTERS = ("CORALAdapter", "LinearOTMappingAdapter")
"""Of skada, where it is installed (extra `peers`)."""
README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- python -m speed --only {} -->", "<!-- end of {} -->"


def against_plain(documents: int, rounds: int, draw: bool) -> Iterator[str]:
    """Each method against its updates written straight down, and TCL's first fit in a fresh process."""
    yield f"\n### Against the updates written straight down ({documents:,} + {documents:,} documents, 32-bit numbers)\n"
    yield "| method | updates, s | plain, s | ratio | CPU, s | plain, CPU s | ratio of CPU | whole fit | same labels |"
    yield "|---|---|---|---|---|---|---|---|---|"
    task = generated(documents, 15_800, dtype=np.float32)
    ratios: dict[str, float] = {}
    for kind in METHODS:
        labels: dict[str, np.ndarray] = {}
        times: dict[str, list[tuple[Spent, Spent]]] = {"engine": [], "plain": []}
        for _ in range(rounds):
            for name, minimizer in (("engine", minimize), ("plain", plain_minimize)):

                def run(kind: Any = kind, name: str = name, labels: dict[str, np.ndarray] = labels) -> None:
                    labels[name] = task.fit(kind(random_state=0, tol=0)).transduction_

                times[name].append(fit_and_updates(run, minimizer))
        (fit, own), (plain_fit, plain) = (np.min(times[name], axis=0) for name in ("engine", "plain"))
        same = np.mean(labels["engine"] == labels["plain"])
        ratios[kind.__name__] = plain[0] / own[0]
        yield (
            f"| {kind.__name__} | {own[0]:.2f} | {plain[0]:.2f} | {ratios[kind.__name__]:.1f} "
            f"| {own[1]:.2f} | {plain[1]:.2f} | {plain[1] / own[1]:.1f} | {plain_fit[0] / fit[0]:.1f} | {same:.2%} |"
        )
    yield '\n"Whole fit" is the ratio of whole fits by the clock: starts and graphs are the same for both.'
    first = first_fits(task)
    yield f"\nTCL's first fit in a fresh process: {first['engine']:.2f} s of CPU, plain {first['plain']:.2f} s."
    if draw:
        yield f"\n{ratios_picture(ratios)}"


def against_reading(documents: int, rounds: int) -> Iterator[str]:
    """TCL's iteration against one pass over the target's arrays, and its peak memory, in single precision."""
    yield "\n### TCL's iteration against one pass over the target's arrays, 32-bit numbers\n"
    yield (
        "| target's documents | non-zeros | reading, ms | iteration, ms | ratio | CPU, ms | CPU of a core "
        "| plain ratio | plain / engine, CPU | peak memory / X |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for size in (documents, 25 * documents, 250 * documents):
        task = generated(size, 30_000, dtype=np.float32)
        target = task.target
        times = [iteration_spent(task, tcl(12)) for _ in range(rounds)]
        with plain_updates():
            two, six = (least(1, run=partial(task.fit, tcl(max_iter)))["run"] for max_iter in (2, 6))
        reading, own = reading_spent(target), Spent(*map(min, zip(*times, strict=True)))
        yield (
            f"| {size:,} | {target.nnz:,} | {1e3 * reading.cpu:.1f} | {1e3 * own.wall:.1f} "
            f"| {own.wall / reading.wall:.1f} | {1e3 * own.cpu:.1f} | {own.cpu / n_cores() / reading.cpu:.1f} "
            f"| {(six.wall - two.wall) / 4 / reading.wall:.1f} | {(six.cpu - two.cpu) / 4 / own.cpu:.1f} "
            f"| {measured(task):.2f} |"
        )
    yield (
        '\n"CPU of a core" is the CPU time of an iteration, divided by the cores that share it, against reading: '
        "what the ratio would be if all cores were free."
    )


def against_others(documents: int, rounds: int) -> Iterator[str]:
    """What a user would pick instead, from texts or matrices to labels of the target."""
    yield f"\n### Against other tools ({documents:,} + {documents:,} documents, 4 classes)\n"
    yield "| | seconds | accuracy, % |"
    yield "|---|---|---|"
    made = make_domains(documents, 15_800, 4, strength=1.0, mean_length=130, random_state=0)
    texts, source = np.array(list(made.texts()), dtype=object), made.sample_domain == 0
    task = Task(TfidfVectorizer(token_pattern=r"\S+", min_df=2).fit_transform(texts), made.y, made.sample_domain)

    def from_texts() -> np.ndarray:
        X = TfidfVectorizer(token_pattern=r"\S+", min_df=2).fit_transform(texts)
        return np.asarray(LogisticRegression(max_iter=1000).fit(X[source], made.y[source]).predict(X))

    def factors() -> np.ndarray:
        V = NMF(10, random_state=0, max_iter=100, tol=0).fit_transform(task.X)
        return np.asarray(LogisticRegression(max_iter=1000).fit(V[source], made.y[source]).predict(V))

    runs: dict[str, Callable[[], np.ndarray]] = {
        "TfidfVectorizer + LogisticRegression, from texts": from_texts,
        "NMF + LogisticRegression": factors,
        "TCL": lambda: np.asarray(task.fit(isthmus.TCL(random_state=0)).transduction_),
        "Auto": lambda: np.asarray(task.fit(isthmus.Auto(random_state=0)).transduction_),
        "NaiveBayesEM": lambda: np.asarray(task.fit(isthmus.NaiveBayesEM()).transduction_),
    }
    if find_spec("skada") is not None:
        runs |= {f"TruncatedSVD + {name} (skada)": partial(_adapted, task, name) for name in ADAPTERS}
    for name, run in runs.items():
        labels = run()
        yield f"| {name} | {least(rounds, run=run)['run'].wall:.2f} | {100 * task.accuracy(labels):.1f} |"


def _adapted(task: Task, name: str) -> np.ndarray:
    """A method of skada, some of which are POT's, on the features that it can take."""
    skada = import_module("skada")
    Z, source = TruncatedSVD(100, random_state=0).fit_transform(task.X), task.sample_domain == 0
    pipe = skada.make_da_pipeline(getattr(skada, name)(), LogisticRegression(max_iter=1000))
    return np.asarray(pipe.fit(Z, np.where(source, task.y, -1), sample_domain=np.where(source, 1, -2)).predict(Z))


Section = Callable[[argparse.Namespace], Iterator[str]]
SECTIONS: dict[str, Section] = {
    "plain": lambda asked: against_plain(asked.documents, asked.rounds, asked.write),
    "reading": lambda asked: against_reading(asked.documents, asked.rounds),
    "peers": lambda asked: against_others(asked.documents, asked.rounds),
    "default": lambda asked: default_method(asked.posts),
    "growth": lambda asked: growth(asked.documents, asked.rounds, asked.write),
    "graphs": lambda asked: graphs(20 * asked.documents),
    "beyond": lambda asked: beyond_memory(asked.megabytes),
    "kills": lambda asked: killed_workers(asked.documents, 10),
    "workers": lambda asked: iterations_by_workers(250 * asked.documents),
    "driver": lambda asked: flat_driver(25 * asked.documents),
    "partitions": lambda asked: labeled_partitions(25 * asked.documents, 10),
}


def main() -> None:
    """Print the tables, and write them down if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=4000, help="of each domain, in the smallest case")
    parser.add_argument("--posts", type=int, default=4500, help="of each domain, for the default method")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--write", action="store_true", help="into benchmarks/README.md")
    parser.add_argument("--megabytes", type=int, default=1000, help="of the file that is read in blocks")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    compiled = "compiled loops" if find_spec("llvmlite") else "no compiled loops"
    machine = f"On {n_cores()} cores ({platform.machine()}, {load}), Python {platform.python_version()}, {compiled}."
    print(machine)
    for name in asked.only:
        lines = []
        for line in SECTIONS[name](asked):
            print(line, flush=True)
            lines.append(line)
        if asked.write:
            write_section(name, "\n".join([*lines, "", machine]).strip())


def write_section(name: str, text: str) -> None:
    """Into the README, in the place of what stands there of this section."""
    head, rest = README.read_text(encoding="utf-8").split(BEGIN.format(name))
    _, tail = rest.split(END.format(name))
    README.write_text(f"{head}{BEGIN.format(name)}\n\n{text}\n\n{END.format(name)}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
