"""Drift: the same target rings once in a hundred times, another one nearly always; files and commands that tell."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isthmus
from command import run
from isthmus.core.features import is_word
from isthmus.drift import (
    TargetProfile,
    compare_batch,
    compare_batches,
    describe_documents,
    monitor,
    profile_target,
)
from isthmus.drift.monitor import _Draws
from isthmus.drift.profile import _frequent_words, _shared_words
from isthmus.exceptions import ModelFileError
from isthmus.report.watch_page import write_watch
from isthmus.text import text_vectorizer
from test_quality import make, put, unlabeled


def profile(n: int, seed: int = 0) -> TargetProfile:
    rng = np.random.default_rng(seed)
    numbers = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    return TargetProfile(rng.beta(1, 15, n), rng.gamma(4, 0.005, n), rng.beta(8, 1, n), numbers, np.ones(4))


def batch(n: int, seed: int, prior: Any = (0.5, 0.3, 0.2), unknown: float = 15, closeness: float = 0.005) -> Any:
    rng = np.random.default_rng(seed)
    return {
        "unknown": rng.beta(1, unknown, n),
        "closeness": rng.gamma(4, closeness, n),
        "confidence": rng.beta(8, 1, n),
        "numbers": rng.choice(3, n, p=list(prior)),
    }


@pytest.mark.parametrize(("n_profile", "n_batch"), [(200, 200), (3000, 40)])
def test_batches_of_the_same_target_raise_an_alarm_once_in_a_hundred_times(n_profile: int, n_batch: int) -> None:
    """Over profiles as well: a small one is no better known than a batch. Five or more come once in 290 times."""
    alarms = [compare_batch(profile(n_profile, seed), batch(n_batch, 10_000 + seed)).drifted for seed in range(100)]
    assert sum(alarms) < 5


@pytest.mark.parametrize(("n_profile", "n_batch"), [(4000, 60), (200, 1000)])
def test_false_alarms_are_those_of_all_signs_together(
    monkeypatch: pytest.MonkeyPatch, n_profile: int, n_batch: int
) -> None:
    """Three in ten are asked for here, so that neither more nor fewer go unseen."""
    monkeypatch.setattr(monitor, "FALSE_ALARMS_OF_EACH", 0.1)
    monkeypatch.setattr(monitor, "N_DRAWS", 1000)
    alarms = [compare_batch(profile(n_profile, seed), batch(n_batch, 10_000 + seed)).drifted for seed in range(150)]
    assert 0.18 < np.mean(alarms) < 0.38


def test_batches_are_compared_as_one() -> None:
    """By the last documents of them; of few, or without a profile, nothing is said."""
    batches = [batch(15, seed) for seed in range(3)]
    known, last = profile(200), {name: np.concatenate([batches[1][name], batches[2][name]]) for name in batches[0]}
    assert compare_batches(known, batches, most=30) == compare_batch(known, last)
    assert compare_batches(known, batches[:1]) is compare_batches(None, batches) is None


@pytest.mark.parametrize(
    ("change", "sign"),
    [
        ({"prior": (0.2, 0.3, 0.5)}, "class prior"),
        ({"unknown": 7}, "unknown words"),
        ({"closeness": 0.003}, "closeness"),
    ],
)
def test_each_sign_raises_an_alarm_for_what_it_stands_for(change: dict[str, Any], sign: str) -> None:
    for seed in range(10):
        report = compare_batch(profile(2000), batch(200, seed, **change))
        assert [one.name for one in report.signs if one.is_alarm] == [sign]
        assert sign in str(report)
        assert json.loads(json.dumps(report.as_dict()))["drifted"] is True


def test_what_is_more_usual_than_usual_is_no_alarm() -> None:
    report = compare_batch(profile(2000), batch(200, 0, unknown=60, closeness=0.02))
    assert not report.drifted
    assert str(report) == "These 200 documents look like the target that the model was fitted to."


SOURCE, ROWS = make(60, 0), make(300, 1, "t")


@pytest.fixture(scope="module")
def result() -> isthmus.Result:
    texts, labels = [row["text"] for row in SOURCE], [row["label"] for row in SOURCE]
    found = isthmus.transfer(texts, labels, [row["text"] for row in ROWS], method="LR")
    return replace(found, profile=profile_target(found))


@pytest.mark.parametrize("least", [6, 0.1])
def test_a_word_is_shared_if_it_were_known_without_a_document(least: float) -> None:
    """In as many texts as `min_df` asks for, a number or a share, and in one more."""
    texts = [
        f"{'most' if row < 59 else ''} {'six' if row > 53 else ''} {'seven' if row > 52 else ''} w{row}"
        for row in range(60)
    ]
    vectorizer = text_vectorizer(min_df=least)
    found = isthmus.transfer(texts[:30], ["pos", "neg"] * 15, texts[30:], method="LR", vectorizer=vectorizer)
    assert found.X is not None
    assert found.X.shape[1] == 3
    own = found.vectorizer
    assert _shared_words(own, texts) == _frequent_words(own, len(texts)) == {"most", "seven"}
    assert profile_target(found) is not None


def test_a_profile_leaves_each_document_out(result: isthmus.Result) -> None:
    """What it says of a document is what it would say if that one had come later."""
    known = result.profile
    assert known is not None
    row = 7
    others = [text for number, text in enumerate(result.target_texts) if number != row]
    without = isthmus.transfer(result.source_texts, result.source_labels, others, method="LR")
    words = set(without.vectorizer[0].vocabulary_)
    own = set(filter(is_word, result.vectorizer[0].build_analyzer()(result.target_texts[row])))
    assert known.unknown[row] == pytest.approx(len(own - words) / len(own))
    assert result.X is not None
    X = result.X[len(SOURCE) :]
    rest = np.delete(np.arange(len(ROWS)), row)
    alone = without.vectorizer.transform([result.target_texts[row]])
    later = np.zeros(X.shape[1])
    later[[result.vectorizer[0].vocabulary_[word] for word in without.vectorizer.get_feature_names_out()]] = (
        alone.toarray()[0]
    )
    assert known.closeness[row] == pytest.approx(later @ np.asarray(X[rest].mean(axis=0)).ravel(), rel=0.03)
    assert known.numbers[row] == result.estimator.predict_proba(later[None]).argmax()


def test_the_target_itself_does_not_ring() -> None:
    """Though each of its documents knows words of its own, which one that comes later would not."""
    rng = np.random.default_rng(0)
    own = [[f"own{number // 2}x{k}" for k in range(4)] for number in range(1200)]  # each in two documents
    rows = [" ".join([*(f"w{k}" for k in rng.geometric(0.02, 12)), *words]) for words in own]
    found = isthmus.transfer(["good w1 w2", "bad w3 w4"] * 5, ["pos", "neg"] * 5, rows, method="LR")
    known = profile_target(found)
    assert known is not None
    for again in (rows, rows[:600]):
        X = found.vectorizer.transform(again)
        described = describe_documents(found.vectorizer, again, X, found.estimator.predict_proba(X), known)
        assert not compare_batch(known, described).drifted


def test_the_usual_confidence_is_that_of_the_fit(result: isthmus.Result) -> None:
    """A label that was given is no answer of the model: what it says of that document without it counts."""
    assert result.profile is not None
    assert result.profile.confidence.tolist() == result.probabilities.max(axis=1).tolist()
    labels = [ROWS[0]["label"], *[None] * (len(ROWS) - 1)]
    told = replace(result, target_labels=labels, probabilities=np.ones_like(result.probabilities))
    found = profile_target(told)
    assert found is not None
    assert found.confidence[0] < 1
    assert set(found.confidence[1:]) == {1.0}


def test_a_result_without_texts_has_no_profile(result: isthmus.Result) -> None:
    assert profile_target(replace(result, source_texts=(), target_texts=(), X=None)) is None


def test_files_hold_the_profile_and_refuse_a_forged_one(result: isthmus.Result, tmp_path: Path) -> None:
    isthmus.save(result, tmp_path / "m.isthmus")
    loaded = isthmus.load(tmp_path / "m.isthmus")
    texts = [row["text"] for row in make(50, 5, "t")]
    X = loaded.vectorizer.transform(texts)
    assert result.profile is not None
    reports = [
        compare_batch(known, describe_documents(one.vectorizer, texts, X, one.predict_proba(texts), known))
        for one, known in ((result, result.profile), (loaded, loaded.profile))
    ]
    assert reports[0] == reports[1]
    for change in (
        {"unknown": np.zeros(3)},
        {"numbers": np.full(300, 2)},
        {"numbers": np.full(300, -1)},
        {"center": np.ones(3)},
        {"closeness": np.full(300, np.nan)},
    ):
        forged = replace(result, profile=replace(result.profile, **change))
        with pytest.raises((ValueError, ModelFileError), match=r"(?i)profile"):
            isthmus.save(forged, tmp_path / "forged.isthmus")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("drift")
    put(found / "s.csv", SOURCE)
    put(found / "t.csv", unlabeled(ROWS))
    put(found / "same.csv", unlabeled(make(100, 2, "t")))
    put(found / "few.csv", unlabeled(make(10, 2, "z")))
    put(found / "other.csv", unlabeled(make(100, 3, "z")))
    files = ["--source", found / "s.csv", "--target", found / "t.csv"]
    done = run("fit", *files, "--method", "LR", "-o", found / "m.isthmus")
    assert done.code == 0, done.err
    return found


def test_predict_warns_and_fails_if_told_to(folder: Path) -> None:
    def predict(name: str, *more: object) -> Any:
        return run("predict", folder / "m.isthmus", folder / name, "-o", folder / "out.csv", "--force", *more)

    assert predict("same.csv", "--fail-on-drift").code == 0
    assert "do not look like" not in predict("same.csv").err
    assert predict("few.csv", "--fail-on-drift").code == 0  # too few to tell
    done = predict("other.csv", "--json")
    assert done.code == 0
    assert "Warning: These 100 documents do not look like the target that the model was fitted to" in done.err
    signs = {sign["name"]: sign["alarm"] for sign in json.loads(done.stdout)["drift"]["signs"]}
    assert signs["unknown words"]
    (folder / "out.csv").unlink()
    assert predict("other.csv", "--fail-on-drift").code == 3
    assert (folder / "out.csv").exists()  # the labels are there all the same


def test_watch_writes_a_page_over_time(folder: Path) -> None:
    page = folder / "watch.html"
    batches = [folder / "same.csv", folder / "other.csv"]
    assert run("watch", folder / "m.isthmus", *batches, "--report", page).code == 0
    html = page.read_text()
    assert "What arrives does not look like the target" in html
    assert html.count("beyond the bounds</title>") == html.count('<td class="alarm">') > 0
    assert html.count("<circle") == 4 * len(batches)  # three signs, and what the model expects
    assert "--report" in run("watch", folder / "m.isthmus", *batches, "--report", page).sentence  # it exists
    assert run("watch", folder / "m.isthmus", *reversed(batches), "--report", page, "--force").code == 0
    assert "looks like the target again" in page.read_text()


def test_watch_compares_batch_after_batch(folder: Path) -> None:
    model = folder / "m.isthmus"
    done = run("watch", model, folder / "same.csv", folder / "other.csv", "--json")
    assert [one["drifted"] for one in json.loads(done.stdout)["batches"]] == [False, True]
    printed = run("watch", model, folder / "same.csv", folder / "other.csv", "--fail-on-drift")
    assert printed.code == 3
    assert [line.split()[-1] for line in printed.stdout.splitlines()[2:4]] == ["usual", "drift"]
    assert run("watch", model, folder / "other.csv", folder / "same.csv", "--fail-on-drift").code == 0  # it is over
    bare = isthmus.load(model)
    isthmus.save(replace(bare, profile=None), folder / "bare.isthmus")
    assert (
        "does not say what its target looked like" in run("watch", folder / "bare.isthmus", folder / "t.csv").sentence
    )
    assert run("predict", folder / "bare.isthmus", folder / "other.csv", "--fail-on-drift").code == 0


def test_a_sign_that_is_always_zero_is_drawn(folder: Path) -> None:
    """A target without an unknown word, compared with itself."""
    loaded = isthmus.load(folder / "m.isthmus")
    assert loaded.profile is not None
    none = replace(loaded.profile, unknown=np.zeros_like(loaded.profile.unknown))
    isthmus.save(replace(loaded, profile=none), folder / "none.isthmus")
    (folder / "known.csv").write_text("id,text\n" + "".join(f"{n},charged card refund\n" for n in range(30)))
    page = folder / "none.html"
    assert run("watch", folder / "none.isthmus", folder / "known.csv", "--report", page).code == 0
    assert "nan" not in page.read_text().lower()


def test_a_batch_that_is_given_twice_counts_twice(folder: Path) -> None:
    same, other = folder / "same.csv", folder / "other.csv"
    done = run("watch", folder / "m.isthmus", other, same, other, "--json", "--fail-on-drift")
    assert done.code == 3
    assert [one["file"] for one in json.loads(done.stdout)["batches"]] == [str(other), str(same), str(other)]


def test_limits_are_wider_where_the_profile_is_small() -> None:
    """By as much as the mean of so few documents may be off."""
    values = np.random.default_rng(0).normal(size=2000)
    few, many = (_Draws(n, 400, 0).means(values[:n], values[:n].mean()).std() for n in (100, 2000))
    assert few / values[:100].std() == pytest.approx((1 / 400 + 1 / 100) ** 0.5, rel=0.1)
    assert many / values.std() == pytest.approx((1 / 400 + 1 / 2000) ** 0.5, rel=0.1)


@pytest.mark.parametrize("n_batch", [20, 200])
def test_what_a_small_profile_lacks_by_chance_is_no_alarm(n_batch: int) -> None:
    """Three documents in a hundred hold new words: of fifty, a fifth of the profiles have none."""

    def drawn(n: int, rng: Any) -> dict[str, Any]:
        unknown = np.where(rng.random(n) < 0.03, rng.uniform(0.2, 1, n), 0)
        return {**batch(n, 0), "unknown": unknown, "closeness": rng.uniform(size=n), "numbers": rng.integers(2, size=n)}

    rng, alarms = np.random.default_rng(1), 0
    for seed in range(80):
        known = drawn(50, rng)
        target = TargetProfile(
            **{name: known[name] for name in ("unknown", "closeness", "confidence", "numbers")}, center=np.zeros(1)
        )
        alarms += compare_batch(target, drawn(n_batch, rng), seed).drifted
    assert alarms <= 4  # it was 20 and more


def test_fewer_documents_than_tell_anything_raise_no_alarm(tmp_path: Path) -> None:
    strange = {**batch(19, 0), "unknown": np.ones(19)}
    report = compare_batch(profile(400), strange)
    assert any(sign.is_alarm for sign in report.signs)
    assert not report.drifted
    assert report.as_dict()["too_small"]
    assert "Fewer than 20 documents do not tell" in str(report)
    assert report.verdict == "too few to tell"
    assert compare_batch(profile(400), {**batch(20, 0), "unknown": np.ones(20)}).verdict == "drift"
    write_watch([("few.csv", report)], tmp_path / "watch.html", model="m.isthmus")
    assert "<td>too few to tell</td>" in (tmp_path / "watch.html").read_text(encoding="utf-8")
