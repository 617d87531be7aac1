"""How far the automatic choice trusts itself, when it warns, and what a few target labels do to both."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from conftest import Toy, make_toy, quiet, unrelated_toy
from isthmus import Auto
from isthmus.auto import Diagnostics, Estimate, candidates, rules, run
from isthmus.auto import warnings as cautions
from isthmus.auto.candidates import SOURCE_ONLY
from isthmus.auto.estimate import estimate_accuracy, sharpness_for, updated
from isthmus.core.priors import read_prior
from isthmus.core.problem import make_problem
from isthmus.exceptions import TransferWarning
from isthmus.methods import SelfTraining


def test_probabilities_have_the_estimated_mean(toy: Toy, fitted_auto: Any) -> None:
    mean = fitted_auto.label_distributions_[toy.in_target].max(axis=1).mean()
    assert mean == pytest.approx(fitted_auto.estimated_accuracy_.value, abs=0.01)


@pytest.mark.parametrize("mean", [0.55, 0.8, 0.97])
def test_sharpness_makes_the_mean(mean: float) -> None:
    from scipy.special import softmax

    values = np.random.default_rng(0).normal(size=(200, 2))
    sharp = sharpness_for(values, mean)
    assert softmax(sharp * values, axis=1).max(axis=1).mean() == pytest.approx(mean, abs=1e-4)


def test_candidates_that_agree_are_right_as_often_if_the_way_leads_back() -> None:
    sure: dict[str, Any] = {"reverse_auc": 1.0}
    for agreed in np.linspace(0, 0.97, 9):
        found = estimate_accuracy(Diagnostics(agreement=agreed, **sure), 4)
        assert found.value == pytest.approx(0.25 + 0.75 * agreed)
    areas = (0.4, 0.5, 0.7, 0.95, 1)
    doubtful = [estimate_accuracy(Diagnostics(agreement=0.9, reverse_auc=area), 2) for area in areas]
    values = [estimate.value for estimate in doubtful]
    assert values == sorted(values)
    assert values[:2] == [0.5, 0.5]  # where nothing leads back, agreement says nothing
    assert all(0 <= e.low <= e.value <= e.high <= 1 for e in doubtful)


def test_where_neighbors_do_not_know_the_classes_agreement_is_worth_less() -> None:
    """By a power of their skill, and of the skill with which the way leads back."""
    known = Diagnostics(agreement=0.9, reverse_auc=0.75)
    values = [estimate_accuracy(replace(known, neighbor_skill=skill), 2).value for skill in (None, 0.5, -0.1)]
    back = 0.5 + 0.45 * 0.5**rules.REVERSE_POWER
    clear = [0.5**rules.NEIGHBOR_POWER, rules.LEAST_NEIGHBOR_SKILL**rules.NEIGHBOR_POWER]
    assert values == pytest.approx([back, *(0.5 + (back - 0.5) * factor for factor in clear)])


def test_without_time_for_others_the_source_only_classifier_speaks_for_itself() -> None:
    estimates = [estimate_accuracy(Diagnostics(confidence=c), 2) for c in np.linspace(0.1, 0.9, 5)]
    values = [estimate.value for estimate in estimates]
    assert values == sorted(values)
    assert values[0] < values[-1]


def test_checked_documents_pull_the_estimate_their_way() -> None:
    start = Estimate(0.8, 0.7, 0.9)
    probabilities = np.full(30, 0.8)
    better, worse = (updated(start, probabilities, np.full(30, right), 2, 1000) for right in (True, False))
    assert worse.value < start.value < better.value
    as_said = updated(start, probabilities, np.arange(30) % 5 > 0, 2, 1000)
    assert as_said.value == pytest.approx(0.8)
    assert as_said.high - as_said.low < start.high - start.low


def test_of_a_handful_of_documents_hardly_anything_is_known() -> None:
    known: dict[str, Any] = {"agreement": 0.8, "reverse_auc": 0.9}
    handful, few = (estimate_accuracy(Diagnostics(n_documents=n, **known), 2) for n in (8, 600))
    assert handful.high - handful.low > 2 * (few.high - few.low)
    assert handful.low < 0.6


@given(st.floats(0.5, 0.99), st.floats(0.005, 0.2), st.integers(0, 1000))
def test_no_checked_document_changes_nothing(value: float, error: float, n_left: int) -> None:
    before = Estimate(value, max(value - error, 0), min(value + error, 1))
    after = updated(before, np.zeros(0), np.zeros(0, dtype=bool), 2, n_left)
    assert (after.value, after.low, after.high) == pytest.approx((before.value, before.low, before.high))


def test_an_interval_that_was_right_stays_right() -> None:
    """Truths as the estimate says, then documents as the truth says: nine in ten truths are still in the interval."""
    rng = np.random.default_rng(0)
    before = Estimate(0.8, 0.7, 0.9)
    truths = np.clip(rng.normal(0.8, 0.1 / 1.645, size=2000), 0.5, 0.99)
    held = []
    for truth in truths:
        after = updated(before, np.full(20, 0.8), rng.random(20) < truth, 2, 100_000)
        held.append(after.low <= truth <= after.high)
        assert after.high - after.low < 0.2
    assert 0.86 < np.mean(held) < 0.94


def test_unrelated_domains_are_warned_of_and_get_the_fallback() -> None:
    with pytest.warns(TransferWarning, match="look unrelated"):
        auto = unrelated_toy().fit(Auto(random_state=0))
    assert auto.chosen_ == (SOURCE_ONLY,)
    assert [caution.kind for caution in auto.warnings_] == ["unrelated"]
    assert auto.estimated_accuracy_.low == 0


def test_few_target_documents_are_no_reason_to_warn(toy: Toy) -> None:
    """Of a handful, nothing can be said of how they lie; and what is said of one is either right or wrong."""
    for n in (1, 2, 5):
        kept = ~toy.in_target | np.isin(np.arange(len(toy.y)), np.flatnonzero(toy.in_target)[:n])
        auto = quiet(Toy(toy.X[kept], toy.y[kept], toy.domain[kept]))
        assert auto.diagnostics_.normalized_cut is None
        assert auto.diagnostics_.class_mean_cosine is None
        assert auto.warnings_ == []
        estimate = auto.estimated_accuracy_
        assert any(estimate.low <= k / n <= estimate.high for k in range(n + 1))


@pytest.mark.parametrize("n", [1, 5])
def test_a_few_labels_do_not_silence_the_warning(n: int) -> None:
    toy = unrelated_toy()
    labeled = some_labels(toy, {"class 0": (n + 1) // 2, "class 1": n // 2})
    y = np.where(toy.in_target, np.random.default_rng(0).permutation(toy.y), toy.y)
    auto = quiet(toy, y=y, sample_labeled=labeled)
    assert [caution.kind for caution in auto.warnings_] == ["unrelated"]
    assert "label more" in auto.warnings_[0].message
    assert auto.estimated_accuracy_.low < 0.5


def test_labels_that_prove_the_answer_silence_the_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "UNRELATED", rules.UNRELATED._replace(threshold=100.0))  # everything looks strange,
    monkeypatch.setattr(rules, "LEADS_BACK", 2.0)  # wherever labels lead
    toy = make_toy(seed=2)
    assert [caution.kind for caution in quiet(toy).warnings_] == ["unrelated"]
    auto = quiet(toy, sample_labeled=some_labels(toy, {"class 0": 10, "class 1": 10}))
    assert auto.warnings_ == []
    assert auto.chosen_ != (SOURCE_ONLY,)


def test_features_that_are_not_counts_are_not_cut(toy: Toy) -> None:
    dense = toy.X.toarray()
    for X in (dense, dense - dense.mean(axis=0), sp.csr_array(dense - dense.mean(axis=0))):
        evidence = quiet(replace(toy, X=X)).diagnostics_
        assert evidence.normalized_cut is None
        assert -1 <= evidence.class_mean_cosine <= 1


def some_labels(toy: Toy, per_class: dict[str, int]) -> np.ndarray:
    """A mask of all source rows and so many of the target's, by class."""
    labeled = ~toy.in_target
    for name, n in per_class.items():
        labeled[np.flatnonzero(toy.in_target & (toy.y == name))[:n]] = True
    return labeled


