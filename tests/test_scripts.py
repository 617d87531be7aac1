"""Texts of any script: what is a token, and that all others are read as before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import isthmus
from command import run
from isthmus.datasets import load_messages
from isthmus.quality.tokens import tokenize
from isthmus.text import UnicodeCounts, preset_for, preset_vectorizer, vectorizer
from isthmus.text.segmentation import is_plain, scripts_of

HINDI = "यह बहुत अच्छी किताब है"
THAI = "ไม่ดีเลย"
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"

analyze = UnicodeCounts().build_analyzer()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HINDI, HINDI.split()),
        (PERSIAN, [PERSIAN]),
        ("cafe\u0301 au lait", ["café", "au", "lait"]),
        ("很好吃", ["很好", "好吃"]),
        ("好! 很好吃", ["好", "很好", "好吃"]),
        ("ラーメンは美味い", ["ラー", "ーメ", "メン", "ンは", "は美", "美味", "味い"]),
        ("用iPhone拍照", ["iphone", "用", "拍照"]),
        ("\uff2f\uff2b 不错", ["ok", "不错"]),
        (THAI, ["ไม่", "ม่ดี", "ดีเ", "เล", "ลย"]),
        ("see http://a.b/c?d=1, or WWW.example.org!", ["see", "<url>", "or", "<url>"]),
        ("so good \U0001f44d\U0001f3fd\U0001f44d ❤️❤", ["so", "good", "\U0001f44d", "\U0001f44d", "❤", "❤"]),
        (f"we {FAMILY} \U0001f1eb\U0001f1f7", ["we", FAMILY, "\U0001f1eb\U0001f1f7"]),
        ("#Good @you 2024 © 1 →", ["good", "you", "2024"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert analyze(text) == expected


@given(st.text(st.characters(max_codepoint=0x24FF, exclude_categories=["Cs", "Mn", "Mc", "Me"])))
def test_plain_text_is_read_as_scikit_learn_reads_it(text: str) -> None:
    if is_plain(text.lower()):
        assert analyze(text) == CountVectorizer().build_analyzer()(text)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    found = analyze(text)
    assert all(found)
    assert analyze(text + " good") == [*found, "good"] or not is_plain(text.lower())


def test_english_gives_the_same_matrix() -> None:
    texts = load_messages().texts
    old, new = CountVectorizer(min_df=2), preset_vectorizer("default")[0]
    expected, found = old.fit_transform(texts), new.fit_transform(texts)
    assert (expected != found[:, [new.vocabulary_[word] for word in old.get_feature_names_out()]]).nnz == 0
    frequency = np.bincount(found.indices)
    assert (np.diff(frequency) <= 0).all()  # the most frequent first
    assert new.reading == "words (Latin 100%)"


def test_pairs_of_words_hold_no_characters() -> None:
    counts = UnicodeCounts(ngram_range=(1, 2), stop_words=["the"]).fit(["the big 很好吃 phone"])
    assert counts.get_feature_names_out().tolist() == ["big", "big phone", "phone", "好吃", "很好"]


def test_runs_of_letters_stand_beside_words() -> None:
    counts = UnicodeCounts(letters=4, ngram_range=(1, 2)).fit(["so good 很好"])
    runs = ["~_goo", "~good", "~ood_"]
    assert counts.get_feature_names_out().tolist() == ["good", "so", "so good", *runs, "很好"]
    short = preset_vectorizer("short").fit(["goodness", "good", "a good"])
    assert {"~_goo", "~good"} == {name for name in short.get_feature_names_out() if name[0] == "~" and name[-1] != "_"}


SENTENCE, PAGE = "It works well and is cheap.", "One of many words, " * 20


@pytest.mark.parametrize(
    ("source", "target", "preset"),
    [
        ([SENTENCE], [SENTENCE], "short"),
        ([SENTENCE], [PAGE], "default"),
        ([PAGE], [SENTENCE], "default"),
        ([SENTENCE], ["很好吃的苹果又新鲜又便宜推荐购买"], "default"),
        ([SENTENCE, THAI], [SENTENCE] * 9, "short"),  # a few of another script
        ([SENTENCE] * 19 + [PAGE], [SENTENCE], "short"),  # on average
        ([SENTENCE] * 5000 + [PAGE] * 5000, [SENTENCE], "default"),  # a second domain
        ([SENTENCE], [SENTENCE] * vectorizer.LOOKED_AT + [PAGE] * 5000, "short"),  # of the first ones
        (["word " * 19], ["word " * 19], "short"),
        (["word " * 20], ["word " * 19], "default"),
        ([SENTENCE + " " * 500], [SENTENCE], "short"),  # room around words
        (["", " "], [SENTENCE], "default"),  # no words to look into
    ],
)
def test_short_texts_are_read_by_letters_as_well(source: list[str], target: list[str], preset: str) -> None:
    assert preset_for(source, iter(target)) == preset


def test_short_texts_are_read_alike_in_memory_and_in_a_folder(tmp_path: Path) -> None:
    messages = load_messages()
    short = [" ".join(text.split()[:8]) for text in messages.texts]
    in_source = messages.groups == messages.groups[0]
    sides = [[text for text, own in zip(short, in_source, strict=True) if own == side] for side in (True, False)]
    labels = np.array(messages.labels)[in_source]
    here = isthmus.transfer(sides[0], labels, sides[1], method="LR")
    there = isthmus.transfer(sides[0], labels, sides[1], method="LR", folder=tmp_path / "rows")
    assert here.vectorizer[0].reading == there.vectorizer[0].reading == "words and runs of 4 letters (Latin 100%)"
    assert np.array_equal(here.probabilities, there.probabilities)
    plain = isthmus.transfer(sides[0], labels, sides[1], method="LR", preset="default")
    assert plain.vectorizer[0].reading == "words (Latin 100%)"


def test_scripts_are_counted() -> None:
    assert list(scripts_of([HINDI] * 3 + ["ok"])) == ["Devanagari", "Latin"]
    assert sum(scripts_of(["很好吃", "ひらがな", "abc"]).values()) == pytest.approx(1)
    assert scripts_of(["12 !"]) == {}
    assert UnicodeCounts().fit(["12 34"]).reading == "words"


SOURCE = ["苹果很好吃", "苹果好吃又新鲜", "苹果太难吃了", "太难吃了不新鲜"]
TARGET = ["手机很好用好吃", "太难用了难吃", "good \U0001f600 手机"]


@pytest.mark.filterwarnings("ignore::isthmus.exceptions.EmptyDocumentWarning")
def test_a_file_reads_later_texts_by_the_same_rule(tmp_path: Path) -> None:
    result = isthmus.transfer(SOURCE, ["pos", "pos", "neg", "neg"], TARGET, method="LR")
    assert result.labels.tolist()[:2] == ["pos", "neg"]
    isthmus.save(result, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    later = ["真好吃", HINDI, THAI, "\U0001f600 good", "太难吃 www.example.org", "кириллица"]
    assert np.array_equal(loaded.predict_proba(later), result.predict_proba(later))
    assert loaded.vectorizer[0].scripts_ == result.vectorizer[0].scripts_


def test_the_command_tells_how_texts_were_read(tmp_path: Path) -> None:
    rows = [{"text": text, "label": label} for text, label in zip(SOURCE, ["pos", "pos", "neg", "neg"], strict=True)]
    (tmp_path / "s.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in TARGET), encoding="utf-8")
    found = run("fit", "--source", str(tmp_path / "s.jsonl"), "--target", str(tmp_path / "t.jsonl"), "--method", "LR")
    assert "Texts are read as words and runs of 4 letters (Latin" in found.stdout
    assert "and pairs of characters (Han" in found.stdout


@given(st.lists(st.text("ab _9'.é好\n", max_size=30), max_size=5))
def test_later_texts_are_counted_as_scikit_learn_counts_them(texts: list[str]) -> None:
    """Words are cut and counted in a shorter way than its own, with the same outcome."""
    counts = UnicodeCounts().fit(["ab aa 99 a_b éa 好好", "ab b9"])
    own = super(UnicodeCounts, counts).transform(texts)
    found = counts.transform(texts)
    assert found.shape == own.shape
    assert found.dtype == own.dtype
    assert (found != own).nnz == 0
    ascii_texts = [text for text in texts if text.isascii()]
    cut = CountVectorizer().build_analyzer()
    assert [analyze(text) for text in ascii_texts] == [cut(text) for text in ascii_texts]


def test_checks_of_texts_without_spaces_look_at_pairs_of_characters() -> None:
    """A phrase of five characters shares one pair with one of four, and is no copy of it."""
    found = tokenize(["房间很好", "服务和房间", "不错", "good room"])
    assert found.count_among(set(found.of(0).tolist())).tolist() == [3, 1, 0, 0]
    assert [len(found.of(number)) for number in range(4)] == [3, 4, 1, 2]
