"""fit, predict and explain: from files to labels."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import isthmus
from alone import alone
from command import BUILT, Done, run
from isthmus._api import DEFAULT_METHOD
from isthmus.cli.gathering import domain_names
from isthmus.io.documents import open_documents
from isthmus.text import PRESETS
from test_reading import write

BILLING = ["charged", "card", "refund", "invoice", "payment", "charge", "twice", "month"]
FAULT = ["crash", "crashes", "error", "broken", "screen", "upload", "freezes", "fails"]


def make_rows(domain: str, n: int, seed: int) -> list[dict[str, str]]:
    """Documents of two classes that share words across domains, and have some of their own in each."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        label, words = ("billing", BILLING) if number % 2 else ("fault", FAULT)
        own = [f"{label}{domain}{k}" for k in rng.choice(4, 3)]
        text = " ".join([*rng.choice(words, 5), *own, "żółw", f"filler{rng.integers(5)}"])
        rows.append({"id": f"{domain}-{number}", "text": text, "label": label})
    return rows


SOURCE, TARGET = make_rows("photos", 40, 0), make_rows("bikes", 30, 1)
HIDDEN = [{"id": row["id"], "text": row["text"], "truth": row["label"]} for row in TARGET]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path / "source.csv", SOURCE)
    write(tmp_path / "target.csv", HIDDEN)
    return tmp_path


def fit(folder: Path, *more: object, **changes: Any) -> Done:
    source, target = (changes.get(name, folder / f"{name}.csv") for name in ("source", "target"))
    done = run("fit", "--source", source, "--target", target, *more, stdin=changes.get("stdin", b""))
    assert done.code == 0, done.err
    return done


def labels_in(path: Path) -> dict[str, str]:
    with open_documents(str(path), label="label", text="confidence") as file:
        return {document.id: str(document.label) for document in file}


