"""All checks, and how they are run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import SkipTest

from isthmus.checks.documents import (
    check_containers,
    check_documents_may_change_afterwards,
    check_documents_without_a_word,
    check_frames,
    check_input_is_left_unchanged,
    check_new_documents_one_by_one,
    check_single_precision,
    check_words_that_never_occur,
)
from isthmus.checks.domains import (
    check_any_domain_names,
    check_domains_of_new_documents,
    check_negative_integers_are_targets,
    check_several_sources_and_targets,
)
from isthmus.checks.files import check_save_and_load
from isthmus.checks.labels import (
    check_class_of_one_document,
    check_easy_target_is_labeled_right,
    check_known_target_labels_are_kept,
    check_known_target_labels_are_used,
    check_labels_of_any_type,
    check_probabilities,
    check_target_labels_are_never_read,
)
from isthmus.checks.scikit_learn import check_metadata_is_requested, check_scikit_learn
from isthmus.checks.solving import (
    check_number_of_threads,
    check_same_seed_gives_the_same_bits,
    check_solution,
    check_solve_changes_nothing,
)
from isthmus.checks.trial import Trial
from isthmus.core.estimator import TransferClassifier

CHECKS: tuple[Callable[[Trial], None], ...] = (
    check_input_is_left_unchanged,
    check_solution,
    check_solve_changes_nothing,
    check_same_seed_gives_the_same_bits,
    check_number_of_threads,
    check_probabilities,
    check_easy_target_is_labeled_right,
    check_target_labels_are_never_read,
    check_known_target_labels_are_kept,
    check_known_target_labels_are_used,
    check_labels_of_any_type,
    check_class_of_one_document,
    check_any_domain_names,
    check_negative_integers_are_targets,
    check_several_sources_and_targets,
    check_domains_of_new_documents,
    check_containers,
    check_frames,
    check_documents_may_change_afterwards,
    check_single_precision,
    check_documents_without_a_word,
    check_words_that_never_occur,
    check_new_documents_one_by_one,
    check_save_and_load,
    check_metadata_is_requested,
    check_scikit_learn,
)
"""In the order in which they run: what explains the most failures of others comes first."""


@dataclass(frozen=True, eq=False)
class Check:
    """One check of one method. Call it; its name is its `str`."""

    function: Callable[[Trial], None]
    trial: Trial

    @property
    def name(self) -> str:
        return self.function.__name__

    def __str__(self) -> str:
        return f"{type(self.trial.estimator).__name__}-{self.name}"

    def __call__(self) -> None:
        """Raise an AssertionError, or a SkipTest where the check has nothing to say of this method."""
        who = f"{type(self.trial.estimator).__name__} fails {self.name}"
        try:
            self.function(self.trial)
        except SkipTest:
            raise
        except AssertionError as error:
            raise AssertionError(f"{who}: {error}.") from error
        except Exception as error:
            raise AssertionError(f"{who}: expected no error, found {type(error).__name__}: {error}") from error


def checks_of(estimator: Any) -> Iterator[Check]:
    """Every check of a method, to be called. They share fits, which are made when the first of them asks.

    Parameters
    ----------
    estimator : instance of a class derived from TransferClassifier
        With settings that suit a corpus of 120 documents and 82 words. It is cloned, not fitted. If its
        `random_state` is None, the clones get a seed.
    """
    if not isinstance(estimator, TransferClassifier):
        raise TypeError(
            f"estimator is {estimator!r:.200}: give an instance of a class derived from "
            "isthmus.core.estimator.TransferClassifier."
        )
    trial = Trial(estimator)
    return (Check(function, trial) for function in CHECKS)


def check_method(estimator: Any, *, skip: Collection[str] = ()) -> dict[str, str]:
    """Hold a method to the contract of all methods of isthmus.

    It is fitted some 25 times to small corpora that are generated, and goes through scikit-learn's `check_estimator`.

    Parameters
    ----------
    estimator : instance of a class derived from TransferClassifier
        See `checks_of`.
    skip : names of checks
        Those that the method is known to fail.

    Returns
    -------
    skipped : dict of name to reason
        Checks that had nothing to say of this method.

    Raises
    ------
    AssertionError
        At the first check that fails: its name, what was expected and what was found.

    Examples
    --------
    >>> import isthmus
    >>> isthmus.checks.check_method(isthmus.LR(), skip=["check_scikit_learn"])
    {'check_scikit_learn': 'named in skip'}
    """
    checks = list(checks_of(estimator))
    _check_skip(skip)
    skipped = {}
    for check in checks:
        if check.name in skip:
            skipped[check.name] = "named in skip"
            continue
        try:
            check()
        except SkipTest as reason:
            skipped[check.name] = str(reason)
    return skipped


def _check_skip(skip: Collection[str]) -> None:
    names = [function.__name__ for function in CHECKS]
    if isinstance(skip, str):
        raise TypeError(f"skip is {skip!r}: give a list of names of checks.")
    for name in skip:
        if name not in names:
            raise ValueError(f"skip names {name!r}, which is no check: choose from {', '.join(names)}.")
