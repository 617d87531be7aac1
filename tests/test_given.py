"""Labels that people gave, in files: found by id, read in any format, and never another document's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from command import run
from isthmus.cli.given import measure
from isthmus.exceptions import DataError, PlaceholderLabelWarning
from isthmus.io.documents import GivenLabel, open_documents, read_given
from isthmus.io.documents.tables import open_table
from isthmus.io.documents.tasks import TASK_COLUMNS, TASK_FORMATS, written_tasks
from isthmus.selection import RANDOM
from test_quality import put
from test_suggest import ROWS, SOURCE, TRUTH, files, fitted, rows_of, suggest

__all__ = ["fitted"]  # a fixture


def test_labels_that_are_wrong_are_named(fitted: Path) -> None:
    def refused(*rows: dict[str, str]) -> str:
        labeled = put(fitted / "labeled.csv", rows)
        return run("fit", *files(fitted), "--labels", labeled, "--method", "LR").sentence

    name = ROWS[0]["id"]
    assert "has labels that the source spells otherwise: 'Pay' (did you mean 'pay'?)" in refused(
        {"id": name, "label": "Pay"}
    )
    assert "has no id that" in refused({"id": "nobody", "label": "pay"})
    assert "holds no label: fill in the column" in refused({"id": name, "label": " "})
    assert "and an earlier row 'pay'" in refused({"id": name, "label": "pay"}, {"id": name, "label": "bug"})
    assert "no column that is clearly the id" in refused({"key": name, "label": "pay"})
    assert "has no id (column 'id')" in refused({"id": "", "label": "pay"})
    labeled = put(fitted / "labeled.csv", [{"id": name, "label": "pay"}, {"id": "nobody", "label": "bug"}])
    done = run("fit", *files(fitted), "--labels", labeled, "--method", "LR")
    assert "1 label is of a document that" in done.err


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_tasks_are_compressed_as_their_name_says(fitted: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"tasks.csv{suffix}"
    assert run("suggest", fitted / "m.isthmus", fitted / "t.csv", "-n", 6, "-o", path).code == 0
    with open_documents(str(path)) as documents:
        assert len(list(documents)) == 6


def test_guesses_of_classes_that_are_no_strings_are_measured() -> None:
    given = [GivenLabel(str(n), str(label), "1", RANDOM, "") for n, label in enumerate([1, 1, 2])]
    score = measure(given, {"0": 1, "1": 1, "2": 2})
    assert score is not None
    assert (score.right, score.n) == (2, 3)


def test_labels_of_a_text_that_was_cut_off_are_known_again(fitted: Path, tmp_path: Path) -> None:
    """A report of many documents holds the first characters of each, spaces and ends of lines among them."""
    target = [{"id": f"t{n}", "text": f"Hello,\n\n  {row['text']} " * 20} for n, row in enumerate(ROWS)]
    put(tmp_path / "t.csv", target)
    rows = [{"id": row["id"], "label": "pay", "text": row["text"][:200], "guess": "pay", "kind": ""} for row in target]
    put(tmp_path / "labels.csv", rows[:10])
    pair = ["--source", fitted / "s.csv", "--target", tmp_path / "t.csv", "--method", "LR"]
    done = run("fit", *pair, "--labels", tmp_path / "labels.csv")
    assert done.code == 0
    assert "another text" not in done.err


def test_labels_do_not_go_to_rows_that_have_moved(fitted: Path, tmp_path: Path) -> None:
    """Without ids, documents are numbered: a row more at the top would shift them all."""
    target = [{"text": row["text"]} for row in rows_of(fitted / "t.csv")]
    put(tmp_path / "t.csv", target)
    pair = ["--source", fitted / "s.csv", "--target", tmp_path / "t.csv", "--method", "LR"]
    assert run("fit", *pair, "-o", tmp_path / "m.isthmus").code == 0
    asked = ("suggest", tmp_path / "m.isthmus", tmp_path / "t.csv", "-n", 6, "-o", tmp_path / "asked.csv")
    assert run(*asked).code == 0
    rows = [
        {**row, "label": row["guess"], "text": row["text"].replace(" ", "\r\n")}
        for row in rows_of(tmp_path / "asked.csv")
    ]
    put(tmp_path / "asked.csv", rows)
    assert run("fit", *pair, "--labels", tmp_path / "asked.csv").code == 0  # spaces may change
    put(tmp_path / "t.csv", [{"text": "another one"}, *target])
    refused = run("fit", *pair, "--labels", tmp_path / "asked.csv").last
    assert re.search(r"[456] labels of 6 would go to another text than is written there \(ids '", refused)
    put(tmp_path / "t.csv", target)
    put(tmp_path / "asked.csv", [{**rows[0], "text": "another one"}, *rows[1:]])
    warned = run("fit", *pair, "--labels", tmp_path / "asked.csv")
    assert warned.code == 0
    assert "1 label of 6 would go to another text" in warned.err


def annotated(tasks: list[dict[str, Any]], program: str) -> list[dict[str, Any]]:
    """What a person leaves behind in a labeling program: the first is skipped, the others get their true label."""
    for number, task in enumerate(tasks):
        if program == "label-studio":
            label = TRUTH[task["data"]["document_id"]]
            result = {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": [label]}}
            task |= {"id": number, "annotations": [{"was_cancelled": not number, "result": [result]}]}
        elif number:
            answers = [{"value": TRUTH[task["id"]], "user_id": str(user)} for user in range(number % 3 + 1)]
            task["responses"] = {"label": [*answers, {"value": "bug", "user_id": "x"}] if number == 2 else answers}
    return tasks


@pytest.mark.parametrize("program", ["label-studio", "argilla"])
def test_tasks_go_to_labeling_programs_and_come_back(fitted: Path, program: str) -> None:
    path = suggest(fitted, "tasks.json", "--as", program, "-n", 8)
    plain = rows_of(suggest(fitted, "plain.csv", "-n", 8))
    tasks = annotated(json.loads(path.read_text(encoding="utf-8")), program)
    path.write_text(json.dumps(tasks), encoding="utf-8")
    found = read_given(str(path))
    assert [(one.id, one.label, one.guess, one.kind) for one in found] == [
        (row["id"], TRUTH[row["id"]], row["guess"], row["kind"]) for row in plain[1:]
    ]
    assert run("fit", *files(fitted), "--labels", path, "--method", "LR").code == 0


def test_the_short_export_of_label_studio_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "min.json"
    path.write_text(json.dumps([{"id": 7, "document_id": "a", "label": "pay"},
                                {"id": 8, "document_id": "b", "label": {"choices": ["bug"]}}]))  # fmt: skip
    assert [(one.id, one.label) for one in read_given(str(path))] == [("a", "pay"), ("b", "bug")]


@pytest.mark.parametrize("form", TASK_FORMATS)
def test_a_file_of_no_tasks_is_a_file(form: str) -> None:
    written = written_tasks([], form)
    assert written.strip() in ("", "[]", ",".join(TASK_COLUMNS), "\t".join(TASK_COLUMNS))


def test_a_format_that_there_is_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="form is 'xml': choose from csv, tsv, jsonl, label-studio, argilla"):
        written_tasks([], "xml")
    put(tmp_path / "a.csv", ROWS)
    with (
        pytest.raises(DataError, match="form is 'xml': choose from csv, json"),
        open_table(str(tmp_path / "a.csv"), "xml"),
    ):
        pass


def test_a_gap_in_a_labeled_file_is_no_label(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 7.0, "label": "pay"}\n{"id": 8, "label": NaN}\n{"id": 9, "label": null}\n')
    assert [(one.id, one.label) for one in read_given(str(path))] == [("7", "pay")]


def test_labels_find_documents_whose_ids_have_spaces_around_them(fitted: Path, tmp_path: Path) -> None:
    """Predictions have such ids as they are; a labeling program, or whoever reads its export, may trim them."""
    put(tmp_path / "t.csv", [{"id": f" {row['id']}", "text": row["text"]} for row in ROWS])
    asked = ("-n", 6, "-o", tmp_path / "asked.csv")
    assert run("suggest", fitted / "m.isthmus", tmp_path / "t.csv", *asked).code == 0
    rows = rows_of(tmp_path / "asked.csv")
    assert all(row["id"].startswith(" ") for row in rows)
    put(tmp_path / "labels.csv", [{"id": row["id"].strip(), "label": "pay"} for row in rows[:3]])
    put(tmp_path / "asked.csv", [{**row, "label": "bug"} for row in rows[3:]])
    labels = ["--labels", tmp_path / "labels.csv", "--labels", tmp_path / "asked.csv"]
    pair = ["--source", fitted / "s.csv", "--target", tmp_path / "t.csv", "--method", "LR"]
    assert run("fit", *pair, *labels).code == 0
    more = ("-n", 500, "--kind", "random", "-o", tmp_path / "more.csv")
    assert run("suggest", fitted / "m.isthmus", tmp_path / "t.csv", *labels, *more).code == 0
    assert {row["id"] for row in rows_of(tmp_path / "more.csv")} == {f" {name}" for name in TRUTH} - {
        row["id"] for row in rows
    }


def test_files_of_labels_have_an_encoding_of_their_own(fitted: Path, tmp_path: Path) -> None:
    classes = {"pay": "účet", "bug": "chyba"}
    put(tmp_path / "s.csv", [{**row, "label": classes[row["label"]]} for row in SOURCE])
    rows = "".join(f"{row['id']},{classes[row['label']]}\n" for row in ROWS[:6])
    (tmp_path / "labels.csv").write_bytes(f"id,label\n{rows}".encode("cp1250"))
    given = ("--source", tmp_path / "s.csv", "--target", fitted / "t.csv", "--labels", tmp_path / "labels.csv")
    assert "Name the right one with --labels-encoding" in run("fit", *given, "--method", "LR").err
    done = run("fit", *given, "--labels-encoding", "cp1250", "--method", "LR", "--json")
    assert "encoding" not in done.err
    assert set(json.loads(done.stdout)["target"]["labels"]) <= set(classes.values())


def test_labels_that_look_like_placeholders_are_told_of(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,label\n1,pay\n2,None\n3,None\n")
    with pytest.warns(PlaceholderLabelWarning, match="2 rows are labeled 'None', which is taken for no label"):
        assert [one.id for one in read_given(str(path))] == ["1"]
    assert len(read_given(str(path), allow_labels=["None"])) == 3


def test_people_who_disagree_gave_no_label(tmp_path: Path) -> None:
    record = {"id": "a", "fields": {"text": "x"}, "responses": {"label": [{"value": "pay"}, {"value": "bug"}]}}
    (tmp_path / "a.json").write_text(json.dumps([record]))
    with pytest.raises(DataError, match="holds no label"):
        read_given(str(tmp_path / "a.json"))


def test_a_label_studio_task_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"data": {"text": "x"}, "annotations": []}]))
    with pytest.raises(DataError, match=r"item 1, is a task without data\.document_id"):
        read_given(str(tmp_path / "a.json"))
