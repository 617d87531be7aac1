"""What all factorization methods share: starting, solving, and folding in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from isthmus.core.estimator import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, TransferClassifier
from isthmus.core.problem import Domain, Problem
from isthmus.core.progress import Callback, Relay, watched
from isthmus.core.solution import TransductiveSolution
from isthmus.core.workspace import Workspace
from isthmus.solvers.factorization import (
    Constraint,
    Factorization,
    Factors,
    Frozen,
    History,
    Reconstruction,
    RowsSumToOne,
    first_labels,
    fold_in,
    minimize,
)
from isthmus.typing import Array, Mask, Matrix


@dataclass(frozen=True, eq=False)
class FactorizationSolution(TransductiveSolution):
    """The words of each class in each domain, M_d; X_d is about V_d M_d^T."""

    profiles: Array
    """Domains x words x classes."""
    n_iter: int
    objective: Array
    _default_profile: Array
    """The words to read a document with when nobody says where it comes from."""

    def assign(self, X: Matrix, domain: int | None) -> Array:
        profile = self._default_profile if domain is None else self.profiles[domain]
        return self.read(fold_in(X.astype(profile.dtype, copy=False), profile))

    def read(self, V: Array) -> Array:
        """Class probabilities of documents, given their rows of V: those rows, unless a method reads them otherwise."""
        return V


class FactorizationClassifier(TransferClassifier):
    """Base of the methods that rebuild each domain's X_d as V_d M_d^T, documents x classes times words x classes.

    A method says which parts it is made of (`model`) and, where it does not go by the defaults, where factors start
    (`starts`) and what is read from them (`solution`). Factors over a domain's documents are named ``V0``, ``V1`` and
    so on, in the order of the problem's domains.

    Attributes
    ----------
    profiles_ : ndarray of domains x words x classes
        M_d: the words of each class in each domain.
    n_iter_ : int
        Iterations done.
    objective_ : ndarray
        The objective at the start and after each iteration.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_topics": [AT_LEAST_ONE],
        "start_C": [POSITIVE],
        "n_init": [AT_LEAST_ONE],
        "max_iter": [AT_LEAST_ONE],
        "tol": [NOT_NEGATIVE],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }

    n_topics: int
    start_C: float
    n_init: int
    max_iter: int
    tol: float
    random_state: Any
    verbose: bool | int
    callback: Callback | None

    def solve(self, problem: Problem, workspace: Workspace) -> FactorizationSolution:
        rng = check_random_state(self.random_state)
        starts = self.starts(problem, workspace, rng)
        model, history = self._best_of(lambda: self.model(problem, dict(starts), rng))
        return self.solution(problem, workspace, model, history)

    @abstractmethod
    def model(self, problem: Problem, starts: dict[str, Array], rng: np.random.RandomState) -> Factorization:
        """Put the method's parts together. `starts` holds those of V0, V1, ...; add those of the others."""

    def starts(self, problem: Problem, workspace: Workspace, rng: np.random.RandomState) -> dict[str, Array]:
        """Where the factors over documents start: known labels, and what logistic regression expects of the others."""
        return {
            rows_of(number): start for number, start in enumerate(workspace.once(first_labels, problem, self.start_C))
        }

    def solution(
        self, problem: Problem, workspace: Workspace, model: Factorization, history: History
    ) -> FactorizationSolution:
        """What is read from the fitted factors."""
        return FactorizationSolution(**read_factors(problem, model, history))

    def _best_of(self, build: Callable[[], Factorization]) -> tuple[Factorization, History]:
        """Of `n_init` starts, the one with the lowest objective."""
        with watched(type(self).__name__, bool(self.verbose), self.callback) as on_step:
            relay = Relay(on_step, self.n_init * self.max_iter)

            def attempt() -> tuple[Factorization, History]:
                model = build()
                max_iter = 0 if relay.stopped else self.max_iter
                return model, minimize(model, max_iter=max_iter, tol=self.tol, on_step=relay)

            attempts = (attempt() for _ in range(self.n_init))  # no more than two are held at a time
            return min(attempts, key=lambda pair: pair[1].objective[-1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        # Classes are told apart by the direction of a document's vector: clouds of points around centres are not.
        tags.classifier_tags.poor_score = True
        return tags


def read_factors(problem: Problem, model: Factorization, history: History) -> dict[str, Any]:
    """The fields of a `FactorizationSolution`."""
    fits = {term.rows: term for term in model.terms if isinstance(term, Reconstruction)}
    numbers = range(len(problem.domains))
    profiles = np.stack([fits[rows_of(number)].profile(model.factors) for number in numbers])
    is_target = np.array([domain.is_target for domain in problem.domains])
    return {
        "distributions": tuple(unlabeled_rows(problem, model.factors, number) for number in numbers),
        "profiles": profiles,
        "n_iter": history.n_iter,
        "objective": np.array(history.objective),
        "_default_profile": mean_profile(problem, profiles, is_target if is_target.any() else ~is_target),
    }


def unlabeled_rows(problem: Problem, factors: Factors, number: int) -> Array:
    """The rows of V of a domain's unlabelled documents."""
    labeled, V = problem.domains[number].labeled, factors[rows_of(number)]
    return V[~labeled] if labeled.any() else V


def mean_profile(problem: Problem, profiles: Array, chosen: Mask) -> Array:
    """The mean of some domains' profiles, weighted by their numbers of documents."""
    sizes = np.array([len(domain.rows) for domain in problem.domains])
    return np.average(profiles[chosen], axis=0, weights=sizes[chosen]).astype(profiles.dtype)


def rows_of(number: int) -> str:
    """The name of the factor over a domain's documents."""
    return f"V{number}"


def words_of(number: int) -> str:
    """The name of the factor over a domain's own words."""
    return f"W{number}"


def labels_constraint(domain: Domain, otherwise: Constraint | None = None) -> Constraint:
    """Known labels stay: a multiplicative update never moves a zero, so one-hot rows need no update at all."""
    return Frozen() if domain.fully_labeled else otherwise or RowsSumToOne()
