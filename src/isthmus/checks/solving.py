"""What `solve` promises: it returns a solution, leaves everything else as it was, and can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import joblib
import scipy.sparse as sp
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from isthmus.checks.trial import LARGER, Trial, expect, expect_same_fit
from isthmus.core.estimator import ONE_BLAS_THREAD
from isthmus.core.problem import Problem, make_problem
from isthmus.core.solution import Solution
from isthmus.core.workspace import Workspace


def check_solution(trial: Trial) -> None:
    """A frozen dataclass derived from Solution, whose public fields the estimator shows."""
    solution = trial.plain.solution_
    kind = type(solution)
    expect(isinstance(solution, Solution), "solve to return a Solution", kind.__name__)
    frozen = is_dataclass(solution) and kind.__dataclass_params__.frozen
    expect(frozen, f"{kind.__name__} to be a frozen dataclass", "one that can be changed")


def check_solve_changes_nothing(trial: Trial) -> None:
    """Neither the estimator nor the problem: whatever is learned is in the solution."""
    toy, estimator = trial.toy, trial.new()
    problem = make_problem(estimator, toy.X, toy.y, toy.domain, "target")
    own, seen = _fingerprints(vars(estimator)), _fingerprints(_arrays_of(problem))
    with ONE_BLAS_THREAD:
        estimator.solve(problem, Workspace()).transduce(problem)
    for before, after, what in (
        (own, _fingerprints(vars(estimator)), f"attributes of {type(estimator).__name__}"),
        (seen, _fingerprints(_arrays_of(problem)), "arrays of the problem"),
    ):
        changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        expect(not changed, f"solve to leave the {what} as they are", f"that it sets {', '.join(changed)}")


def check_same_seed_gives_the_same_bits(trial: Trial) -> None:
    """A second fit, of a clone."""
    again: Any = clone(trial.plain)
    same = repr(again.get_params()) == repr(trial.plain.get_params())
    expect(same, "a clone to have the same parameters", again.get_params())
    expect_same_fit(trial.toy.fit(again), trial.plain, trial.toy.X, "of a second fit with the same seed")


def check_number_of_threads(trial: Trial) -> None:
    """One thread and four give the same bits."""
    with threadpool_limits(limits=4):
        model = trial.fit(LARGER)
    expect_same_fit(model, trial.in_one_thread, LARGER.X, "with four threads as with one")


def _fingerprints(values: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for name, value in values.items():
        try:
            found[name] = joblib.hash(value)
        except Exception:  # what cannot be pickled, such as a callback, must be the same object at least
            found[name] = str(id(value))
    return found


def _arrays_of(problem: Problem) -> dict[str, Any]:
    """What the problem is made of. Not the objects around: these may remember what was computed from it."""
    found: dict[str, Any] = {"known": problem.known, "class_prior": problem.class_prior, "empty": problem.empty}
    for number, domain in enumerate(problem.domains):
        for field in fields(domain):
            value = getattr(domain, field.name)
            parts = (value.data, value.indices, value.indptr) if sp.issparse(value) else value
            found[f"domains[{number}].{field.name}"] = parts
    return found