@pytest.mark.filterwarnings("ignore::isthmus.exceptions.TransferWarning")
def test_fit_writes_what_transfer_finds_and_predict_what_result_predicts(files: Path) -> None:
    done = fit(files, "-o", files / "m.isthmus", "--predictions", files / "out.csv", "--truth", "truth")
    result = isthmus.transfer(
        [row["text"] for row in SOURCE], [row["label"] for row in SOURCE], [row["text"] for row in TARGET]
    )
    with (files / "out.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["id", "label", "p_billing", "p_fault", "confidence"]
    assert [row["id"] for row in rows] == [row["id"] for row in TARGET]
    assert [row["label"] for row in rows] == result.labels.tolist()
    probabilities = np.array([[float(row["p_billing"]), float(row["p_fault"])] for row in rows])
    assert probabilities == pytest.approx(result.probabilities, abs=1e-6)
    assert [float(row["confidence"]) for row in rows] == pytest.approx(probabilities.max(axis=1))
    right = np.mean(result.labels == [row["label"] for row in TARGET])
    assert f"Right by column 'truth': {right:.1%} of 30 documents." in done.stdout
    assert "text in column 'text', label in column 'label' (guessed by name: text, label)" in done.stdout
    assert (
        "text in column 'text', id in column 'id', truth in column 'truth' (guessed by name: text, id)" in done.stdout
    )
    assert not list(files.glob(".*"))  # nothing temporary is left

    later = write(files / "later.csv", make_rows("bikes", 21, 2))
    with mock.patch.object(sys.modules["isthmus.cli.predict"], "BATCH", 4):  # several batches, the last one short
        done = run("predict", files / "m.isthmus", later, "-o", files / "labels.jsonl")
    assert done.code == 0, done.err
    found = [json.loads(line) for line in (files / "labels.jsonl").read_text().splitlines()]
    with open_documents(str(later)) as documents:
        expected = result.predict_proba([document.text for document in documents])
    assert [[item["p_billing"], item["p_fault"]] for item in found] == pytest.approx(expected, abs=1e-6)
    assert [item["label"] for item in found] == result.classes[expected.argmax(axis=1)].tolist()
    assert "Labeled 21 documents" in done.stdout


def test_a_report_and_a_model_without_the_texts(files: Path) -> None:
    rows = [{**row, "truth": row["truth"] if n % 2 else ""} for n, row in enumerate(HIDDEN)]
    write(files / "target.csv", [*rows, {"id": "odd", "text": "refund 猫猫", "truth": "neither"}])
    outputs = ["-o", files / "m.isthmus", "--report", files / "r.html", "--predictions", files / "out.csv"]
    done = fit(files, "--method", "LR", "--truth", "truth", *outputs)
    assert "of 16 documents" in done.stdout
    assert f"Wrote {files / 'm.isthmus'}, {files / 'out.csv'}, {files / 'r.html'}." in done.stdout
    page = (files / "r.html").read_text(encoding="utf-8")
    assert "bikes-3" in page
    assert "猫猫" in page
    loaded = isthmus.load(files / "m.isthmus")
    assert list(loaded.source_texts) == list(loaded.target_texts) == []
    assert "猫猫".encode() not in (files / "m.isthmus").read_bytes()
    assert loaded.predict(["refund"]).tolist() == ["billing"]


@pytest.mark.parametrize("form", ["tsv", "jsonl", "parquet", "csv.gz", "jsonl.zst", "parquet.gz", "tsv.zst"])
def test_every_format_gives_the_same_labels(files: Path, form: str) -> None:
    fit(files, "--method", "LR", "--predictions", files / "as-csv.csv")
    source, target = write(files / f"s.{form}", SOURCE), write(files / f"t.{form}", HIDDEN)
    out = files / f"out.{form}"
    fit(files, "--method", "LR", "--predictions", out, source=source, target=target)
    assert labels_in(out) == labels_in(files / "as-csv.csv")
    bare = form.split(".")[0]
    content = gzip.decompress(out.read_bytes()) if form.endswith(".gz") else out.read_bytes()
    if bare == "parquet":
        frame = pd.read_parquet(io.BytesIO(content))
        assert frame.dtypes["confidence"] == np.float64
        assert len(frame) == len(TARGET)


def test_standard_input_and_output(files: Path) -> None:
    content = (files / "target.csv").read_bytes()
    fit(files, "--method", "LR", "-o", files / "m.isthmus", "--predictions", files / "1.csv")
    fit(files, "--method", "LR", "--predictions", files / "2.csv", target="-", stdin=content)
    assert (files / "1.csv").read_bytes() == (files / "2.csv").read_bytes()
    to_file = run("predict", files / "m.isthmus", files / "target.csv", "-o", files / "3.csv")
    to_stdout = run("predict", files / "m.isthmus", "-", stdin=gzip.compress(content))
    assert to_file.code == to_stdout.code == 0
    assert to_stdout.out == (files / "3.csv").read_bytes()
    assert "Labeled 30 documents of standard input; text in column 'text'" in to_stdout.err
    lines = run("predict", files / "m.isthmus", "-", "--output-format", "jsonl", stdin=content)
    assert json.loads(lines.stdout.splitlines()[0])["id"] == "bikes-0"


def test_folders_and_several_sources_are_domains(files: Path) -> None:
    for number, row in enumerate(SOURCE):
        path = files / "posts" / row["label"] / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row["text"], encoding="utf-8")
    fit(files, "--method", "LR", "--predictions", files / "1.csv")
    fit(files, "--method", "LR", "--predictions", files / "2.csv", source=files / "posts")
    assert labels_in(files / "1.csv") == labels_in(files / "2.csv")
    write(files / "more.csv", make_rows("maps", 20, 3))
    done = fit(files, "--source", files / "more.csv", "-o", files / "m.isthmus", "--json")
    assert [source["documents"] for source in json.loads(done.stdout)["sources"]] == [40, 20]
    assert isthmus.load(files / "m.isthmus").estimator.domains_ == ["source", "more", "target"]


