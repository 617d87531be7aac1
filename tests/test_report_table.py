"""The report's table of documents in a real browser."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isthmus.io.documents import read_given
from report_pages import NUMBERS, ReportPages


def test_the_table_filters_sorts_and_searches(visit: Any, reports: ReportPages) -> None:
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


def test_a_row_opens_and_others_make_room(visit: Any, reports: ReportPages) -> None:
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


def test_ten_thousand_documents_need_few_elements(visit: Any, reports: ReportPages) -> None:
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


def test_a_window_that_changes_while_it_scrolls_is_measured(visit: Any, reports: ReportPages) -> None:
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


def test_a_window_that_changes_leaves_the_focus_where_it_is(visit: Any, reports: ReportPages) -> None:
    here = visit(reports["lr"])
    place = "document.activeElement.closest('.item')?.dataset.place"
    here.page.locator(".opener").nth(2).focus()
    for row in ("", "97px"):  # as when a phone's address bar goes, and as when its rows change too
        here.page.evaluate("(row) => document.documentElement.style.setProperty('--row', row)", row)
        here.page.evaluate("dispatchEvent(new Event('resize'))")
        assert here.ask(place) == "2"
    here.page.keyboard.press("ArrowDown")
    assert here.ask(place) == "3"


def test_long_ids_can_be_told_apart(visit: Any, reports: ReportPages) -> None:
    here = visit(reports["long"])
    fits = """() => {
        const id = document.querySelector(".item .id");
        id.textContent = "rec.sport.hockey/52550";
        return id.scrollWidth <= id.clientWidth && id.scrollHeight <= id.clientHeight + 1;
    }"""
    assert here.ask(fits)


def test_ids_are_sorted_as_people_do(visit: Any, reports: ReportPages) -> None:
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


def test_what_passes_the_filters_can_be_downloaded(visit: Any, reports: ReportPages) -> None:
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


def test_labels_are_given_by_keyboard_and_downloaded(visit: Any, reports: ReportPages) -> None:
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
