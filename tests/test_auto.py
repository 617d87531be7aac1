"""The automatic choice: contract, diagnostics, ensembles, and the use of a few labels."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import isthmus
from conftest import Toy, make_toy, quiet
from isthmus import Auto, suggest_labels
from isthmus.auto.candidates import BEFORE_LABELS, LEARNER, MIXTURE, PORTFOLIO, SOURCE_ONLY
from isthmus.auto.diagnostics import Diagnostics
from isthmus.methods import NaiveBayesEM


@parametrize_with_checks([Auto(random_state=0)])
@pytest.mark.filterwarnings("ignore::isthmus.exceptions.EmptyDocumentWarning")  # some checks hold empty rows
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("seed", [0, 1])
def test_auto_is_mostly_right(seed: int) -> None:
    toy = make_toy(seed, n_classes=2 + seed)
    auto = quiet(toy)
    assert np.mean(auto.transduction_[toy.in_target] == toy.y[toy.in_target]) > 0.9
    assert auto.label_distributions_.sum(axis=1) == pytest.approx(1)


def test_poison_in_the_targets_labels_changes_nothing(toy: Toy, fitted_auto: Any) -> None:
    y = toy.y.astype(object)
    y[toy.in_target] = np.random.default_rng(0).choice(["class 0", "class 1", "no such class"], toy.in_target.sum())
    clean, poisoned = fitted_auto, quiet(toy, y=y)
    assert clean.label_distributions_.tobytes() == poisoned.label_distributions_.tobytes()
    assert clean.estimated_accuracy_ == poisoned.estimated_accuracy_
    assert clean.diagnostics_ == poisoned.diagnostics_


def test_order_of_documents_and_names_of_classes_do_not_matter(toy: Toy, fitted_auto: Any) -> None:
    order = np.random.default_rng(0).permutation(len(toy.y))
    renamed = np.where(toy.y == "class 0", "zebra", "aardvark")
    other = quiet(replace(toy, X=toy.X[order], y=renamed[order], domain=toy.domain[order]))
    back = np.where(other.transduction_ == "zebra", "class 0", "class 1")
    assert np.mean(back == fitted_auto.transduction_[order]) > 0.98
    assert other.chosen_ == fitted_auto.chosen_


def test_any_container_and_width(toy: Toy, fitted_auto: Any) -> None:
    labels = fitted_auto.transduction_
    for X in (toy.X.toarray(), sp.csc_matrix(toy.X), toy.X.astype(np.float32)):
        assert np.mean(quiet(replace(toy, X=X)).transduction_ == labels) > 0.98


def test_several_sources_and_targets(toy_of_three: Toy) -> None:
    halves = np.where(np.arange(len(toy_of_three.y)) % 2 == 0, "a", "b")
    domain = np.char.add(toy_of_three.domain.astype(str), halves)
    toy = replace(toy_of_three, domain=domain)
    auto = quiet(toy, target_domain=["targeta", "targetb"])
    there = toy_of_three.in_target
    assert np.mean(auto.transduction_[there] == toy.y[there]) > 0.9
    assert auto.predict(toy.X[there][:5], sample_domain="targeta").shape == (5,)


def test_new_documents_of_the_target(toy: Toy, fitted_auto: Any) -> None:
    fresh = make_toy(seed=7)
    assert np.mean(fitted_auto.predict(fresh.X[fresh.in_target]) == fresh.y[fresh.in_target]) > 0.9
    one_by_one = np.concatenate([fitted_auto.predict_proba(fresh.X[[row]]) for row in range(5)])
    assert one_by_one == pytest.approx(fitted_auto.predict_proba(fresh.X[:5]), abs=1e-6)


def test_one_domain_is_a_plain_classifier(toy: Toy) -> None:
    source = ~toy.in_target
    auto = Auto().fit(toy.X[source], toy.y[source])
    assert auto.chosen_ == (SOURCE_ONLY,)
    assert auto.warnings_ == []
    assert auto.score(toy.X[source], toy.y[source]) > 0.95


def test_signed_features_leave_the_factorizations_out(toy: Toy) -> None:
    X = toy.X.toarray() - toy.X.toarray().mean(axis=0)
    auto = quiet(replace(toy, X=X))
    why = {row["name"]: row["why"] for row in auto.leaderboard_.rows}
    assert why["TCL"].startswith("takes no negative features")
    assert "TCL" not in auto.chosen_
    assert np.mean(auto.transduction_[toy.in_target] == toy.y[toy.in_target]) > 0.8


@pytest.mark.parametrize("scale", [1e-6, 1e3])
def test_the_scale_of_x_does_not_matter(scale: float, toy: Toy, fitted_auto: Any) -> None:
    plain, scaled = fitted_auto, quiet(toy, X=toy.X * scale)
    assert scaled.chosen_ == plain.chosen_
    assert scaled.diagnostics_.reverse_auc == pytest.approx(plain.diagnostics_.reverse_auc, abs=0.01)
    assert scaled.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-4)
    assert scaled.predict_proba(toy.X[:9] * scale) == pytest.approx(plain.predict_proba(toy.X[:9]), abs=1e-4)


def test_naive_bayes_counts_words_in_any_unit(toy: Toy) -> None:
    plain, small = (toy.fit(NaiveBayesEM(), X=toy.X * scale) for scale in (1, 1e-3))
    assert small.label_distributions_ == pytest.approx(plain.label_distributions_, abs=1e-6)
    assert small.predict_proba(toy.X * 1e-3) == pytest.approx(plain.predict_proba(toy.X), abs=1e-6)


def test_cuts_are_for_sparse_rows(toy: Toy, fitted_auto: Any) -> None:
    assert fitted_auto.diagnostics_.normalized_cut is not None
    dense = quiet(toy, X=toy.X.toarray())
    assert dense.diagnostics_.normalized_cut is None
    assert dense.diagnostics_.topic_score != 0


def test_members_that_read_words_are_given_words(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where embeddings stand beside them: at the fit, and for documents that come later."""
    monkeypatch.setattr(Diagnostics, "topic_score", 1.0)
    embeddings = sp.csr_array(np.random.default_rng(0).normal(size=(toy.X.shape[0], 4)) / 8)
    both = quiet(toy, Auto(n_embedding_features=4, random_state=0), X=sp.hstack([toy.X, embeddings], format="csr"))
    words = both.solution_.member(MIXTURE).word_log_probabilities
    assert len(words) == toy.X.shape[1]
    found = both.predict_proba(sp.hstack([toy.X, embeddings], format="csr"))
    assert np.mean(found.argmax(axis=1) == both.label_distributions_.argmax(axis=1)) > 0.95


