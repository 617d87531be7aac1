"""The fitted rules of the automatic choice follow from the evidence that lies beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isthmus.auto import Diagnostics, rules
from isthmus.auto.estimate import estimate_accuracy
from isthmus.auto.evidence import EvidenceRow, evidence_digest, read_evidence, write_evidence
from isthmus.auto.fitting import (
    estimated,
    fit_indicator,
    fit_interval,
    fit_rules,
    fit_source_only,
    fit_unrelated,
    is_unrelated,
    reached,
    rounded,
    weights_by_kind,
)
from isthmus.bench.families import is_for_development, more_unrelated
from isthmus.bench.real import real_tasks
from isthmus.bench.tasks import load_table

FITTED: dict[str, Any] = json.loads((resources.files("isthmus.auto") / "fitted.json").read_text(encoding="utf-8"))
ROWS = read_evidence()
RELATED = [row for row in ROWS if not is_unrelated(row)]
A_ROW = EvidenceRow(
    task="a to b",
    family="splits",
    draw="all",
    target_prior="auto",
    n_classes=2,
    n_documents=5000,
    n_unlabeled=2500,
    normalized_cut=0.6,
    neighbor_skill=0.9,
    agreement=0.9,
    reverse_auc=0.9,
    class_mean_cosine=0.4,
    confidence=0.4,
    domain_auc=0.9,
    source_accuracy=None,
    chance=0.5,
    prior_shift=0.0,
    true_shift=0.0,
    largest_share=0.5,
    true_largest_share=0.5,
    topics_accuracy=0.95,
    other_accuracy=0.85,
    source_only_accuracy=0.75,
)


def leaves(numbers: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(numbers, dict):
        for name, value in numbers.items():
            yield from leaves(value, f"{path}/{name}")
    else:
        yield path, numbers


def test_a_refit_gives_the_same_file() -> None:
    file = dict(leaves(FITTED))
    assert file.pop("/evidence_sha256") == evidence_digest()
    assert dict(leaves(rounded(fit_rules(ROWS)))) == pytest.approx(file, abs=1e-9)


def test_every_number_of_the_rules_is_in_the_file() -> None:
    chosen = {"weight"}
    pairs: list[tuple[Any, dict[str, Any]]] = [
        *((rule, FITTED["topic"][name]) for name, rule in rules.TOPIC.items()),
        (rules.UNRELATED, FITTED["unrelated"]["rule"]),
        (rules.ESTIMATE_OF_SOURCE_ONLY, FITTED["estimate"]["source_only"]),
        (rules.INTERVAL, FITTED["interval"]["ensemble"]),
        (rules.INTERVAL_OF_SOURCE_ONLY, FITTED["interval"]["source_only"]),
    ]
    for rule, numbers in pairs:
        used = {name: value for name, value in rule._asdict().items() if name not in chosen}
        assert used == {name: numbers[name] for name in used}
        assert numbers["rows"] > len(used)


def test_the_evidence_is_of_development_tasks_and_of_all_real_ones() -> None:
    table = load_table("auto").tasks
    real = {task.name for task in real_tasks()}
    ours = [task for task in (*table, *more_unrelated()) if task.name in real or is_for_development(task)]
    seen = {(row.task, row.family) for row in ROWS}
    assert seen == {(task.name, task.family) for task in (*ours, *more_unrelated())}  # and none of them was left out
    assert len({row.key for row in ROWS}) == len(ROWS)


def test_no_related_row_looks_unrelated_beyond_doubt() -> None:
    assert FITTED["unrelated"]["rule"]["highest_related_score"] < rules.CERTAIN


def test_the_estimate_reads_the_diagnostics_as_the_fit_did() -> None:
    names = {field.name for field in fields(Diagnostics)}
    inside, weights = [], weights_by_kind(RELATED)
    for row in RELATED:
        diagnostics = Diagnostics(**{name: value for name, value in vars(row).items() if name in names})
        estimate = estimate_accuracy(diagnostics, row.n_classes)
        assert estimate.value == pytest.approx(estimated(row))
        right = reached(row, FITTED["topic"], FITTED["unrelated"]["rule"])
        inside.append(estimate.low <= right <= estimate.high)
    assert np.average(inside, weights=weights) >= 0.9 - weights.max()  # the quantile lies between two rows


def test_an_indicator_puts_both_kinds_at_one_and_minus_one() -> None:
    values = {"splits": (0.8, 1.0), "reviews": (0.2, 0.4)}
    rows = [replace(A_ROW, family=name, neighbor_skill=value) for name, own in values.items() for value in own]
    few = replace(A_ROW, draw="300+300", neighbor_skill=0.0)  # whole tasks count alone
    found = fit_indicator("neighbor_skill", [*rows, few])
    assert (found["center"], found["scale"], found["rows"]) == (pytest.approx(0.6), pytest.approx(0.3), 4)
    assert found["residual_standard_error"] == pytest.approx((4 * (0.1 / 0.3) ** 2 / 2) ** 0.5)


def test_the_line_of_the_source_only_classifier_is_found() -> None:
    line = rules.Line(1.2, 0.1)
    rows = [
        replace(A_ROW, confidence=c, n_classes=k, source_only_accuracy=1 / k + (1 - 1 / k) * line.skill(c))
        for c in (0.1, 0.3, 0.6)
        for k in (2, 4)
    ]
    found = fit_source_only(rows)
    assert {name: found[name] for name in line._fields} == pytest.approx(line._asdict())
    assert found["residual_standard_error"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("alike", [True, False])
def test_an_interval_holds_nine_in_ten_and_more_where_kinds_differ(alike: bool) -> None:
    rng = np.random.default_rng(0)
    rows = [replace(A_ROW, family=name) for name, n in (("splits", 2000), ("reviews", 200)) for _ in range(n)]
    spread = np.where([row.family == "reviews" for row in rows], 0.1, 0.1 if alike else 0.02)
    values = np.full(len(rows), 0.5)  # where there is most room, one
    truths = values + spread * rng.uniform(-1, 1, len(rows))
    found = fit_interval(rows, values.tolist(), truths.tolist())
    held = (truths >= 0.5 - found["below"]) & (truths <= 0.5 + found["above"])
    kept = 1 - 2 * found["tail"]
    assert found["tail"] == (pytest.approx(0.045, abs=0.01) if alike else 0.005)
    assert np.average(held, weights=weights_by_kind(rows)) == pytest.approx(kept, abs=0.02)
    assert found["error"] == pytest.approx(spread[-1] / 4 + spread[0] / 4, abs=0.004)
    # By the other kind's interval, all of the narrow one are held and a fifth of the wide one.
    assert found["held"] == pytest.approx(kept if alike else (1 + kept * 0.2) / 2, abs=0.05)
    assert fit_interval(rows, values.tolist(), (values + 0.1).tolist())["below"] == 0


def test_nine_in_ten_unrelated_tasks_are_warned_of() -> None:
    strange = [replace(A_ROW, family="unrelated", reverse_auc=0.8, class_mean_cosine=c / 100) for c in range(101)]
    near = replace(A_ROW, reverse_auc=0.8, class_mean_cosine=0.9)
    found = fit_unrelated([*strange, near, replace(near, class_mean_cosine=0.96)])
    by_neighbors = rules.BY_NEIGHBORS * (A_ROW.neighbor_skill or 0)
    assert found["threshold"] == pytest.approx(rules.FOUND - by_neighbors)
    assert found["warned"] == {"related": 0.5, "unrelated": pytest.approx(rules.FOUND, abs=0.01)}
    assert found["highest_related_score"] == pytest.approx(rules.FOUND - 0.9)
    led_back = replace(near, class_mean_cosine=0.0, reverse_auc=rules.LEADS_BACK)
    assert fit_unrelated([*strange, led_back])["warned"]["related"] == 0


def test_what_is_reached_follows_from_the_rules() -> None:
    topic = {name: {"center": rule.center, "scale": rule.scale} for name, rule in rules.TOPIC.items()}
    calm = {"threshold": -1.0}
    other = replace(A_ROW, normalized_cut=0.95, neighbor_skill=0.4)
    assert reached(A_ROW, topic, calm) == A_ROW.topics_accuracy
    assert reached(other, topic, calm) == A_ROW.other_accuracy
    assert reached(other, topic, {"threshold": 2.0}) == A_ROW.source_only_accuracy


def test_kinds_stay_together() -> None:
    kinds = {row.kind for row in ROWS}
    assert kinds == {
        *("newsgroups", "reviews", "spam", "videos", "news", "intents", "headlines", "sentences", "chinese"),
        "unrelated",
    }


def test_evidence_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "evidence.csv"
    rows = [A_ROW, replace(A_ROW, task="a to b, 10% x", normalized_cut=None, confidence=1 / 3)]
    write_evidence(rows[::-1], file)
    assert read_evidence(file) == [A_ROW, replace(rows[1], confidence=0.333333)]
    again = tmp_path / "again.csv"
    write_evidence(rows, again)
    assert evidence_digest(again) == evidence_digest(file)
