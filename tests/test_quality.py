"""Every finding of `isthmus check` has a file that shows it; good files have none."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isthmus
from command import Done, run
from isthmus.quality import Part, look_at, near_duplicates, nearest_label
from isthmus.quality import duplicates as module
from isthmus.quality.languages import find_languages, languages_of
from isthmus.quality.tokens import tokenize

WORDS = {
    "pay": ["charged", "card", "refund", "invoice", "payment", "twice", "month", "bank", "money", "price"],
    "bug": ["crash", "error", "broken", "screen", "upload", "freezes", "fails", "button", "login", "slow"],
}


def make(n: int, seed: int, extra: str = "") -> list[dict[str, str]]:
    """Documents of two classes, all different."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        label = ("pay", "bug")[number % 2]
        text = " ".join([*rng.permutation(WORDS[label])[:8], *(f"{extra}w{k}" for k in rng.integers(0, 500, 12))])
        rows.append({"id": f"{extra}{number}", "text": text, "label": label})
    return rows


def put(path: Path, rows: Iterable[dict[str, str]]) -> Path:
    rows = list(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def look(folder: Path, source: list[dict[str, str]], target: list[dict[str, str]], *more: object) -> Done:
    put(folder / "s.csv", source)
    put(folder / "t.csv", target)
    return run("check", "--source", folder / "s.csv", "--target", folder / "t.csv", *more)


def unlabeled(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"id": row["id"], "text": row["text"]} for row in rows]


SOURCE, TARGET = make(30, 0), unlabeled(make(20, 1, "t"))
COPY = SOURCE[3]["text"].replace(" ", "  ").upper()
NEAR = SOURCE[3]["text"] + " indeed"
GERMAN = "die karte ist nicht gut und der preis für das rad ist zu hoch sagt auch {}"


def with_label(number: int, label: str) -> list[dict[str, str]]:
    return [{**row, "label": label} if n == number else row for n, row in enumerate(SOURCE)]


CASES: dict[str, tuple[list[dict[str, str]], list[dict[str, str]], str]] = {
    "two-labels": (
        [*SOURCE, {"id": "x", "text": COPY, "label": "pay"}],
        TARGET,
        "s.csv: 1 text stands under two labels ('bug' in line 5 and 'pay' in line 32).",
    ),
    "near-duplicates": (
        [*SOURCE, {"id": "x", "text": NEAR, "label": "bug"}],
        TARGET,
        "s.csv: 1 document is a near-duplicate of another one (lines 5 and 32).",
    ),
    "near-duplicates-across": (
        SOURCE,
        [*TARGET, {"id": "x", "text": NEAR}],
        "t.csv: 1 document is a near-duplicate of one in ",
    ),
    "similar-labels": (
        with_label(4, "Pay"),
        TARGET,
        "s.csv: 1 document has the label 'Pay' (line 6): did you mean 'pay'?",
    ),
    "small-class": (
        with_label(4, "praise"),
        TARGET,
        "s.csv: 1 class has one or two documents ('praise' in line 6).",
    ),
    "empty": (SOURCE, [*TARGET, {"id": "x", "text": " ?! "}], "t.csv: 1 document is empty or holds no word (line 22)."),
    "no-known-word": (
        SOURCE,
        [*TARGET, {"id": "x", "text": "qqq zzz"}],
        "t.csv: 1 document shares no word with the source (line 22).",
    ),
    "languages": (
        SOURCE,
        [*({**row, "text": f"this is the one that was for you and {row['text']}"} for row in TARGET)]
        + [{"id": f"g{n}", "text": GERMAN.format(f"w{n} w{n + 1} w{n + 2}")} for n in range(3)],
        "t.csv: 3 documents seem to be German, and 20 of the 53 that were looked at English (lines 22, 23, 24).",
    ),
    "other-column": (
        SOURCE,
        [{"id": str(n), "text": f"2024-01-{n:02}"} for n in range(1, 9)],
        "t.csv: 8 documents are nothing but numbers or dates (lines 2, 3, 4, 5, 6 and 3 more): is this the column",
    ),
}


@pytest.mark.parametrize("kind", CASES)
def test_every_finding_is_shown_with_its_lines(kind: str, tmp_path: Path) -> None:
    source, target, says = CASES[kind]
    done = look(tmp_path, source, target)
    assert done.code == 0, done.err
    assert says in done.stdout, done.stdout
    found = json.loads(look(tmp_path, source, target, "--json").stdout)["findings"]
    own = [finding for finding in found if finding["kind"] == kind]
    assert len(own) == 1
    assert own[0]["count"] >= 1
    assert own[0]["message"] in done.stdout
    fitted = run("fit", "--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv", "--method", "LR")
    if kind != "other-column":  # no word is left there to learn from
        assert f"isthmus: {own[0]['message']}" in fitted.err.splitlines()


