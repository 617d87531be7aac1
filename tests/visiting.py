"""A report in a real browser, as a visitor sees it once the page has come to rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REST = "() => new Promise((rest) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(rest))))"
"""What the page has put off (to the next frame, or to when its handlers are done) is done before this ends."""


USUAL = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}


class Visit:
    """A page with everything that it complained of and asked for.

    Whoever asks it something waits until it is at rest: a slow machine must not answer otherwise than a fast one.
    """

    def __init__(self, page: Any, path: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._listeners: dict[str, Callable[[Any], None]] = {
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "dialog": self._dismiss,
            "request": lambda request: self.requests.append(request.url),
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)
        page.goto(path.as_uri())
        page.wait_for_selector(".item")
        self.rest()

    def leave(self) -> None:
        """The next visitor of the same page finds nothing of this one."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)
        self.page.mouse.move(0, 0)
        self.page.evaluate("localStorage.clear()")

    def _dismiss(self, dialog: Any) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def rest(self) -> None:
        self.page.evaluate(REST)

    def ask(self, script: str) -> Any:
        """What ``script`` says, at rest and all at once: between two questions the page might draw itself anew."""
        self.rest()
        return self.page.evaluate(script)

    def count(self, selector: str) -> int:
        self.rest()
        return int(self.page.locator(selector).count())

    def texts(self, selector: str) -> list[str]:
        self.rest()
        return [str(text) for text in self.page.locator(selector).all_inner_texts()]

    def until(self, true: Callable[[], bool]) -> None:
        """Wait until ``true()``: asked from here, as the page's policy forbids playwright's own way to wait."""
        for _ in range(500):
            if true():
                return
            self.page.wait_for_timeout(20)
        pytest.fail("The page did not come to what was waited for within ten seconds.")

    def found(self) -> int:
        return int(self.texts("#found")[0].split()[0].replace(",", ""))

    def first(self) -> int:
        """The place in the table of the first document that is drawn."""
        return int(self.ask("document.querySelector('.item').dataset.place"))

    def tip(self) -> str:
        """What stands beside that which is pointed at; nothing, if nothing does."""
        return str(self.ask("(document.querySelector('#tip:not([hidden])') ?? new Text()).textContent"))

    def color(self) -> str:
        return str(self.ask("getComputedStyle(document.body).backgroundColor"))


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (v) => (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => .2126 * linear(r / 255) + .7152 * linear(g / 255) + .0722 * linear(b / 255);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const found = rgba(getComputedStyle(element).backgroundColor);
      if (found[3] === 255) return found;
    }
  };
  const contrast = (css, element) => {
    const [high, low] = [light(rgba(css)), light(ground(element))].sort((x, y) => y - x);
    return (high + .05) / (low + .05);
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *:not(script):not(svg *)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.getClientRects().length) continue;
    const found = contrast(getComputedStyle(element).color, element);
    if (found < 4.5) poor.push([element.className, element.textContent.slice(0, 30), found]);
  }
  for (let number = 0; number < 10; number++) {
    const swatch = document.body.appendChild(document.createElement("span"));
    swatch.className = `swatch k${number}`;
    const found = contrast(getComputedStyle(swatch).backgroundColor, document.querySelector(".card"));
    if (found < 3) poor.push(["swatch", number, found]);
    swatch.remove();
  }
  return poor;
}"""
"""Texts below 4.5:1 and class colors below 3:1 against what is behind them, as WCAG's AA asks."""