def test_the_leaderboard_tells_all(toy: Toy, fitted_auto: Any) -> None:
    rows = fitted_auto.leaderboard_.rows
    assert [row["name"] for row in rows] == [own.name for own in PORTFOLIO if own.name not in (LEARNER, BEFORE_LABELS)]
    assert {row["name"] for row in rows if row["why"].startswith("member")} == set(fitted_auto.chosen_)
    ran = [row for row in rows if not row["why"].startswith("not needed")]
    assert all(0 <= row["agreement"] <= 1 and row["seconds"] > 0 for row in ran)
    assert len(ran) == len(rows) - 7  # the other ensembles', at either prior, and those for priors that are apart
    assert "self-training" in str(fitted_auto.leaderboard_)


def test_what_candidates_share_is_made_once(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    from isthmus.methods.self_labeling import _pseudo_labels

    made: list[str] = []

    def counted(name: str, make: Any) -> Any:
        def count(*operands: Any) -> Any:
            made.append(name)
            return make(*operands)

        return count

    maps = {name: counted(name, make) for name, make in _pseudo_labels.FEATURE_MAPS.items()}
    monkeypatch.setattr(_pseudo_labels, "FEATURE_MAPS", maps)
    monkeypatch.setattr(_pseudo_labels, "dci_features", counted("dci", _pseudo_labels.dci_features))
    quiet(toy)
    assert sorted(made) == ["dci", "lsa"]  # two candidates read the first
    made.clear()
    quiet(toy, sample_labeled=~toy.in_target | (np.arange(len(toy.y)) % 9 == 0))  # who learns from labels reads words
    assert sorted(made) == ["dci", "lsa"]


def test_little_time_leaves_dear_candidates_out(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr("isthmus.auto.run.perf_counter", lambda: next(clock))  # every look at it takes a second
    auto = quiet(toy, Auto(max_time=12, random_state=0))
    why = {row["name"]: row["why"] for row in auto.leaderboard_.rows}
    assert why["TCL"] == "no time left"
    assert auto.chosen_
    assert "no time left" not in (why[name] for name in auto.chosen_)


def test_a_given_prior_is_kept_by_methods_that_rank() -> None:
    toy = make_toy(seed=3)
    few = toy.in_target & (toy.y == "class 0") & (np.cumsum(toy.in_target & (toy.y == "class 0")) > 15)
    toy = Toy(toy.X[~few], toy.y[~few], toy.domain[~few])
    there = toy.in_target
    true = {label: float(np.mean(toy.y[there] == label)) for label in ("class 0", "class 1")}
    told = quiet(toy, Auto(target_prior=true, random_state=0))
    assert told.target_prior_ == pytest.approx(true)
    assert np.mean(told.transduction_[there] == toy.y[there]) > 0.95
    with pytest.raises(ValueError, match=r"target_prior is .*: give two classes a share"):
        quiet(toy, Auto(target_prior={"class 0": 1.0}))


def test_a_model_file_holds_it_all(toy: Toy, fitted_auto: Any, tmp_path: Path) -> None:
    isthmus.save(fitted_auto, tmp_path / "auto.isthmus")
    loaded = isthmus.load(tmp_path / "auto.isthmus")
    assert loaded.predict_proba(toy.X).tobytes() == fitted_auto.predict_proba(toy.X).tobytes()
    assert loaded.estimated_accuracy_ == fitted_auto.estimated_accuracy_
    assert loaded.leaderboard_.rows == fitted_auto.leaderboard_.rows


def test_looking_at_it_does_not_change_what_is_saved(toy: Toy, tmp_path: Path) -> None:
    auto = quiet(toy)
    isthmus.save(auto, tmp_path / "before.isthmus")
    assert len(auto.topics()) == 10
    isthmus.save(auto, tmp_path / "after.isthmus")
    assert (tmp_path / "after.isthmus").read_bytes() == (tmp_path / "before.isthmus").read_bytes()


def test_suggestions_are_a_random_sample_and_doubtful_ones() -> None:
    doubt = np.linspace(0.5, 1, 101)
    probabilities = np.column_stack([doubt, 1 - doubt])
    chosen = suggest_labels(probabilities, 20).tolist()
    assert len(set(chosen)) == 20
    sample = np.random.default_rng(0).permutation(101)[:25].tolist()  # a quarter is for this and later random ones
    assert chosen[:10] == sample[:10]
    assert chosen[10:] == [row for row in range(101) if row not in sample][:10]  # the most doubtful of the others
    turned = suggest_labels(probabilities[::-1], 20).tolist()
    assert turned[:10] == chosen[:10]  # drawn alike, whatever the model thinks
    assert sorted(suggest_labels(probabilities[:3], 10).tolist()) == [0, 1, 2]
    assert set(suggest_labels(probabilities, 4, among=range(50, 55)).tolist()) < set(range(50, 55))


def test_what_suggestions_cannot_be_made_of() -> None:
    probabilities = np.full((9, 2), 0.5)
    whole: Any = np.int64(3)
    assert suggest_labels(probabilities, whole).tolist() == suggest_labels(probabilities, 3).tolist()
    bad: list[Any] = [0, -3, 2.5, 20.0, "20", None]
    for n in bad:
        with pytest.raises(ValueError, match=f"^n is {n!r}: ask for a whole number of documents, one at least"):
            suggest_labels(probabilities, n)
    for result in (Auto(random_state=0), "blogs", [["a", "b"]]):
        with pytest.raises(TypeError, match=re.escape(f"result is {result!r}: give what isthmus.transfer returned")):
            suggest_labels(result)


def test_labeling_what_is_suggested_helps_a_transfer() -> None:
    from isthmus.datasets import load_messages
    from isthmus.datasets.messages import SOURCE, TARGET

    messages = load_messages()
    texts = {
        name: [t for t, g in zip(messages.texts, messages.groups, strict=True) if g == name]
        for name in (SOURCE, TARGET)
    }
    truth = messages.labels[messages.groups == TARGET]
    labels = list(messages.labels[messages.groups == SOURCE])
    first = isthmus.transfer(texts[SOURCE], labels, texts[TARGET])
    chosen = suggest_labels(first, 30)
    known: list[Any] = [None] * len(truth)
    for row in chosen:
        known[row] = truth[row]
    second = isthmus.transfer(texts[SOURCE], labels, texts[TARGET], target_labels=known)
    before, after = (np.mean(result.labels == truth) for result in (first, second))
    assert after > before
    assert second.labels[chosen].tolist() == truth[chosen].tolist()


def test_what_is_labeled_already_is_not_suggested() -> None:
    texts = ["refund my card", "the app crashes", "charge refund", "crash app", "card charge", "app crash again"]
    labels = ["billing", "fault"] * 3
    given = ["billing", None, None, "fault", np.nan, None]
    result = isthmus.transfer(texts, labels, texts, target_labels=given, method="LR")
    assert result.given.tolist() == [True, False, False, True, False, False]
    assert set(suggest_labels(result, 10)) == {1, 2, 4, 5}