def test_every_kind_of_finding_is_tried() -> None:
    """A kind that is added must be shown by a file here, too."""
    package = Path(isthmus.__file__).parent
    code = "".join(
        path.read_text() for folder in ("quality", "cli") for path in sorted((package / folder).glob("*.py"))
    )
    kinds = set(re.findall(r'(?:make_finding|\bFinding)\(\s*"([a-z-]+)"', code))
    assert kinds == {*CASES, "placeholder", "unknown-label"}


def test_labels_of_the_target_are_looked_at(tmp_path: Path) -> None:
    target = [{**row, "label": {1: "-", 2: "pai"}.get(n, "pay")} for n, row in enumerate(TARGET)]
    done = look(tmp_path, SOURCE, target, "--truth", "label", "--json")
    found = {one["kind"]: one["message"] for one in json.loads(done.stdout)["findings"]}
    assert found.keys() == {"placeholder", "unknown-label"}
    assert "1 document has the label '-', which is taken for none" in found["placeholder"]
    assert "1 document has 'pai' in column 'label' (line 4)" in found["unknown-label"]


def test_short_english_is_not_taken_for_another_language() -> None:
    """Words that are frequent elsewhere, and in English as well."""
    texts = [
        "how do i get to work",
        "what do i need to do to pay",
        "i do as i like . com",
        "e - mail me as to the do . com",
    ]
    assert languages_of(texts, tokenize(texts)) == [None, None, None, None]


def test_parts_are_made_of_any_columns() -> None:
    texts = pd.Series(["it crashes", "a refund", "it crashes"], index=[5, 6, 7])
    plain = look_at([Part("s", list(texts), ["1", "2", "2"])], None)
    columns: list[Any] = [[1, 2, 2], pd.Series([1, 2, 2], index=[5, 6, 7]), np.array([1, 2, 2])]
    for labels in columns:
        assert look_at([Part("s", texts, labels)], None) == plain


def test_a_text_of_two_languages_is_of_none() -> None:
    text = "the of to is der die und"
    assert languages_of([text], tokenize([text])) == [None]


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Это хорошая книга", "Cyrillic"),
        ("この本はとてもいい", "Hiragana"),
        ("カメラ", "Katakana"),
        ("这本书很好", "Han"),
        ("Շատ լավ գիրք", "Armenian"),
    ],
)
def test_scripts_are_told_by_their_letters(text: str, script: str) -> None:
    assert languages_of([text], tokenize([text])) == [f"{script} script"]


def test_most_documents_are_more_than_half_of_all() -> None:
    """Where the language of many cannot be told, the most frequent one that can be need not be that of most."""
    hindi, german = ["यह किताब बहुत अच्छी है"] * 50, [GERMAN.format(n) for n in range(20)]
    short = [f"short{n} text{n}" for n in range(280)]
    texts = [*hindi, *german, *short]
    [found] = find_languages([Part("t.csv", texts, [])], tokenize(texts))
    assert found.message.startswith(
        "t.csv: 20 documents seem to be German, and 50 of the 350 that were looked at Devanagari script ("
    )
    texts = [*hindi, *german, *short[:29]]
    [found] = find_languages([Part("t.csv", texts, [])], tokenize(texts))
    assert "and most documents of all files Devanagari script" in found.message


def test_good_files_have_no_finding(tmp_path: Path) -> None:
    done = look(tmp_path, SOURCE, TARGET)
    assert (done.code, done.err) == (0, "")
    assert done.stdout.splitlines()[-1] == "Nothing was found that looks wrong."


def test_a_placeholder_is_a_class_only_if_asked_for(tmp_path: Path) -> None:
    source = [{**row, "label": "none" if row["label"] == "bug" else "pay"} for row in SOURCE]
    put(tmp_path / "s.csv", source)
    put(tmp_path / "t.csv", [{**row, "label": "-" if n else ""} for n, row in enumerate(TARGET)])
    files = ["--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv", "--method", "LR", "--json"]
    assert "15 rows with the label 'none', which stands for none" in run("fit", *files).sentence
    allowed = run("fit", *files, "--allow-label", "none")
    assert json.loads(allowed.stdout)["classes"] == ["none", "pay"]
    assert "19 documents have the label '-', which is taken for none" in allowed.err


