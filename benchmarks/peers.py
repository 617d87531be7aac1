"""Peers beside isthmus: accuracy, time, memory, install size and lines of code, on the same texts in one run.

    pip install '.[peers,static]'
    python benchmarks/peers.py DATA [--size 400] [--only NAME...]

What a user would write stands below as text, is run as it stands, and is counted by its lines. Peers that are not
installed are left out. Methods of skada take dense features: an SVD of the words with 100 dimensions. No setting is
chosen by a target label; all are defaults.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

ISTHMUS = """
import isthmus
found = isthmus.transfer(source, labels, target, method={method!r}, encoder=None).labels
"""
SKADA = """
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from skada import {name}, make_da_pipeline
X = TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(source + target)
X = TruncatedSVD(100, random_state=0).fit_transform(X)
names, numbers = np.unique(labels, return_inverse=True)
y = np.concatenate([numbers, np.full(len(target), -1)])
sample_domain = np.repeat([1, -2], [len(source), len(target)])
model = make_da_pipeline({steps}).fit(X, y, sample_domain=sample_domain)
found = names[model.predict(X[len(source):])]
"""
EMBEDDINGS = """
from model2vec import StaticModel
from sklearn.linear_model import LogisticRegression
encoder = StaticModel.from_pretrained(folder)
model = LogisticRegression(C=10, max_iter=1000).fit(encoder.encode(source), labels)
found = model.predict(encoder.encode(target))
"""
BOTH = """
import isthmus
found = isthmus.transfer(source, labels, target, encoder=folder).labels
"""


def _adapter(name: str) -> str:
    return SKADA.format(name=f"{name}Adapter", steps=f"{name}Adapter(), LogisticRegression()")


PEERS: dict[str, tuple[str, str]] = {
    "isthmus LR (no adaptation)": ("isthmus", ISTHMUS.format(method="LR")),
    "isthmus CDSC": ("isthmus", ISTHMUS.format(method="CDSC")),
    "isthmus TCL": ("isthmus", ISTHMUS.format(method="TCL")),
    "isthmus DCI": ("isthmus", ISTHMUS.format(method="DCI")),
    "isthmus Auto": ("isthmus", ISTHMUS.format(method="Auto")),
    "isthmus Auto, static encoder": ("model2vec isthmus", BOTH),
    "static encoder + LR": ("model2vec scikit-learn", EMBEDDINGS),
    "skada CORAL": ("skada", _adapter("CORAL")),
    "skada SubspaceAlignment": ("skada", _adapter("SubspaceAlignment")),
    "skada TransferComponentAnalysis": ("skada", _adapter("TransferComponentAnalysis")),
    "skada OTMapping": ("skada", _adapter("OTMapping")),
    "skada LinearOTMapping": ("skada", _adapter("LinearOTMapping")),
    "skada DiscriminatorReweight": (
        "skada",
        SKADA.format(
            name="DiscriminatorReweightAdapter",
            steps="DiscriminatorReweightAdapter(), LogisticRegression().set_fit_request(sample_weight=True)",
        ),
    ),
    "skada JDOTClassifier": (
        "skada",
        SKADA.format(name="JDOTClassifier", steps="JDOTClassifier(LogisticRegression())"),
    ),
}
"""What is installed for it, and what a user writes: `source`, `labels` and `target` are lists; `found` the labels."""


def tasks(data: Path, size: int) -> dict[str, dict[str, list[str]]]:
    """Pairs of domains, at most so many documents a side; the target's labels for scoring alone."""
    from isthmus.datasets import load_messages, load_newsgroups
    from isthmus.datasets.newsgroups import CATEGORIES, subject_and_body
    from isthmus.datasets.real import load_real
    from isthmus.datasets.reviews import load_reviews

    messages, posts = load_messages(), load_newsgroups(data)
    found = {"messages": _pair(messages.texts, messages.groups == "photos", messages.labels, size)}
    for pair in (("comp", "sci"), ("rec", "talk")):
        groups = {group: (topic, place < 2) for topic in pair for place, group in enumerate(CATEGORIES[topic].values())}
        rows = [row for row, group in enumerate(posts.groups) if group in groups]
        texts = [subject_and_body(posts.texts[row]) for row in rows]
        in_source = np.array([groups[posts.groups[row]][1] for row in rows])
        found[" vs ".join(pair)] = _pair(
            texts, in_source, np.array([groups[posts.groups[row]][0] for row in rows]), size
        )
    for title, corpus, one, other in (
        ("reviews", load_reviews(data), "music", "software"),
        ("spam", load_real("spam", data), "enron1", "enron5"),
    ):
        parts = [re.split("[/.]", str(group)) for group in corpus.groups]
        rows = [row for row, part in enumerate(parts) if part[0] in (one, other)]
        in_source = np.array([parts[row][0] == one for row in rows])
        labels = np.array([parts[row][1] for row in rows])
        found[f"{title}, {one} to {other}"] = _pair([corpus.texts[row] for row in rows], in_source, labels, size)
    return found


