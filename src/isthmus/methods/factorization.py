"""What all factorization methods share: starting, solving, folding in, and showing topics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from isthmus.base import POSITIVE, TransferClassifier
from isthmus.engine import (
    ColumnsSumToOne,
    Constraint,
    Factorization,
    Factors,
    Fit,
    Frozen,
    History,
    MatrixDocuments,
    NonNegative,
    RowsSumToOne,
    Strand,
    Term,
    first_labels,
    fold_in,
    mean_squared_length,
    minimize,
    random_start,
)
from isthmus.problem import Domain, Problem
from isthmus.progress import Callback, Relay, watched
from isthmus.topics import Topics, read_topics
from isthmus.typing import Array, Matrix


class FactorizationClassifier(TransferClassifier):
    """Base of the methods that rebuild each domain's X_d as V_d M_d^T, documents x classes times words x classes.

    A method says in `_model` which parts it is made of. Factors over a domain's documents are named ``V0``, ``V1`` and
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
        "n_topics": [Interval(Integral, 1, None, closed="left")],
        "start_C": [POSITIVE],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
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

    @abstractmethod
    def _model(self, problem: Problem, factors: dict[str, Array], rng: np.random.RandomState) -> Factorization:
        """Put the method's parts together. `factors` holds the starts of V0, V1, ...; add those of the others."""

    def _learn(self, problem: Problem) -> list[Array]:
        rng = check_random_state(self.random_state)
        starts = self._starts(problem, rng)
        with watched(type(self).__name__, bool(self.verbose), self.callback) as on_step:
            relay = Relay(on_step, self.n_init * self.max_iter)

            def attempt() -> tuple[Factorization, History]:
                model = self._model(problem, dict(starts), rng)
                max_iter = 0 if relay.stopped else self.max_iter
                return model, minimize(model, max_iter=max_iter, tol=self.tol, on_step=relay)

            attempts = (attempt() for _ in range(self.n_init))  # no more than two are held at a time
            model, history = min(attempts, key=lambda pair: pair[1].objective[-1])

        factors = model.factors
        self._finish(problem, factors)
        fits = {term.rows: term for term in model.terms if isinstance(term, Fit)}
        rows = [rows_of(number) for number in range(len(problem.domains))]
        self.n_iter_ = history.n_iter
        self.objective_ = np.array(history.objective)
        self.profiles_ = np.stack([fits[name].profile(factors) for name in rows])
        is_target = np.array([domain.is_target for domain in problem.domains])
        self._default_profile = self._mean_profile(problem, is_target if is_target.any() else ~is_target)
        self._keep(problem, factors)
        return [self._distributions(factors[name]) for name in rows]

    def _starts(self, problem: Problem, rng: np.random.RandomState) -> dict[str, Array]:
        """Where the factors over documents start: known labels, and what logistic regression expects of the others."""
        return {rows_of(number): start for number, start in enumerate(first_labels(problem, self.start_C))}

    def _finish(self, problem: Problem, factors: Factors) -> None:
        """Change the fitted factors before anything is read from them."""

    def _mean_profile(self, problem: Problem, chosen: Any) -> Array:
        """The words to read a document with when nobody says where it comes from."""
        sizes = np.array([len(domain.rows) for domain in problem.domains])
        return np.average(self.profiles_[chosen], axis=0, weights=sizes[chosen]).astype(self.profiles_.dtype)

    def _keep(self, problem: Problem, factors: Factors) -> None:
        """Copy the factors that the method shows to its users into attributes."""

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        profile = self._default_profile if domain is None else self.profiles_[domain]
        return self._distributions(fold_in(X.astype(profile.dtype, copy=False), profile))

    def _distributions(self, V: Array) -> Array:
        """Class distributions of documents, given their rows of V: those rows, unless a method reads them otherwise."""
        return V

    def _feature_names(self, feature_names: Any) -> Any:
        """The words, as given or as a DataFrame's columns named them at `fit`."""
        names = _check_feature_names_in(self, None) if feature_names is None else feature_names
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"feature_names has {len(names)} entries and the model {self.n_features_in_} words: "
                "give the names of the vectorizer that made X."
            )
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        # Classes are told apart by the direction of a document's vector: clouds of points around centres are not.
        tags.classifier_tags.poor_score = True
        return tags


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

    def _keep(self, problem: Problem, factors: Factors) -> None:
        self.common_topics_ = factors.get("U")
        self.domain_topics_ = np.stack([factors[words_of(number)] for number in range(len(problem.domains))])
        self.association_ = factors["H"]

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
        names = self._feature_names(feature_names)
        specific = dict(zip(self.domains_, self.domain_topics_, strict=True))
        return read_topics(names, self.classes_, self.association_, self.common_topics_, specific, n_words)

    def _html_repr(self) -> str:
        """What a notebook shows: scikit-learn's diagram and, after a fit on named words, the bridge beneath it."""
        diagram: str = super()._html_repr()
        if not (hasattr(self, "association_") and hasattr(self, "feature_names_in_")):
            return diagram
        from isthmus.report import topics_html

        return diagram + topics_html(self.topics(), self.classes_, self.target_domains_)


def rows_of(number: int) -> str:
    """The name of the factor over a domain's documents."""
    return f"V{number}"


def words_of(number: int) -> str:
    """The name of the factor over a domain's own words."""
    return f"W{number}"


def labels_constraint(domain: Domain, otherwise: Constraint | None = None) -> Constraint:
    """Known labels stay: a multiplicative update never moves a zero, so one-hot rows need no update at all."""
    return Frozen() if domain.fully_labeled else otherwise or RowsSumToOne()


def topic_model(
    problem: Problem,
    starts: dict[str, Array],
    rng: np.random.RandomState,
    n_topics: int,
    strands: Callable[[int], tuple[Strand, ...]],
    *,
    n_common: int | None = None,
    words: Constraint | None = None,
    documents: Callable[[Domain], Constraint] = labels_constraint,
    weight: Callable[[Domain], float] = lambda domain: 1.0,
    terms: Sequence[Term] = (),
    power: float = 1.0,
) -> Factorization:
    """Tri-factorize all domains: the machine behind NMTF, TCL, DTL, MTrick, DTLM, GCMF and DKT.

    `strands` maps a domain's number to the strands of its words, `weight` a domain to the weight of its fit; `terms`
    come on top. Factors over words have `n_topics` columns (U: `n_common`, if given) and satisfy `words`: by default,
    columns sum to one. They and their associations start at random, unless `starts` has them.

    Updated in the papers' order: words, documents, association; each factor is normalised as soon as it is updated,
    which is what keeps the objective falling.
    """
    dtype, length = problem.domains[0].matrix.dtype, mean_squared_length(problem) ** 0.5
    words = words or ColumnsSumToOne()
    fits = [
        Fit(MatrixDocuments(domain.matrix), rows_of(number), strands(number), weight(domain))
        for number, domain in enumerate(problem.domains)
    ]
    all_strands = list(dict.fromkeys(strand for fit in fits for strand in fit.strands))
    width = {strand.words: n_topics for strand in all_strands}
    if n_common is not None and "U" in width:
        width["U"] = n_common
    tall = {strand.association: width[strand.words] for strand in all_strands if strand.association is not None}

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
    return Factorization(Factors(factors), [*fits, *terms], constraints, order, power)
