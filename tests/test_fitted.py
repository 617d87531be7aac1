"""The fitted rules of the automatic choice follow from the evidence that lies beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from isthmus.auto import Diagnostics, rules
from isthmus.auto.diagnostics import skill
from isthmus.auto.estimate import estimate_accuracy
from isthmus.auto.evidence import EvidenceRow, evidence_digest, read_evidence, write_evidence
from isthmus.auto.fitting import fit_estimate, fit_indicator, fit_rules, fit_unrelated, is_unrelated, reached, rounded
from isthmus.bench.families import is_for_development, more_label_shifted, more_unrelated
from isthmus.bench.tasks import load_table

FITTED: dict[str, Any] = json.loads((resources.files("isthmus.auto") / "fitted.json").read_text(encoding="utf-8"))
ROWS = read_evidence()
A_ROW = EvidenceRow(
    task="a to b",
    family="splits",
    draw="all",
    target_prior="source",
    n_classes=2,
    n_documents=5000,
    n_unlabeled=2500,
    normalized_cut=0.6,
    neighbor_skill=0.9,
    self_training_stability=0.95,
    source_agreement=0.8,
    confidence=0.7,
    class_mean_cosine=0.4,
    underconfidence=0.3,
    source_only_confidence=0.4,
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
    chosen = {"weight", "threshold"}
    pairs: list[tuple[Any, dict[str, float]]] = [
        *((rule, FITTED["topic"][name]) for name, rule in rules.TOPIC.items()),
        (rules.UNRELATED, FITTED["unrelated"]["source"]),
        (rules.UNRELATED_AT_UNKNOWN_PRIOR, FITTED["unrelated"]["unknown"]),
        (rules.ESTIMATE, FITTED["estimate"]["source"]),
        (rules.ESTIMATE_AT_UNKNOWN_PRIOR, FITTED["estimate"]["unknown"]),
        (rules.ESTIMATE_OF_SOURCE_ONLY, FITTED["estimate"]["source_only"]),
    ]
    for rule, numbers in pairs:
        used = {name: value for name, value in rule._asdict().items() if value != 0 and name not in chosen}
        assert used == {name: numbers[name] for name in used}
        assert numbers["rows"] > len(used)
        assert numbers["residual_standard_error"] > 0
    assert all(rules.ESTIMATE)  # no number of it is left at zero
    usual = (rules.USUAL_UNDERCONFIDENCE, rules.USUAL_CLASS_MEAN_COSINE, rules.MOST_UNDERCONFIDENCE)
    assert usual == tuple(
        FITTED["usual"][name] for name in ("underconfidence", "class_mean_cosine", "most_underconfidence")
    )


def test_the_evidence_is_of_development_tasks_alone() -> None:
    table = load_table("auto").tasks
    extra = [*more_unrelated(), *(task for task in more_label_shifted() if is_for_development(task))]
    allowed = {(task.name, task.family) for task in (*filter(is_for_development, table), *extra)}
    seen = {(row.task, row.family) for row in ROWS}
    assert seen == allowed  # and none of them was left out
    assert not {row.task for row in ROWS} & {task.name for task in table if not is_for_development(task)}
    assert len({row.key for row in ROWS}) == len(ROWS)


def test_no_related_row_looks_unrelated_beyond_doubt() -> None:
    for numbers in FITTED["unrelated"].values():
        assert numbers["highest_related_score"] < rules.CERTAIN


@pytest.mark.parametrize("prior", ["source", "unknown"])
def test_the_estimate_reads_the_diagnostics_as_the_fit_did(prior: str) -> None:
    rows = [row for row in ROWS if row.target_prior == prior and not is_unrelated(row)]
    rule = rules.ESTIMATE if prior == "source" else rules.ESTIMATE_AT_UNKNOWN_PRIOR
    residuals, inside = [], []
    for row in rows:
        names = ("confidence", "class_mean_cosine", "underconfidence", "n_documents", "n_unlabeled")
        diagnostics = Diagnostics(**{name: getattr(row, name) for name in names})
        right = reached(row, FITTED["topic"], FITTED["unrelated"][prior])
        values = (diagnostics.confidence, diagnostics.class_mean_cosine, diagnostics.underconfidence)
        residuals.append(skill(right, row.n_classes) - rule.skill(*values, diagnostics.smallness))  # type: ignore[arg-type]
        estimate = estimate_accuracy(diagnostics, row.n_classes, rule)
        inside.append(estimate.low <= right <= estimate.high)
    assert np.mean(residuals) == pytest.approx(0, abs=1e-4)
    assert np.mean(inside) >= 0.9 - 1 / len(rows)  # the quantile lies between two rows


def test_an_indicator_puts_both_kinds_at_one_and_minus_one() -> None:
    values = {"splits": (0.8, 1.0), "reviews": (0.2, 0.4)}
    rows = [replace(A_ROW, family=name, neighbor_skill=value) for name, own in values.items() for value in own]
    few = replace(A_ROW, draw="300+300", neighbor_skill=0.0)  # whole tasks count alone
    found = fit_indicator("neighbor_skill", [*rows, few])
    assert (found["center"], found["scale"], found["rows"]) == (pytest.approx(0.6), pytest.approx(0.3), 4)
    assert found["residual_standard_error"] == pytest.approx((4 * (0.1 / 0.3) ** 2 / 2) ** 0.5)


def test_the_estimate_finds_the_line_and_the_error() -> None:
    rng = np.random.default_rng(0)
    rows = [
        replace(A_ROW, confidence=c, n_documents=n, underconfidence=u, class_mean_cosine=m, n_classes=k)
        for c, u, m in rng.uniform(0.1, 0.4, (30, 3))
        for n, k in ((600, 2), (2300, 4))
    ]
    line = rules.Line(1.2, 0.1, 0.0, -0.5, 0.4, -0.2)
    skills = [
        line.skill(row.confidence, row.class_mean_cosine, row.underconfidence, rules.smallness(row.n_documents))  # type: ignore[arg-type]
        for row in rows
    ]
    right = [1 / row.n_classes + (1 - 1 / row.n_classes) * value for row, value in zip(rows, skills, strict=True)]
    found = fit_estimate("source", rows, right)
    assert {name: found[name] for name in line._fields} == pytest.approx(line._asdict(), abs=1e-9)
    noisy = fit_estimate("source", rows, np.add(right, rng.choice([-0.05, 0.05], len(right))))
    # A twentieth of all documents is a tenth in skill with two classes, and less with four.
    assert 0.05 / 0.75 < noisy["residual_standard_error"] < 0.1
    assert 0.05 / 0.75 < norm.ppf(0.95) * noisy["error"] < 0.15


def test_both_kinds_of_tasks_count_alike_for_the_warning() -> None:
    strange = replace(A_ROW, family="unrelated", class_mean_cosine=0.0, source_agreement=0.2)
    between = replace(A_ROW, class_mean_cosine=0.2, source_agreement=0.6)
    related = [A_ROW, between, replace(A_ROW, class_mean_cosine=0.3)]
    few = fit_unrelated([*related, strange], 0.1)
    many = fit_unrelated([*related, *[strange] * 9], 0.1)
    names = ("class_mean_cosine", "source_agreement", "constant")
    assert [few[name] for name in names] == pytest.approx([many[name] for name in names])
    assert few["warned"] == {"all": {"related": 0.0, "unrelated": 1.0}}
    assert few["highest_related_score"] == pytest.approx(many["highest_related_score"])
    assert few["highest_related_score"] < 0


def test_what_is_reached_follows_from_the_rules() -> None:
    topic = {name: {"center": rule.center, "scale": rule.scale} for name, rule in rules.TOPIC.items()}
    calm = {"class_mean_cosine": 0.0, "source_agreement": 0.0, "constant": -1.0}
    other = replace(A_ROW, normalized_cut=0.95, neighbor_skill=0.4, self_training_stability=0.7)
    assert reached(A_ROW, topic, calm) == A_ROW.topics_accuracy
    assert reached(other, topic, calm) == A_ROW.other_accuracy
    assert reached(other, topic, {**calm, "constant": 2.0}) == A_ROW.source_only_accuracy


def test_evidence_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "evidence.csv"
    rows = [A_ROW, replace(A_ROW, task="a to b, 10% x", normalized_cut=None, confidence=1 / 3)]
    write_evidence(rows[::-1], file)
    assert read_evidence(file) == [A_ROW, replace(rows[1], confidence=0.333333)]
    again = tmp_path / "again.csv"
    write_evidence(rows, again)
    assert evidence_digest(again) == evidence_digest(file)
