"""Labels: which are read, of what type they may be, and what comes out."""

from __future__ import annotations

import numpy as np

from isthmus.checks.corpus import two_domains
from isthmus.checks.trial import KNOWN_LABEL, Trial, expect, expect_probabilities, expect_same_bits, expect_same_fit
from isthmus.exceptions import SmallClassWarning, silenced


def check_probabilities(trial: Trial) -> None:
    """Every row is a distribution, and the labels are its largest entries."""
    model, toy = trial.plain, trial.toy
    expect_probabilities(model.label_distributions_, (len(toy.y), 2), "label_distributions_")
    expect_probabilities(model.predict_proba(toy.X), (len(toy.y), 2), "predict_proba")
    most_likely = model.classes_[model.label_distributions_.argmax(axis=1)]
    expect(np.array_equal(model.transduction_, most_likely), "the most likely classes in transduction_", "others")
    in_source = model.transduction_[~toy.in_target] == toy.y[~toy.in_target]
    expect(in_source.all(), "the source's own labels in transduction_", f"{(~in_source).sum()} others")


def check_easy_target_is_labeled_right(trial: Trial) -> None:
    """More than 85% of it, whether the documents were there at `fit` or not."""
    toy, later = trial.toy, two_domains(seed=6, n_documents=60)
    share = (trial.plain.transduction_ == toy.y)[toy.in_target].mean()
    expect(share > 0.85, "more than 85% of the target's labels to be right", f"{share:.0%}")
    share = (trial.plain.predict(later.X) == later.y)[later.in_target].mean()
    expect(share > 0.85, "more than 85% of the labels of new target documents to be right", f"{share:.0%}")


def check_target_labels_are_never_read(trial: Trial) -> None:
    """Poison: other labels, new classes and other types in the target's y may not change one bit."""
    toy, rng = trial.toy, np.random.default_rng(0)
    poison = [*rng.permutation(toy.y[toy.in_target]).tolist(), None, float("nan"), 3, "class 17"]
    y = toy.y.astype(object)
    for row in np.flatnonzero(toy.in_target):
        y[row] = poison[rng.integers(len(poison))] if row % 2 else poison[-1 - rng.integers(4)]
    model = trial.fit(y=y)
    expect(np.array_equal(model.classes_, trial.plain.classes_), "classes_ of the source alone", model.classes_)
    expect_same_fit(model, trial.plain, toy.X, "whatever stands in the target's y")


def check_known_target_labels_are_kept(trial: Trial) -> None:
    """The labels of a few target rows come back as they were given, right or wrong."""
    rows, _ = trial.known_rows
    kept = trial.few_labels.transduction_[rows] == KNOWN_LABEL
    expect(kept.all(), "known labels of target rows to be kept", f"{(~kept).sum()} others")


def check_known_target_labels_are_used(trial: Trial) -> None:
    """The labels of a few target rows count for the other rows."""
    _, labeled = trial.known_rows
    found, without = (model.label_distributions_[~labeled] for model in (trial.few_labels, trial.plain))
    same = np.array_equal(found, without)
    expect(not same, "known labels of target rows to count for the other rows", "the same bits as without them")


def check_labels_of_any_type(trial: Trial) -> None:
    """Their names are not what a method goes by: only their order is."""
    for low, high in ((-1, 1), (False, True), (1.0, 2.0)):
        model = trial.fit(y=np.where(trial.toy.y == "class 1", high, low))
        expect(model.classes_.tolist() == [low, high], f"classes_ to be {[low, high]}", model.classes_.tolist())
        kind = f"label_distributions_ with labels {low!r} and {high!r} as with strings"
        expect_same_bits(model.label_distributions_, trial.plain.label_distributions_, kind)


def check_class_of_one_document(trial: Trial) -> None:
    """A class with a single labeled document is learned from, with a warning."""
    y = trial.toy.y.astype(object)
    y[np.flatnonzero(~trial.toy.in_target)[0]] = "rare"
    with silenced(SmallClassWarning):
        model = trial.fit(y=y)
    expected = ["class 0", "class 1", "rare"]
    expect(model.classes_.tolist() == expected, f"classes_ to be {expected}", model.classes_.tolist())
    expect_probabilities(model.label_distributions_, (len(y), 3), "label_distributions_ with a class of one document")
