"""Folds that test on the source alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import isthmus
from conftest import Toy


def test_folds_test_every_source_row_once_and_no_target_row(toy: Toy) -> None:
    folds = isthmus.source_folds(toy.y, toy.domain, "target", n_splits=4, random_state=0)
    tested = np.concatenate([test for _, test in folds])
    assert np.array_equal(np.sort(tested), np.flatnonzero(~toy.in_target))
    for train, test in folds:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(len(toy.y)))
        assert np.isin(np.flatnonzero(toy.in_target), train).all()
        assert set(toy.y[test]) == {"class 0", "class 1"}  # stratified


def test_target_labels_do_not_matter(toy: Toy) -> None:
    hidden = [None if target else label for label, target in zip(toy.y, toy.in_target, strict=True)]
    plain = isthmus.source_folds(toy.y, toy.domain, "target", random_state=1)
    blind = isthmus.source_folds(hidden, toy.domain, "target", random_state=1)
    series = isthmus.source_folds(pd.Series(hidden, index=range(500, 740)), toy.domain, "target", random_state=1)
    for one, two, three in zip(plain, blind, series, strict=True):
        assert np.array_equal(one[1], two[1])
        assert np.array_equal(one[1], three[1])


def test_unknown_target_is_refused(toy: Toy) -> None:
    with pytest.raises(ValueError, match="target_domain names 'moon'"):
        isthmus.source_folds(toy.y, toy.domain, "moon")


def test_targets_may_be_in_every_test_fold(toy: Toy) -> None:
    plain = isthmus.source_folds(toy.y, toy.domain, "target", random_state=0)
    both = isthmus.source_folds(toy.y, toy.domain, "target", random_state=0, target_in_test=True)
    for (train, test), (same, wider) in zip(plain, both, strict=True):
        assert np.array_equal(train, same)
        assert np.array_equal(wider, np.union1d(test, np.flatnonzero(toy.in_target)))


def test_hidden_source_labels_are_never_read(toy: Toy) -> None:
    labeled = ~toy.in_target
    labeled[np.flatnonzero(labeled)[::3]] = False
    y = [label if shown else None for label, shown in zip(toy.y, labeled, strict=True)]
    folds, others = (
        isthmus.source_folds(given, toy.domain, "target", n_splits=3, random_state=0, sample_labeled=labeled)
        for given in (y, toy.y)
    )
    assert np.array_equal(np.sort(np.concatenate([test for _, test in folds])), np.flatnonzero(labeled))
    for (train, test), (_, other) in zip(folds, others, strict=True):
        assert np.isin(np.flatnonzero(~labeled), train).all()
        assert np.array_equal(test, other)
    with pytest.raises(ValueError, match="y holds None"):
        isthmus.source_folds(y, toy.domain, "target")