def test_misspelt_labels_are_not_learned_from(tmp_path: Path) -> None:
    source = [{**row, "label": {"pay": "billing", "bug": "fault"}[row["label"]]} for row in SOURCE]
    put(tmp_path / "s.csv", source)
    put(tmp_path / "t.csv", [{**row, "label": "biling" if n == 3 else ""} for n, row in enumerate(TARGET)])
    files = ["--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv", "--method", "LR", "--json"]
    assert "'biling' (did you mean 'billing'?)" in run("fit", *files, "--use-target-labels").sentence
    own = run("fit", *files, "--use-target-labels", "--allow-label", "biling")
    assert json.loads(own.stdout)["classes"] == ["biling", "billing", "fault"]
    scored = run("fit", *files, "--truth", "label")
    assert scored.code == 1  # no other true label is there
    put(tmp_path / "t.csv", [{**row, "label": "biling" if n == 3 else "fault"} for n, row in enumerate(TARGET)])
    scored = run("fit", *files, "--truth", "label")
    assert "1 document has 'biling' in column 'label' (line 5): did you mean 'billing'?" in scored.err


def test_columns_of_the_target_may_have_other_names(tmp_path: Path) -> None:
    put(tmp_path / "s.csv", [{"said": row["text"], "kind": row["label"]} for row in SOURCE])
    target = [{"words": row["text"], "sort": "pay" if n == 1 else "", "key": row["id"]} for n, row in enumerate(TARGET)]
    put(tmp_path / "t.csv", target)
    files = ["--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv", "--text", "said", "--label", "kind"]
    names = ["--target-text", "words", "--target-label", "sort", "--id", "key"]
    done = run("fit", *files, *names, "--method", "LR", "--use-target-labels", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.stdout)["target"]["columns"] == {"text": "words", "label": "sort", "id": "key"}
    assert json.loads(done.stdout)["target"]["known_labels"] == 1


def test_arrays_and_spreadsheets_are_read_as_csv_is(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["id", "text", "label"])
    for row in SOURCE:
        book.active.append(list(row.values()))
    book.create_sheet("notes")
    book.save(tmp_path / "s.xlsx")
    (tmp_path / "s.json").write_text(json.dumps(SOURCE, indent=1))
    put(tmp_path / "s.csv", SOURCE)
    put(tmp_path / "t.csv", TARGET)
    out: dict[str, Any] = {}
    for name in ("s.csv", "s.json", "s.xlsx"):
        done = run("fit", "--source", tmp_path / name, "--target", tmp_path / "t.csv", "--method", "LR", "--json")
        assert done.code == 0, done.err
        out[name] = json.loads(done.stdout)["target"]["labels"]
        assert ("has 2 sheets: the first, 'Sheet', is read." in done.err) == (name == "s.xlsx")
    assert out["s.csv"] == out["s.json"] == out["s.xlsx"]
    book.active.append(["x", None, "pay"])
    book.save(tmp_path / "s.xlsx")
    refused = run("check", "--source", tmp_path / "s.xlsx", "--target", tmp_path / "t.csv")
    assert "s.xlsx: 1 row without text (row 32)." in refused.stdout


def test_files_without_options_are_answered_with_how_it_is_said() -> None:
    for files, said in {
        ("a.csv", "b.csv"): "--source a.csv --target b.csv",
        ("a.csv",): "--source a.csv --target TARGET",
        ("a.csv", "b.csv", "c.csv"): "--source a.csv --source b.csv --target c.csv",
    }.items():
        for command in ("fit", "check"):
            done = run(command, *files)
            assert done.code == 2
            words = " ".join(done.err.replace("│", " ").split())
            assert f"isthmus {command} {said}" in words
    assert run("fit", "-h").code == run("-h").code == 0


def test_a_fit_without_outputs_says_so_first(tmp_path: Path) -> None:
    put(tmp_path / "s.csv", SOURCE)
    put(tmp_path / "t.csv", TARGET)
    done = run("fit", "--source", tmp_path / "s.csv", "--target", tmp_path / "t.csv", "--method", "LR")
    assert done.err.startswith("isthmus: No file will be written: -o names one for the model")


