"""Drawing what `figures` has computed: a PNG, and beside it the numbers as CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from io import BytesIO, StringIO
from itertools import cycle
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.bench.figures import Picture
from isthmus.bench.metrics import METRICS
from isthmus.extras import import_extra
from isthmus.io.atomic import write_atomically

# Okabe and Ito's colors, which color-blind readers can tell apart, and shapes for those who print in grey. Eight
# colors with seven shapes or five dashes: a ninth line must not look like the first.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8A6D00")
MARKERS = "osD^vPX"
DASHES = ("-", "--", "-.", ":", (0, (7, 1, 1, 1, 1, 1)))
SOURCE = {"marker": "o", "s": 90, "edgecolor": "black", "linewidth": 1.5, "zorder": 3}
TARGET = {"marker": "x", "s": 22, "linewidth": 0.9}


def require_matplotlib() -> Any:
    """The library that draws, or a sentence about how to get it."""
    import_extra("matplotlib.figure", "Figures need", "figures")
    return import_module("matplotlib")


def write_picture(picture: Picture, folder: Path) -> list[Path]:
    """Draw a picture; returns the files. Each is written beside and renamed."""
    library = require_matplotlib()
    folder.mkdir(parents=True, exist_ok=True)
    with library.rc_context({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}):
        figure = library.figure.Figure(figsize=(6.4, 4.6), layout="constrained")
        DRAWERS[picture.figure.kind](picture, figure)
        image = BytesIO()
        figure.savefig(image, format="png", dpi=150)
    numbers = StringIO(newline="")
    csv.writer(numbers, lineterminator="\n").writerows([picture.header, *picture.rows])
    paths = [folder / f"{picture.stem}.png", folder / f"{picture.stem}.csv"]
    write_atomically(paths[0], image.getvalue())
    write_atomically(paths[1], numbers.getvalue())
    return paths


def _sweep(picture: Picture, figure: Any) -> None:
    axes, spec = figure.subplots(), picture.figure
    places = _places(spec.values, spec.log)
    for name, color, marker in zip(_first(picture, 0), cycle(COLORS), cycle(MARKERS), strict=False):
        own = [row for row in picture.rows if row[0] == name]
        points = [[row for row in own if row[3] == value] for value in spec.values]
        means = np.array([np.mean([row[4] for row in at]) for at in points])
        axes.plot(places, means, color=color, marker=marker, markersize=5, label=name)
        if len({row[2] for row in own}) == 1 and own[0][6] > 1:  # of one task: its deviation over repeats
            spread = np.array([at[0][5] for at in points])
            axes.fill_between(places, means - spread, means + spread, color=color, alpha=0.15, linewidth=0)
    if picture.usual is not None and float(picture.usual) in map(float, spec.values):
        at = places[[float(value) for value in spec.values].index(float(picture.usual))]
        axes.axvline(at, color="0.4", linestyle=":", linewidth=1.2, label="as in the table")
    if spec.log:
        axes.set_xscale("log")
    axes.set_xticks(places, [_tick(value) for value in spec.values])
    axes.minorticks_off()
    axes.set(title=picture.title, xlabel=spec.label or spec.parameter, ylabel=METRICS[picture.metric].label)
    _legend(figure, axes)


def _places(values: Sequence[float], log: bool) -> list[float]:
    """Where values stand on the axis: on a logarithmic one, zero and infinity a step beyond the others."""
    if not log:
        return [float(value) for value in values]
    finite = [value for value in values if value > 0 and isfinite(value)]
    step = (finite[-1] / finite[0]) ** (1 / max(1, len(finite) - 1))
    return [finite[0] / step if value <= 0 else min(value, finite[-1] * step) for value in values]


def _tick(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:,.12g}"


def _curves(picture: Picture, figure: Any) -> None:
    axes = figure.subplots()
    for name, color, dash in zip(_first(picture, 0), cycle(COLORS), cycle(DASHES), strict=False):
        points = np.array([row[1:] for row in picture.rows if row[0] == name])
        axes.plot(points[:, 0], points[:, 1], linestyle=dash, color=color, label=name)
    _, across, up = picture.header
    lowest = min(0.9, np.floor(10 * min(row[2] for row in picture.rows)) / 10)  # precision may stay far above zero
    axes.set(title=picture.title, xlabel=across, ylabel=up, xlim=(0, 1), ylim=(lowest, 1.02))
    _legend(figure, axes)


def _boxes(picture: Picture, figure: Any) -> None:
    axes, methods = figure.subplots(), _first(picture, 0)
    areas = [[row[2] for row in picture.rows if row[0] == method] for method in methods]
    boxes = axes.boxplot(areas, patch_artist=True, medianprops={"color": "black"}, widths=0.6)
    for box, color in zip(boxes["boxes"], cycle(COLORS), strict=False):
        box.set(facecolor=color, alpha=0.6)
    turned = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if len(methods) > 4 else {}
    axes.set_xticks(range(1, len(methods) + 1), methods, **turned)
    axes.grid(visible=False, axis="x")
    axes.set(title=picture.title, ylabel=f"{METRICS[picture.metric].label}, by fold")


def _eigen_space(picture: Picture, figure: Any) -> None:
    axes = figure.subplots()
    for label, color in zip(_first(picture, 1), COLORS, strict=False):
        for domain in _first(picture, 0):
            points = np.array([row[2:] for row in picture.rows if row[:2] == (domain, label)])
            # Labels hold the source's documents of a class together: few places, which must not be overlooked.
            style = dict(SOURCE if domain == "source" else TARGET, color=color)
            if len(points):
                axes.scatter(*points.T, label=f"{label}, {domain}", **style)
    axes.set(title=picture.title, xlabel=picture.header[2], ylabel=picture.header[3])
    _legend(figure, axes)


def _factors(picture: Picture, figure: Any) -> None:
    """With the line on which both factors are alike: argmax decides by the side of it that a document is on."""
    _eigen_space(picture, figure)
    axes = figure.axes[0]
    largest = max(max(row[2:]) for row in picture.rows)
    axes.plot([0, largest], [0, largest], color="0.4", linestyle="--", linewidth=1.2)


def _correspondence(picture: Picture, figure: Any) -> None:
    axes = figure.subplots()
    down, across = ({row[at]: f"{row[at + 1]} {row[at] + 1}" for row in picture.rows} for at in (0, 2))
    shares = np.zeros((len(down), len(across)))
    for i, _, j, _, share in picture.rows:
        shares[i, j] = share
        dark = share > max(row[-1] for row in picture.rows) / 2
        axes.text(j, i, f"{share:.1f}", ha="center", va="center", color="black" if dark else "white")
    axes.imshow(shares, cmap="cividis")
    axes.set_xticks(range(len(across)), across.values())
    axes.set_yticks(range(len(down)), down.values())
    axes.grid(visible=False)
    axes.set(title=picture.title, xlabel="word clusters of the target", ylabel="word clusters of the source")


def _similarity(picture: Picture, figure: Any) -> None:
    spaces = _first(picture, 0)
    figure.set_size_inches(1.4 + 3.5 * len(spaces), 4.1)
    for axes, space in zip(figure.subplots(1, len(spaces), squeeze=False)[0], spaces, strict=True):
        own = [row for row in picture.rows if row[0] == space]
        names = {row[1]: row[2] for row in own}
        cosines = np.zeros((len(names), len(names)))
        for _, i, _, j, _, cosine in own:
            cosines[i, j] = cosine
        image = axes.imshow(cosines, cmap="cividis")
        groups = list(dict.fromkeys(names.values()))
        sizes = [sum(name == group for name in names.values()) for group in groups]
        ends = np.cumsum(sizes)
        for end in ends[:-1]:
            axes.axhline(end - 0.5, color="white", linewidth=1)
            axes.axvline(end - 0.5, color="white", linewidth=1)
        middles = ends - np.array(sizes) / 2 - 0.5
        axes.set_xticks(middles, groups, rotation=35, ha="right")
        axes.set_yticks(middles, groups if space == spaces[0] else [])
        axes.grid(visible=False)
        axes.set_title(space)
        figure.colorbar(image, ax=axes, fraction=0.046, label=picture.header[-1] if space == spaces[-1] else "")
    figure.suptitle(picture.title)


def _first(picture: Picture, column: int) -> list[str]:
    """The different values of a column, in the order in which they come."""
    return list(dict.fromkeys(row[column] for row in picture.rows))


def _legend(figure: Any, axes: Any) -> None:
    """Below the axes, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    columns = 2 if len(labels) == 4 or max(map(len, labels)) > 20 else 3
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=10)


DRAWERS: Mapping[str, Callable[[Picture, Any], None]] = {
    "sweep": _sweep,
    "eigen-space": _eigen_space,
    "factors": _factors,
    "correspondence": _correspondence,
    "similarity": _similarity,
    "roc": _curves,
    "precision-recall": _curves,
    "boxes": _boxes,
}
