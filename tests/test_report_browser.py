"""The report in a real browser."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isthmus
from isthmus.datasets import load_messages
from isthmus.io.documents import read_given
from visiting import CONTRAST, USUAL, Visit

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


@pytest.fixture(scope="module")
def usual_page(browser: Any) -> Iterator[Any]:
    """A page for one visit after the other: a context of its own takes five times as long as the visit."""
    context = browser.new_context(**USUAL)
    yield context.new_page()
    context.close()


@pytest.fixture
def visit(browser: Any, usual_page: Any) -> Iterator[Any]:
    visits: list[Visit] = []
    contexts: list[Any] = []

    def open_page(path: Path, **options: Any) -> Visit:
        if options:
            contexts.append(browser.new_context(**(USUAL | options)))
            return Visit(contexts[-1].new_page(), path)
        if visits:
            visits.pop().leave()
        visits.append(Visit(usual_page, path))
        return visits[-1]

    yield open_page
    for here in visits:
        here.leave()
    for context in contexts:
        context.close()


def test_it_opens_in_silence_and_alone(visit: Any, reports: dict[str, Path]) -> None:
    for name in ("tcl", "lr"):
        here = visit(reports[name])
        here.page.mouse.wheel(0, 20_000)
        here.rest()
        assert here.complaints == []
        assert here.requests == [reports[name].as_uri()]
        # Both maps are drawn.
        drawn = "[...document.querySelectorAll('canvas')].map(c => c.getContext('2d')"
        drawn += ".getImageData(0, 0, c.width, c.height).data.some(v => v > 0))"
        assert here.ask(drawn) == [True, True]


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
    assert [text.replace("\u2028", " ") for text in here.texts(".detail .text")] == [HOSTILE.replace("\u2028", " ")]
    assert here.texts(".item .id") == ["<i>0</i>"]
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
    assert here.found() == total

    for direction in (1, -1):
        page.click("[data-sort=confidence]")
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
    assert here.texts("#rows") == ["No document passes these filters."]


def test_a_row_opens_and_others_make_room(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["lr"])
    page = here.page
    page.locator(".opener").nth(1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert here.count(".detail") == 1
    assert here.ask("document.activeElement.getAttribute('aria-expanded')") == "true"
    bottom, top = here.ask(
        """[2, 3].map((place) => document.querySelector(`.item[data-place='${place}']`).getBoundingClientRect())
            .map((box, i) => (i ? box.top : box.bottom))"""
    )
    assert bottom == pytest.approx(top, abs=1)
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
    assert here.count(".detail") == 1  # what is put off has not closed it again
    window, opened = here.ask(
        "['#scroller', '.detail h4'].map((name) => document.querySelector(name).getBoundingClientRect().toJSON())"
    )
    assert window["top"] < opened["top"] < window["bottom"] - 20  # and it can be seen
    assert here.texts(".suggestions .muted")[0] in here.texts(".detail h4")[0]


def test_the_bridge_answers_to_pointer_and_keys(visit: Any, reports: dict[str, Path]) -> None:
    for name in ("tcl", "lr"):
        here = visit(reports[name])
        page = here.page
        assert here.tip() == ""
        word = page.locator(".bridge.wide .word").nth(3)
        word.locator("text").hover()
        assert here.tip() == word.get_attribute("aria-label")
        assert re.search(r": weight 0?\.\d+ among the words of the source of ", here.tip())
        page.mouse.move(0, 0)
        assert here.tip() == ""

        page.locator(".bridge.wide .word[tabindex='0']").focus()
        first = here.tip()
        assert "words of the source" in first
        page.keyboard.press("ArrowRight")
        assert "common words" in here.tip()
        page.keyboard.press("ArrowRight")
        assert "words of the target" in here.tip()
        for key in ("ArrowDown", "ArrowUp", "ArrowLeft", "ArrowLeft"):
            page.keyboard.press(key)
        assert here.tip() == first
        assert here.count(".bridge.wide .word[tabindex='0']") == 1
        page.keyboard.press("Escape")
        assert here.tip() == ""


def test_ten_thousand_documents_need_few_elements(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["long"])
    page = here.page
    assert here.found() == 10_000
    assert 0 < here.count(".item") < 40
    scroll = "y => { const s = document.getElementById('scroller'); s.scrollTop = y * s.scrollHeight; }"
    for share in (0.3, 0.7, 1):
        page.evaluate(scroll, share)
        assert here.first() > share * 0.98 * 10_000
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
    tops = "[...document.querySelectorAll('.item')].map((item) => item.getBoundingClientRect().top)"
    assert np.diff(here.ask(tops)) == pytest.approx(97)


def test_a_window_that_changes_leaves_the_focus_where_it_is(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["lr"])
    place = "document.activeElement.closest('.item')?.dataset.place"
    here.page.locator(".opener").nth(2).focus()
    for row in ("", "97px"):  # as when a phone's address bar goes, and as when its rows change too
        here.page.evaluate("(row) => document.documentElement.style.setProperty('--row', row)", row)
        here.page.evaluate("dispatchEvent(new Event('resize'))")
        assert here.ask(place) == "2"
    here.page.keyboard.press("ArrowDown")
    assert here.ask(place) == "3"


def test_light_and_dark(visit: Any, reports: dict[str, Path]) -> None:
    light = visit(reports["tcl"], color_scheme="light")
    dark = visit(reports["tcl"], color_scheme="dark")
    colours = light.colour(), dark.colour()
    assert colours[0] != colours[1]
    before = light.ask("document.getElementById('before').toDataURL()")
    light.page.click("#theme")
    assert light.colour() == colours[1]
    assert light.ask("document.getElementById('before').toDataURL()") != before
    light.page.reload()
    assert light.colour() == colours[1]  # remembered
    light.page.click("#theme")
    assert light.colour() == colours[0]
    dark.page.emulate_media(media="print")
    assert dark.ask("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_paper_has_room_for_texts_and_for_all_columns(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["tcl"], viewport={"width": 794, "height": 1123})
    here.page.emulate_media(media="print")
    here.page.evaluate(
        """() => {
            document.body.style.width = "680px";  // A4 within its margins
            for (const name of document.querySelectorAll(".confusion th")) name.append(" talked_about_at_length");
        }"""
    )
    assert here.ask("document.querySelector('.item .body').getBoundingClientRect().width") > 150
    assert here.ask("[...document.querySelectorAll('.scroll')].every((part) => part.scrollWidth <= part.clientWidth)")
    assert here.ask("[...document.querySelectorAll('figcaption')].every((said) => !said.innerText.includes('Choose'))")


def test_long_ids_can_be_told_apart(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["long"])
    fits = """() => {
        const id = document.querySelector(".item .id");
        id.textContent = "rec.sport.hockey/52550";
        return id.scrollWidth <= id.clientWidth && id.scrollHeight <= id.clientHeight + 1;
    }"""
    assert here.ask(fits)


def test_everything_can_be_read_and_fits_a_phone(visit: Any, reports: dict[str, Path]) -> None:
    for name in ("tcl", "lr"):
        here = visit(reports[name], viewport={"width": 360, "height": 800}, has_touch=True)
        page = here.page
        page.locator(".opener").first.tap()
        page.wait_for_selector(".detail")  # a tap becomes a click when the browser is sure of it
        assert here.ask("document.documentElement.scrollWidth <= innerWidth")
        grounds = set()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            grounds.add(here.colour())
            assert here.ask(CONTRAST) == []
        assert len(grounds) == 2
        page.locator(".bridge.narrow .word text").first.tap()
        page.wait_for_selector("#tip")
        assert here.ask("document.documentElement.scrollWidth <= innerWidth")
        assert not page.locator(".bridge.wide").is_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_long_names_and_broad_words_stay_on_the_page(visit: Any, reports: dict[str, Path], width: int) -> None:
    here = visit(reports["many"], viewport={"width": width, "height": 800})
    assert here.ask("document.documentElement.scrollWidth <= innerWidth")
    outside = """() => [...document.querySelectorAll(".bridge text")].filter((text) => {
        const box = text.getBBox();
        return box.width && (box.x < 0 || box.x + box.width > text.ownerSVGElement.viewBox.baseVal.width);
    }).map((text) => text.textContent)"""
    assert here.ask(outside) == []
    assert any("w…" in text for text in here.page.locator(".bridge .word").all_text_contents())


def test_ids_are_sorted_as_people_do(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["many"])

    def shown() -> list[float]:
        return [float(text) for text in here.texts(".item .id")]

    as_given = shown()
    assert here.count("[aria-sort]") == 0  # by nothing that a column shows
    here.page.click("[data-sort=id]")
    assert here.count("[aria-sort=ascending] [data-sort=id]") == 1
    assert shown() == sorted(map(float, NUMBERS))[: len(shown())]
    here.page.click("[data-sort=id]")
    assert here.count("[aria-sort=descending] [data-sort=id]") == 1
    assert shown() == sorted(map(float, NUMBERS), reverse=True)[: len(shown())]
    here.page.click("#filters button[type=reset]")
    assert shown() == as_given
    assert here.count("[aria-sort]") == 0

    here = visit(reports["long"])  # names with numbers in them, ten thousand
    here.page.click("[data-sort=id]")
    found = here.texts(".item .id")
    assert found == [f"post {number}" for number in range(len(found))]

    here = visit(reports["lr"])  # without ids, their numbers
    assert here.count("[aria-sort=ascending] [data-sort=row]") == 1
    here.page.click("[data-sort=row]")
    assert here.texts(".item .id")[0] == "276"


def test_what_passes_the_filters_can_be_downloaded(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["tcl"])
    here.page.fill("#search", "charged")
    shown = here.found()
    with here.page.expect_download() as download:
        here.page.click("#download")
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"), newline="")))
    assert len(rows) == shown > 0
    assert all("charged" in row["text"].lower() for row in rows)
    assert set(rows[0]) == {"id", "label", "confidence", "text"}
    assert here.complaints == []


def test_labels_are_given_by_keyboard_and_downloaded(visit: Any, reports: dict[str, Path]) -> None:
    here = visit(reports["tcl"])
    assert here.page.is_hidden("#given")
    here.page.locator(".item .opener").first.click()
    data = here.ask("JSON.parse(document.getElementById('documents').textContent)")
    names = data["ids"] or [str(number + 1) for number in range(len(data["texts"]))]
    for key in "213":
        here.page.keyboard.press(key)
        here.rest()
    here.page.keyboard.press("9")  # there is no such class
    here.page.click("#undo-label")
    assert here.texts("#given-count") == ["2 labels given here"]
    with here.page.expect_download() as download:
        here.page.click("#download-labels")
    rows = read_given(download.value.path())
    classes = data["classes"]
    assert [(row.id, row.label) for row in rows] == [(names[0], classes[1]), (names[1], classes[0])]
    here.page.focus("#search")
    here.page.keyboard.press("1")  # typed, not given
    assert here.texts("#given-count") == ["2 labels given here"]
    assert here.complaints == []
