"""The default method against what a user would pick, and against itself after a few labels and with more documents."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import isthmus
from isthmus.bench.families import four_classes
from isthmus.datasets import load_newsgroups, make_domains
from isthmus.exceptions import MissingDataError

LABELS = 20
SIZES = (20_000, 50_000)


def default_method(documents: int) -> Iterator[str]:
    """Four classes of 20 Newsgroups, from texts to labels; a refit after twenty labels; many documents."""
    yield f"\n### The default ({documents:,} + {documents:,} newsgroup posts, 4 classes)\n"
    try:
        (source, labels), (target, truth) = _posts(documents)
    except MissingDataError as error:
        yield str(error)
        return
    yield "| | CPU, s | wall, s | accuracy, % |"
    yield "|---|---|---|---|"

    def plain() -> Any:
        X = TfidfVectorizer().fit_transform(source + target)
        return LogisticRegression(max_iter=1000).fit(X[: len(source)], labels).predict(X[len(source) :])

    isthmus.transfer(source[:200], labels[:200], target[:200])  # once before, so that all is imported
    predicted, *usual = _timed(plain)
    yield _row("TfidfVectorizer + LogisticRegression", usual, predicted == truth)
    result, *own = _timed(lambda: isthmus.transfer(source, labels, target))
    yield _row("isthmus.transfer", own, result.labels == truth)
    yield f"| ratio | {own[0] / usual[0]:.2f} | {own[1] / usual[1]:.2f} | |"
    yield from _refit(result.X, labels, truth)
    yield from _growth()


def _refit(X: Any, labels: list[str], truth: Any) -> Iterator[str]:
    y, from_source = np.array([*labels, *truth], dtype=object), np.arange(X.shape[0]) < len(labels)
    known = from_source.copy()
    known[len(labels) + np.random.default_rng(0).permutation(len(truth))[:LABELS]] = True
    auto, seconds = isthmus.Auto(random_state=0, warm_start=True), []
    for name, labeled in (("Auto", from_source), (f"again with {LABELS} labels of the target", known)):
        given: dict[str, Any] = {"sample_domain": ~from_source, "target_domain": True, "sample_labeled": labeled}
        model, *found = _timed(partial(auto.fit, X, y, **given))
        seconds.append(found)
        yield _row(name, found, model.transduction_[len(labels) :] == truth)
    yield f"| ratio | {seconds[1][0] / seconds[0][0]:.2f} | {seconds[1][1] / seconds[0][1]:.2f} | |"


def _growth() -> Iterator[str]:
    seconds = []
    for size in SIZES:
        made = make_domains([5_000, size], 20_000, 2, mean_length=60, random_state=0)
        X = isthmus.text.LogTfidf("float32").fit_transform(made.X)
        given: dict[str, Any] = {"sample_domain": made.sample_domain, "target_domain": 1}
        model, *found = _timed(partial(isthmus.Auto(random_state=0).fit, X, made.y, **given))
        seconds.append(found)
        own = made.sample_domain == 1
        yield _row(f"Auto, 5,000 + {size:,} made documents", found, model.transduction_[own] == made.y[own])
    yield f"| ratio | {seconds[1][0] / seconds[0][0]:.2f} | {seconds[1][1] / seconds[0][1]:.2f} | |"


def _posts(documents: int) -> list[tuple[list[str], Any]]:
    """Texts and labels of the source, and of the target."""
    corpus, rng, task = load_newsgroups(), np.random.default_rng(0), four_classes()[0]
    sides = []
    for side in (task.source, task.target):
        label_of = {group: label for label, groups in side.items() for group in groups}
        rows = rng.permutation([row for row, group in enumerate(corpus.groups) if group in label_of])[:documents]
        sides.append(([corpus.texts[row] for row in rows], np.array([label_of[corpus.groups[row]] for row in rows])))
    (source, labels), target = sides
    return [(source, labels.tolist()), target]


def _timed(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """What it returns, its seconds of all processors together, and those on the clock."""
    gc.collect()
    cpu, wall = process_time(), perf_counter()
    found = run()
    return found, process_time() - cpu, perf_counter() - wall


def _row(name: str, seconds: list[float], right: Any) -> str:
    return f"| {name} | {seconds[0]:.2f} | {seconds[1]:.2f} | {100 * np.mean(right):.1f} |"
