"""The report in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isthmus
from isthmus.data import load_messages

HOSTILE = (
    "refund </script><script>window.broken = 1; alert(1)</script><!-- <script> \u2028 "
    "<img src=x onerror='window.broken = 1'><b>bold</b>"
)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages on the embedded messages: by TCL with true labels and a hostile text, by LR without; a long one; and one
    of many classes with long names and broad words.
    """
    folder = tmp_path_factory.mktemp("reports")
    messages = load_messages()
    texts, in_source = np.array(messages.texts, dtype=object), messages.groups == "photos"
    source, labels = texts[in_source].tolist(), messages.labels[in_source].tolist()
    target, truth = texts[~in_source].tolist(), messages.labels[~in_source].tolist()
    target[0] = HOSTILE
    long = [f"{text[:60]} number {row}" for row, text in enumerate(target[1:41] * 250)]
    return {
        "tcl": isthmus.transfer(source, labels, target).report(
            folder / "tcl.html", truth=truth, ids=[f"<i>{row}</i>" for row in range(len(target))]
        ),
        "lr": isthmus.transfer(source, labels, target, method="LR").report(folder / "lr.html"),
        "long": isthmus.transfer(source, labels, long, method="LR").report(
            folder / "long.html", ids=[f"post {row * 7 % 10_000}" for row in range(10_000)]
        ),
        "many": _many().report(folder / "many.html", ids=NUMBERS, truth=[LONG_NAMES[0]] * 30 + LONG_NAMES),
    }


NUMBERS = [f"{number / 4:g}" for number in np.random.default_rng(0).permutation(60) - 20]
"""As no sorting of strings puts them in order."""
LONG_NAMES = [f"{'Wide_name' * 12} {number}" if number % 2 else f"klasse {number} " * 6 for number in range(30)]


def _many() -> isthmus.Result:
    """Thirty classes with long names, and words as broad as can be."""
    words = [[f"{'w' * 60}{number}", f"{'漢字' * 15}{number}", f"plain{number}"] for number in range(30)]
    source = [" ".join(three[:2]) for three in words] * 2
    return isthmus.transfer(source, LONG_NAMES * 2, [" ".join(three) for three in words] * 2, method="LR")


class Visit:
    """A page with everything that it complained of and asked for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(".item")

    def _dismiss(self, dialog: Any) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def count(self, selector: str) -> int:
        return int(self.page.locator(selector).count())

    def texts(self, selector: str) -> list[str]:
        return [str(text) for text in self.page.locator(selector).all_inner_texts()]

    def until(self, true: Callable[[], bool]) -> None:
        """Wait until ``true()``: asked from here, as the page's policy forbids playwright's own way to wait."""
        for _ in range(500):
            if true():
                return
            self.page.wait_for_timeout(20)
        pytest.fail("The page did not come to what was waited for within ten seconds.")

    def found(self) -> int:
        return int(str(self.page.locator("#found").inner_text()).split()[0].replace(",", ""))

    def first(self) -> int:
        """The place in the table of the first document that is drawn."""
        return int(self.page.locator(".item").first.get_attribute("data-place"))

    def colour(self) -> str:
        return str(self.page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.fixture
def visit(browser: Any) -> Iterator[Any]:
    visits: list[Visit] = []

    def open_page(path: Path, **options: Any) -> Visit:
        visits.append(Visit(browser, path, **options))
        return visits[-1]

    yield open_page
    for one in visits:
        one.context.close()


def test_it_opens_in_silence_and_alone(visit: Any, reports: dict[str, Path]) -> None:
    for name in ("tcl", "lr"):
        here = visit(reports[name])
        here.page.mouse.wheel(0, 20_000)
        here.page.wait_for_timeout(100)
        assert here.complaints == []
        assert here.requests == [reports[name].as_uri()]
        # Both maps are drawn.
        drawn = "[...document.querySelectorAll('canvas')].map(c => c.getContext('2d')"
        drawn += ".getImageData(0, 0, c.width, c.height).data.some(v => v > 0))"
        assert here.page.evaluate(drawn) == [True, True]


def test_the_policy_keeps_out_scripts_and_network(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["tcl"])
    here.page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.broken = 1";
            document.body.append(script);
            const image = new Image();
            image.src = "http://localhost:9/x.png";
            document.body.append(image);
        }"""
    )
    here.until(lambda: all(any(name in text for text in here.complaints) for name in ("script-src", "img-src")))
    assert here.page.evaluate("window.broken") is None
    assert all("Content Security Policy" in complaint for complaint in here.complaints)


