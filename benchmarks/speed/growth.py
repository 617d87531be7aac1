"""How time grows with the data: exponents and their picture, and what looks at all pairs of documents."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import isthmus
from isthmus.exceptions import ApproximateNeighborsWarning
from isthmus.solvers.spectral import neighbor_graph
from speed.drawing import growth_picture
from speed.measure import generated, iteration_spent, spent, tcl


def growth(documents: int, rounds: int, draw: bool) -> Iterator[str]:
    """Exponents of an iteration's time, fitted to a straight line in logarithms."""
    yield "\n### Growth of the CPU time of TCL's iteration\n"
    yield "| in | values | ms | exponent |"
    yield "|---|---|---|---|"
    axes: dict[str, tuple[int, ...]] = {
        "documents": tuple(int(factor * documents) for factor in (2.5, 25, 250)),
        "words": (20_000, 60_000, 200_000),
        "classes": (2, 4, 8, 16),
        "targets": (1, 3, 7),
        "topics": (5, 10, 20, 40),
    }
    found: dict[str, tuple[tuple[int, ...], list[float]]] = {}
    usual = {"documents": documents, "words": 20_000, "classes": 2, "targets": 1, "topics": 10}
    for name, values in axes.items():
        times = [1e3 * _iteration(rounds, **{**usual, name: value}) for value in values]
        found[name] = values, times
        cells = (", ".join(f"{value:,}" for value in values), ", ".join(f"{value:.3g}" for value in times))
        yield f"| {name} | {' | '.join(cells)} | {_exponent(values, times):.2f} |"
    if draw:
        yield f"\n{growth_picture(found)}"


def graphs(documents: int) -> Iterator[str]:
    """What looks at all pairs of documents: CDSC, and a graph of nearest neighbors, of which not all may be found."""
    task = generated(documents, 30_000, dtype=np.float32)
    yield f"\n### Spectra and graphs ({task.X.shape[0]:,} documents)\n"
    yield "| | seconds | |"
    yield "|---|---|---|"
    fits: list[Any] = []
    took = spent(lambda: fits.append(task.fit(isthmus.CDSC(random_state=0))))
    yield f"| CDSC | {took.wall:.1f} | {100 * task.accuracy(fits[0].transduction_):.1f}% right |"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ApproximateNeighborsWarning)
        took = spent(lambda: neighbor_graph(task.X, 10))
    said = [str(each.message) for each in caught if each.category is ApproximateNeighborsWarning]
    yield f"| graph of 10 neighbors | {took.wall:.1f} | {' '.join(said) or 'exact'} |"


def _iteration(rounds: int, documents: int, words: int, classes: int, targets: int, topics: int) -> float:
    task = generated(documents, words, classes, np.float32, 1 + targets)
    return min(iteration_spent(task, tcl(8, topics)).cpu for _ in range(rounds))


def _exponent(values: tuple[int, ...], times: list[float]) -> float:
    return float(np.polyfit(np.log(values), np.log(times), 1)[0])