def _pair(texts: Sequence[str], in_source: Any, labels: Any, size: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(0)
    own, other = (rng.permutation(np.flatnonzero(side))[:size] for side in (in_source, ~in_source))
    names = ("source", "labels", "target", "truth")
    rows = (own, own, other, other)
    values = (texts, labels, texts, labels)
    return {name: [str(value[row]) for row in some] for name, value, some in zip(names, values, rows, strict=True)}


def run_one(name: str, found: dict[str, dict[str, list[str]]], folder: str) -> dict[str, Any]:
    """In this process: run what a user writes on all tasks, and measure it."""
    accuracy, seconds = [], []
    before = peak_megabytes()
    for task in found.values():
        given = {key: task[key] for key in ("source", "labels", "target")} | {"folder": folder}
        began = process_time()
        exec(PEERS[name][1], given)
        seconds.append(process_time() - began)
        accuracy.append(100 * float(np.mean(np.asarray(given["found"]).astype(str) == np.array(task["truth"]))))
    return {"accuracy": accuracy, "seconds": float(np.mean(seconds[1:])), "megabytes": peak_megabytes() - before}


def peak_megabytes() -> float:
    """Of this process on Linux. `getrusage` would begin with what the parent had."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024


def install_size(packages: str) -> float:
    """Megabytes of packages and all that they need, without what comes with Python."""
    seen: set[str] = set()
    waiting = packages.split()
    while waiting:
        name = re.sub("[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        seen.add(name)
        waiting += [re.split(r"[\s<>=!~;\[(]", one)[0] for one in needed if "extra ==" not in one]
    files = [file for name in seen for file in importlib.metadata.files(name) or []]
    paths = [Path(str(file.locate())) for file in files]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 2**20


def main(arguments: Sequence[str] | None = None) -> None:
    """All peers that are here on all tasks, each in a process of its own, as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--size", type=int, default=400, help="Documents a side, at most.")
    parser.add_argument("--only", nargs="+", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--encoder", default="", help="Folder of a static model (model2vec).")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        print(json.dumps(run_one(given.one, json.load(sys.stdin), given.encoder)))
        return
    found = tasks(given.data, given.size)
    print("|", " | ".join(["", *found, "mean", "CPU seconds", "MB more", "MB installed", "lines"]), "|")
    print("|" + "---|" * (len(found) + 6))
    for name in given.only:
        packages, code = PEERS[name]
        if importlib.util.find_spec(packages.split()[0]) is None or ("folder" in code and not given.encoder):
            continue
        command = [sys.executable, "-W", "ignore", __file__, str(given.data), "--one", name, "--encoder", given.encoder]
        done = subprocess.run(command, input=json.dumps(found), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr}")
        row = json.loads(done.stdout.splitlines()[-1])
        cells = [f"{value:.1f}" for value in (*row["accuracy"], np.mean(row["accuracy"]), row["seconds"])]
        lines = len(code.strip().splitlines())
        cells += [f"{row['megabytes']:.0f}", f"{install_size(packages):.0f}", str(lines)]
        print("|", " | ".join([name, *cells]), "|", flush=True)


if __name__ == "__main__":
    main()