def test_a_hostile_document_is_shown_and_does_nothing(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["tcl"])
    page = here.page
    page.fill("#search", "<script>window")
    assert here.found() == 1
    page.click(".item .opener")
    shown = page.locator(".detail .text").inner_text()
    assert shown.replace("\u2028", " ") == HOSTILE.replace("\u2028", " ")
    assert page.locator(".item .id").inner_text() == "<i>0</i>"
    assert page.evaluate("window.broken") is None
    assert here.count("main img, main b > *, .item b, .item i i, .item script") == 0
    assert here.complaints == []


def test_the_table_filters_sorts_and_searches(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["tcl"])
    page = here.page
    total = here.found()
    assert total == 276
    page.select_option("#label", "1")
    faults = here.found()
    assert 0 < faults < total
    assert all("fault" in text.split("\n")[0] for text in here.texts(".item .kind"))
    page.select_option("#truth", "wrong")
    wrong = here.found()
    page.select_option("#truth", "right")
    assert wrong + here.found() == faults
    page.click("#filters button[type=reset]")
    here.until(lambda: here.found() == total)

    for direction in (1, -1):
        page.click("[data-sort=certainty]")
        values = [direction * float(text) for text in here.texts(".item .sure")]
        assert values == sorted(values)
    assert here.count("[aria-sort=descending]") == 1

    page.fill("#low", "0.5")
    page.fill("#high", "0.6")
    assert all(0.5 <= float(text) <= 0.6 for text in here.texts(".item .sure"))
    assert 0 < here.found() < total
    page.click("#filters button[type=reset]")
    page.fill("#search", "Helmet")
    assert 0 < here.found() < total
    assert {text.lower() for text in here.texts(".opener mark")} == {"helmet"}
    page.fill("#search", "no such words")
    assert page.locator("#rows").inner_text() == "No document passes these filters."


