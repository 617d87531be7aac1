"""What the methods share that have word-topic factors and an association of topics and classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from isthmus.core.problem import Domain, Problem
from isthmus.core.workspace import Workspace
from isthmus.inspection.topics import Topics, read_topics
from isthmus.methods.factorization._base import (
    FactorizationClassifier,
    FactorizationSolution,
    labels_constraint,
    read_factors,
    rows_of,
    words_of,
)
from isthmus.solvers.factorization import (
    ColumnsSumToOne,
    Component,
    Constraint,
    Factorization,
    Factors,
    History,
    MatrixDocuments,
    NonNegative,
    Reconstruction,
    Term,
    random_start,
)
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

    def solution(
        self, problem: Problem, workspace: Workspace, model: Factorization, history: History
    ) -> FactorizationSolution:
        return TopicSolution(**read_factors(problem, model, history), **read_topic_factors(problem, model.factors))

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


def read_topic_factors(problem: Problem, factors: Factors) -> dict[str, Any]:
    """The fields that a `TopicSolution` adds."""
    return {
        "common_topics": factors.get("U"),
        "domain_topics": np.stack([factors[words_of(number)] for number in range(len(problem.domains))]),
        "association": factors["H"],
    }


def topic_model(
    problem: Problem,
    starts: dict[str, Array],
    rng: np.random.RandomState,
    n_topics: int,
    components: Callable[[int], tuple[Component, ...]],
    *,
    n_common: int | None = None,
    words: Constraint | None = None,
    documents: Callable[[Domain], Constraint] = labels_constraint,
    weight: Callable[[Domain], float] = lambda domain: 1.0,
    terms: Sequence[Term] = (),
    exponent: float = 1.0,
) -> Factorization:
    """Tri-factorize all domains: the machine behind NMTF, TCL, DTL, MTrick, DTLM, GCMF, DKT and `Factorized`.

    `components` maps a domain's number to the components of its words, `weight` a domain to the weight of its
    reconstruction; `terms` come on top. Factors over words have `n_topics` columns (U: `n_common`, if given) and
    satisfy `words`: by default, columns sum to one. They and their associations start at random, unless `starts` has
    them.

    Updated in the papers' order: words, documents, association; each factor is normalised as soon as it is updated,
    which is what keeps the objective falling.
    """
    dtype, length = problem.domains[0].matrix.dtype, problem.mean_squared_length**0.5
    words = words or ColumnsSumToOne()
    fits = [
        Reconstruction(MatrixDocuments(domain.matrix), rows_of(number), components(number), weight(domain))
        for number, domain in enumerate(problem.domains)
    ]
    all_components = list(dict.fromkeys(component for fit in fits for component in fit.components))
    width = {component.words: n_topics for component in all_components}
    if n_common is not None and "U" in width:
        width["U"] = n_common
    tall = {part.association: width[part.words] for part in all_components if part.association is not None}

    factors = dict(starts)
    for name in width:
        if name not in factors:
            factors[name] = random_start(rng, (problem.n_words, width[name]), dtype)
            words.restore(factors[name])
    for name in tall:
        if name not in factors:
            # Words and documents are shares: the association alone knows the scale of X.
            factors[name] = (length * rng.uniform(size=(tall[name], problem.n_classes))).astype(dtype)
    constraints: dict[str, Constraint] = dict.fromkeys(width, words) | dict.fromkeys(tall, NonNegative())
    constraints |= {fit.rows: documents(domain) for fit, domain in zip(fits, problem.domains, strict=True)}
    order = [*width, *(fit.rows for fit in fits), *tall]
    return Factorization(Factors(factors), [*fits, *terms], constraints, order, exponent)