def right_among_the_rest(toy: Toy, auto: Any, labeled: np.ndarray) -> float:
    return float(np.mean((auto.transduction_ == toy.y)[~labeled]))


def test_a_few_target_labels_move_estimate_choice_and_prior() -> None:
    """Labels that contradict everything must lower the estimate; labels that agree must raise it."""
    toy = make_toy(seed=5)
    before = quiet(toy)
    some = np.flatnonzero(toy.in_target)[:24]
    mask = ~toy.in_target
    mask[some] = True
    y = toy.y.copy()
    agree = quiet(toy, sample_labeled=mask)
    y[some] = np.where(toy.y[some] == "class 0", "class 1", "class 0")
    against = quiet(toy, y=y, sample_labeled=mask)
    assert against.estimated_accuracy_.value < before.estimated_accuracy_.value - 0.2
    assert agree.estimated_accuracy_.value >= before.estimated_accuracy_.value - 0.02
    width = before.estimated_accuracy_.high - before.estimated_accuracy_.low
    assert agree.estimated_accuracy_.high - agree.estimated_accuracy_.low <= width
    y[some] = "class 0"
    assert quiet(toy, y=y, sample_labeled=mask).target_prior_["class 0"] > before.target_prior_["class 0"] + 0.05
    assert agree.transduction_[some].tolist() == toy.y[some].tolist()


