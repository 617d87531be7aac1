"""Reports on the embedded messages, each written when the first test asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import isthmus
from isthmus.datasets import load_messages

HOSTILE = (
    "refund </script><script>window.broken = 1; alert(1)</script><!-- <script> \u2028 "
    "<img src=x onerror='window.broken = 1'><b>bold</b>"
)
NUMBERS = [f"{number / 4:g}" for number in np.random.default_rng(0).permutation(60) - 20]
"""As no sorting of strings puts them in order."""
LONG_NAMES = [f"{'Wide_name' * 12} {number}" if number % 2 else f"klasse {number} " * 6 for number in range(30)]


class ReportPages(dict[str, Path]):
    """By name: "tcl", with true labels and a hostile text; "lr", without truth; "long", of ten thousand documents; and
    "many", of thirty classes with long names and broad words.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        messages = load_messages()
        texts, in_source = np.array(messages.texts, dtype=object), messages.groups == "photos"
        self._source = texts[in_source].tolist(), messages.labels[in_source].tolist()
        self._target, self._truth = texts[~in_source].tolist(), messages.labels[~in_source].tolist()
        self._target[0] = HOSTILE

    def __missing__(self, name: str) -> Path:
        result, options = getattr(self, f"_{name}")()
        self[name] = result.report(self._folder / f"{name}.html", **options)
        return self[name]

    def _tcl(self) -> tuple[isthmus.Result, dict[str, Any]]:
        names = [f"<i>{row}</i>" for row in range(len(self._target))]
        return isthmus.transfer(*self._source, self._target), {"truth": self._truth, "ids": names}

    def _lr(self) -> tuple[isthmus.Result, dict[str, Any]]:
        return isthmus.transfer(*self._source, self._target, method="LR"), {}

    def _long(self) -> tuple[isthmus.Result, dict[str, Any]]:
        texts = [f"{text[:60]} number {row}" for row, text in enumerate(self._target[1:41] * 250)]
        names = [f"post {row * 7 % 10_000}" for row in range(10_000)]
        return isthmus.transfer(*self._source, texts, method="LR"), {"ids": names}

    def _many(self) -> tuple[isthmus.Result, dict[str, Any]]:
        words = [[f"{'w' * 60}{number}", f"{'漢字' * 15}{number}", f"plain{number}"] for number in range(30)]
        source, target = [" ".join(three[:2]) for three in words] * 2, [" ".join(three) for three in words] * 2
        result = isthmus.transfer(source, LONG_NAMES * 2, target, method="LR")
        return result, {"ids": NUMBERS, "truth": [LONG_NAMES[0]] * 30 + LONG_NAMES}
