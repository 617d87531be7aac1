"""Domains: any names, any number, and new documents of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.checks.corpus import two_domains
from isthmus.checks.trial import Trial, expect, expect_close, expect_probabilities, expect_same_bits


def check_any_domain_names(trial: Trial) -> None:
    """An integer and a tuple do what strings do."""
    _check_names(trial, (3, ("b", 2)), [("b", 2)])


def check_negative_integers_are_targets(trial: Trial) -> None:
    """Without `target_domain`, as in scikit-learn's semi-supervised methods' -1."""
    _check_names(trial, (1, -2), None)


def _check_names(trial: Trial, names: Any, target_domain: Any) -> None:
    toy, plain = trial.toy, trial.plain
    of_rows = [names[1] if target else names[0] for target in toy.in_target]
    model = trial.fit(sample_domain=of_rows, target_domain=target_domain)
    expect(model.target_domains_ == [names[1]], f"target_domains_ to be {[names[1]]}", model.target_domains_)
    when = f"with domains named {names[0]!r} and {names[1]!r} as with strings"
    expect_same_bits(model.label_distributions_, plain.label_distributions_, f"label_distributions_ {when}")
    found = model.predict_proba(toy.X, sample_domain=of_rows)
    expect_same_bits(found, plain.predict_proba(toy.X, sample_domain=toy.domain), f"predict_proba {when}")


def check_several_sources_and_targets(trial: Trial) -> None:
    """Two sources and two targets, with three classes."""
    toy = two_domains(seed=1, n_classes=3, n_documents=60)
    half = np.arange(len(toy.y)) % 2
    names = np.array([f"{domain} {part}" for domain, part in zip(toy.domain, half, strict=True)])
    targets = ["target 0", "target 1"]
    model = trial.fit(toy, sample_domain=names, target_domain=targets)
    expect(set(model.target_domains_) == set(targets), f"target_domains_ to be {targets}", model.target_domains_)
    what = "with two sources and two targets"
    expect_probabilities(model.label_distributions_, (len(toy.y), 3), f"label_distributions_ {what}")
    for of_rows in (names, None):
        found = model.predict_proba(toy.X, sample_domain=of_rows)
        expect_probabilities(found, (len(toy.y), 3), f"predict_proba {what}")
    share = (model.transduction_ == toy.y)[toy.in_target].mean()
    expect(share > 0.85, f"more than 85% of the targets' labels to be right {what}", f"{share:.0%}")
    share = (model.predict(toy.X, sample_domain=names) == model.transduction_).mean()
    expect(share > 0.85, f"predict to agree with transduction_ in more than 85% of the rows {what}", f"{share:.0%}")


def check_domains_of_new_documents(trial: Trial) -> None:
    """By default new documents are read as the target's, and each with its own domain's words if that is named."""
    toy, model = trial.toy, trial.plain
    expected = model.predict(toy.X)
    same = np.array_equal(model.predict(toy.X, sample_domain="target"), expected)
    expect(same, "predict with sample_domain='target' to be what predict is without it", "other labels")
    together = model.predict_proba(toy.X, sample_domain=toy.domain)
    for name in ("source", "target"):
        rows = toy.domain == name
        alone = model.predict_proba(toy.X[rows], sample_domain=name)
        expect_close(alone, together[rows], 1e-9, f"predict_proba of the rows of {name} alone as among others")
