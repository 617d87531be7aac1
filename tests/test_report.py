"""The report, as far as it can be tested without a browser."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer

import isthmus
from conftest import Toy, build
from isthmus.core.proportions import wilson
from isthmus.methods import METHODS
from isthmus.report import answer, charts, documents, landscape, page
from isthmus.report.material import read_material, read_words
from isthmus.report.scores import score
from isthmus.report.words import changed_words, class_topics
from isthmus.text import TextEncoder

SOURCE = ["card refund charge plan", "refund the charge plan", "app crash upload", "upload crash again photos"] * 3
LABELS = ["billing", "billing", "fault", "fault"] * 3
TARGET = ["refund charge bike", "crash app lock", "charge refund bike pass", "crash lock again"] * 3
TRUTH = ["billing", "fault"] * 6
HOSTILE = (
    "</script><script>alert(1)</script><!-- <script> --> <img src=x onerror=alert(1)> &amp; "
    "\u2028\u2029 \x00 \ud800 {{ 1 }} refund"
)


def transferred(method: Any = "TCL", **changes: Any) -> isthmus.Result:
    texts = {"source_texts": SOURCE, "source_labels": LABELS, "target_texts": TARGET} | changes
    return isthmus.transfer(**texts, method=method)


class Parts(HTMLParser):
    """Scripts, styles and tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.contents: list[tuple[str, str]] = []
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag in ("script", "style"):
            self._inside = f"{tag} {found.get('id') or ''}".strip()
            self.contents.append((self._inside, ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside:
            name, before = self.contents[-1]
            self.contents[-1] = (name, before + data)

    def data(self, name: str) -> Any:
        return json.loads(dict(self.contents)[f"script {name}"])


def render(result: isthmus.Result, ids: Any = None, truth: Any = None) -> str:
    return page.render(read_material(result, ids, truth))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_has_a_page(method: str) -> None:
    result = transferred(build(method))
    text = render(result, truth=TRUTH)
    parts = Parts(text)
    data = parts.data("documents")
    assert data["texts"] == TARGET
    assert [data["classes"][order[0]] for order in data["order"]] == result.labels.tolist()
    assert "<title>12 documents labeled by" in text
    assert ("Convergence" in text) == hasattr(result.estimator, "objective_")
    bridge = [found["aria-label"] for tag, found in parts.tags if tag == "g" and found.get("class") == "word"]
    assert any("refund" in str(says) for says in bridge)
    assert all("of the source's documents and" in str(says) for says in bridge)


def test_word_clusters_that_correspond_are_a_table() -> None:
    result = transferred(build("CCI"))
    text = render(result)
    (pair,) = result.estimator.correspondence(result.vectorizer.get_feature_names_out())
    assert text.count("Word clusters that correspond</h2>") == 1
    assert all(f"<td>{share:.1f}</td>" in text for share in pair.shares.ravel())
    assert pair.shares.sum() == pytest.approx(100)
    assert "Word clusters that correspond" not in render(transferred(build("TCL")))


def test_hostile_texts_stay_texts() -> None:
    labels = [label.replace("billing", "<b>billing</b>") for label in LABELS]
    result = transferred(target_texts=[HOSTILE, *TARGET[1:]], source_labels=labels)
    text = render(result, ids=[HOSTILE] * 12)
    parts = Parts(text)
    scripts = [found for tag, found in parts.tags if tag == "script"]
    assert [found.get("type") for found in scripts] == [None, "application/json", "application/json", None]
    assert not [tag for tag, _ in parts.tags if tag == "img"]
    assert "<b>billing" not in text
    assert "&lt;b&gt;billing" in text
    data = parts.data("documents")
    assert data["texts"][0] == HOSTILE.replace("\ud800", "?")  # no file can hold half a character
    assert data["ids"][3] == HOSTILE.replace("\ud800", "?")
    for name in ("documents", "points"):
        raw = dict(parts.contents)[f"script {name}"]
        assert not set("<>&\u2028\u2029") & set(raw)


def test_the_policy_names_the_digests_of_what_is_there_and_no_network() -> None:
    parts = Parts(render(transferred()))
    policy = next(str(found["content"]) for tag, found in parts.tags if found.get("http-equiv"))
    directives = dict(directive.strip().split(" ", 1) for directive in policy.split(";"))
    assert directives["default-src"] == "'none'"

    def digests(kind: str) -> set[str]:
        texts = [content for name, content in parts.contents if name == kind]
        return {f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in texts}

    assert set(directives["script-src"].split()) == digests("script")
    assert set(directives["style-src"].split()) == digests("style")
    for _, found in parts.tags:
        assert not {"src", "onclick", "style"} & set(found)
        assert str(found.get("href", "#")).startswith("#")


def test_files_are_not_written_over_by_accident(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = transferred("LR")
    path = tmp_path / "report.html"
    assert result.report(path) == path
    first = path.read_text(encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"report.html exists: give another path, or force=True"):
        result.report(str(path))
    result.report(path, force=True, ids=range(12), truth=TRUTH)
    assert path.read_text(encoding="utf-8") != first
    with pytest.raises(FileNotFoundError, match="nowhere is not a folder"):
        result.report(tmp_path / "nowhere" / "report.html")
    for change, message in (
        ({"truth": ["billing"]}, "truth has 1 entries and there are 12 target texts"),
        ({"ids": [1, 2]}, "ids has 2 entries"),
    ):
        with pytest.raises(ValueError, match=message):
            result.report(tmp_path / "other.html", **change)
    with pytest.raises(TypeError, match="truth is one string"):
        result.report(tmp_path / "other.html", truth="billing")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_result_that_has_lost_its_texts(tmp_path: Path) -> None:
    for method in ("TCL", "LR"):
        bare = replace(transferred(method), source_texts=(), source_labels=(), target_texts=())
        with pytest.raises(ValueError, match="This result does not hold its texts"):
            bare.report(tmp_path / "report.html")
        assert "12 documents labeled by" in bare._repr_html_()
        assert ("refund" in bare._repr_html_()) == (method == "TCL")


def test_class_words_stand_on_their_side() -> None:
    material = read_material(transferred("LR"), None, None)
    billing, fault = class_topics(material, n_words=4)
    words = {
        name: [word for word, _ in side]
        for name, side in {"common": billing.common, **{str(k): v for k, v in billing.specific.items()}}.items()
    }
    assert set(words["common"]) == {"refund", "charge"}
    assert words["source"][0] == "plan"
    assert set(words["target"]) == {"bike", "pass"}
    assert {word for word, _ in fault.specific["target"]} == {"lock"}


def test_words_that_changed() -> None:
    # "chip" turns: in the source it goes with fault, in the target with billing.
    source, target = [f"{text} chip" if "crash" in text else text for text in SOURCE], []
    target = [f"{text} chip" if "refund" in text else text for text in TARGET]
    material = read_material(transferred("LR", source_texts=source, target_texts=target), None, None)
    material = replace(material, numbers=np.array([0, 1] * 6))
    found = changed_words(material, n_words=3)
    assert {change.word for change in found.more} == {"bike", "lock", "pass"}
    assert found.fewer[0].source > found.fewer[0].target
    assert [(change.word, change.source_class, change.target_class) for change in found.turned] == [
        ("chip", "fault", "billing")
    ]
    for change in found.more + found.fewer:
        assert change.source == pytest.approx(np.mean([change.word in text.split() for text in source]))
        assert change.target == pytest.approx(np.mean([change.word in text.split() for text in target]))


@pytest.mark.parametrize("container", [sp.csr_array, np.asarray])
def test_similarity_to_a_class_leaves_the_document_itself_out(container: Any) -> None:
    rng = np.random.default_rng(0)
    X, numbers = rng.uniform(size=(9, 5)), np.array([0, 1, 2] * 3)
    expected = np.array(
        [[np.mean([X[i] @ X[j] for j in range(9) if numbers[j] == k and j != i]) for k in range(3)] for i in range(9)]
    )
    found = landscape._class_similarity(container(X), numbers, 3, np.array([1, 4, 8]))
    assert found == pytest.approx(expected[[1, 4, 8]] - expected[[1, 4, 8]].mean(axis=0))


def test_maps_are_sampled_and_stay_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    material = read_material(transferred(), None, None)
    whole = landscape.draw_maps(material, str)
    assert (len(whole["before"]), len(whole["after"]), whole["sampled"]) == (48, 48, False)
    monkeypatch.setattr(landscape, "MOST_POINTS", 10)
    some = landscape.draw_maps(material, str)
    assert (len(some["domain"]), sum(some["domain"]), some["sampled"]) == (10, 5, True)
    for places in (whole["before"], whole["after"], some["after"]):
        assert 0 <= min(places) < max(places) <= landscape.STEPS
    for position, row in enumerate(some["row"]):
        assert (row < 0) == (some["domain"][position] == 0)
        if row >= 0:
            assert some["class"][position] == material.numbers[row]


def test_scores_of_known_labels_alone() -> None:
    result = transferred("LR")
    truth: list[Any] = ["billing", "fault", "fault", None, float("nan"), "", "theft", *[None] * 5]
    material = read_material(result, None, truth)
    assert material.class_names == ["billing", "fault", "theft"]
    found = score(material)
    assert found is not None
    labels = result.labels.tolist()
    right = sum(labels[i] == truth[i] for i in (0, 1, 2, 6))
    assert (found.n_known, found.n_right) == (4, right)
    assert {row.name: sum(row.counts) for row in found.confusion} == {"billing": 1, "fault": 2, "theft": 1}
    assert found.accuracy.low < found.accuracy.value < found.accuracy.high
    assert score(read_material(result, None, None)) is None
    assert score(read_material(result, None, [None] * 12)) is None
    text = render(result, truth=truth)
    assert "known truth are right" in text
    assert '<option value="-1">unknown</option>' in text


def test_rows_of_the_confusion_have_the_numbers_of_their_classes() -> None:
    """Also where a class is named first by a document that was learned from, and does not count."""
    result = transferred("LR", target_labels=["billing", *[None] * 11])
    material = read_material(result, None, ["fraud", "theft", "fault", "billing", "fraud", *[None] * 7])
    assert material.class_names == ["billing", "fault", "fraud", "theft"]
    found = score(material)
    assert found is not None
    assert [(row.number, row.name) for row in found.confusion] == list(enumerate(material.class_names))
    assert [len(row.counts) for row in found.confusion] == [2] * 4
    assert [sum(row.tenths) for row in found.confusion] == [10] * 4


def test_labels_may_be_numbers_and_truth_may_come_from_a_file() -> None:
    result = transferred("LR", source_labels=[1, 1, 0, 0] * 3)
    expected = result.labels.tolist()
    for truth in (expected, [str(label) for label in expected], np.array(expected, dtype=float)):
        found = score(read_material(result, None, truth))
        assert found is not None
        assert found.accuracy.value == 1
        assert found.curves[0].area == 1


def test_wilson_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    for share, n in ((0.5, 20), (0.9, 50), (0.98, 200)):
        intervals = {right: wilson(right, n) for right in range(n + 1)}
        drawn = [intervals[right] for right in rng.binomial(n, share, size=4000)]
        assert np.mean([found.low <= share <= found.high for found in drawn]) > 0.92
    assert wilson(10, 10).high == pytest.approx(1)
    assert wilson(10, 10).low < 0.8


def test_the_histogram_counts_every_document() -> None:
    material = read_material(transferred(), None, None)
    chart = charts.histogram(replace(material, confidence=np.array([0.5, 1.0, 0.51, *[0.75] * 9])))
    top = (chart.y_ticks[0].at - chart.y_ticks[-1].at) / float(chart.y_ticks[-1].text)
    counts = [round(sum(height for _, _, height in one.pieces) / top) for one in chart.bins]
    assert (counts[0], counts[-1], sum(counts)) == (2, 1, 12)
    assert chart.bins[0].says == "2 documents have a probability from 0.5 to 0.525"
    assert max(y + height for one in chart.bins for _, y, height in one.pieces) == pytest.approx(170)


@pytest.mark.parametrize("values", [[5.0, 3, 2, 2], [1e-9, 5e-10], [3.0, 3.0], [-1.0, -5], [1e7, 12]])
def test_convergence_stays_within_its_frame(values: list[float]) -> None:
    chart = charts.convergence(np.array(values))
    places = [tuple(map(float, point.split(","))) for point in chart.lines[0].points.split()]
    assert len(places) == len(values)
    assert all(44 <= x <= 330 and 10 <= y <= 170 for x, y in places)
    assert 1 <= len(chart.y_ticks) <= 6
    assert [x for x, _ in places] == sorted(x for x, _ in places)


def test_an_automatic_methods_findings_are_shown() -> None:
    plain = render(transferred("LR"))
    assert "No estimate of the accuracy was made" in plain
    assert "The methods that were compared" not in plain
    result = transferred("LR")
    model: Any = result.estimator
    model.estimated_accuracy_ = SimpleNamespace(value=0.84, low=0.78, high=0.912)
    model.warnings_ = [SimpleNamespace(kind="prior", message="The <classes> have another prior here.")]
    model.leaderboard_ = SimpleNamespace(
        rows=[{"why": "best", "name": "LR", "agreement": 0.91234}, {"name": "TCL", "why": "second", "cost": None}]
    )
    text = render(result)
    assert "No estimate" not in text
    for words in (
        "84%</b> of the labels",
        "between 78% and 91% (90% confidence interval).",
        "The &lt;classes&gt; have another prior here.",
        "0.912",
        "agreement",
    ):
        assert words in text
    assert answer.read_board(model) == answer.Board(
        ["name", "agreement", "cost", "why"], [["LR", "0.912", "—", "best"], ["TCL", "—", "—", "second"]]
    )


def test_the_report_names_the_documents_that_suggest_labels_does() -> None:
    result = transferred()
    material = read_material(result, [f"m{row}" for row in range(12)], None)
    rows = [one.row for one in answer.advise(material).documents]
    assert rows == isthmus.suggest_labels(result, answer.N_SUGGESTED).tolist()
    truth = ["fault" if label == "billing" else "billing" for label in result.labels]  # all wrong
    truth[3] = result.labels[3]
    wrong = answer.advise(read_material(result, None, truth)).documents
    assert 3 not in [one.row for one in wrong]
    assert all(one.truth is not None and one.truth[0] == truth[one.row] for one in wrong)
    assert wrong[0].likeliest[0][2] == pytest.approx(np.delete(material.confidence, 3).max())


class LetterCounts:
    def encode(self, texts: list[str]) -> np.ndarray:
        return (
            np.array([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts], float) - 0.5
        )


def test_features_that_are_no_words() -> None:
    encoded = isthmus.transfer(SOURCE, LABELS, TARGET, encoder=LetterCounts(), method="LR")
    hashed = transferred("LR", vectorizer=HashingVectorizer(n_features=64, alternate_sign=False))
    for result in (encoded, hashed):
        text = render(result, truth=TRUTH)
        assert "The features of these documents are not words" in text
        assert Parts(text).data("documents")["deciding"] is None
        assert "12 documents labeled by" in result._repr_html_()
    assert read_words(TextEncoder(LetterCounts()), sp.csr_array((1, 26))) is None


def test_long_texts_are_cut_to_fit() -> None:
    assert documents.text_limit(10) == documents.LONGEST
    assert documents.text_limit(10**6) == documents.SHORTEST
    assert 20_000 * documents.text_limit(20_000) <= documents.CHARACTERS
    assert documents.excerpt("one\n two  three", 9) == "one two…"
    result = transferred(target_texts=["refund " * 2000, *TARGET[1:]])
    data = Parts(render(result)).data("documents")
    assert (len(data["texts"][0]), data["lengths"][0]) == (documents.LONGEST, 14_000)


def test_one_document_and_many_classes() -> None:
    names = [f"class{number}" for number in range(12)]
    source = [f"{name}word {name}other shared{row % 2}" for row in range(3) for name in names]
    one = isthmus.transfer(source, names * 3, ["class7word shared0"], method="LR")
    assert one.labels.tolist() == ["class7"]
    text = render(one, truth=["class3"])
    assert "<h1" in text
    assert "1 document labeled" in text
    assert 'aria-label="1 of class class3 were labeled class7"' in text
    chart = charts.histogram(read_material(one, None, None))
    assert [tick.text for tick in chart.y_ticks] == ["0", "1"]
    result = isthmus.transfer(source, names * 3, source[:24], method="TCL")
    text = render(result, truth=(names * 3)[:24])
    assert len(Parts(text).data("documents")["order"][0]) == documents.MOST_CLASSES
    assert "k10" not in {name for _, found in Parts(text).tags for name in str(found.get("class")).split()}


def test_notebooks_see_a_bridge_without_scripts(toy: Toy) -> None:
    import pandas as pd

    shown = transferred()._repr_html_()
    assert "12 documents labeled by TCL: 6 billing, 6 fault." in shown
    for text in (shown, transferred("LR")._repr_html_()):
        assert "refund" in text
    names = [f"word{i}<i>" for i in range(toy.X.shape[1])]
    model = build("TCL")
    assert "word" not in model._repr_mimebundle_()["text/html"]  # before the fit: scikit-learn's diagram alone
    toy.fit(model, X=pd.DataFrame(toy.X.toarray(), columns=names))
    diagram = model._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in diagram
    bridge = diagram[diagram.index('<div class="isthmus">') :]
    for text in (shown, bridge):
        tags = Parts(text).tags
        assert [tag for tag, _ in tags if tag in ("script", "i", "link", "img")] == []
        assert sum(found.get("class") == "word" for _, found in tags) > 10
    assert "word" in bridge
    assert "word" not in clone(model)._repr_mimebundle_()["text/html"]
    unnamed = toy.fit(build("TCL"))
    assert '<div class="isthmus">' not in unnamed._repr_mimebundle_()["text/html"]


def test_a_result_prints_without_its_texts() -> None:
    assert "refund" not in repr(transferred())
