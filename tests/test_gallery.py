"""The examples draw something, on data that need no download, and their page says what they say."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
pytest.importorskip("matplotlib")
sys.path.insert(0, str(EXAMPLES))
gallery: Any = importlib.import_module("gallery")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", gallery.NAMES)
def test_an_example_draws_a_picture(name: str) -> None:
    import matplotlib.pyplot as plt

    figure = importlib.import_module(name).draw(quick=True)
    assert all(panel.has_data() or panel.texts for panel in figure.axes)
    plt.close(figure)


def test_every_example_is_in_the_gallery() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*gallery.NAMES, "gallery", "shared"}
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page()
    assert {path.stem for path in gallery.PICTURES.glob("*.png")} == set(gallery.NAMES)