def test_empty_documents_are_told_once(tmp_path: Path) -> None:
    files = ["--source", put(tmp_path / "s.csv", SOURCE), "--target"]
    outputs = ["--method", "SVM", "-o", tmp_path / "m.isthmus", "--report", tmp_path / "r.html", "--force"]
    done = run("fit", *files, put(tmp_path / "t.csv", [*TARGET, {"id": "x", "text": " ?! "}]), *outputs)
    assert done.err == f"isthmus: {tmp_path / 't.csv'}: 1 document is empty or holds no word (line 22).\n"
    lonely = {"id": "y", "text": "qqq zzz"}  # known to nobody else, which is no finding in a source
    put(tmp_path / "s.csv", [*SOURCE, {**lonely, "label": "pay"}])
    done = run("fit", *files, put(tmp_path / "t.csv", TARGET), *outputs)
    assert done.err.startswith("isthmus: 1 of 51 documents holds no known word")
    assert len(done.err.splitlines()) == 1


def jaccard_oracle(texts: list[str]) -> set[tuple[int, int]]:
    """Pairs whose sets of shingles have a cosine of 0.8 or more, all compared with all."""
    words = [text.split() for text in texts]
    sets = [{tuple(own[k : k + 3]) for k in range(len(own) - 2)} for own in words]
    pairs = set()
    for one in range(len(texts)):
        for other in range(one):
            shared = len(sets[one] & sets[other]) / max((len(sets[one]) * len(sets[other])) ** 0.5, 1)
            if words[one] == words[other] or shared >= module.ALIKE + 1e-6:
                pairs.add((other, one))
    return pairs


@given(st.lists(st.text("ab ", min_size=1, max_size=14).filter(str.strip), min_size=2, max_size=9))
def test_near_duplicates_are_those_of_a_comparison_of_all_with_all(texts: list[str]) -> None:
    texts = [" ".join(text).replace("   ", " ") for text in texts]
    groups = near_duplicates(texts).tolist()
    for one, other in jaccard_oracle(texts):
        assert groups[one] == groups[other]
    linked = {frozenset(pair) for pair in jaccard_oracle(texts)}
    for one in range(len(texts)):  # nobody is in a group without a neighbor in it
        mates = [other for other in range(len(texts)) if other != one and groups[other] == groups[one]]
        assert not mates or any(frozenset((one, other)) in linked for other in mates)


def test_two_sets_of_revisions_of_one_text_are_one_group() -> None:
    """Each has more than enough neighbors in its own set, which are nearer than those of the other."""
    base = [f"word{k}" for k in range(60)]
    texts = [
        " ".join([*base[:30], f"other{change}", *base[31:59], f"end{change}{end}"])
        for change in range(2)
        for end in range(12)
    ]
    assert set(near_duplicates(texts).tolist()) == {0}


def test_families_of_copies_are_one_group() -> None:
    rng = np.random.default_rng(0)
    base = [f"word{k}" for k in rng.integers(0, 1000, 40)]
    family = [" ".join([*base[:k], f"number{k}", *base[k + 1 :]]) for k in range(0, 40, 2)]
    others = [" ".join(f"word{k}" for k in rng.integers(0, 1000, 40)) for _ in range(50)]
    groups = near_duplicates([*family, *others])
    assert len(set(groups[: len(family)].tolist())) == 1
    assert len(set(groups.tolist())) == 51


@pytest.mark.parametrize(
    ("label", "known", "meant"),
    [
        ("Billing", ["billing"], "billing"),
        ("very_good", ["very good"], "very good"),
        ("biling", ["fault", "billing"], "billing"),
        ("bug", ["bag", "pay"], None),
        ("class 2", ["class 1"], None),
        ("1", ["2"], None),
        ("-1", ["1"], None),
        ("class -1", ["class 1"], None),
        ("class-1", ["class 1"], "class 1"),
        ("100000.0", ["100000"], None),
        ("1 000", ["1_000"], None),
        ("A-", ["A", "A+"], None),
        ("-A", ["A-"], None),
        ("very good+", ["very good"], None),
        ("a-", ["A", "A-"], "A-"),
        ("very-godo", ["very good-", "very good"], "very good"),
        ("falut", ["bill", "fault"], "fault"),
        ("fautl", ["bill", "fault"], "fault"),
        ("ab", ["cd"], None),
        ("abcd", ["badc"], None),
    ],
)
def test_which_label_was_meant(label: str, known: list[str], meant: str | None) -> None:
    assert nearest_label(label, known) == meant


def test_classes_that_are_both_frequent_are_not_slips() -> None:
    labels = ["comp.sys.mac", "comp.sys.max"] * 20
    part = Part("s.csv", [f"text number{n} of{n} many{n}" for n in range(40)], labels)
    assert [finding.kind for finding in look_at([part], None)] == []
