"""What all factorization methods share: starting, solving, folding in, and showing topics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from isthmus.core.estimator import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.progress import Callback, Relay, watched
from isthmus.core.solution import TransductiveSolution
from isthmus.core.workspace import Workspace
from isthmus.inspection.topics import Topics, read_topics
from isthmus.methods.factorization._design import Design
from isthmus.solvers.factorization import Factorization, Factors, History, RowsSumToOne, fold_in, minimize
from isthmus.solvers.linear import first_labels
from isthmus.typing import Array, DomainName, Matrix


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


@dataclass(frozen=True, eq=False)
class TopicSolution(FactorizationSolution):
    """Topics: their words in common, in each domain, and the classes that they stand for."""

    common_topics: Array | None
    """U: words x topics. None for a method that has no common words."""
    domain_topics: Array
    """W_d: domains x words x topics."""
    association: Array
    """H: topics x classes."""

    def topics(
        self, feature_names: Any, classes: np.ndarray[Any, Any], domains: Sequence[DomainName], n_words: int
    ) -> Topics:
        """The most telling words of each topic: in common, and of each domain."""
        specific = dict(zip(domains, self.domain_topics, strict=True))
        return read_topics(feature_names, classes, self.association, self.common_topics, specific, n_words)


@dataclass(frozen=True, eq=False)
class DTLMSolution(TopicSolution):
    """Topics, and the regression that labels are read with."""

    coefficients: Array | None
    """A: classes x classes. None for no regression."""

    def read(self, V: Array) -> Array:
        """A V (step 9 of DTLM's algorithm 1), made a distribution."""
        if self.coefficients is None:
            return V
        scores = np.maximum(V @ self.coefficients.T, 0)
        RowsSumToOne().restore(scores)
        return scores


class FactorizationClassifier(TransferClassifier):
    """Base of the methods that rebuild each domain's X_d as V_d M_d^T, documents x classes times words x classes.

    Factors over a domain's documents are named ``V0``, ``V1`` and so on, in the order of the problem's domains.

    Attributes
    ----------
    profiles_ : ndarray of domains x words x classes
        M_d: the words of each class in each domain.
    n_iter_ : int
        Iterations done.
    objective_ : ndarray
        The objective at the start and after each iteration.
    """

    _positive_only = True
    _poor_on_blobs = True  # classes are told apart by the direction of a document's vector, not by its place
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

    def best_of(self, models: Iterator[Factorization]) -> tuple[Factorization, History]:
        """Of several starts, the one with the lowest objective; no more than two are held at a time."""
        with watched(type(self).__name__, bool(self.verbose), self.callback) as on_step:
            relay = Relay(on_step, self.n_init * self.max_iter)

            def run(model: Factorization) -> tuple[Factorization, History]:
                max_iter = 0 if relay.stopped else self.max_iter
                return model, minimize(model, max_iter=max_iter, tol=self.tol, on_step=relay)

            return min(map(run, models), key=lambda run: run[1].objective[-1])


class TopicClassifier(FactorizationClassifier):
    """Base of the methods with word-topic factors and an association of topics and classes.

    Attributes
    ----------
    common_topics_ : ndarray of words x topics, or None
        U: the words of each topic in all domains. None for a method that has no common words.
    domain_topics_ : ndarray of domains x words x topics
        W_d: the words of each topic in each domain.
    association_ : ndarray of topics x classes
        H.
    """

    solution_: TopicSolution

    @abstractmethod
    def design(self) -> Design:
        """The parts that the method is made of."""

    @property
    def passes_over_parts(self) -> bool:
        own_starts = (TopicClassifier.word_starts, TopicClassifier.document_starts)
        return self.design().is_plain and (type(self).word_starts, type(self).document_starts) == own_starts

    def word_starts(self, problem: Problem, rng: np.random.RandomState) -> dict[str, Array]:
        """Where factors over words and associations start, if not at random."""
        return {}

    def document_starts(self, problem: Problem, workspace: Workspace, rng: np.random.RandomState) -> Sequence[Array]:
        """Where V_d starts: known labels, and what logistic regression expects of the others."""
        return workspace.once(first_labels, problem, self.start_C)

    def solve(self, problem: Problem, workspace: Workspace) -> TopicSolution:
        design, rng = self.design(), check_random_state(self.random_state)
        labels = self.document_starts(problem, workspace, rng)
        starts = {f"V{number}": start for number, start in enumerate(labels)}
        model, history = self.best_of(
            design.build(problem, {**starts, **self.word_starts(problem, rng)}, rng) for _ in range(self.n_init)
        )
        if not isinstance(design.constraint("V*"), RowsSumToOne):  # whatever rows are in the fit, they are shown so
            for name in starts:
                RowsSumToOne().restore(model.factors[name])
        found = {**read_factors(problem, model, history), **design.topics(problem, model.factors)}
        if "A" not in model.factors:
            return TopicSolution(**found)
        regressed = DTLMSolution(**found, coefficients=model.factors["A"])
        return replace(regressed, distributions=regressed.read(found["distributions"]))

    def topics(self, feature_names: Any = None, n_words: int = 10) -> Topics:
        """The most telling words of each topic: in common, and of each domain.

        Parameters
        ----------
        feature_names : sequence of str, optional
            The words, as a vectorizer's ``get_feature_names_out`` gives them. Not needed after a fit on a DataFrame.
        n_words : int
            How many words to list.
        """
        check_is_fitted(self, "association_")
        names = self._read_feature_names(feature_names)
        return cast(TopicSolution, self.solution_.shown).topics(names, self.classes_, self.domains_, n_words)

    def _html_repr(self) -> str:
        """What a notebook shows: scikit-learn's diagram and, after a fit on named words, the bridge beneath it."""
        diagram: str = super()._html_repr()
        if not (hasattr(self, "association_") and hasattr(self, "feature_names_in_")):
            return diagram
        from isthmus.inspection.notebook import topics_html

        return diagram + topics_html(self.topics(), self.classes_, self.target_domains_)


def read_factors(problem: Problem, model: Factorization, history: History) -> dict[str, Any]:
    """The fields of a `FactorizationSolution`."""
    numbers = range(len(problem.domains))
    profiles = np.stack([model.profile(f"V{number}") for number in numbers])
    return {
        "distributions": unlabeled_rows(problem, model.factors),
        "profiles": profiles,
        "n_iter": len(history.objective) - 1,
        "objective": np.array(history.objective),
        "_default_profile": problem.target_mean(profiles),
    }


def unlabeled_rows(problem: Problem, factors: Factors) -> Array:
    """The rows of V of all unlabeled documents."""
    parts = []
    for number, domain in enumerate(problem.domains):
        V = factors[f"V{number}"]
        if not domain.fully_labeled:
            parts.append(V[~domain.labeled] if domain.labeled.any() else V)
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else V[:0]
