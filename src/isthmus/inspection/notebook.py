"""Topics in a notebook: a bridge without scripts."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from isthmus.inspection.bridge import NOTEBOOK, Bridge, draw_bridge
from isthmus.inspection.topics import Topics
from isthmus.typing import DomainName

N_COLORS = 10
LOADER = PackageLoader("isthmus.inspection", "assets")


def topics_html(topics: Topics, classes: np.ndarray[Any, Any], targets: Collection[DomainName]) -> str:
    """What a notebook shows of an estimator's topics."""
    return notebook_html(draw_bridge(topics, class_colors(classes), targets, NOTEBOOK))


def notebook_html(bridge: Bridge | None, caption: str = "") -> str:
    """A bridge, and a sentence beneath it."""
    return _template().render(bridge=bridge, caption=caption, style=Markup(bridge_style()))  # noqa: S704 - our own file


def class_colors(classes: np.ndarray[Any, Any]) -> dict[Any, int]:
    """By label, and by its name: the words of classes know the names alone."""
    numbers: dict[Any, int] = {str(label): number for number, label in enumerate(classes.tolist())}
    return numbers | {label: number for number, label in enumerate(classes.tolist())}


@cache
def bridge_style() -> str:
    """The style sheet of bridges."""
    return (resources.files("isthmus.inspection") / "assets" / "bridge.css").read_text(encoding="utf-8")


@cache
def _template() -> Any:
    environment = Environment(
        loader=LOADER, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["color"] = lambda number: number % N_COLORS
    return environment.get_template("notebook.html.j2")