def test_a_row_opens_and_others_make_room(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["lr"])
    page = here.page
    page.locator(".opener").nth(1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert here.count(".detail") == 1
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    boxes = [page.locator(f".item[data-place='{place}']").bounding_box() for place in (2, 3)]
    assert boxes[0]["y"] + boxes[0]["height"] == pytest.approx(boxes[1]["y"], abs=1)
    words = here.texts(".item:has(.detail) .why span")
    assert words
    assert {text.lower() for text in here.texts(".detail mark")} == {word.lower() for word in words}
    page.keyboard.press("Enter")
    assert here.count(".detail") == 0


def test_other_parts_lead_to_the_documents(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["tcl"])
    page = here.page
    cell = page.locator(".confusion td:not(.right) button").filter(has_text=re.compile("^[1-9]")).first
    expected = int(cell.inner_text())
    cell.click()
    assert here.found() == expected
    assert here.texts(".item .wrong")
    page.locator(".bin").last.focus()
    page.keyboard.press("Enter")
    assert all(float(text) >= 0.96 for text in here.texts(".item .sure"))
    page.locator(".suggestions button").first.click()
    assert here.found() == 276
    page.wait_for_timeout(100)  # what is put off must not close it again
    opened, window = (page.locator(name).bounding_box() for name in (".detail h4 >> nth=0", "#scroller"))
    assert window["y"] < opened["y"] < window["y"] + window["height"] - 20  # and it can be seen
    assert here.count(".detail") == 1
    assert page.locator(".suggestions .muted").first.inner_text() in page.locator(".detail h4").first.inner_text()


def test_the_bridge_answers_to_pointer_and_keys(visit: Any, reports: dict[str, Path]) -> None:
    for name in ("tcl", "lr"):
        here = visit(reports[name])
        page = here.page
        tip = page.locator("#tip")
        assert not tip.is_visible()
        word = page.locator(".bridge.wide .word").nth(3)
        word.locator("text").hover()
        assert tip.inner_text() == word.get_attribute("aria-label")
        assert re.search(r": weight 0?\.\d+ among the words of the source of ", tip.inner_text())
        page.mouse.move(0, 0)
        assert not tip.is_visible()

        page.locator(".bridge.wide .word[tabindex='0']").focus()
        first = tip.inner_text()
        assert "words of the source" in first
        page.keyboard.press("ArrowRight")
        assert "common words" in tip.inner_text()
        page.keyboard.press("ArrowRight")
        assert "words of the target" in tip.inner_text()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        assert tip.inner_text() == first
        assert here.count(".bridge.wide .word[tabindex='0']") == 1
        page.keyboard.press("Escape")
        assert not tip.is_visible()


def test_ten_thousand_documents_need_few_elements(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["long"])
    page = here.page
    assert here.found() == 10_000
    assert 0 < here.count(".item") < 40
    scroll = "y => { const s = document.getElementById('scroller'); s.scrollTop = y * s.scrollHeight; }"
    for share in (0.3, 0.7, 1):
        page.evaluate(scroll, share)
        here.until(lambda least=share * 0.98 * 10_000: here.first() > least)
        assert 0 < here.count(".item") < 40
    assert here.texts(".item .id")[-1] == "post 9993"
    page.fill("#search", "number 1234")
    assert here.found() == 1
    page.fill("#search", "")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert here.count(".item") == 40
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert here.count(".item") < 40


def test_a_window_that_changes_while_it_scrolls_is_measured(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["lr"])
    here.page.evaluate(
        """() => {
            document.getElementById("scroller").dispatchEvent(new Event("scroll"));
            document.documentElement.style.setProperty("--row", "97px");
            dispatchEvent(new Event("resize"));
        }"""
    )
    items = here.page.locator(".item")
    here.until(lambda: items.nth(1).bounding_box()["y"] - items.nth(0).bounding_box()["y"] == 97)


def test_light_and_dark(visit: Any, reports: dict[str, Path]) -> None:
    light = visit(reports["tcl"], color_scheme="light")
    dark = visit(reports["tcl"], color_scheme="dark")
    colours = light.colour(), dark.colour()
    assert colours[0] != colours[1]
    before = light.page.evaluate("document.getElementById('before').toDataURL()")
    light.page.click("#theme")
    assert light.colour() == colours[1]
    assert light.page.evaluate("document.getElementById('before').toDataURL()") != before
    light.page.reload()
    assert light.colour() == colours[1]  # remembered
    light.page.click("#theme")
    assert light.colour() == colours[0]
    dark.page.emulate_media(media="print")
    assert dark.page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


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
"""Texts below 4.5:1 and class colours below 3:1 against what is behind them, as WCAG's AA asks."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_and_fits_a_phone(visit: Any, reports: dict[str, Path], scheme: str) -> None:
    for name in ("tcl", "lr"):
        here = visit(reports[name], viewport={"width": 360, "height": 800}, color_scheme=scheme, has_touch=True)
        page = here.page
        page.locator(".opener").first.tap()
        assert here.count(".detail") == 1
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(CONTRAST) == []
        page.locator(".bridge.narrow .word text").first.tap()
        assert page.locator("#tip").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not page.locator(".bridge.wide").is_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_long_names_and_broad_words_stay_on_the_page(visit: Any, reports: dict[str, Path], width: int) -> None:
    here = visit(reports["many"], viewport={"width": width, "height": 800})
    assert here.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    outside = """() => [...document.querySelectorAll(".bridge text")].filter((text) => {
        const box = text.getBBox();
        return box.width && (box.x < 0 || box.x + box.width > text.ownerSVGElement.viewBox.baseVal.width);
    }).map((text) => text.textContent)"""
    assert here.page.evaluate(outside) == []
    assert any("w…" in text for text in here.page.locator(".bridge .word").all_text_contents())


def test_ids_are_sorted_as_people_do(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["many"])
    ids = here.page.locator(".item .id")

    def shown() -> list[float]:
        return [float(text) for text in ids.all_inner_texts()]

    as_given = shown()
    assert here.count("[aria-sort]") == 0  # by nothing that a column shows
    here.page.click("[data-sort=id]")
    assert here.count("[aria-sort=ascending] [data-sort=id]") == 1
    assert shown() == sorted(map(float, NUMBERS))[: len(shown())]
    here.page.click("[data-sort=id]")
    assert here.count("[aria-sort=descending] [data-sort=id]") == 1
    assert shown() == sorted(map(float, NUMBERS), reverse=True)[: len(shown())]
    here.page.click("#filters button[type=reset]")
    here.until(lambda: shown() == as_given)
    assert here.count("[aria-sort]") == 0

    here = visit(reports["long"])  # names with numbers in them, ten thousand
    here.page.click("[data-sort=id]")
    found = here.texts(".item .id")
    assert found == [f"post {number}" for number in range(len(found))]

    here = visit(reports["lr"])  # without ids, their numbers
    assert here.count("[aria-sort=ascending] [data-sort=row]") == 1
    here.page.click("[data-sort=row]")
    assert here.texts(".item .id")[0] == "276"
