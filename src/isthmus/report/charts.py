"""The places of things in the small charts; `charts.html.j2` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isthmus.drift import Sign
from isthmus.evaluation import ReliabilityBin
from isthmus.report.material import Material
from isthmus.report.scores import Curve
from isthmus.typing import Array

WIDTH, HEIGHT = 340.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 10.0, 10.0, 30.0
N_BINS = 20


@dataclass(frozen=True)
class Tick:
    """A number at an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Bin:
    """One column of a histogram, with a piece for each class."""

    low: float
    high: float
    says: str
    x: float
    width: float
    pieces: list[tuple[int, float, float]]
    """Class, y, height."""


@dataclass(frozen=True)
class Histogram:
    """How many documents have which probability."""

    bins: list[Bin]
    x_ticks: list[Tick]
    y_ticks: list[Tick]


@dataclass(frozen=True)
class Polyline:
    """A curve."""

    color: int
    points: str


@dataclass(frozen=True)
class Chart:
    """Curves with axes."""

    lines: list[Polyline]
    x_ticks: list[Tick]
    y_ticks: list[Tick]


@dataclass(frozen=True)
class Point:
    """A share with its interval."""

    x: float
    y: float
    low: float
    high: float
    says: str
    is_alarm: bool = False


@dataclass(frozen=True)
class Timeline:
    """Points, one after the other, with what is usual around each."""

    points: list[Point]
    line: str
    half_width: float
    """Of what stands around a point."""
    x_ticks: list[Tick]
    y_ticks: list[Tick]


@dataclass(frozen=True)
class Reliability:
    """Points with axes."""

    points: list[Point]
    x_ticks: list[Tick]
    y_ticks: list[Tick]


def histogram(material: Material) -> Histogram:
    """Of the probability of each document's label, from even odds to confidence."""
    floor = np.floor(20 / material.n_classes) / 20
    edges = np.linspace(floor, 1, N_BINS + 1)
    where = np.clip(np.digitize(material.confidence, edges) - 1, 0, N_BINS - 1)
    counts = np.zeros((N_BINS, material.n_classes), dtype=int)
    np.add.at(counts, (where, material.numbers), 1)
    ticks = [tick for tick in _round_ticks(0, float(counts.sum(axis=1).max())) if tick.is_integer()]
    top = float(ticks[-1])
    bins = []
    for number, row in enumerate(counts):
        low, high = float(edges[number]), float(edges[number + 1])
        x0, x1 = _x(number / N_BINS), _x((number + 1) / N_BINS)
        pieces, below = [], 0
        for color in np.flatnonzero(row):
            below += int(row[color])
            pieces.append((int(color), _y(below / top), _y(0) - _y(row[color] / top)))
        documents = "1 document has" if row.sum() == 1 else f"{row.sum():,} documents have"
        says = f"{documents} a probability from {low:.3g} to {high:.3g}"
        bins.append(Bin(low, high, says, round(x0 + 0.5, 1), round(x1 - x0 - 1, 1), pieces))
    x_ticks = [Tick(_x(share), f"{floor + share * (1 - floor):.2g}") for share in (0, 0.5, 1)]
    return Histogram(bins, x_ticks, [Tick(_y(tick / top), f"{tick:,.0f}") for tick in ticks])


def convergence(objective: Array) -> Chart:
    """The objective against iterations."""
    values = np.asarray(objective, dtype=np.float64)
    ticks = _round_ticks(float(values.min()), float(values.max()))
    low, high = float(min(ticks[0], values.min())), float(max(ticks[-1], values.max()))
    kept = np.unique(np.linspace(0, len(values) - 1, 300).astype(int))
    last = max(len(values) - 1, 1)
    points = [(_x(step / last), _y((values[step] - low) / (high - low or 1))) for step in kept]
    y_ticks = [Tick(_y((tick - low) / (high - low or 1)), f"{tick:g}") for tick in ticks]
    return Chart([Polyline(0, _polyline(points))], _step_ticks(last), y_ticks)


def roc(curves: list[Curve]) -> Chart:
    """True positives against false ones."""
    lines = [Polyline(curve.color, _polyline([(_x(x), _y(y)) for x, y in curve.points])) for curve in curves]
    ticks = (0, 0.5, 1)
    return Chart(lines, [Tick(_x(t), f"{t:g}") for t in ticks], [Tick(_y(t), f"{t:g}") for t in ticks])


def reliability(bins: list[ReliabilityBin]) -> Reliability:
    """Shares of right labels against their probability."""
    points = [
        Point(
            round(_x(one.confidence), 1),
            round(_y(one.accuracy.value), 1),
            round(_y(one.accuracy.low), 1),
            round(_y(one.accuracy.high), 1),
            f"{one.n:,} labels of probability {one.low:.1f} to {one.high:.1f}: {one.accuracy.value:.0%} are right",
        )
        for one in bins
    ]
    ticks = (0, 0.5, 1)
    return Reliability(points, [Tick(_x(t), f"{t:g}") for t in ticks], [Tick(_y(t), f"{t:.0%}") for t in ticks])


def timeline(batches: Sequence[str], signs: Sequence[Sign]) -> Timeline:
    """One number of batch after batch, and between which bounds it is usual."""
    values = [sign.share(sign.value) for sign in signs]
    lows, highs = [sign.share(sign.low) for sign in signs], [sign.share(sign.high) for sign in signs]
    seen = [*values, *lows, *(high for high in highs if np.isfinite(high))]
    ticks = _round_ticks(min(0.0, *seen), max(seen))
    top = float(ticks[-1]) or 1.0  # where no document ever had any of it
    places = [(number + 0.5) / len(signs) for number in range(len(signs))]
    points = [
        Point(
            round(_x(place), 1),
            round(_y(value / top), 1),
            round(_y(low / top), 1),
            round(_y(min(high / top, 1)), 1),
            f"{batch}: {value:.1%}, {'beyond the bounds' if sign.is_alarm else 'as usual'}",
            sign.is_alarm,
        )
        for place, batch, sign, value, low, high in zip(places, batches, signs, values, lows, highs, strict=True)
    ]
    line = _polyline([(point.x, point.y) for point in points])
    numbers = sorted({0, (len(signs) - 1) // 2, len(signs) - 1})
    x_ticks = [Tick(_x(places[number]), f"{number + 1:,}") for number in numbers]
    has_bounds = any(sign.low > 0 or np.isfinite(sign.high) for sign in signs)
    half_width = round((_x(1) - _x(0)) / len(signs) / 2, 1) if has_bounds else 0.0
    return Timeline(points, line, half_width, x_ticks, [Tick(_y(tick / top), f"{100 * tick:g}%") for tick in ticks])


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _polyline(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _step_ticks(last: int) -> list[Tick]:
    return [Tick(_x(step / last), f"{step:,}") for step in sorted({0, last // 2, last})]


def _round_ticks(low: float, high: float) -> list[float]:
    """Two to five round numbers from at most `low` to at least `high`."""
    span = high - low or abs(high) or 1.0
    step = 10.0 ** np.floor(np.log10(span / 2))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if span / (step * factor) <= 3.5)
    first, last = np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9)
    return [float(f"{tick * step:.10g}") for tick in np.arange(first, last + 1)]