def test_a_target_that_is_labeled_already_is_left_as_it_is(toy: Toy) -> None:
    auto = quiet(toy, sample_labeled=np.ones(len(toy.y), dtype=bool))
    assert np.array_equal(auto.transduction_, toy.y)
    assert auto.predict(toy.X).shape == toy.y.shape


def test_labels_of_one_class_alone_do_no_harm(toy: Toy, fitted_auto: Any) -> None:
    """Whoever labels what is easily found, most of one class and none of the other, tells nothing of the shares."""
    labeled = some_labels(toy, {"class 0": 50})
    auto = quiet(toy, sample_labeled=labeled)
    (caution,) = auto.warnings_
    assert caution.kind == "labels of one class"
    assert "All 50 known target labels are 'class 0'" in caution.message
    assert auto.estimated_accuracy_ == fitted_auto.estimated_accuracy_
    assert auto.target_prior_ == fitted_auto.target_prior_
    assert (auto.transduction_[labeled] == toy.y[labeled]).all()
    both = quiet(toy, sample_labeled=some_labels(toy, {"class 0": 50, "class 1": 2}))
    assert both.warnings_ == []
    assert both.estimated_accuracy_ != fitted_auto.estimated_accuracy_
    assert right_among_the_rest(toy, auto, labeled) >= right_among_the_rest(toy, fitted_auto, labeled) - 0.03


def test_a_class_that_only_known_target_documents_have_is_given(toy_of_three: Toy) -> None:
    toy = toy_of_three
    kept = toy.in_target | (toy.y != "class 2")
    toy = Toy(toy.X[kept], toy.y[kept], toy.domain[kept])
    labeled = some_labels(toy, {"class 0": 8, "class 1": 8, "class 2": 8})
    auto = quiet(toy, sample_labeled=labeled)
    assert 0.2 < auto.target_prior_["class 2"] < 0.45
    assert right_among_the_rest(toy, auto, labeled) > 0.9

    two = some_labels(toy, {"class 2": 2})
    for model in (Auto(random_state=0), SelfTraining()):
        found = quiet(toy, model, sample_labeled=two).transduction_[~two & toy.in_target]
        assert np.mean(found == "class 2") < 0.5  # two documents do not make the whole target their class


def test_what_is_known_of_the_target_is_taken_off_its_prior(toy_of_three: Toy) -> None:
    """Whether all of a domain is labeled makes no difference."""
    toy, rows = toy_of_three, np.arange(len(toy_of_three.y))
    domain = np.where(toy.in_target & (rows % 2 == 0), "other", toy.domain)
    wanted = {"class 0": 0.5, "class 1": 0.25, "class 2": 0.25}
    found = []
    for left_out in (0, 1):
        labeled = ~toy.in_target | (domain == "other")
        labeled[np.flatnonzero(domain == "other")[:left_out]] = False
        problem = make_problem(Auto(), toy.X, toy.y, domain, ["target", "other"], labeled)
        found.append(read_prior(wanted, problem))
        known = np.array([np.sum(toy.y[(domain == "other") & labeled] == name) for name in wanted])
        left = toy.in_target.sum() * np.array(list(wanted.values())) - known
        assert found[-1] == pytest.approx(left / left.sum())
    assert found[0] == pytest.approx(found[1], abs=0.02)


def test_the_leaderboard_is_about_the_labels_given_in_the_end(toy: Toy) -> None:
    labeled = some_labels(toy, {"class 0": 10, "class 1": 10})
    auto = quiet(toy, sample_labeled=labeled)
    final = auto.transduction_[~labeled]
    row = next(row for row in auto.leaderboard_.rows if row["name"] == SOURCE_ONLY)
    alone = quiet(toy, Auto(max_time=0), sample_labeled=~toy.in_target).transduction_[~labeled]
    assert row["agreement"] == pytest.approx(np.mean(alone == final))


