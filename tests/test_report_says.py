"""The report's sentences: each is there when it is true, and only then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import isthmus
from isthmus.auto.warnings import harm
from isthmus.core.proportions import wilson
from isthmus.inspection import bridge
from isthmus.report import answer, page, scores
from isthmus.report.baseline import baseline
from isthmus.report.material import read_material
from test_report import LABELS, Parts, render, transferred


def of_classes(n: int, **options: Any) -> isthmus.Result:
    """Three documents of each class, the target like the source."""
    texts = [f"word{number} other{number} shared{row}" for row in range(3) for number in range(n)]
    return isthmus.transfer(texts, [f"class{number:02}" for number in range(n)] * 3, texts, method="LR", **options)


def test_only_sure_mistakes_are_called_sure() -> None:
    """All labels are called wrong; how sure they were is set here."""
    result = transferred("LR")
    wrong = ["fault" if label == "billing" else "billing" for label in result.labels]
    for lowest, sure in ((answer.SURE, True), (0.89, False), (0.3, False)):
        confidence = np.where(np.arange(12) < answer.N_SUGGESTED - 1, 0.95, lowest)
        text = page.render(replace(read_material(result, None, wrong), confidence=confidence))
        assert ("and the method was sure of them" in text) == sure
        assert ("These are the surest of the wrong ones" in text) == (not sure)
    assert "all documents have the right label" in render(result, truth=result.labels)


def test_what_is_left_out_is_said() -> None:
    for n in (bridge.MOST_TOPICS, bridge.MOST_TOPICS + 1, scores.MOST_CLASSES, scores.MOST_CLASSES + 1):
        result = of_classes(n)
        text = render(result, truth=result.labels)
        hidden = n - bridge.MOST_TOPICS
        said = {0: "", 1: "1 more class is not shown."}.get(hidden, f"{hidden} more classes are not shown.")
        assert said in text
        assert ("not shown" in text) == (hidden > 0)
        left_out = f"A confusion matrix of {n} classes cannot be read and is left out"
        assert (left_out in text) != ('<table class="confusion' in text)


def test_what_was_set_aside_is_not_counted_against_the_estimate() -> None:
    """Which is that of the others."""
    result = transferred("Auto", target_labels=[LABELS[0], *[None] * 11])
    novel = np.zeros(len(result.source_texts) + 12, dtype=bool)
    novel[[-1, -2, -3]] = True
    result.estimator.novel_ = novel
    labels = result.labels.tolist()
    truth = [LABELS[0], "fault" if labels[1] == "billing" else "billing", *labels[2:9], "praise", "praise", None]
    text = render(result, truth=truth)
    assert "of the 8 labels whose truth is known, of documents that are not set aside, are right." in text
    assert answer.assess(read_material(result, None, truth)).measured == wilson(7, 8)
    assert "3 documents are set aside, since the source may lack their class: neither figure counts them." in text
    assert "7 of 10 labels with known truth are right, with documents that are set aside: accuracy" in text
    beside = baseline(read_material(result, None, truth))
    assert beside is not None
    assert beside.measured in np.arange(9) / 8
    assert "neither figure" not in render(result)
    assert "3 documents are set aside, since the source may lack their class: this does not count them." in render(
        result
    )
    assert "If those documents were drawn at random" not in text  # all others are known
    result.estimator.novel_ = None
    text = render(result, truth=truth)
    assert "of the 10 labels whose truth is known are right" in text
    assert "set aside" not in text
    result.estimator.novel_ = np.ones_like(novel)
    text = render(result, truth=truth)
    assert "whose truth is known are right" not in text
    assert "the labels are expected to be right" in text


def test_labels_that_were_all_learned_from() -> None:
    labels = [*LABELS[:4], *[None] * 8]
    truth = [*LABELS[:4], *[None] * 8]
    for method in ("LR", "Auto"):
        text = render(transferred(method, target_labels=LABELS), truth=LABELS)
        assert "All these labels were given, and learned from." in text
        assert "Nothing: the labels of all documents were known before." in text
        for words in ("no true labels were given", "right label", "is an estimate", "corrected by", "✓"):
            assert words not in text.split('<script type="application/json"')[0]
        assert set(Parts(text).data("documents")["truth"]) == {-1}  # none is shown as right or wrong
    text = render(transferred("LR", target_labels=labels), truth=truth)
    assert "no true labels were given" not in text
    assert "the true labels that were given are of documents that were learned from" in text
    # A draw is spoken of only where some labels were neither given nor scored.
    for n_known in (12, 11, 5):
        text = render(transferred("LR", target_labels=labels), truth=[*LABELS[:n_known], *[None] * (12 - n_known)])
        assert ("If those documents were drawn at random" in text) == (n_known < 12)
    # The others are known, and wrong: these are shown, and not asked for once more.
    result = transferred("LR", target_labels=labels)
    truth[4:] = ["fault" if label == "billing" else "billing" for label in result.labels[4:]]
    advice = answer.advise(read_material(result, None, truth))
    assert advice.why in ("sure", "surest")
    assert min(one.row for one in advice.documents) >= 4


@pytest.mark.parametrize("word", ["w" * 60, "W" * 60, "漢字" * 20, "i" * 60, "x", "猫mW" * 9])
def test_words_of_the_bridge_fit_their_bank(word: str) -> None:
    for room in (bridge.NARROW.room(0), bridge.WIDE.room(1)):
        short = bridge._shortened(word, room)
        assert bridge._width(short) <= room
        assert short == word or (word.startswith(short[:-1]) and short.endswith("…"))
        if short != word:  # and no more is cut off than must be
            assert bridge._width(word[: len(short)] + "…") > room


def test_labels_that_were_learned_from_are_not_scored(tmp_path: Path) -> None:
    texts = ["refund my card", "the app crashes", "charge refund", "crash app", "card charge", "app crash again"]
    labels = ["billing", "fault"] * 3
    result = isthmus.transfer(texts, labels, texts, target_labels=["billing", "fault", *[None] * 4])
    truth = pd.Series([*labels[:5], None], dtype="string")  # pandas' own sign for what is missing
    page = result.report(tmp_path / "page.html", truth=truth).read_text(encoding="utf-8")
    assert "of the 3 labels whose truth is known" in page
    assert "corrected by the 2 target labels that were learned from" in page
    assert "no true label of the target was read" not in page


def test_whether_transfer_was_worth_it() -> None:
    text = render(transferred("TCL"), truth=LABELS)
    assert "Was transfer worth it?" in text
    assert "Was transfer worth it?" not in render(transferred("LR"))  # which does not transfer
    result = transferred("TCL")
    material = read_material(result, None, ["billing", "fault"] * 6)
    other = replace(material, numbers=1 - material.numbers)  # all labels are turned round
    found = baseline(other)
    assert found is not None
    assert found.n_other == 12
    assert found.measured == 1
    assert found.gain == -1
    assert "It would have 100% of the known ones right: transfer costs 100.0 points." in page.render(other)
    same = baseline(read_material(result, None, None))
    assert same is not None
    assert (same.n_other, same.measured, same.gain) == (0, None, 0)
    assert "gives the same labels" in page.render(read_material(result, None, None))


def test_files_are_named_where_their_names_are_known() -> None:
    material = read_material(transferred("LR"), None, None)
    assert "of photos.csv over to bikes.csv." in page.render(material, ("photos.csv", "bikes.csv"))
    assert "of the source over to the target." in page.render(material)
    for wrong in ("ab", ("photos.csv",), ("photos.csv", None)):
        with pytest.raises(ValueError, match=r"names is .*: give two strings, what to call the source and the target"):
            transferred("LR").report("never.html", names=wrong)  # type: ignore[arg-type]
    with pytest.raises(IsADirectoryError, match="is a folder: add a file name"):
        transferred("LR").report(Path(__file__).parent, force=True)


def test_where_transfer_was_given_up_nobody_says_what_it_was_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    result = transferred("Auto")
    material = read_material(result, None, None)
    assert baseline(material) is not None
    monkeypatch.setattr(result.estimator, "warnings_", [harm()])
    assert baseline(material) is None
