"""What the methods share that have word-topic factors and an association of topics and classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from isthmus.core.problem import Problem
from isthmus.core.workspace import Workspace
from isthmus.inspection.topics import Topics, read_topics
from isthmus.methods.factorization._base import (
    FactorizationClassifier,
    FactorizationSolution,
    read_factors,
    rows_of,
)
from isthmus.methods.factorization._design import Design
from isthmus.solvers.factorization import Factorization, History, RowsSumToOne
from isthmus.typing import Array, DomainName


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

    def model(self, problem: Problem, starts: dict[str, Array], rng: np.random.RandomState) -> Factorization:
        return self.design().build(problem, starts, rng)

    def solution(
        self, problem: Problem, workspace: Workspace, model: Factorization, history: History
    ) -> FactorizationSolution:
        for name in map(rows_of, range(len(problem.domains))):
            if not isinstance(model.constraints[name], RowsSumToOne):  # whatever rows are in the fit, they are shown so
                RowsSumToOne().restore(model.factors[name])
        found = {**read_factors(problem, model, history), **self.design().topics(problem, model.factors)}
        if "A" not in model.factors:
            return TopicSolution(**found)
        regressed = DTLMSolution(**found, coefficients=model.factors["A"])
        return replace(regressed, distributions=tuple(map(regressed.read, regressed.distributions)))

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
        return self.solution_.topics(names, self.classes_, self.domains_, n_words)

    def _html_repr(self) -> str:
        """What a notebook shows: scikit-learn's diagram and, after a fit on named words, the bridge beneath it."""
        diagram: str = super()._html_repr()
        if not (hasattr(self, "association_") and hasattr(self, "feature_names_in_")):
            return diagram
        from isthmus.inspection.notebook import topics_html

        return diagram + topics_html(self.topics(), self.classes_, self.target_domains_)