def test_no_harm_is_said_where_nothing_else_was_tried(toy: Toy) -> None:
    labeled = some_labels(toy, {"class 0": 5, "class 1": 5})
    auto = quiet(toy, Auto(max_time=0, random_state=0), sample_labeled=labeled)
    assert auto.chosen_ == (SOURCE_ONLY,)
    (caution,) = auto.warnings_
    assert caution.kind == "time"
    assert "There was no time for self-training + LSA, " in caution.message


@pytest.mark.parametrize("n", [1, 9, 10])
def test_of_a_handful_the_source_tells(toy: Toy, n: int) -> None:
    """Of so few documents nothing can be found, and what is found in them would be worse than nothing."""
    kept = ~toy.in_target
    kept[np.flatnonzero(toy.in_target)[:n]] = True
    few = Toy(toy.X[kept], toy.y[kept], toy.domain[kept])
    auto = quiet(few)
    assert (auto.chosen_ == (SOURCE_ONLY,)) == (n < 10)
    assert "harm" not in [caution.kind for caution in auto.warnings_]
    given = quiet(few, Auto(target_prior={"class 0": 0.9, "class 1": 0.1}, random_state=0))
    assert given.chosen_ != (SOURCE_ONLY,)


def test_hardly_any_teacher_is_hardly_to_be_trusted(toy: Toy) -> None:
    for n, doubted in ((9, True), (10, False)):
        kept = toy.in_target.copy()
        for name, own in (("class 0", 4), ("class 1", n - 4)):
            kept[np.flatnonzero(~toy.in_target & (toy.y == name))[:own]] = True
        estimate = quiet(Toy(toy.X[kept], toy.y[kept], toy.domain[kept])).estimated_accuracy_
        assert ((estimate.low, estimate.high) == (0.0, 1.0)) == doubted


def test_time_is_for_all_trials_together(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    def noting(one: candidates.Candidate) -> candidates.Candidate:
        def method(**settings: Any) -> Any:
            started.append(one.name)
            monkeypatch.setattr(run, "perf_counter", lambda: perf_counter() + 1000.0 * len(started))
            assert one.method is not None
            return one.method(**settings)

        return one if one.method is None else replace(one, method=method)

    monkeypatch.setattr(run, "PORTFOLIO", tuple(map(noting, candidates.PORTFOLIO)))
    labeled = some_labels(toy, {"class 0": 5, "class 1": 5})
    quiet(toy, Auto(max_time=500, random_state=0), sample_labeled=labeled)
    assert started == [SOURCE_ONLY]


def test_sentences_of_warnings_are_well_formed() -> None:
    unrelated = [cautions.unrelated(certain, n_known) for certain in (True, False) for n_known in (0, 1, 5)]
    classes = [cautions.missing(list("abcdefghijklm"[:n])) for n in (1, 2, 12)]
    priors = {"a": 0.7, "b": 0.3, "c": 0.0}, {"a": 0.4, "b": 0.28, "c": 0.32}
    classes.append(cautions.label_shift(*priors, 500, 0))
    assert "about 0% 'c' (source 32%), 70% 'a' (source 40%), 30% 'b' (source 28%)" in classes[-1].message
    assert "label twenty target documents to be sure" in classes[-1].message
    assert "label some target documents" in cautions.label_shift(*priors, 12, 0).message
    assert "label more target documents" in cautions.label_shift(*priors, 500, 4).message
    for one in [*unrelated, *classes, cautions.majority("a", 0.9), cautions.harm()]:
        assert "  " not in one.message
        assert one.message.endswith(".")
    assert "these classes, leave the source's documents of them out" in cautions.missing(["a", "b"]).message
    assert "'j' and 2 more: if" in classes[2].message


def test_known_labels_settle_the_prior(toy: Toy) -> None:
    """Nobody who has just labeled some is told to label some."""
    gone = np.flatnonzero(toy.in_target & (toy.y == "class 1"))[12:]
    kept = np.delete(np.arange(len(toy.y)), gone)
    shifted = Toy(toy.X[kept], toy.y[kept], toy.domain[kept])
    for per_class, told in (({}, True), ({"class 0": 4, "class 1": 2}, True), ({"class 0": 10, "class 1": 2}, False)):
        found = quiet(shifted, sample_labeled=some_labels(shifted, per_class)).warnings_
        assert ("prior" in [caution.kind for caution in found]) == told


def test_guesses_are_right_more_often_at_an_uneven_prior(toy: Toy) -> None:
    auto = quiet(toy, Auto(target_prior={"class 0": 0.9, "class 1": 0.1}, random_state=0))
    assert auto.diagnostics_.chance == pytest.approx(0.82)
    assert auto.estimated_accuracy_.value >= 0.82