def test_presets_priors_time_and_seeds_reach_the_fit(files: Path) -> None:
    told = ["--preset", "cdsc", "--max-time", "0", "--random-state", "7"]
    fit(files, *told, "--method", "tcl", "-o", files / "m.isthmus")
    result = isthmus.load(files / "m.isthmus")
    words = {"stemmer": "porter", "stop_words": "english", "min_df": 3, "ngram_range": (1, 1)}
    assert result.vectorizer[0].get_params() == words
    assert result.estimator.n_iter_ == 1  # stopped after the first
    assert result.estimator.random_state == 7
    assert json.loads(fit(files, *told, "--json").stdout)["chosen"] == ["LR"]  # no time for anything else

    class Told(isthmus.LR):
        seen: Any = None

        def __init__(self, target_prior: Any = "source") -> None:
            super().__init__()
            self.target_prior = target_prior

        def fit(self, *arguments: Any, **options: Any) -> Any:
            Told.seen = self.target_prior
            return super().fit(*arguments, **options)

    with mock.patch.dict("isthmus.methods.METHODS", {"Told": Told}):
        for given, seen in {"unknown": "unknown", "billing=0.25, fault=.75": {"billing": 0.25, "fault": 0.75}}.items():
            fit(files, "--method", "Told", "--target-prior", given)
            assert Told.seen == seen


def test_settings_by_name_reach_the_fit_and_both_records(files: Path) -> None:
    model = files / "m.isthmus"
    done = fit(files, "--method", "TCL", "--set", "n_topics=3", "--set", "common_weight=0.9", "--json", "-o", model)
    assert json.loads(done.stdout)["settings"] == {"n_topics": 3, "common_weight": 0.9}
    settings = json.loads(run("info", model, "--json").stdout)["settings"]
    assert (settings["n_topics"], settings["common_weight"]) == (3, 0.9)
    files_of_it = ["--source", files / "source.csv", "--target", files / "target.csv"]
    refused = run("fit", *files_of_it, "--method", "TCL", "--set", "n_topics=0")
    assert "'n_topics' parameter of TCL must be an int in the range [1, inf). Got 0 instead." in refused.sentence


def test_explain_shows_topics_or_the_words_that_decided(files: Path) -> None:
    fit(files, "-o", files / "tcl.isthmus")
    fit(files, "-o", files / "lr.isthmus", "--method", "LR")
    topics = run("explain", files / "tcl.isthmus")
    assert "common words" in topics.stdout
    listed = json.loads(run("explain", files / "tcl.isthmus", "--json", "--words", "3").stdout)["topics"]
    assert {topic["label"] for topic in listed} == {"billing", "fault"}
    assert max(len(topic["common"]) for topic in listed) == 3
    words = json.loads(run("explain", files / "lr.isthmus", "--json", "--words", "8").stdout)["class_words"]
    assert len(set(words["billing"]) & set(BILLING)) >= 5
    assert len(set(words["fault"]) & set(FAULT)) >= 5
    assert "refund" in run("explain", files / "lr.isthmus", "--words", "20").stdout

    for model in ("tcl", "lr"):
        text = "refund invoice filler1 crash"
        done = run("explain", files / f"{model}.isthmus", "--document", text, "--json")
        found = json.loads(done.stdout)
        assert found["label"] == "billing"
        assert set(found["words"]) <= {"refund", "invoice", "filler1"}
        assert next(iter(found["words"])) in {"refund", "invoice"}
    by_id = run("explain", files / "lr.isthmus", "--document-id", "bikes-3", "--file", files / "target.csv")
    text = TARGET[3]["text"]
    assert by_id.stdout == run("explain", files / "lr.isthmus", "--document", text).stdout
    assert "Label billing: " in by_id.stdout
    missing = run("explain", files / "lr.isthmus", "--document-id", "x", "--file", files / "target.csv")
    assert missing.sentence.endswith("target.csv has no document with the id 'x'.")
    unknown = run("explain", files / "lr.isthmus", "--document", "qqq")
    assert "holds no word that the model knows" in unknown.sentence


