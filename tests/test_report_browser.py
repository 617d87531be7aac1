"""The report in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from report_pages import HOSTILE, ReportPages
from visiting import CONTRAST


def test_it_opens_in_silence_and_alone(visit: Any, reports: ReportPages) -> None:
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


def test_the_policy_keeps_out_scripts_and_network(visit: Any, reports: ReportPages) -> None:
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


def test_a_hostile_document_is_shown_and_does_nothing(visit: Any, reports: ReportPages) -> None:
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


def test_other_parts_lead_to_the_documents(visit: Any, reports: ReportPages) -> None:
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


def test_the_bridge_answers_to_pointer_and_keys(visit: Any, reports: ReportPages) -> None:
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


def test_light_and_dark(visit: Any, reports: ReportPages) -> None:
    light = visit(reports["tcl"], color_scheme="light")
    dark = visit(reports["tcl"], color_scheme="dark")
    colors = light.color(), dark.color()
    assert colors[0] != colors[1]
    before = light.ask("document.getElementById('before').toDataURL()")
    light.page.click("#theme")
    assert light.color() == colors[1]
    assert light.ask("document.getElementById('before').toDataURL()") != before

    def remembered() -> bool:
        light.page.reload()
        return light.color() == colors[1]

    light.until(remembered)  # what a page stores may reach the process of the next one after it has begun
    light.page.click("#theme")
    assert light.color() == colors[0]
    dark.page.emulate_media(media="print")
    assert dark.ask("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_paper_has_room_for_texts_and_for_all_columns(visit: Any, reports: ReportPages) -> None:
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


def test_everything_can_be_read_and_fits_a_phone(visit: Any, reports: ReportPages) -> None:
    for name in ("tcl", "lr"):
        here = visit(reports[name], viewport={"width": 360, "height": 800}, has_touch=True)
        page = here.page
        page.locator(".opener").first.tap()
        page.wait_for_selector(".detail")  # a tap becomes a click when the browser is sure of it
        assert here.ask("document.documentElement.scrollWidth <= innerWidth")
        grounds = set()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            grounds.add(here.color())
            assert here.ask(CONTRAST) == []
        assert len(grounds) == 2
        page.locator(".bridge.narrow .word text").first.tap()
        page.wait_for_selector("#tip")
        assert here.ask("document.documentElement.scrollWidth <= innerWidth")
        assert not page.locator(".bridge.wide").is_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_long_names_and_broad_words_stay_on_the_page(visit: Any, reports: ReportPages, width: int) -> None:
    here = visit(reports["many"], viewport={"width": width, "height": 800})
    assert here.ask("document.documentElement.scrollWidth <= innerWidth")
    outside = """() => [...document.querySelectorAll(".bridge text")].filter((text) => {
        const box = text.getBBox();
        return box.width && (box.x < 0 || box.x + box.width > text.ownerSVGElement.viewBox.baseVal.width);
    }).map((text) => text.textContent)"""
    assert here.ask(outside) == []
    assert any("w…" in text for text in here.page.locator(".bridge .word").all_text_contents())


def test_the_page_follows_the_readers_font_size(visit: Any, reports: ReportPages) -> None:
    """Rows of the table grow with the text, and nothing sticks out of a phone."""
    here = visit(reports["tcl"], viewport={"width": 390, "height": 800})
    sizes = """() => {
        const row = document.querySelector(".item .row");
        return [parseFloat(getComputedStyle(row).fontSize), row.offsetHeight];
    }"""
    before = here.ask(sizes)
    here.page.evaluate("document.documentElement.style.fontSize = '200%'; dispatchEvent(new Event('resize'))")
    grown = "height => document.querySelector('.item .row').offsetHeight > 1.5 * height"
    here.page.wait_for_function(grown, arg=before[1])
    assert here.ask(sizes) == pytest.approx([2 * size for size in before], abs=2)
    assert here.ask("document.documentElement.scrollWidth <= innerWidth")
