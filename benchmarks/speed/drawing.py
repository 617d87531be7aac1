"""Pictures of tables, beside the tables: each function writes a file and returns the Markdown that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from isthmus.bench.drawing import COLORS, MARKERS

FOLDER = Path(__file__).parents[1] / "pictures"


def growth_picture(found: Mapping[str, tuple[Sequence[int], Sequence[float]]]) -> str:
    """Times against each thing that grows, both beside their smallest."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for (name, (values, times)), color, marker in zip(found.items(), COLORS, MARKERS, strict=False):
        across, up = ([value / own[0] for value in own] for own in (values, times))
        axes.plot(across, up, color=color, marker=marker, label=name)
    axes.axline((1, 1), slope=1, color="0.6", linestyle=":", label="in proportion")
    axes.set(xscale="log", yscale="log", xlabel="times as many", ylabel="times the CPU time of an iteration")
    return _written(figure, axes, "growth", "How the time of an iteration grows")


def ratios_picture(ratios: Mapping[str, float]) -> str:
    """How many times as fast as plain updates each method is."""
    figure = Figure(figsize=(6.4, 2.8), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh(list(ratios), list(ratios.values()), color=COLORS[0])
    axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.axvline(1, color="0.6", linestyle=":", label="plain updates")
    axes.invert_yaxis()
    axes.set(
        xscale="log", xlabel="times as fast as the updates written straight down", xlim=(0.9, 2 * max(ratios.values()))
    )
    return _written(figure, axes, "ratios", "Each method against plain updates")


def _written(figure: Any, axes: Any, name: str, title: str) -> str:
    axes.set_title(title)
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_locator(NullLocator())
    axes.legend(frameon=False)
    FOLDER.mkdir(exist_ok=True)
    figure.savefig(FOLDER / f"{name}.png", dpi=110)
    return f"![{title}]({FOLDER.name}/{name}.png)"