def test_explain_shows_which_word_clusters_correspond(files: Path) -> None:
    fit(files, "--method", "CCI", "-o", files / "m.isthmus")
    (pair,) = json.loads(run("explain", files / "m.isthmus", "--json", "--words", 3).stdout)["correspondences"]
    assert (len(pair["source_clusters"]), len(pair["target_clusters"])) == np.shape(pair["weights"])
    assert {cluster["label"] for cluster in pair["source_clusters"]} <= {"billing", "fault"}
    assert max(len(cluster["words"]) for cluster in pair["target_clusters"]) == 3
    shown = run("explain", files / "m.isthmus").stdout
    assert "%" in shown
    assert next(iter(pair["source_clusters"][0]["words"])) in shown


def test_one_warning_for_all_empty_documents(files: Path) -> None:
    fit(files, "-o", files / "m.isthmus", "--method", "LR")
    write(files / "new.csv", [{"id": str(n), "text": "refund" if n % 3 else "qqq"} for n in range(12)])
    with mock.patch.object(sys.modules["isthmus.cli.predict"], "BATCH", 5):
        done = run("predict", files / "m.isthmus", files / "new.csv", "-o", files / "out.csv")
    assert done.err.strip() == (
        "isthmus: 4 of 12 documents hold no known word; they get the class prior of the labeled documents."
    )


def test_predict_reads_no_further_than_its_batch(files: Path) -> None:
    """So a file never sits in memory whole, however large it is."""
    fit(files, "-o", files / "m.isthmus", "--method", "LR")
    (files / "large.csv").write_text("text\n" + "refund crash\n" * 1_010)
    module: Any = sys.modules["isthmus.cli.predict"]
    batches, ahead = module._batches, []

    def watched(documents: Any) -> Any:
        given = 0
        for batch in batches(documents):
            given += len(batch)
            ahead.append(documents.n_documents - given)
            yield batch

    with mock.patch.object(module, "BATCH", 100), mock.patch.object(module, "_batches", watched):
        assert run("predict", files / "m.isthmus", files / "large.csv", "-o", files / "out.csv").code == 0
    assert ahead == [0] * 11
    assert len(labels_in(files / "out.csv")) == 1_010
    ahead.clear()
    with mock.patch.object(module, "CHARACTERS", 2_000), mock.patch.object(module, "_batches", watched):
        assert run("predict", files / "m.isthmus", files / "large.csv", "-o", files / "out.csv", "--force").code == 0
    assert len(ahead) == -(-1_010 // -(-2_000 // len("refund crash")))


# Imports once what a fit needs, and then makes processes that run the whole command, and are killed one after the
# other: half of them just before their first rename or link, their second and so on, the others at a random moment
# after the first sign of an output.
KILLER = """
import os, random, signal, sys, time
from isthmus.cli import main

def run(folder, n_renames):
    def watch(event, details):
        nonlocal n_renames
        if event in ("os.rename", "os.link"):
            n_renames -= 1
            if n_renames == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    outputs = {"-o": "m.isthmus", "--predictions": "out.jsonl.gz", "--report": "r.html"}
    options = ["--source", "source.csv", "--target", "target.csv", "--method", "LR", "--force"]
    main(["fit", *options, *(word for option, name in outputs.items() for word in (option, f"{folder}/{name}"))])

def look(folder):
    return {(entry.name, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in os.scandir(folder)}

random.seed(0)
os.chdir(sys.argv[1])
for attempt, folder in enumerate(sys.argv[2:]):
    at_random, before = attempt % 2, look(folder)
    process = os.fork()
    if not process:
        run(folder, 0 if at_random else attempt // 2 + 1)
    ended = 0
    while at_random and not ended and look(folder) == before:
        time.sleep(0.001)
        ended, _ = os.waitpid(process, os.WNOHANG)
    if at_random and not ended:
        time.sleep(random.expovariate(1 / 0.02))
        os.kill(process, signal.SIGKILL)
    status = 0 if ended else os.waitpid(process, 0)[1]
    print(attempt, "killed" if os.WIFSIGNALED(status) else "ended")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_leaves_no_broken_file(files: Path) -> None:
    """At any moment, each name is absent or whole."""
    names = {"-o": "m.isthmus", "--predictions": "out.jsonl.gz", "--report": "r.html"}
    fit(files, "--method", "LR", *(word for option, name in names.items() for word in (option, files / name)))
    folders = [files / str(number) for number in range(10)]
    for number, folder in enumerate(folders):
        folder.mkdir()
        for name in names.values() if number // 2 % 2 else ():  # the old files stand there
            (folder / name).write_bytes(b"old")
    done = alone(KILLER, files, *folders)
    assert done.code == 0, done.stderr
    # Model and report are renamed once by those who write them, and then all three are.
    assert {f"{attempt} killed" for attempt in (0, 2, 4, 6, 8)} <= set(done.stdout.splitlines())
    for number, folder in enumerate(folders):
        for name in names.values():
            content = (folder / name).read_bytes() if (folder / name).exists() else None
            if content and name == "r.html" and content.rstrip().endswith(b"</html>"):
                continue  # the page holds the date, and tests may run at midnight
            assert content in ((files / name).read_bytes(), b"old" if number // 2 % 2 else None), (number, name)


def test_the_documentation_names_options_that_there_are() -> None:
    page = (Path(__file__).parents[1] / "docs" / "command-line.md").read_text(encoding="utf-8")
    known = {
        option
        for name in BUILT.commands  # type: ignore[attr-defined]
        for parameter in BUILT.commands[name].params  # type: ignore[attr-defined]
        for option in parameter.opts
    } | {option for parameter in BUILT.params for option in (*parameter.opts, "--help")}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page))
    assert len(named) >= 15
    assert named <= known
    assert set(re.findall(r"`([a-z]+)`", page.split("| preset |")[1].split("\n\n")[0])) == set(PRESETS)


def test_the_command_knows_its_version() -> None:
    done = run("--version")
    assert (done.code, done.stdout) == (0, f"isthmus {isthmus.__version__}\n")


def test_help_names_every_preset_and_the_default_method() -> None:
    told = {parameter.name: parameter.help for parameter in BUILT.commands["fit"].params}  # type: ignore[attr-defined]
    assert set(re.findall(r"[a-z]+", told["preset"])) >= set(PRESETS)
    assert f"{DEFAULT_METHOD} (the default)" in told["method"]


def test_a_folder_has_no_columns_and_one_document_is_one(files: Path) -> None:
    fit(files, "--method", "LR", "-o", files / "m.isthmus")
    (files / "later").mkdir()
    (files / "later" / "1.txt").write_text(TARGET[0]["text"], encoding="utf-8")
    said = run("predict", files / "m.isthmus", files / "later").err
    assert said == f"Labeled 1 document of {files / 'later'}; one document to a file.\n"


def test_sources_of_one_name_stay_apart() -> None:
    assert domain_names(["x/a.csv", "a 3.csv", "y/a.csv", "a 2.csv"]) == ["a", "a 3", "a 2", "a 2 2"]
    assert domain_names(["target.csv", "b.csv"]) == ["target 2", "b"]


def test_ids_are_asked_of_the_target_alone(files: Path) -> None:
    """The source may have none, or the same for all: no label is written for its documents."""
    target = write(files / "t.csv", [{"key": row["id"], "text": row["text"]} for row in TARGET])
    for number, ids in enumerate(({}, {"key": "same"}, {"id": ""}, {"id": "same", "uuid": "same"})):
        source = write(files / "s.csv", [{**ids, "text": row["text"], "label": row["label"]} for row in SOURCE])
        out = files / f"{number}.csv"
        fit(files, "--id", "key", "--method", "LR", "--predictions", out, source=source, target=target)
        assert list(labels_in(out)) == [row["id"] for row in TARGET]
